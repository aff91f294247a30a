"""An officer sees the records of their units, and the policies of their audiences."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import make_url, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.system import SystemClock, UuidSource
from core.audit.documents import Event
from core.domain.audit import Tag
from tests.databases import as_role
from tests.integration.record.sealing import SealedLedger

UNITS = ("berlin", "munich")
VIEWS = (
    "v_answers",
    "v_refusals",
    "v_low_confidence",
    "v_citations_by_section",
    "v_feedback",
    "v_feedback_counts",
    "v_open_cases",
)


def _event(tag: Tag, unit: str, seq: int, conversation: str, **says: object) -> Event:
    return Event(
        tag=tag,
        actor=f"p-{unit}",
        actor_kind="asker",
        conversation=conversation,
        seq=seq,
        subject=f"question:{unit}",
        cause=None,
        trace_id=None,
        says=says,  # pyright: ignore[reportArgumentType]  # plain JSON
    )


async def record(engine: AsyncEngine, unit: str) -> None:
    """Record what every view has a row of."""
    ids = UuidSource()
    ledger, conversation = Ledger(clock=SystemClock(), ids=ids, unit=unit), ids.new()
    citation = {"n": 1, "policy": f"policy-{unit}", "version": "1", "section": "2"}
    citation |= {"char_start": 0, "char_end": 5, "quote_hash": "00" * 32}
    confidence = {"badge": "low", "calibrated": 0.5, "features": {"fit": 0.5}}
    case = {
        "case": ids.new(),
        "number": 1,
        "state": "open",
        "due_at": "2030-01-01T00:00:00.000000Z",
    }
    events = (
        (
            Tag.QUESTION_ANSWERED,
            {
                "outcome": "answered",
                "confidence": confidence,
                "citations": [citation],
                "verdicts": [],
            },
        ),
        (Tag.QUESTION_REFUSED, {"outcome": "refused", "refusal": {"kind": "not_found"}}),
        (Tag.FEEDBACK_GIVEN, {"rating": "negative"}),
        (Tag.CASE_OPENED, case),
    )
    async with engine.begin() as connection:
        for seq, (tag, says) in enumerate(events, start=1):
            content = {"question": f"asked in {unit}"}
            await ledger.event(
                connection, _event(tag, unit, seq, conversation, **says), content=content
            )


@pytest.fixture
async def recorded(engine: AsyncEngine) -> AsyncEngine:
    """A sealed record of two units."""
    for unit in UNITS:
        await record(engine, unit)
    await SealedLedger(engine).seal(until=8)
    return engine


@pytest.fixture
def login(database_url: str, server_url: str) -> Iterator[str]:
    """The URL of a login of its own, a member of the officers' role."""
    name = str(make_url(database_url).database)
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {name} LOGIN IN ROLE citebound_officer".encode())
        yield make_url(database_url).set(username=name).render_as_string(hide_password=False)
        admin.execute(f"DROP ROLE {name}".encode())


async def admit(
    engine: AsyncEngine, url: str, *units: str, audiences: str = "{}", name: str | None = None
) -> None:
    """Make who has this login an officer of units."""
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "INSERT INTO audit.officer (login, units, audiences) VALUES (:login, :units,"
                " CAST(:audiences AS text[])) ON CONFLICT (login) DO UPDATE SET units = :units"
            ),
            {
                "login": make_url(url).username if name is None else name,
                "units": list(units),
                "audiences": audiences,
            },
        )


def seen(url: str, query: str, *, officer: str | None = None) -> list[tuple[object, ...]]:
    """Return what a login sees."""
    with psycopg.connect(url) as connection:
        if officer is not None:
            connection.execute("SELECT set_config('citebound.officer', %s, true)", (officer,))
        return connection.execute(query.encode()).fetchall()


