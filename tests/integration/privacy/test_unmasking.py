"""Who stands behind a record, two officers learn together: once, and the record says so."""

import asyncio
from collections.abc import Callable

import psycopg
import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.identity_key import IdentityKey
from core.adapters.postgres.engine.ledger import append
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.officers.requests import PostgresRequests
from core.adapters.postgres.officers.session import OfficerSession, Reading, deed
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.errors import UsageError
from tests.casework import ASKER, Office
from tests.databases import as_role
from tests.integration.privacy.conftest import LEDGER
from tests.integration.record.sealing import SealedLedger, all_sealable
from tests.life import IDENTITY_KEY

LISTED = Reading(statement="requests")
By = Callable[[str], PostgresRequests]
WHY = {"reason": "threat in the text", "basis": "works council agreement 7"}
AGED = """
UPDATE audit.record
   SET canonical = aged, leaf_hash = sha256('\\x00'::bytea || aged)
  FROM (SELECT id AS old_id, convert_to(replace(convert_from(canonical, 'UTF8'), doc->>'at',
               to_char((at - interval '73 hours') AT TIME ZONE 'UTC',
                       'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')), 'UTF8') AS aged
          FROM audit.record WHERE tag = '{}') AS older
 WHERE id = old_id
"""


async def answered(bureau: Office) -> str:
    """Answer a question, and return its record."""
    await bureau.answered("What of a zebrafinch?")
    (row,) = await bureau.life.rows("SELECT id::text FROM audit.record WHERE outcome IS NOT NULL")
    return str(row["id"])


async def test_two_officers_learn_who_it_is(
    bureau: Office, requests_of: By, sealed: SealedLedger, console: AsyncEngine
) -> None:
    """Each step is a record, in the list and in the access log; the ledger stays intact."""
    ada, grace = requests_of("ada"), requests_of("grace")
    request = await ada.ask_to_unmask((await answered(bureau))[:24], **WHY)
    (listed,) = await grace.list(LISTED)
    assert (listed.state, listed.officer, listed.reason) == ("open", "ada", WHY["reason"])
    await grace.decide(request[:24], approves=True)
    found = await ada.reveal(request, IDENTITY_KEY)
    assert found.person == ASKER
    (row,) = await bureau.life.rows("SELECT actor FROM audit.record WHERE tag = 'message:received'")
    assert found.pseudonym == row["actor"]
    (listed,) = await ada.list(LISTED)
    assert (listed.state, listed.decided_by) == ("done", "grace")
    async with console.connect() as connection:
        log = text(
            "SELECT officer, action, purpose FROM audit.v_access_log"
            " WHERE action <> 'query:executed' ORDER BY at, log_id"
        )
        assert [tuple(row) for row in await connection.execute(log)] == [
            ("ada", "unmask:requested", WHY["reason"]),
            ("grace", "unmask:approved", None),
            ("ada", "identity:unmasked", None),
        ]
    await all_sealable(sealed.engine)
    await sealed.seal()
    assert (await sealed.verify()).result == "intact"


async def test_nobody_learns_it_alone(bureau: Office, requests_of: By) -> None:
    """Nor who has not asked, nor twice, nor after a denial, nor by another unit's officer."""
    ada, grace, linus = (requests_of(login) for login in ("ada", "grace", "linus"))
    record = await answered(bureau)
    request = await ada.ask_to_unmask(record, **WHY)
    with pytest.raises(UsageError, match="no other officer has approved"):
        await ada.reveal(request, IDENTITY_KEY)
    with pytest.raises(UsageError, match="another officer decides"):
        await ada.decide(request, approves=True)
    for attempt in (linus.decide(request, approves=True), linus.ask_to_unmask(record, **WHY)):
        with pytest.raises(UsageError, match="expected the id of a record of your units"):
            await attempt
    await grace.decide(request, approves=True)
    with pytest.raises(UsageError, match="no other officer has approved this request of yours"):
        await grace.reveal(request, IDENTITY_KEY)
    with pytest.raises(UsageError, match="not to yours"):
        await ada.reveal(request, IdentityKey.generate())
    assert (await ada.reveal(request, IDENTITY_KEY)).person == ASKER
    with pytest.raises(UsageError, match="once is all"):
        await ada.reveal(request, IDENTITY_KEY)
    denied = await ada.ask_to_unmask(record, **WHY)
    await grace.decide(denied, approves=False)
    with pytest.raises(UsageError, match="no other officer has approved"):
        await ada.reveal(denied, IDENTITY_KEY)
    with pytest.raises(UsageError, match="decided already"):
        await grace.decide(denied, approves=True)


async def test_two_at_once_learn_it_once(bureau: Office, requests_of: By) -> None:
    """The sealed value leaves one time."""
    ada = requests_of("ada")
    request = await ada.ask_to_unmask(await answered(bureau), **WHY)
    await requests_of("grace").decide(request, approves=True)
    told: list[bool] = []

    async def attempt() -> None:
        try:
            await ada.reveal(request, IDENTITY_KEY)
        except UsageError:
            told.append(False)
        else:
            told.append(True)

    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(attempt())
    assert sorted(told) == [False, False, False, True]


