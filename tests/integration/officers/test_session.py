"""The record of a reading: what officers may add to it, and what an officer's session leaves."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole, as_embedded_login
from core.adapters.postgres.officers.query import OfficerQueries, StatementRefusedError
from core.adapters.postgres.officers.session import OfficerSession, Reading
from core.adapters.system import SystemClock, UuidSource
from core.audit.canonical import canonical, instant, leaf_hash
from core.domain.errors import ConfigError

Json = dict[str, Any]
LEDGER = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
RECORD = "SELECT audit.record_reading(%b, %b, %s, %s, %s)"


def own_url(database_url: str, login: str) -> str:
    return make_url(database_url).set(username=login).render_as_string(hide_password=False)


def reading(login: str, **changes: Any) -> Json:
    """Return the document of a reading as our code writes it."""
    document: Json = {
        "v": 1,
        "id": UuidSource().new(),
        "tag": "query:executed",
        "at": instant(datetime.now(UTC)),  # noqa: TID251  # the server compares it with its own
        "unit": "berlin",
        "actor": {"kind": "officer", "ref": login},
        "conversation": None,
        "seq": None,
        "subject": None,
        "cause": None,
        "release": "0.1.0",
        "trace_id": None,
        "content": {},
        "views": [],
    }
    return document | changes


FORGED: dict[str, Callable[[str], Json]] = {
    "an answer": lambda _: {"tag": "question:answered", "outcome": "answered"},
    "a review": lambda _: {"tag": "answer:reviewed", "verdict": "wrong"},
    "a grant": lambda _: {"tag": "officer:granted"},
    "no tag": lambda _: {"tag": None},
    "another officer": lambda _: {"actor": {"kind": "officer", "ref": "boss"}},
    "an asker": lambda login: {"actor": {"kind": "asker", "ref": login}},
    "nobody": lambda _: {"actor": None},
    "another unit": lambda _: {"unit": "paris"},
    "no unit": lambda _: {"unit": None},
    "a conversation": lambda _: {"conversation": UuidSource().new(), "seq": 1},
    "much": lambda _: {"views": ["x" * 70_000]},
}


async def test_a_reference_leads_officers_to_records_of_their_units_alone(
    grant: Any, session: Callable[[str], OfficerSession], engine: AsyncEngine
) -> None:
    """By the digits below a reply, which are found by a function that reads for them."""
    ours, theirs = session(await grant("berlin")), session(await grant("paris"))
    async with engine.connect() as connection:
        made = "SELECT id::text FROM audit.record WHERE tag = 'officer:granted' LIMIT 1"
        record = str(await connection.scalar(text(made)))
    assert await ours.record_id(record[-8:], purpose="audit show") == record
    assert await theirs.record_id(record[-8:], purpose="audit show") is None


@pytest.mark.parametrize("changes", FORGED.values(), ids=FORGED)
async def test_officers_record_nothing_but_what_they_read(
    grant: Any, database_url: str, changes: Callable[[str], Json], engine: AsyncEngine
) -> None:
    """By a connection of their own, with whatever they write there."""
    login = await grant("berlin")
    document = canonical(reading(login) | changes(login))
    told: tuple[Any, ...] = (document, leaf_hash(document), [], [], [])
    with psycopg.connect(own_url(database_url, login)) as connection:
        connection.execute("SET TRANSACTION READ WRITE")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(RECORD, told)
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM audit.record")) == 1


async def test_a_reading_of_their_own_is_recorded(grant: Any, database_url: str) -> None:
    """The same document, unchanged, and its text; a text of nothing else."""
    login = await grant("berlin")
    document = canonical(reading(login))
    with psycopg.connect(own_url(database_url, login)) as connection:
        connection.execute("SET TRANSACTION READ WRITE")
        told = (document, leaf_hash(document), ["purpose"], [b"s" * 32], ["why"])
        connection.execute(RECORD, told)
        read = connection.execute("SELECT purpose FROM audit.v_access_log").fetchall()
        assert read == [("why",)]
        for statement in ("INSERT INTO audit.record", "INSERT INTO audit.content"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(f"{statement} DEFAULT VALUES")


async def test_a_session_that_others_get_has_nothing_of_it(
    grant: Any, database_url: str, engine: AsyncEngine
) -> None:
    """As behind a pooler, which hands it on: no setting, no role, no lock, also after an error."""
    login = await grant("berlin")
    pooled = engine_for(own_url(database_url, login))
    queries = OfficerQueries(OfficerSession(pooled, ledger=LEDGER))
    try:
        taken = "SELECT set_config('work_mem', '7MB', false), pg_advisory_lock(1)::text"
        await queries.run(taken, purpose="x", most_rows=1)
        with pytest.raises(StatementRefusedError, match="division by zero"):
            await queries.run(f"{taken}, 1 / (SELECT 0)", purpose="x", most_rows=1)
        async with pooled.connect() as connection:
            assert await connection.scalar(text("SELECT current_user")) == login
            assert await connection.scalar(text("SHOW work_mem")) != "7MB"
            assert await connection.scalar(text("SHOW transaction_read_only")) == "on"
        async with engine.connect() as connection:
            held = text(
                "SELECT count(*) FROM pg_locks JOIN pg_database AS d ON d.oid = database"
                " WHERE locktype = 'advisory' AND datname = current_database()"
            )
            assert await connection.scalar(held) == 0
    finally:
        await pooled.dispose()


async def test_what_a_login_begins_with_is_no_protection(
    grant: Any, session: Any, engine: AsyncEngine
) -> None:
    """The transaction is read-only, and has its limits, whatever the login's own settings are."""
    login = await grant("berlin")
    async with engine.begin() as connection:
        await connection.execute(text(f'ALTER ROLE "{login}" RESET ALL'))
    settings = ("transaction_read_only", "statement_timeout", "search_path", "role")
    asked = ", ".join(f"current_setting('{name}')" for name in settings)
    found = await OfficerQueries(session(login)).run(f"SELECT {asked}", purpose="x", most_rows=1)
    assert found.rows == (("on", "15s", "audit", "citebound_officer"),)


async def test_the_console_reads_for_whom_it_names(grant: Any, database_url: str) -> None:
    """With their rows and their name in the log; somebody unknown, or nobody, reads nothing."""
    login = await grant("berlin")
    console = engine_for(as_embedded_login(database_url, DatabaseRole.CONSOLE), pooled=False)
    try:
        session = OfficerSession(console, ledger=LEDGER, officer=login)
        record = UuidSource().new()
        async with session.reading(Reading(record_id=record)) as connection:
            query = text("SELECT officer, action, record_id::text FROM v_access_log")
            assert (await connection.execute(query)).all() == [(login, "record:viewed", record)]
        for nobody in ("stranger", "", None):
            with pytest.raises(ConfigError):
                async with OfficerSession(console, ledger=LEDGER, officer=nobody).reading(
                    Reading(statement="x")
                ):
                    pytest.fail("nobody reads")
    finally:
        await console.dispose()


async def test_a_statement_and_its_purpose_can_be_erased(
    grant: Any, session: Any, engine: AsyncEngine
) -> None:
    """They may hold personal text: the document holds what they hash to, and no word of them."""
    queries = OfficerQueries(session(await grant("berlin")))
    await queries.run("SELECT 'Erika Muster'", purpose="asked by Erika", most_rows=1)
    async with engine.connect() as connection:
        found = await connection.scalar(
            text("SELECT doc FROM audit.record WHERE tag = 'query:executed'")
        )
    assert "Erika" not in json.dumps(found)
    assert set(found["content"]) == {"purpose", "statement"}