async def test_no_table_and_no_view_shows_another_unit(recorded: AsyncEngine, login: str) -> None:
    """Not by a row, not by a count, not by a text; of one's own unit all is there."""
    await admit(recorded, login, "berlin")
    for name in ("record", "content", "citation", "leaf", *VIEWS):
        async with recorded.connect() as connection:
            everything = (await connection.execute(text(f"SELECT * FROM audit.{name}"))).all()  # noqa: S608
        rows = seen(login, f"SELECT * FROM audit.{name}")  # noqa: S608  # constants
        assert len(rows) * 2 == len(everything) > 0, name
        assert "munich" not in str(rows), name
    assert seen(login, "SELECT DISTINCT unit FROM audit.record") == [("berlin",)]


LEAK = """
CREATE FUNCTION pg_temp.leak(said text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$
BEGIN RAISE NOTICE '%', said; RETURN true; END $$
"""


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1 FROM audit.record WHERE pg_temp.leak(unit)",
        "SELECT 1 FROM audit.content WHERE pg_temp.leak(body)",
        "SELECT 1 FROM audit.v_answers WHERE pg_temp.leak(question)",
        "SELECT 1 FROM audit.citation WHERE pg_temp.leak(policy)",
        "SELECT 1 FROM audit.v_open_cases WHERE pg_temp.leak(question)",
    ],
)
async def test_a_leaky_function_is_shown_no_row_of_another_unit(
    recorded: AsyncEngine, login: str, query: str
) -> None:
    """It would be cheap to ask first: the rows are chosen before it is called."""
    await admit(recorded, login, "berlin")
    told: list[str] = []
    with psycopg.connect(login) as connection:
        connection.add_notice_handler(lambda notice: told.append(str(notice.message_primary)))
        connection.execute(LEAK)
        connection.execute(query.encode())
        connection.rollback()
    assert told
    assert not any("munich" in one for one in told)


async def test_an_error_tells_nothing_of_another_unit(recorded: AsyncEngine, login: str) -> None:
    """A division that fails for rows of one unit alone fails for its officers alone."""
    fails = "SELECT 1 / (unit <> '{}')::int FROM audit.record"
    await admit(recorded, login, "berlin")
    assert len(seen(login, fails.format("munich"))) == 4
    with pytest.raises(errors.DivisionByZero):
        seen(login, fails.format("berlin"))


@pytest.mark.parametrize(
    ("units", "expected"), [((), 0), (("munich",), 4), (("*",), 8), (UNITS, 8)]
)
async def test_an_officer_reads_the_units_that_were_given(
    recorded: AsyncEngine, login: str, units: tuple[str, ...], expected: int
) -> None:
    """None, one, several, every one; once revoked, none."""
    count = "SELECT count(*) FROM audit.record"
    assert seen(login, count) == [(0,)]
    await admit(recorded, login, *units)
    assert seen(login, count) == [(expected,)]
    async with recorded.begin() as connection:
        await connection.execute(text("UPDATE audit.officer SET revoked_at = now()"))
    assert seen(login, count) == [(0,)]


async def test_who_logs_in_as_themselves_is_nobody_else(recorded: AsyncEngine, login: str) -> None:
    """Naming an officer, or becoming the group, gains nothing."""
    await admit(recorded, login, "berlin")
    await admit(recorded, login, "munich", name="ada")
    units = "SELECT DISTINCT unit FROM audit.record"
    assert seen(login, units, officer="ada") == [("berlin",)]
    with psycopg.connect(login) as connection:
        connection.execute("SET ROLE citebound_officer")
        assert connection.execute(units.encode()).fetchall() == [("berlin",)]
        connection.execute("SET row_security = off")
        with pytest.raises(errors.InsufficientPrivilege):
            connection.execute(units.encode())


async def test_the_console_reads_as_whom_it_names(recorded: AsyncEngine, database_url: str) -> None:
    """In each transaction anew: unset it is an error, and what was left over is nobody."""
    console = as_role(database_url, DatabaseRole.CONSOLE)
    await admit(recorded, console, "munich", name="ada")
    units = b"SELECT DISTINCT unit FROM audit.record"
    assert seen(console, units.decode(), officer="ada") == [("munich",)]
    assert seen(console, units.decode(), officer="nobody") == []
    with psycopg.connect(console, autocommit=True) as connection:
        with pytest.raises(errors.UndefinedObject, match=r"citebound\.officer"):
            connection.execute(units)
        with connection.transaction():
            connection.execute("SELECT set_config('citebound.officer', 'ada', true)")
            assert connection.execute(units).fetchall() == [("munich",)]
        assert connection.execute("SELECT current_setting('citebound.officer')").fetchone() == ("",)
        assert connection.execute(units).fetchall() == []


