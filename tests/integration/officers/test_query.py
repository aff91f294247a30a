"""What officers type: recorded first, one SELECT, and nothing of it outlives its transaction."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.officers import query, session
from core.adapters.postgres.officers.query import OfficerQueries, QueryResult, StatementRefusedError
from core.domain.errors import ConfigError, TransientError

Rows = Callable[..., Coroutine[Any, Any, list[dict[str, Any]]]]


async def execute(queries: OfficerQueries, statement: str, *, most_rows: int = 100) -> QueryResult:
    return await queries.run(statement, purpose="ticket 4711", most_rows=most_rows)


async def values(queries: OfficerQueries, statement: str) -> list[tuple[str | None, ...]]:
    return list((await execute(queries, statement)).rows)


async def readings(engine: AsyncEngine) -> list[tuple[str, str, Any]]:
    """Return officer, statement and views of what is recorded, in order."""
    async with engine.connect() as connection:
        found = await connection.execute(
            text("SELECT officer, statement, views FROM audit.v_access_log ORDER BY at, log_id")
        )
        return [tuple(row) for row in found]


MIXED = """SELECT 1.50 AS n, NULL AS n, '{"a": 1}'::jsonb, outcome
  FROM (VALUES ('x')) AS v(outcome) -- and so on ;
 ;"""


async def test_a_statement_is_recorded_and_answered(
    queries: OfficerQueries, engine: AsyncEngine
) -> None:
    """Names and types of the columns, values as Postgres writes them, and who read what."""
    found = await execute(queries, MIXED)
    assert [(one.name, one.type) for one in found.columns] == [
        ("n", "numeric"),
        ("n", "text"),
        ("jsonb", "jsonb"),
        ("outcome", "text"),
    ]
    assert found.rows == (("1.50", None, '{"a": 1}', "x"),)
    assert not found.has_more
    await execute(queries, "SELECT count(*) FROM v_answers JOIN audit.record ON true")
    (_, first, _), (officer, second, views) = await readings(engine)
    assert first.startswith("SELECT 1.50 AS n")
    assert second == "SELECT count(*) FROM v_answers JOIN audit.record ON true"
    assert officer.startswith("anna.")
    assert views == ["record", "v_answers"]


SERIES = "generate_series(1, 3) AS n ORDER BY 1"
LEAVING = {
    "two statements": "SELECT 1; DELETE FROM audit.record",
    "commit first": "SELECT 1; COMMIT; DELETE FROM audit.record",
    "commit": "COMMIT",
    "close and go on": "SELECT 1) AS x; DELETE FROM audit.record; SELECT * FROM (SELECT 2",
    "delete": "DELETE FROM audit.record",
    "delete by a query": "WITH x AS (DELETE FROM audit.record RETURNING 1) SELECT * FROM x",
    "insert by a query": "WITH x AS (INSERT INTO audit.tag VALUES ('a', true) RETURNING 1) TABLE x",
    "into a table": "SELECT 1 INTO stolen",
    "for update": "SELECT * FROM audit.tag FOR UPDATE",
    "set role": "SET ROLE citebound_owner",
    "reset role": "RESET ROLE",
    "become another": "SET SESSION AUTHORIZATION postgres",
    "set by function": "SELECT set_config('session_authorization', 'postgres', false)",
    "role by function": "SELECT set_config('role', 'citebound_owner', false)",
    "write by function": "SELECT set_config('transaction_read_only', 'off', true)",
    "program": "COPY (SELECT 1) TO PROGRAM 'id'",
    "copy": "COPY audit.record TO STDOUT",
    "file": "SELECT pg_read_file('/etc/passwd')",
    "folder": "SELECT * FROM pg_ls_dir('/')",
    "import": "SELECT lo_import('/etc/passwd')",
    "export": "SELECT lo_export(1, '/tmp/x')",
    "object": "SELECT lo_from_bytea(0, 'x')",
    "another database": "SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS t(a int)",
    "block": "DO $$ BEGIN PERFORM 1; END $$",
    "prepare": "PREPARE x AS SELECT 1",
    "notify": "NOTIFY citebound_due, 'answer'",
    "working copies": "SELECT * FROM citebound.inbox",
    "cases": "SELECT * FROM citebound.cases",
    "other officers": "SELECT * FROM audit.officer",
    "passwords": "SELECT rolpassword FROM pg_authid",
    "record a reading": "SELECT audit.record_reading('{}', '', '{}', '{}', '{}')",
    "analyse": "EXPLAIN ANALYZE SELECT 1",
    "call": "CALL something()",
    "nothing": " ;; ",
    "zero": "SELECT '\0'",
    "half a letter": "SELECT '\ud800'",
    "no columns": "SELECT FROM audit.tag",
    "many columns": "SELECT " + ", ".join("1" for _ in range(201)),
    "long": "SELECT 1 -- " + "x" * 20_000,
    "dynamic": "SELECT query_to_xml('DELETE FROM audit.record', true, true, '')",
}


@pytest.mark.parametrize("statement", LEAVING.values(), ids=LEAVING)
async def test_what_is_no_reading_is_refused(
    queries: OfficerQueries, engine: AsyncEngine, statement: str
) -> None:
    """In one line; nothing is changed but that the attempt is recorded."""
    with pytest.raises(StatementRefusedError) as refused:
        await execute(queries, statement)
    assert len(str(refused.value).splitlines()) == 1
    async with engine.connect() as connection:
        kept = await connection.scalar(
            text("SELECT array_agg(DISTINCT tag) FROM audit.record WHERE tag <> 'query:executed'")
        )
        assert kept == ["officer:granted"]
        assert await connection.scalar(text("SELECT to_regclass('stolen')")) is None


async def test_another_officer_can_t_be_taken_on(queries: OfficerQueries, grant: Any) -> None:
    """Who reads is the login: naming another one in the statement is of no use."""
    boss = await grant("*")
    await execute(queries, "SELECT 1")
    named = f"set_config('citebound.officer', '{boss}', true)"
    reading = f"SELECT n, {named}, audit.officer_login(), audit.my_units() FROM {SERIES}"  # noqa: S608
    for _, _, login, units in await values(queries, reading):
        assert login != boss
        assert units == "{berlin}"


async def test_no_setting_outlives_its_statement(queries: OfficerQueries) -> None:
    """Neither of the session nor of the transaction; nor does a lock."""
    setting = "SELECT set_config('statement_timeout', '0', false), set_config('a.b', 'c', false)"
    await execute(queries, setting)
    await execute(queries, "SELECT pg_advisory_lock(7203114032)")
    said = "SELECT current_setting('statement_timeout'), current_setting('a.b', true)"
    assert await values(queries, said) == [("15s", None)]
    held = (
        "SELECT count(*) FROM pg_locks JOIN pg_database AS d ON d.oid = database"
        " WHERE locktype = 'advisory' AND datname = current_database()"
    )
    assert await values(queries, held) == [("0",)]


NOTIFY = "SELECT pg_notify('citebound_due', 'answer')::text"


async def test_a_notification_is_never_sent(queries: OfficerQueries, engine: AsyncEngine) -> None:
    """The processes that answer hear of nothing that an officer calls."""
    async with engine.connect() as connection:
        raw: Any = (await connection.get_raw_connection()).driver_connection
        await raw.execute("LISTEN citebound_due")
        await raw.commit()
        await execute(queries, NOTIFY)
        with pytest.raises(StatementRefusedError):
            await execute(queries, f"SELECT 1; COMMIT; {NOTIFY}")
        assert [one async for one in raw.notifies(timeout=0.2)] == []


async def test_rows_are_counted_and_cells_cut(queries: OfficerQueries) -> None:
    """What would fill the memory is not read: more rows, cells of a gigabyte, endless series."""
    found = await execute(queries, "SELECT generate_series(1, 1000000000)", most_rows=3)
    assert (len(found.rows), found.has_more) == (3, True)
    exact = await execute(queries, "SELECT * FROM generate_series(1, 3)", most_rows=3)
    assert (len(exact.rows), exact.has_more) == (3, False)
    large = await execute(queries, "SELECT repeat('x', 100000000) FROM generate_series(1, 2)")
    assert [len(row[0] or "") for row in large.rows] == [query.CELL_CHARS] * 2
    assert large.cut_cells == 2


async def test_a_result_has_a_size(
    queries: OfficerQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many rows are asked for."""
    monkeypatch.setattr(query, "MOST_BYTES", 1_000)
    found = await execute(queries, "SELECT repeat('x', 100) FROM generate_series(1, 50)")
    assert (len(found.rows), found.has_more) == (10, True)


