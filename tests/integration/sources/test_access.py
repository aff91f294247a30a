"""Who may read a policy, as its source says: nobody by mistake, and nobody longer than there."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.source_schedule import SourceSchedule
from core.adapters.postgres.corpus.policy_facts import PostgresPolicyChanges
from core.adapters.postgres.corpus.starters import PostgresStarters
from core.adapters.postgres.ontology.ontology_reader import PostgresOntologyStore
from core.adapters.postgres.platforms.posted_answers import PostgresPostedAnswers
from core.adapters.system import SystemClock
from core.domain.errors import OccupiedError, OvertakenError, TransientError, UsageError
from core.domain.question import Scope
from core.ports.starters import Starter
from core.sources.connector import ItemReaders, PolicySource
from tests.databases import corpus_store
from tests.integration.ingest.test_what_a_scope_reads import spans_of
from tests.integration.sources.desk import (
    Desk,
    ScriptedSource,
    an_hour_passes,
    connecting_to,
    desk_on,
    in_force,
    policy,
    source_of,
)

FINANCE, BOARD = "entra:f1", "entra:b1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """A scripted source that is followed."""

    desk: Desk
    script: ScriptedSource

    async def name(self, **groups: str | None) -> tuple[str, ...]:
        """Say which audience groups F and B are."""
        ids = {"finance": FINANCE, "board": BOARD}
        named = {ids[one]: name for one, name in groups.items()}
        return await self.desk.store.access.name_groups("house", named=named)

    async def later(self, engine: AsyncEngine) -> tuple[str, ...]:
        """Read the readers when they are due again; return what changed hands."""
        await an_hour_passes(engine)
        return (await self.desk.access.refresh("house")).changed


@pytest.fixture
async def followed(engine: AsyncEngine, tmp_path: Any) -> Followed:
    """Three documents: for everyone, for finance, and for nobody whom a group stands for."""
    script = ScriptedSource(
        texts={one: policy(one.title()) for one in ("gifts", "salaries", "takeover")},
        readers={
            "gifts": None,
            "salaries": frozenset({FINANCE}),
            "takeover": frozenset(),
        },
    )
    desk = desk_on(engine, connecting_to(script))
    source: PolicySource = source_of(tmp_path, groups={FINANCE: "finance"})
    await desk.store.add(source)
    return Followed(desk=desk, script=script)


async def rows(engine: AsyncEngine, query: str, **given: object) -> list[Mapping[str, Any]]:
    """Return what a query finds."""
    async with engine.connect() as connection:
        found = await connection.execute(text(query), given)
        return [dict(row) for row in found.mappings()]


async def everything_of(engine: AsyncEngine, *groups: str) -> str:
    """Return all that the stores tell some groups, as one text."""
    scope = Scope(as_of=SystemClock().now().date(), groups=frozenset({"everyone", *groups}))
    store = corpus_store(engine)
    spans = await spans_of(engine)
    told = (
        await PostgresOntologyStore(engine).snapshot(scope),
        await store.versions(scope),
        await store.read_spans(spans, scope),
        await PostgresPolicyChanges(engine).latest(frozenset(groups), limit=20),
    )
    return repr(told)


async def test_readers_of_the_source_are_audiences(followed: Followed, engine: AsyncEngine) -> None:
    """From the first moment; a group that nobody named lets nobody read, until it is named."""
    await followed.desk.sync.sync("house")
    assert set(await in_force(engine)) == {"gifts"}
    assert set(await in_force(engine, "finance")) == {"gifts", "salaries"}
    told = await rows(
        engine, "SELECT edition_from, audience FROM citebound.policy_readers ORDER BY policy_id"
    )
    assert [one["audience"] for one in told] == [["everyone"], ["finance"], []]
    versions = await rows(engine, "SELECT edition_from FROM citebound.policy_versions ORDER BY id")
    assert [one["edition_from"] for one in told] == [one["edition_from"] for one in versions]

    (group,) = await followed.desk.store.access.groups("house")
    assert (group.group_id, group.documents, group.audience) == (FINANCE, 1, {"finance"})
    assert await followed.name(finance=None) == ("salaries",)
    assert set(await in_force(engine, "finance")) == {"gifts"}
    assert await followed.name(finance="money") == ("salaries",)
    assert set(await in_force(engine, "money")) == {"gifts", "salaries"}
    with pytest.raises(UsageError, match="there is no source"):
        await followed.desk.store.access.name_groups("none", named={})


async def test_who_is_taken_out_reads_nothing_from_the_next_question_on(
    followed: Followed, engine: AsyncEngine
) -> None:
    """Neither by search, facts and quotes nor below a posted answer, in a list, or as a starter."""
    desk, script = followed.desk, followed.script
    script.readers["salaries"] = None
    await desk.sync.sync("house")
    await desk.access.refresh("house")
    starters = PostgresStarters(engine, clock=SystemClock())
    basis = await starters.due("x", is_urgent=True)
    offered = Starter(starter_id="a", topic="Salaries", question="How much?", policy_key="salaries")
    assert basis is not None
    await starters.keep(basis, (offered,))
    before = await everything_of(engine)
    assert "Salaries" in before
    assert (await starters.current()).starters == (offered,)
    (salaries,) = await rows(
        engine, "SELECT v.id FROM citebound.policy_versions v WHERE title = 'Salaries'"
    )

    script.readers["salaries"], script.listed = frozenset({FINANCE}), ["salaries"]
    assert await followed.later(engine) == ("salaries",)
    assert "Salaries" not in await everything_of(engine)
    assert "Salaries" in await everything_of(engine, "finance")
    assert (await starters.current()).starters == ()
    posted = await PostgresPostedAnswers(engine).audiences([salaries["id"]])
    assert frozenset({"finance"}) in posted[salaries["id"]]
    edition = max(one["n"] for one in await rows(engine, "SELECT number n FROM citebound.editions"))
    then = Scope(as_of=SystemClock().now().date(), edition=edition - 1)
    assert "salaries" not in {one.metadata.key for one in await corpus_store(engine).versions(then)}

    history = await rows(
        engine,
        "SELECT r.edition_from, r.edition_until, r.audience FROM citebound.policy_readers r"
        " JOIN citebound.policies p ON p.id = policy_id WHERE key = 'salaries' ORDER BY 1",
    )
    assert [one["audience"] for one in history] == [["everyone"], ["finance"]]
    assert history[0]["edition_until"] == history[1]["edition_from"] == edition
    (recorded,) = await rows(
        engine, "SELECT subject, doc FROM audit.record WHERE tag = 'access:changed'"
    )
    assert recorded["subject"] == "policy:salaries"
    assert recorded["doc"]["before"] == {"audience": ["everyone"]}
    assert recorded["doc"]["after"] == {"audience": ["finance"]}
    assert recorded["doc"]["source"] == "house"


async def test_what_fails_lets_nobody_in(followed: Followed, engine: AsyncEngine) -> None:
    """Neither an error nor a silent source, nor a document whose readers can't be read."""
    desk, script = followed.desk, followed.script
    script.texts["merger"] = policy("Merger")
    await desk.sync.sync("house")
    assert "merger" not in await in_force(engine, "finance", "board", "everyone")
    (status,) = await desk.store.all()
    assert status.unread == 1

    await desk.access.refresh("house")
    script.access_fails = TransientError("the source fails")
    with pytest.raises(TransientError):
        await followed.later(engine)
    assert set(await in_force(engine, "finance")) == {"gifts", "salaries"}
    script.access_fails = None

    del script.readers["salaries"]
    script.listed, script.is_whole = [], True
    assert await followed.later(engine) == ()
    assert set(await in_force(engine, "finance")) == {"gifts", "salaries"}

    script.readers["merger"] = frozenset({BOARD})
    assert await followed.later(engine) == ()
    assert await followed.name(board="board") == ("merger",)
    assert set(await in_force(engine, "board")) == {"gifts", "merger"}


