"""Pseudonyms are of a person and a quarter: nothing that officers read joins two of them."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.pseudonyms import Pseudonyms, open_pseudonyms
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.officers.erasure import PostgresErasure
from core.adapters.postgres.officers.requests import ErasureScope
from core.adapters.postgres.platforms.references import PostgresConversationReferences
from core.config.settings import Settings
from core.domain.conversation import ConversationReference
from core.domain.delivery import Notice
from core.domain.feedback import Rating
from core.domain.limits import WaitingLimits
from core.domain.message import MessageKind
from core.domain.officers import Account
from tests.casework import ADA, ASKER, Office, fresh
from tests.databases import as_role
from tests.life import IDENTITY_KEY, PSEUDONYMS, Deployment, deploy, message

EARLIER = "2026-Q1"


async def next_quarter(life: Deployment, *, idle_days: int = 4, old_days: int = 50) -> None:
    """Let all that there is be of an earlier quarter, since which nobody has written."""
    given = {"period": EARLIER, "idle": idle_days, "old": old_days}
    async with life.engine.begin() as connection:
        await connection.execute(text("UPDATE audit.identity SET period = :period"), given)
        await connection.execute(
            text(
                "UPDATE citebound.conversations SET period = :period,"
                " last_at = now() - make_interval(days => :idle),"
                " created_at = now() - make_interval(days => :old)"
            ),
            given,
        )


async def names(life: Deployment, person: Account = ASKER) -> dict[object, str]:
    """Return the pseudonyms of a person by period."""
    rows = await life.rows(
        "SELECT period, pseudonym FROM audit.identity WHERE match_hash = :match",
        match=PSEUDONYMS.match_hash(person),
    )
    return {row["period"]: str(row["pseudonym"]) for row in rows}


async def told_of(life: Deployment, pseudonym: str) -> str:
    """Return all that records of a pseudonym, and of their conversations, say."""
    rows = await life.rows(
        "SELECT doc::text AS said FROM audit.record WHERE actor = :name OR conversation IN"
        " (SELECT conversation FROM audit.record WHERE actor = :name)",
        name=pseudonym,
    )
    return "".join(str(row["said"]) for row in rows)


IDS = (
    "SELECT id::text FROM audit.record UNION SELECT conversation::text FROM audit.record"
    " UNION SELECT subject FROM audit.record UNION SELECT doc->>'trace_id' FROM audit.record"
)


async def test_nothing_joins_two_quarters(bureau: Office) -> None:
    """In one place, and while cases and feedback of before go on in the next."""
    life = bureau.life
    await life.intake.accept(message("May I keep it?", event="E1", key="m1", thread="1"))
    async with life.working():
        await life.quiet()
    old = await bureau.answered("May I keep a gift?", thread="1")
    case = await bureau.opened(old)
    await next_quarter(life)
    await bureau.answered("And a dinner?", thread="1")
    await bureau.feedback.give(old, ASKER, key=fresh(), rating=Rating.POSITIVE)
    await bureau.desk.answer(case, ADA, key=fresh(), text="Never.")
    await bureau.deliver()
    await bureau.desk.accept(case, ASKER, key=fresh())
    await life.intake.accept(
        message("May I keep gifts?", event="E9", key="m9", thread="1", kind=MessageKind.EDITED,
                target="m1")
    )  # fmt: skip
    found = await names(life)
    old_name = found.pop(EARLIER)
    (new_name,) = found.values()
    before, after = await told_of(life, old_name), await told_of(life, new_name)
    ids = {str(row["id"]) for row in await life.rows(IDS) if row["id"]}
    of_both = [{one for one in ids if one in said} for said in (before, after)]
    assert len(of_both[0]) > 5 < len(of_both[1])
    assert of_both[0] & of_both[1] == set()
    assert old_name not in after
    tags = await life.rows(
        "SELECT DISTINCT tag FROM audit.record WHERE actor = :name", name=old_name
    )
    assert {row["tag"] for row in tags} >= {
        "message:received", "message:edited", "feedback:given", "case:opened", "case:resolved"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("idle_days", "old_days", "conversations"), [(2, 50, 1), (4, 50, 2), (2, 121, 2)]
)
async def test_who_is_in_the_middle_of_it_goes_on(
    bureau: Office, idle_days: int, old_days: int, conversations: int
) -> None:
    """Under the pseudonym with which they began; what was said there belongs to a follow-up."""
    await bureau.answered("May I keep a gift?", thread="1")
    await next_quarter(bureau.life, idle_days=idle_days, old_days=old_days)
    await bureau.answered("And a dinner?", thread="1")
    rows = await bureau.life.rows("SELECT FROM citebound.conversations WHERE thread = '1'")
    assert len(rows) == len(await names(bureau.life)) == conversations
    newest = await bureau.life.conversations.find(message("x", thread="1").place)
    history = await bureau.life.conversations.history(str(newest))
    assert len(history) == 3 - conversations


async def test_limits_go_on(bureau: Office) -> None:
    """What a person waits for, how often they asked and what they were told counts on."""
    life = deploy(bureau.life.engine, waiting=WaitingLimits(asker=2, all=10))
    for n in range(3):
        await life.intake.accept(message(f"first {n}", thread=str(n)))
    await next_quarter(life)
    for n in range(2):
        await life.intake.accept(message(f"second {n}", thread=f"s{n}"))
    waiting = await life.rows("SELECT text FROM citebound.inbox WHERE state = 'received'")
    assert {row["text"] for row in waiting} == {"first 0", "first 1"}
    notices = await life.rows("SELECT reply->>'notice' AS notice FROM citebound.outbox")
    assert notices == [{"notice": Notice.TOO_MANY_OF_YOURS.value}]
    keys = await life.rows("SELECT key FROM citebound.turns WHERE kind = 'told'")
    assert keys == [{"key": PSEUDONYMS.match_hash(ASKER).hex()}]


async def test_what_was_passed_on_counts_on(bureau: Office) -> None:
    """Of one person, whatever the pseudonym."""
    await bureau.opened()
    async with bureau.life.engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.cases SET opener = 'pipeline'"))
    await next_quarter(bureau.life)
    await bureau.answered("And a dinner?", thread="2")
    (now,) = await bureau.life.rows("SELECT now() - interval '1 day' AS since")
    current = next(name for period, name in (await names(bureau.life)).items() if period != EARLIER)

    async def counted(unit: object) -> int:
        rows = getattr(unit, "rows")  # noqa: B009  # a unit of the store's own
        return int(await rows.count_passed_on(current, since=now["since"]))

    store = bureau.desk._store  # pyright: ignore[reportPrivateUsage]
    assert await store.run(counted) == 1


async def test_a_person_is_erased_in_all_quarters(
    bureau: Office,
    erasure: PostgresErasure,
    agreed: Callable[[ErasureScope], Awaitable[str]],
) -> None:
    """Whichever pseudonym is named; before, who asks sees those texts of its quarter alone."""
    references = PostgresConversationReferences(bureau.life.engine, pseudonyms=PSEUDONYMS)
    await references.put(
        ConversationReference(
            platform="fake", tenant="T1", conversation="19:x", person="U1", team=None, facts={}
        )
    )
    await bureau.answered("What of a zebrafinch?", thread="1")
    await next_quarter(bureau.life)
    await bureau.answered("What of a quagga?", thread="1")
    asker = (await names(bureau.life))[EARLIER]
    scope = ErasureScope(asker=asker)
    request = await agreed(scope)
    alone, erased = await erasure.find(scope), await erasure.erase(request)
    assert 0 < alone.count < erased.count
    assert await names(bureau.life) == {}
    assert await bureau.life.rows("SELECT FROM citebound.questions WHERE text <> ''") == []
    assert await bureau.life.rows("SELECT FROM citebound.inbox WHERE person = 'U1'") == []
    assert await bureau.life.rows("SELECT FROM citebound.conversation_references") == []


async def test_the_application_seals_and_reads_nothing_of_it(
    bureau: Office, database_url: str
) -> None:
    """Nor does an officer read who is found by what; the officers' key opens it."""
    await bureau.answered()
    (row,) = await bureau.life.rows("SELECT pseudonym, sealed FROM audit.identity")
    assert b"U1" not in bytes(row["sealed"])  # type: ignore[arg-type]
    opened = IDENTITY_KEY.open(bytes(row["sealed"]), pseudonym=str(row["pseudonym"]))  # type: ignore[arg-type]
    assert opened == ASKER
    for role, columns in (
        (DatabaseRole.APP, "sealed"),
        (DatabaseRole.CONSOLE, "pseudonym"),
        (DatabaseRole.OFFICER, "pseudonym"),
        (DatabaseRole.AUDITOR, "match_hash"),
    ):
        engine = engine_for(as_role(database_url, role))
        async with engine.connect() as connection:
            with pytest.raises(DBAPIError, match="permission denied"):
                await connection.execute(text(f"SELECT {columns} FROM audit.identity"))  # noqa: S608
        await engine.dispose()


