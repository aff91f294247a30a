"""What changed, policy by policy: recorded, and told to owners and officers once a sync."""

from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.sources.connect import connecting
from core.config.settings import Settings
from core.domain.errors import ConfigError, TransientError
from core.domain.officers import Account, Officer, Officers
from core.ingest.changes import change_line
from core.sources.connector import Withdrawing
from tests.integration.sources.desk import (
    Desk,
    ScriptedSource,
    an_hour_passes,
    connecting_to,
    desk_on,
    policy,
    source_of,
    tags,
)

ADA = Officer(
    login="ada",
    name="Ada Lovelace",
    accounts=(Account(platform="slack", tenant="T1", person="UADA"),),
)
OFFICERS = Officers(all=(ADA,), channel=Account(platform="slack", tenant="T1", person="C0CASES"))
GIFTS = policy("Gifts") + "\n## 2 Register\n\n2.1 Employees must report gifts within 5 days.\n"


async def notices(engine: AsyncEngine, notice: str = "policies_changed") -> list[tuple[str, str]]:
    """Return the notices that were queued: where they go, and what they are about."""
    async with engine.connect() as connection:
        found = await connection.execute(
            text(
                "SELECT c.channel, o.reply->>'subject' AS subject FROM citebound.outbox o"
                " JOIN citebound.conversations c ON c.id = o.conversation_id"
                " WHERE o.reply->>'notice' = :notice ORDER BY o.id"
            ),
            {"notice": notice},
        )
        return [(row.channel, row.subject) for row in found]


async def recorded(engine: AsyncEngine) -> list[dict[str, Any]]:
    """Return what was recorded of changes."""
    async with engine.connect() as connection:
        query = text("SELECT doc FROM audit.record WHERE tag = 'corpus:changed' ORDER BY at, id")
        return list(await connection.scalars(query))


@pytest.fixture
async def house(engine: AsyncEngine, tmp_path: Any) -> tuple[Desk, ScriptedSource]:
    """A source of two policies, one of which not everyone may read."""
    script = ScriptedSource(
        texts={"gifts": GIFTS, "takeover": policy("Takeover of Falcon")},
        readers={"gifts": None, "takeover": frozenset()},
    )
    desk = desk_on(engine, connecting_to(script), officers=OFFICERS)
    await desk.store.add(source_of(tmp_path))
    return desk, script


async def test_one_notice_a_sync_says_what_changed(
    house: tuple[Desk, ScriptedSource], engine: AsyncEngine
) -> None:
    """New, revised and withdrawn policies by section and fact; nothing where nothing changed."""
    desk, script = house
    report = await desk.sync.sync("house")
    assert [(one.key, one.became) for one in report.compared.policies] == [
        ("gifts", "added"),
        ("takeover", "added"),
    ]
    ((where, told),) = await notices(engine)
    assert where == "C0CASES"
    assert told.splitlines()[0] == "from the source house"
    assert told.splitlines()[1].startswith("Gifts (gifts): new policy; 5 sections; facts: ")
    assert "Falcon" not in told
    assert "takeover" not in told
    assert told.splitlines()[2].startswith("and 1 policy that not everyone may read")

    await desk.sync.sync("house")
    assert len(await notices(engine)) == 1

    script.texts["gifts"] = GIFTS.replace("EUR 50", "EUR 70") + "\n## 3 Cash\n\n3.1 No cash.\n"
    report = await desk.sync.sync("house")
    (gifts,) = report.compared.policies
    assert gifts.sections.changed == ("1.1",) or "1" in gifts.sections.changed[0]
    assert any("3 Cash" in one for one in gifts.sections.added)
    assert (gifts.opened > 0, gifts.closed > 0) == (True, True)
    _, (_, told) = await notices(engine)
    assert "new version" in told

    del script.texts["gifts"]
    report = await desk.sync.sync("house")
    assert [(one.key, one.became) for one in report.compared.policies] == [("gifts", "withdrawn")]
    assert len(await recorded(engine)) == 3
    first = (await recorded(engine))[0]
    assert [one["policy"] for one in first["policies"]] == ["gifts", "takeover"]
    assert "Falcon" not in str(first)


