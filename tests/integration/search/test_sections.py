"""A section as a model reads it: whole, with its subsections, and only within the scope."""

from collections.abc import Awaitable, Callable
from datetime import date

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.search.search import SECTION_LIMIT, PostgresChunkSearch
from core.domain.policy import EVERYONE
from core.domain.question import Scope
from core.ports import Published

Publish = Callable[..., Awaitable[Published]]
KEYS = [
    ("1", "Keys", "A key is signed for at the gate."),
    ("1.1", "Lost keys", "A lost key is told to the guard within a day."),
    ("1.1.1", "Costs", "A new lock costs the department EUR 90."),
    ("10", "Badges", "A badge is worn where it can be seen."),
]


async def _read(
    engine: AsyncEngine, policy: str, section: str, *groups: str, day: date = date(2026, 6, 1)
) -> list[str]:
    scope = Scope(as_of=day, groups=frozenset({EVERYONE, *groups}))
    found = await PostgresChunkSearch(engine, None).section(policy, section, scope)
    assert all((one.relevance, one.score, one.dense_score) == (0.0, 0.0, None) for one in found)
    return [one.place.number or "" for one in found]


@pytest.mark.parametrize(
    ("section", "numbers"),
    [
        ("1", ["1", "1.1", "1.1.1"]),
        ("1.1", ["1.1", "1.1.1"]),
        ("LOST KEYS", ["1.1", "1.1.1"]),
        ("10", ["10"]),
        ("2", []),
        ("", []),
        ("1' OR 'a'='a", []),
        ("%", []),
    ],
)
async def test_a_section_is_read_with_what_is_below_it(
    engine: AsyncEngine, publish: Publish, section: str, numbers: list[str]
) -> None:
    """By number or heading, case aside; section 10 is not below section 1."""
    await publish("keys", KEYS)
    assert await _read(engine, "KEYS", section) == numbers


async def test_the_id_that_sources_name_is_read(engine: AsyncEngine, publish: Publish) -> None:
    """It is policy and eid, as in the place of each chunk."""
    await publish("keys", KEYS)
    search = PostgresChunkSearch(engine, None)
    scope = Scope(as_of=date(2026, 6, 1))
    (named, *_) = await search.section("keys", "1.1.1", scope)
    assert named.place.policy_key == "keys"
    assert await search.section("keys", named.place.eid, scope) == (named,)
    assert named.text == "A new lock costs the department EUR 90."


async def test_what_is_out_of_scope_is_as_if_it_were_not_there(
    engine: AsyncEngine, publish: Publish
) -> None:
    """Another audience, a day before it was in force, and a version that was replaced."""
    await publish("keys", KEYS, audience=frozenset({"board"}))
    assert await _read(engine, "keys", "1") == []
    assert await _read(engine, "keys", "1", "board") == ["1", "1.1", "1.1.1"]
    await publish("gates", [("1", "Gates", "The gate is locked at night.")])
    await publish(
        "gates", [("2", "Doors", "The door is locked at night.")], on_day=date(2026, 3, 1)
    )
    assert await _read(engine, "gates", "1") == []
    assert await _read(engine, "gates", "2") == ["2"]


async def test_a_long_section_is_bounded(engine: AsyncEngine, publish: Publish) -> None:
    """No model reads a whole book at once."""
    below = [(f"1.{n}", f"Part {n}", f"Rule {n} holds here.") for n in range(1, SECTION_LIMIT + 5)]
    await publish("book", [("1", "Book", "Rules follow."), *below])
    assert len(await _read(engine, "book", "1")) == SECTION_LIMIT