@pytest.mark.parametrize("tag", [Tag.UNMASK_REQUESTED, Tag.UNMASK_APPROVED])
async def test_an_approval_is_lately(
    bureau: Office, requests_of: By, sealed: SealedLedger, tag: Tag
) -> None:
    """Nothing older than 72 hours is decided or used."""
    ada, grace = requests_of("ada"), requests_of("grace")
    request = await ada.ask_to_unmask(await answered(bureau), **WHY)
    if tag is Tag.UNMASK_APPROVED:
        await grace.decide(request, approves=True)
    await sealed.tamper(AGED.format(tag.value))
    assert [one.state for one in await ada.list(LISTED)] == ["expired"]
    is_approved = tag is Tag.UNMASK_APPROVED
    late = (
        ada.reveal(request, IDENTITY_KEY) if is_approved else grace.decide(request, approves=True)
    )
    with pytest.raises(UsageError, match="72 hours"):
        await late


async def test_what_is_not_sealed_or_no_askers_is_said(bureau: Office, requests_of: By) -> None:
    """An officer's record, and a person met without a key or erased meanwhile."""
    record = await answered(bureau)
    ada = requests_of("ada")
    own = await ada.ask_to_unmask(record, **WHY)
    with pytest.raises(UsageError, match="no record of an asker"):
        await ada.ask_to_unmask(own, **WHY)
    with pytest.raises(UsageError, match="on what basis"):
        await ada.ask_to_unmask(record, reason="x", basis="  ")
    await requests_of("grace").decide(own, approves=True)
    async with bureau.life.engine.begin() as connection:
        await connection.execute(text("UPDATE audit.identity SET sealed = NULL"))
    with pytest.raises(UsageError, match="no identity is sealed"):
        await ada.reveal(own, IDENTITY_KEY)
    assert [one.state for one in await ada.list(LISTED)] == ["approved"]


@pytest.mark.parametrize(
    "tag", ["unmask:requested", "unmask:approved", "identity:unmasked", "erasure:approved"]
)
async def test_no_step_is_written_but_by_its_function(
    bureau: Office, database_url: str, console: AsyncEngine, tag: str
) -> None:
    """Not by a role that appends records, nor by the function of another step."""
    record = await answered(bureau)
    event = Event(
        tag=Tag(tag), actor="grace", actor_kind="officer", conversation=None, seq=None,
        subject=record, cause=None, trace_id=None,
    )  # fmt: skip
    entry = LEDGER.entry(event, at=LEDGER.clock.now(), content={})
    for role in (DatabaseRole.APP, DatabaseRole.CONSOLE, DatabaseRole.SEQUENCER):
        engine = engine_for(as_role(database_url, role))
        async with engine.connect() as connection:
            with pytest.raises(DBAPIError, match="recorded by the function"):
                await append(connection, [entry])
        await engine.dispose()
    wrong = {"unmask:requested": "decide", "unmask:approved": "reveal"}.get(tag, "request")
    session = OfficerSession(console, ledger=LEDGER, officer="ada")
    with pytest.raises(UsageError):
        async with session.acting() as doing:
            await doing.do(
                deed(wrong), Tag(tag), subject=record, content={"basis": "x", "reason": "y"}
            )


async def test_a_login_of_ones_own_is_nobody_else(
    bureau: Office, requests_of: By, database_url: str, server_url: str
) -> None:
    """Whoever an officer's client names: the server knows whose login it is."""
    name = str(make_url(database_url).database)
    record = await answered(bureau)
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {name} LOGIN IN ROLE citebound_officer".encode())
    try:
        async with bureau.life.engine.begin() as connection:
            added = (
                "INSERT INTO audit.officer (login, units, audiences) VALUES (:n, '{test}', '{}')"
            )
            await connection.execute(text(added), {"n": name})
        engine = engine_for(make_url(database_url).set(username=name).render_as_string(False))
        posing = PostgresRequests(OfficerSession(engine, ledger=LEDGER, officer="grace"))
        request = await posing.ask_to_unmask(record, **WHY)
        with pytest.raises(UsageError, match=f"{name} has asked for it"):
            await posing.decide(request, approves=True)
        await requests_of("grace").decide(request, approves=True)
        assert (await posing.reveal(request, IDENTITY_KEY)).person == ASKER
        others = "('unmask:approved', 'identity:kept')"
        asked = f"SELECT DISTINCT actor FROM audit.record WHERE tag NOT IN {others}"  # noqa: S608
        actors = await bureau.life.rows(f"{asked} AND tag SIMILAR TO '(unmask|identity):%'")
        assert actors == [{"actor": name}]
        await engine.dispose()
    finally:
        with psycopg.connect(server_url, autocommit=True) as admin:
            admin.execute(f"DROP ROLE {name}".encode())