async def test_a_summary_says_what_an_officer_would_say(
    house: tuple[Desk, ScriptedSource], engine: AsyncEngine
) -> None:
    """A limit, sections that moved, what is known beside the text, and nothing where nothing is."""
    desk, script = house
    script.readers = dict.fromkeys(script.texts)
    await desk.sync.sync("house")

    async def summary(text: str) -> str:
        script.texts["gifts"] = text
        report = await desk.sync.sync("house")
        (told,) = map(change_line, report.compared.policies)
        return told

    assert GIFTS.count("EUR 50") == 1
    said = await summary(GIFTS.replace("EUR 50", "EUR 70"))
    assert "facts: 2 new (at most 70 EUR), 2 gone (at most 50 EUR)" in said
    renumbered = GIFTS.replace("## 2 Register", "## 3 Register").replace("2.1 ", "3.1 ")
    said = await summary(renumbered.replace("EUR 50", "EUR 70"))
    assert "renumbered or renamed" in said
    assert "2.1 \u2192 3.1" in said
    assert ("added" in said, "facts" in said) == (False, False)
    owned = renumbered.replace("# Gifts\n", "# Gifts\n\nOwner: Legal\n\nNext review: 2099-01-31\n")
    said = await summary(owned)
    assert "owner: none \u2192 Legal; review by: none \u2192 2099-01-31" in said
    count = len(await notices(engine))
    said = await summary(owned.replace("Employees", "**Employees**"))
    assert said.endswith("(gifts): new version; no section changed")
    assert len(await notices(engine)) == count
    del script.texts["gifts"]
    await desk.sync.sync("house")
    assert await summary(owned.replace("Employees", "**Employees**")) == (
        "Gifts (gifts): in force again"
    )
    assert "Gifts (gifts): in force again" in (await notices(engine))[-1][1]


async def test_contradictions_are_told_when_they_arise(
    house: tuple[Desk, ScriptedSource], engine: AsyncEngine
) -> None:
    """And not again with each further version."""
    desk, script = house
    rule = "\n## 1 Gifts\n\n1.1 Employees must report gifts from customers within {} days.\n"
    script.texts = {one: f"# {one.title()}{rule.format(5)}" for one in ("gifts", "conduct")}
    script.readers = dict.fromkeys(script.texts)
    await desk.sync.sync("house")
    script.texts["conduct"] = f"# Conduct{rule.format(9)}"
    (conduct,) = (await desk.sync.sync("house")).compared.policies
    (line,) = conduct.conflicts
    assert line in {
        "Conduct (conduct) 1.1 against Gifts (gifts) 1.1: within 9 days against within 5 days",
        "Gifts (gifts) 1.1 against Conduct (conduct) 1.1: within 5 days against within 9 days",
    }
    assert "1 contradiction found" in (await notices(engine))[-1][1]
    script.texts["gifts"] = f"# Gifts{rule.format(3)}"
    script.texts["conduct"] = f"# Conduct{rule.format(8)}"
    both = (await desk.sync.sync("house")).compared.policies
    assert [len(one.conflicts) for one in both] == [1, 1], "each has an owner who is to know"
    script.texts["conduct"] += "\n## 2 More\n\n2.1 Employees must be kind.\n"
    (conduct,) = (await desk.sync.sync("house")).compared.policies
    assert conduct.conflicts == ()


async def test_a_policy_that_gives_way_contradicts_no_local_rule(
    house: tuple[Desk, ScriptedSource], engine: AsyncEngine
) -> None:
    """It says so in another sentence than the one that differs; without it they do contradict."""
    desk, script = house
    rule = "\n## 1 Gifts\n\n1.1 Employees must report gifts from customers within {} days.\n"
    local = f"# Gifts in Germany\n\nJurisdiction: DE\n{rule.format(9)}"
    way = "\n## 2 Local rules\n\n2.1 Where a local rule is stricter, employees must follow it.\n"
    script.texts = {"gifts": f"# Gifts{rule.format(5)}{way}", "local": local}
    script.readers = dict.fromkeys(script.texts)
    found = (await desk.sync.sync("house")).compared.policies
    assert [one.conflicts for one in found] == [(), ()]
    script.texts["gifts"] = f"# Gifts{rule.format(6)}"
    (gifts,) = (await desk.sync.sync("house")).compared.policies
    assert gifts.conflicts