async def test_who_was_named_in_clear_is_sealed_at_the_start(
    bureau: Office, engine: AsyncEngine
) -> None:
    """And keeps the pseudonym of then until the quarter ends."""
    added = (
        "INSERT INTO citebound.askers (platform, tenant, person, pseudonym, period)"
        " SELECT 'fake', 'T1', 'U' || n, 'p-' || n,"
        " to_char(now() AT TIME ZONE 'UTC', 'YYYY\"-Q\"Q') FROM generate_series(1, 501) AS n"
    )
    async with engine.begin() as connection:
        await connection.execute(text(added))
    await PSEUDONYMS.adopt(engine)
    assert await bureau.life.rows("SELECT FROM citebound.askers") == []
    await bureau.answered()
    assert list((await names(bureau.life)).values()) == ["p-1"]
    rows = await bureau.life.rows("SELECT pseudonym, sealed FROM audit.identity ORDER BY 1")
    assert len(rows) == 501
    opened = IDENTITY_KEY.open(bytes(rows[0]["sealed"]), pseudonym="p-1")  # type: ignore[arg-type]
    assert opened == ASKER


async def test_the_key_is_the_settings_or_the_databases_own(
    bureau: Office, engine: AsyncEngine
) -> None:
    """Another key finds nobody again; without one to seal to nothing is sealed."""
    own = await open_pseudonyms(engine, Settings())
    again = await open_pseudonyms(engine, Settings())
    assert own.match_hash(ASKER) == again.match_hash(ASKER) != PSEUDONYMS.match_hash(ASKER)
    given = await open_pseudonyms(
        engine, Settings(pseudonym_key="AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    )
    assert given.match_hash(ASKER) == PSEUDONYMS.match_hash(ASKER)
    for other in (replace(ASKER, tenant="T2"), replace(ASKER, platform="slack")):
        assert given.match_hash(other) != given.match_hash(ASKER)
    async with engine.begin() as connection:
        made = await own.make(connection, ASKER, EARLIER)
        assert await own.make(connection, ASKER, EARLIER) == made
    (row,) = await bureau.life.rows("SELECT sealed FROM audit.identity")
    assert row["sealed"] is None


async def test_who_is_met_by_several_at_once_has_one_pseudonym(bureau: Office) -> None:
    """Each process finds what another has made meanwhile."""
    async with asyncio.TaskGroup() as group:
        for n in range(6):
            life = deploy(bureau.life.engine)
            group.create_task(life.intake.accept(message(f"m{n}", thread=str(n), key=f"k{n}")))
    rows = await bureau.life.rows("SELECT DISTINCT asker FROM citebound.inbox")
    assert [row["asker"] for row in rows] == list((await names(bureau.life)).values())


async def test_a_pseudonym_is_of_no_key(engine: AsyncEngine) -> None:
    """The same person by the same key gets another one each time: it can't be computed."""
    made: set[str] = set()
    keyed = Pseudonyms(bytes(32), sealing=None)
    for n in range(50):
        async with engine.begin() as connection:
            made.add(await keyed.make(connection, ASKER, f"{2000 + n}-Q1"))
    assert len(made) == 50
    assert json.dumps(sorted(made)).count("p-") == 50