async def test_a_source_narrows_what_a_text_says(
    followed: Followed, engine: AsyncEngine, tmp_path: Any
) -> None:
    """Whoever reads it must be of both, and a revision asks again."""
    desk, script = followed.desk, followed.script
    await desk.store.remove("house")
    managers = frozenset({"managers"})
    await desk.store.add(source_of(tmp_path, audience=managers, groups={FINANCE: "finance"}))
    await desk.sync.sync("house")
    for groups in (("finance",), ("managers",)):
        assert "salaries" not in await in_force(engine, *groups)
    assert "salaries" in await in_force(engine, "finance", "managers")
    script.readers["salaries"] = frozenset({BOARD})
    script.texts["salaries"] = policy("Salaries", 70)
    assert (await desk.sync.sync("house")).revised == 1
    assert "salaries" not in await in_force(engine, "finance", "managers")


async def test_what_was_asked_for_later_holds(followed: Followed, engine: AsyncEngine) -> None:
    """A text whose readers were read before they changed does not undo the change."""
    desk, script = followed.desk, followed.script
    asked, go_on = asyncio.Event(), asyncio.Event()
    fetch = ScriptedSource.fetch

    async def slow(item: Any, /) -> bytes:
        if item.item_id == "salaries":
            asked.set()
            await go_on.wait()
        return await fetch(script, item)

    class Slow(ScriptedSource):
        """Stops in the middle of a document."""

        async def fetch(self, item: Any, /) -> bytes:
            return await slow(item)

    slowed = Slow(texts=script.texts, readers=script.readers)
    syncing = desk_on(engine, connecting_to(slowed))
    async with asyncio.TaskGroup() as group:
        task = group.create_task(syncing.sync.sync("house"))
        await asked.wait()
        lease = await desk.store.access.lease("house")
        now = SystemClock().now()
        revoked = ItemReaders(item_id="salaries", groups=frozenset({BOARD}))
        await desk.store.access.keep(lease, readers=(revoked,), read_at=now, cursor=None)
        with pytest.raises(OccupiedError):
            await desk.store.access.lease("house")
        go_on.set()
    assert task.result().added == 3
    assert set(await in_force(engine, "finance", "board")) == {"gifts"}

    await an_hour_passes(engine)
    await desk.store.access.lease("house")
    late = ItemReaders(item_id="takeover", groups=None)
    with pytest.raises(OvertakenError):
        await desk.store.access.keep(lease, readers=(late,), read_at=now, cursor=None)
    assert "takeover" not in await in_force(engine)