async def test_a_record_for_nobody_named_is_for_nobody(
    recorded: AsyncEngine, database_url: str
) -> None:
    """An officer without a name would be whom a left-over setting names."""
    console = as_role(database_url, DatabaseRole.CONSOLE)
    with pytest.raises(IntegrityError, match="officer_login_check"):
        await admit(recorded, console, "*", name="")
    assert seen(console, "SELECT * FROM audit.record", officer="") == []


POLICIES = (
    ("INSERT INTO citebound.editions (number, note) VALUES (1, '')", ""),
    *(
        statement
        for key, audience in (("all", "everyone"), ("pay", "board"), ("desk", "finance"))
        for statement in (
            ("INSERT INTO citebound.policies (key) VALUES (:key)", key),
            (
                "INSERT INTO citebound.policy_versions (policy_id, number, edition_from, title,"
                " audience, tags, source_name, media_type, sha256, original, text, page_starts,"
                " notes) SELECT id, 1, 1, key, ARRAY[:audience], '{}', key, 'text/plain', '', '',"
                " 'text of ' || key, '{}', '{}' FROM citebound.policies WHERE key = :key",
                f"{key} {audience}",
            ),
            (
                "INSERT INTO citebound.sections (version_id, ordinal, eid, title, path, level,"
                " char_start, body_start, char_end) SELECT id, 1, '1', title, '{}', 1, 0, 0, 1"
                " FROM citebound.policy_versions WHERE title = :key",
                key,
            ),
        )
    ),
)


@pytest.mark.parametrize(
    ("audiences", "expected"),
    [("{}", {"all"}), ("{board}", {"all", "pay"}), ("{*}", {"all", "pay", "desk"})],
)
async def test_policies_are_those_of_the_audiences(
    engine: AsyncEngine, login: str, audiences: str, expected: set[str]
) -> None:
    """Texts, sections and keys; the application reads and writes all of them."""
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL ROLE citebound_app"))
        for statement, given in POLICIES:
            key, _, audience = given.partition(" ")
            await connection.execute(text(statement), {"key": key, "audience": audience})
        found = await connection.scalars(text("SELECT key FROM citebound.policies"))
        assert set(found) == {"all", "pay", "desk"}
    for query in (
        "SELECT key FROM citebound.policies",
        "SELECT title FROM citebound.policy_versions",
        "SELECT title FROM citebound.sections",
    ):
        assert seen(login, query) == []
        await admit(engine, login, audiences=audiences)
        assert {str(name) for (name,) in seen(login, query)} == expected
        async with engine.begin() as connection:
            await connection.execute(text("DELETE FROM audit.officer"))


@contextmanager
def without(engine_url: str, *statements: str) -> Generator[None]:
    """Run statements as the superuser first."""
    with psycopg.connect(engine_url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())
    yield


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE audit.record DISABLE ROW LEVEL SECURITY",
        "CREATE POLICY wide ON audit.record FOR SELECT TO citebound_officer USING (true)",
        "CREATE OR REPLACE FUNCTION audit.my_units() RETURNS text[] LANGUAGE sql STABLE"
        " RETURN '{*}'::text[]",
    ],
)
async def test_without_the_policy_all_units_are_seen(
    recorded: AsyncEngine, login: str, database_url: str, statement: str
) -> None:
    """It is the policy and its function that keep them apart; verification names their loss."""
    await admit(recorded, login, "berlin")
    ledger = SealedLedger(recorded)
    before = await ledger.verify()
    with without(database_url, statement):
        assert seen(login, "SELECT count(*) FROM audit.record") == [(8,)]
    after = await ledger.verify()
    assert after.count > before.count
    assert any("missing" in one.detail or "not of this" in one.detail for one in after.problems)
