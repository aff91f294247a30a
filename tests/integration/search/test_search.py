from collections.abc import Awaitable, Callable
from datetime import date

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.search import search as search_module
from core.adapters.postgres.search.indexes import ensure_ann_indexes
from core.adapters.postgres.search.search import PostgresChunkSearch
from core.domain.errors import TransientError
from core.domain.policy import EVERYONE
from core.domain.question import Scope
from core.ports import EmbeddingSpace, Published, SearchRequest, SearchResult, Vector

Publish = Callable[..., Awaitable[Published]]
Embed = Callable[[str], Vector]

GIFTS = [
    ("1", "Gifts", ""),
    ("1.1", "Limit", "A gift above EUR 50 must be declined, see section 1.2."),
    ("1.2", "Approval", "The Compliance Officer may approve exceptions in writing."),
    ("1.3", "Record", "Each present is entered into the register of hospitality."),
]
TRAVEL = [
    ("1", "Trips", "Flights are booked in economy class."),
    ("2", "Hotels", "A hotel costs at most EUR 150 a night and is booked in advance."),
]


def _scope(*groups: str, day: date = date(2026, 6, 1)) -> Scope:
    return Scope(as_of=day, groups=frozenset({EVERYONE, *groups}))


async def _search(
    engine: AsyncEngine,
    question: str,
    *,
    scope: Scope,
    space: EmbeddingSpace | None = None,
    embedding: Vector | None = None,
    limit: int = 5,
    neighbours: int = 0,
) -> SearchResult:
    return await PostgresChunkSearch(engine, space).search(
        SearchRequest(
            text=question, embedding=embedding, scope=scope, limit=limit, neighbours=neighbours
        )
    )


def _numbers(result: SearchResult) -> list[str | None]:
    return [hit.place.number for hit in result.hits]


async def test_words_find_their_section(engine: AsyncEngine, publish: Publish) -> None:
    """The section with the question's words comes first, with its scores and its place."""
    await publish("gifts", GIFTS)
    await publish("travel", TRAVEL)
    result = await _search(engine, "Which gift must be declined?", scope=_scope())
    best = result.hits[0]
    assert (best.place.policy_key, best.place.number) == ("gifts", "1.1")
    assert 0 < best.lexical_score <= 1
    assert best.dense_score is None
    assert best.text.startswith("A gift above EUR 50")
    assert result.searched == 5


async def test_meaning_finds_what_words_do_not(
    engine: AsyncEngine, publish: Publish, space: EmbeddingSpace, embed: Embed
) -> None:
    """A question without a common word is answered by its vector, with the cosine as measured."""
    await publish("gifts", GIFTS)
    wanted = "Each present is entered into the register of hospitality."
    result = await _search(
        engine, "zzz", scope=_scope(), space=space, embedding=embed(wanted), limit=1
    )
    assert _numbers(result) == ["1.3"]
    assert result.hits[0].dense_score == pytest.approx(1.0, abs=2e-3)
    assert result.hits[0].lexical_score == 0


async def test_nothing_in_common_is_nothing_found(engine: AsyncEngine, publish: Publish) -> None:
    """Without a vector, a question without a common word finds nothing; so does an empty corpus."""
    assert (await _search(engine, "gift", scope=_scope())).hits == ()
    await publish("gifts", GIFTS)
    result = await _search(engine, "zzz 'quoted\" \\ :param % { \0", scope=_scope())
    assert (result.hits, result.searched) == ((), 3)


async def test_readers_see_only_their_policies(
    engine: AsyncEngine, publish: Publish, space: EmbeddingSpace, embed: Embed
) -> None:
    """A policy of another audience is in no hit, no neighbour and no count, scan or index."""
    await publish("gifts", GIFTS, audience=frozenset({"board"}))
    await publish("travel", [("1", "Trips", "See section 1.1 of the Gifts Policy on a gift.")])
    for groups, expected in ((("board",), {"gifts", "travel"}), ((), {"travel"})):
        result = await _search(
            engine,
            "gift",
            scope=_scope(*groups),
            space=space,
            embedding=embed("gift"),
            limit=1,
            neighbours=9,
        )
        found = {hit.place.policy_key for hit in (*result.hits, *result.neighbours)}
        assert found == expected
        assert result.searched == (4 if groups else 1)