async def test_the_owner_is_told_who_is_an_officer(engine: AsyncEngine, tmp_path: Any) -> None:
    """By name or login; all others' policies go to the channel."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "gifts.md").write_text(GIFTS)
    (folder / "travel.md").write_text(policy("Travel"))
    (folder / "citebound.toml").write_text(
        '[[policy]]\nfile = "gifts.md"\nowner = "ada lovelace"\naudience = ["finance"]\n'
    )
    desk = desk_on(engine, connecting(Settings(home=tmp_path)), officers=OFFICERS)
    await desk.store.add(source_of(folder))
    await desk.sync.sync("house")
    told = dict(await notices(engine))
    assert "Gifts (gifts)" in told["@UADA"]
    assert "Travel (travel)" in told["C0CASES"]
    assert "Gifts" not in told["C0CASES"]
    for owner in ("ADA", "Ada Lovelace <ada@example.com>", " Legal <ada> "):
        assert OFFICERS.named(owner) == ADA
    for owner in ("", "<>", "Ada", "Grace <grace@example.com>", "<" * 8_000, "Legal ada"):
        assert OFFICERS.named(owner) is (ADA if owner == "Ada" else None)


async def test_what_an_interrupted_one_changed_is_told_once_it_ends(
    house: tuple[Desk, ScriptedSource], engine: AsyncEngine
) -> None:
    """Whoever ends it tells of all of it."""
    desk, script = house
    script.breaks["takeover"] = TransientError("the source fails")
    with pytest.raises(TransientError):
        await desk.sync.sync("house")
    assert await notices(engine) == []
    script.breaks.clear()
    report = await desk.sync.sync("house")
    assert {one.key for one in report.compared.policies} == {"gifts", "takeover"}
    assert len(await notices(engine)) == 1


async def test_documents_that_are_gone_are_told_of_once(
    house: tuple[Desk, ScriptedSource], engine: AsyncEngine, tmp_path: Any
) -> None:
    """Where the source asks, officers hear that a policy waits, and not each hour again."""
    desk, script = house
    await desk.store.remove("house")
    await desk.store.add(source_of(tmp_path, withdrawing=Withdrawing.ASK))
    await desk.sync.sync("house")
    del script.texts["gifts"]
    for _ in range(2):
        assert (await desk.sync.sync("house")).held_back == ("gifts",)
    told = await notices(engine)
    assert len(told) == 2
    assert "`citebound sources withdraw house`" in told[-1][1]


async def test_errors_go_to_officers_once(
    house: tuple[Desk, ScriptedSource], engine: AsyncEngine
) -> None:
    """At once where waiting does not help, else at the third time, and once more when it works."""
    desk, script = house
    script.fails = ConfigError("the token has ended: set a new one")
    for _ in range(3):
        with pytest.raises(ConfigError):
            await desk.sync.sync("house")
    ((where, told),) = await notices(engine, "source_fails")
    assert where == "C0CASES"
    assert told == "house (its documents): the token has ended: set a new one"
    (status,) = await desk.store.all()
    assert status.due_at is not None
    assert status.error_since is not None
    waits_s = (status.due_at - status.error_since).total_seconds()
    assert 4 * 300 <= waits_s < 4 * 300 + 60

    script.fails = None
    await desk.sync.sync("house")
    assert len(await notices(engine, "source_works")) == 1
    script.fails = TransientError("503")
    for times in range(1, 4):
        with pytest.raises(TransientError):
            await desk.sync.sync("house")
        assert len(await notices(engine, "source_fails")) == (2 if times == 3 else 1)
    script.fails = None
    await desk.sync.sync("house")
    script.access_fails = ConfigError("the right to read permissions is missing")
    await an_hour_passes(engine)
    with pytest.raises(ConfigError):
        await desk.access.refresh("house")
    assert "who may read its documents" in (await notices(engine, "source_fails"))[-1][1]
    assert (await tags(engine)).count("source:failed") == 3
    assert (await tags(engine)).count("source:restored") == 2