async def test_readers_are_read_more_often_than_texts(
    followed: Followed, engine: AsyncEngine
) -> None:
    """A quarter of an hour later who may read is due, and the documents are not."""
    desk, script = followed.desk, followed.script
    assert await desk.store.access.due() == ()
    schedule = SourceSchedule(store=desk.store, sync=desk.sync)
    await schedule.once()
    await schedule.access_once()
    assert await desk.store.access.due() == ()
    (status,) = await desk.store.all()
    assert status.access_due_at is not None
    assert status.due_at is not None
    assert status.due_at - status.access_due_at > timedelta(minutes=40)
    script.readers["gifts"], script.listed = frozenset(), ["gifts"]
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.sources SET access_due_at = now()"))
    await schedule.access_once()
    assert "gifts" not in await in_force(engine)
    assert len(script.fetched) == 3


async def test_an_officer_reads_what_the_source_lets_read(
    followed: Followed, engine: AsyncEngine
) -> None:
    """Over SQL, too: the rows of a policy are theirs whose audiences the source names."""
    await followed.desk.sync.sync("house")
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "INSERT INTO audit.officer (login, units, audiences)"
                " VALUES (session_user, '{}', :audiences)"
            ),
            {"audiences": ["finance"]},
        )
        await connection.execute(text("SET LOCAL ROLE citebound_officer"))
        read = text("SELECT title FROM citebound.policy_versions ORDER BY title")
        assert list(await connection.scalars(read)) == ["Gifts", "Salaries"]


async def test_the_last_word_of_a_removed_source_can_be_lifted(
    followed: Followed, engine: AsyncEngine, tmp_path: Any
) -> None:
    """It stays in force until somebody lifts it; what a source still says is not lifted."""
    desk, script = followed.desk, followed.script
    await desk.sync.sync("house")
    script.readers["gifts"] = frozenset()
    script.listed = ["gifts"]
    await desk.access.refresh("house")
    assert await in_force(engine) == {}
    script.readers["gifts"] = None
    assert await followed.later(engine) == ("gifts",)
    assert set(await in_force(engine)) == {"gifts"}
    assert await desk.store.access.lift(["salaries"]) == ()
    assert all(one.is_followed for one in await desk.store.access.last_words())

    await desk.store.remove("house")
    said = {one.policy: one for one in await desk.store.access.last_words()}
    assert {one.is_followed for one in said.values()} == {False}
    assert (said["takeover"].audience, said["takeover"].of_text) == (set(), {"everyone"})
    assert set(await in_force(engine)) == {"gifts"}
    assert await desk.store.access.lift(["takeover"]) == ("takeover",)
    assert set(await in_force(engine)) == {"gifts", "takeover"}
    (event,) = await rows(
        engine,
        "SELECT doc FROM audit.record WHERE tag = 'access:changed'"
        " AND subject = 'policy:takeover' ORDER BY at DESC LIMIT 1",
    )
    assert event["doc"]["source"] is None
    assert event["doc"]["after"] == {"audience": ["everyone"]}

    await desk.store.add(source_of(tmp_path, groups={FINANCE: "finance"}))
    await desk.sync.sync("house")
    assert set(await in_force(engine)) == {"gifts"}