async def test_only_the_version_in_force_is_found(engine: AsyncEngine, publish: Publish) -> None:
    """A later version is found from its day on, the earlier one before."""
    await publish("gifts", [("1", "Limit", "A gift may cost EUR 50.")])
    await publish("gifts", [("1", "Limit", "A gift may cost EUR 80.")], on_day=date(2026, 3, 1))
    for day, amount in ((date(2026, 2, 1), "50"), (date(2026, 4, 1), "80")):
        result = await _search(engine, "gift cost", scope=_scope(day=day))
        assert [hit.text.strip() for hit in result.hits] == [f"A gift may cost EUR {amount}."]


async def test_cross_references_are_followed_both_ways(
    engine: AsyncEngine, publish: Publish
) -> None:
    """What a hit refers to is a neighbour of it, and so is what refers to a hit."""
    await publish("gifts", GIFTS)
    forward = await _search(engine, "gift declined", scope=_scope(), limit=1, neighbours=5)
    assert [near.place.number for near in forward.neighbours] == ["1.2"]
    assert forward.neighbours[0].via == forward.hits[0].chunk_key
    assert forward.neighbours[0].score == forward.hits[0].score
    backward = await _search(engine, "officer approve", scope=_scope(), limit=1, neighbours=5)
    assert [near.place.number for near in backward.neighbours] == ["1.1"]


async def test_neighbours_are_bounded_and_no_hits(engine: AsyncEngine, publish: Publish) -> None:
    """At most as many neighbours as asked for, none of them a hit."""
    await publish(
        "gifts", [*GIFTS, ("1.4", "More", "See sections 1.1, 1.2 and 1.3 for any gift declined.")]
    )
    result = await _search(engine, "gift declined", scope=_scope(), limit=2, neighbours=1)
    assert len(result.neighbours) == 1
    hits = {hit.chunk_key for hit in result.hits}
    assert not hits & {near.chunk_key for near in result.neighbours}


async def test_index_and_scan_agree(
    engine: AsyncEngine,
    publish: Publish,
    space: EmbeddingSpace,
    embed: Embed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Above the limit the HNSW indexes give the hits of the scan, also to a narrow audience."""
    for count in range(30):
        audience = frozenset({EVERYONE if count == 7 else "board"})
        parts = [
            (str(n), "Rule", f"Word{count} rule {n} asks for form{n % 7} and a gift.")
            for n in range(1, 9)
        ]
        await publish(f"policy-{count}", parts, audience=audience)
    await ensure_ann_indexes(engine, space)
    await ensure_ann_indexes(engine, space)
    for groups in ((), ("board",)):
        found: list[list[int]] = []
        for limit in (20_000, 0):
            monkeypatch.setattr(search_module, "EXACT_LIMIT", limit)
            result = await _search(
                engine,
                "word7 gift form3",
                scope=_scope(*groups),
                space=space,
                embedding=embed("word7 gift form3"),
            )
            found.append([hit.chunk_key for hit in result.hits])
        assert found[0] == found[1]
        assert len(found[0]) == 5


async def test_unsafe_scope_would_show_other_audiences(
    engine: AsyncEngine, publish: Publish
) -> None:
    """Without the condition on the audience the same question finds the hidden policy."""
    await publish("gifts", GIFTS, audience=frozenset({"board"}))
    assert (await _search(engine, "gift", scope=_scope())).hits == ()
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE citebound.policy_versions SET audience = ARRAY['everyone']")
        )
    assert (await _search(engine, "gift", scope=_scope())).hits != ()


async def test_a_failing_database_may_recover(engine: AsyncEngine) -> None:
    """What the database refuses is a transient error, so that the caller may try again."""
    async with engine.begin() as connection:
        await connection.execute(text("DROP TABLE citebound.chunk_terms"))
    with pytest.raises(TransientError):
        await _search(engine, "gift", scope=_scope())