async def test_a_statement_ends_in_time(
    queries: OfficerQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even one that takes the limit away."""
    ready = str(session._READY)  # pyright: ignore[reportPrivateUsage]
    short = ready.replace(f"'{session.READ_WITHIN_S}s'", "'200ms'")
    monkeypatch.setattr(session, "_READY", text(short))
    with pytest.raises(StatementRefusedError, match="took longer"):
        await execute(
            queries, "SELECT set_config('statement_timeout', '0', true), pg_sleep(60)::text"
        )


async def until(counted: Callable[[], Coroutine[Any, Any, int]], wanted: int) -> None:
    for _ in range(500):
        if await counted() == wanted:
            return
        await asyncio.sleep(0.02)
    pytest.fail(f"there were never {wanted}")


async def test_one_that_is_cancelled_stops_on_the_server(
    queries: OfficerQueries, engine: AsyncEngine
) -> None:
    """Ctrl-C at the prompt is what this is."""

    async def running() -> int:
        async with engine.connect() as connection:
            query = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%sleep(55)%'"
            return int(await connection.scalar(text(f"{query} AND state = 'active'")) or 0) - 1

    async with asyncio.TaskGroup() as group:
        task = group.create_task(execute(queries, "SELECT pg_sleep(55)::text"))
        await until(running, 1)
        task.cancel()
    await until(running, 0)


FAULTS = {
    "SELECT at,\n       asked FROM v_answers": (
        "column \"asked\" does not exist, at line 2, column 8: 'asked FROM v_answers'"
    ),
    "DROP TABLE audit.record": (
        "syntax error at or near \"DROP\", at line 1, column 1: 'DROP TABLE audit.record';"
        " one SELECT is taken, and nothing else"
    ),
    "SELECT 1 / 0": "division by zero",
    "SELECT * FROM citebound.inbox": (
        "permission denied for table inbox; officers read the views of the schema `audit`"
    ),
    "SELECT 'a%sb' LIKE '100%' AND outcom FROM v_answers": (
        'column "outcom" does not exist, at line 1, column 31'
    ),
}


@pytest.mark.parametrize(("statement", "said"), FAULTS.items())
async def test_an_error_says_where_it_is(
    queries: OfficerQueries, statement: str, said: str
) -> None:
    """In the officer's own statement, in one line."""
    with pytest.raises(StatementRefusedError) as refused:
        await execute(queries, statement)
    assert str(refused.value).startswith(said)


async def test_what_can_t_be_recorded_is_not_executed(
    queries: OfficerQueries, engine: AsyncEngine
) -> None:
    """Were the record full, or the function gone, officers would read nothing."""
    await execute(queries, "SELECT 1")
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE audit.content ADD CHECK (body <> 'SELECT 2')"))
    with pytest.raises(TransientError, match="nothing is read, since it could not be recorded"):
        await execute(queries, "SELECT 2")


async def test_one_who_is_no_officer_reads_nothing(
    session: Any, new_login: Any, engine: AsyncEngine
) -> None:
    """A login of the same role that nobody made an officer."""
    login = new_login()
    async with engine.begin() as connection:
        await connection.execute(text(f'CREATE ROLE "{login}" LOGIN IN ROLE citebound_officer'))
    with pytest.raises(ConfigError, match="is not an officer"):
        await execute(OfficerQueries(session(login)), "SELECT 1")
    assert await readings(engine) == []


async def test_views_are_described(queries: OfficerQueries, engine: AsyncEngine) -> None:
    """All of them, or the columns of one; that is not recorded, since it reads nothing."""
    views = {name: said for name, _, said in await queries.describe()}
    assert views["v_refusals"].startswith("Questions that got no answer")
    columns = {name: (kind, said) for name, kind, said in await queries.describe("v_refusals")}
    assert columns["at"] == ("timestamp with time zone", "When, UTC.")
    with pytest.raises(StatementRefusedError, match="there is no view 'v_nothing'"):
        await queries.describe("v_nothing")
    assert await readings(engine) == []
