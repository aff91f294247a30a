"""SQL as officers type it: one SELECT, recorded first, bounded in time, rows and size.

What keeps a statement within its transaction, in this order:

- The connection is the officer's own login, which may read and do nothing else.
- The extended protocol takes one statement at a time, so that nothing follows a semicolon.
- It is declared as a cursor: Postgres refuses anything there but a query that changes nothing.
- The transaction is read-only, and rolled back: settings and notifications go with it.
- The connection is closed: what the session holds, an advisory lock for one, goes with it.
"""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

import psycopg
from sqlalchemy import text

from core.adapters.postgres.officers.session import READ_WITHIN_S, OfficerSession, Reading
from core.domain.errors import TransientError, UsageError

MOST_CHARS = 20_000
"""Characters of a statement."""
MOST_COLUMNS = 200
"""Columns of a result."""
CELL_CHARS = 100_000
"""Characters of a cell that are read; an answer has less than 10,000."""
MOST_BYTES = 64 * 1024 * 1024
"""Bytes of a result that are read."""
_DECLARE = "DECLARE typed NO SCROLL CURSOR FOR "
_DESCRIBE = b"FETCH 0 FROM typed"
RELATIONS = frozenset({"record", "citation", "content", "leaf", "checkpoint", "tag"})
"""Tables of the record that officers may read as well."""
_VIEWS = text(
    "SELECT relname, 'view', obj_description(oid, 'pg_class') FROM pg_class"
    " WHERE relnamespace = 'audit'::regnamespace AND relkind = 'v' AND :name = '' ORDER BY relname"
)
_COLUMNS = text(
    "SELECT attname, format_type(atttypid, atttypmod), col_description(attrelid, attnum)"
    " FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid"
    " WHERE relnamespace = 'audit'::regnamespace AND relname = :name AND attnum > 0"
    " AND NOT attisdropped ORDER BY attnum"
)
_WORD = re.compile(r"[a-z_][a-z0-9_]*")
SYNTAX_ERROR, NOT_ALLOWED, CANCELLED = "42601", "42501", "57014"
"""SQLSTATEs (Postgres, appendix A)."""


class StatementRefusedError(UsageError):
    """Postgres does not run the statement; the message says where and why, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a result."""

    name: str
    """As the statement calls it; two may have the same."""
    type: str
    """As Postgres calls it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """What a statement found."""

    columns: tuple[Column, ...]
    """In the order of the statement."""
    rows: tuple[tuple[str | None, ...], ...]
    """Values as Postgres writes them; None: null."""
    has_more: bool
    """True: there are further rows."""
    cut_cells: int
    """Cells of which only the beginning is here."""


class OfficerQueries:
    """Runs what one officer types."""

    def __init__(self, session: OfficerSession) -> None:
        self._session = session

    async def run(self, statement: str, *, purpose: str, most_rows: int) -> QueryResult:
        """Record a statement, execute it, and return its first rows.

        Raises:
            StatementRefusedError: It is no single query, or Postgres found fault with it.
            TransientError: It could not be recorded, or the database failed.
        """
        typed = _checked(statement)
        reading = Reading(purpose=purpose, statement=typed, views=views_of(typed))
        async with self._session.reading(reading) as connection:
            raw = await connection.get_raw_connection()
            driver = cast("psycopg.AsyncConnection[Any]", raw.driver_connection)
            columns: tuple[Column, ...] = ()
            try:
                columns = await _columns(driver, typed)
                return await _rows(driver, typed, columns, most_rows)
            except psycopg.Error as error:
                raise _refusal(error, "" if columns else typed) from error

    async def describe(self, name: str = "") -> list[tuple[str, str, str]]:
        """Return the views, or the columns of one: name, type and comment of each.

        Nothing of the record is read, so that nothing is recorded.

        Raises:
            StatementRefusedError: There is no such view.
        """
        found = await self._session.catalogue(_COLUMNS if name else _VIEWS, {"name": name})
        if not found:
            raise StatementRefusedError(f"there is no view {name!r}; `\\d` lists them")
        return [(str(name), str(kind), str(said or "")) for name, kind, said in found]


def views_of(statement: str) -> tuple[str, ...]:
    """Return the views, and other names of our schema, that a statement names."""
    words = set(_WORD.findall(statement.lower()))
    return tuple(sorted(words & RELATIONS | {word for word in words if word.startswith("v_")}))


def _checked(statement: str) -> str:
    """Return a statement without the semicolon at its end.

    Raises:
        StatementRefusedError: It is empty, too long, or holds what Postgres can't be sent.
    """
    typed = statement.strip().rstrip(";").rstrip()
    if not typed:
        raise StatementRefusedError("there is no statement")
    if len(typed) > MOST_CHARS:
        raise StatementRefusedError(
            f"the statement has {len(typed):,} characters, and {MOST_CHARS:,} at most are taken"
        )
    if "\0" in typed or any("\ud800" <= letter <= "\udfff" for letter in typed):
        raise StatementRefusedError("the statement holds a character that is no text")
    return typed


async def _columns(driver: "psycopg.AsyncConnection[Any]", typed: str) -> tuple[Column, ...]:
    """Let Postgres read the statement, and return its columns; nothing is computed yet."""
    # A binary cursor goes by the extended protocol, which refuses a second statement.
    async with driver.cursor(binary=True) as cursor:
        await cursor.execute(f"{_DECLARE}{typed}".encode())
        await cursor.execute(_DESCRIBE)
        found = cursor.description or ()
    if not 0 < len(found) <= MOST_COLUMNS:
        raise StatementRefusedError(
            f"the statement has {len(found)} columns, and 1 to {MOST_COLUMNS} are taken"
        )
    return tuple(Column(name=one.name, type=one.type_display) for one in found)


async def _rows(
    driver: "psycopg.AsyncConnection[Any]", typed: str, columns: Sequence[Column], most_rows: int
) -> QueryResult:
    """Read the first rows as text, each cell cut, one row at a time."""
    names = [f"c{number}" for number in range(len(columns))]
    cells = ", ".join(f"left({name}::text, {CELL_CHARS + 1})" for name in names)
    wrapped = f"SELECT {cells} FROM ({typed}\n) AS typed({', '.join(names)}) LIMIT {most_rows + 1}"  # noqa: S608  # see the module
    rows: list[tuple[str | None, ...]] = []
    room, cut, has_more = MOST_BYTES, 0, False
    async with driver.cursor() as cursor, aclosing(_stream(cursor, wrapped)) as found:
        async for row in found:
            has_more = len(rows) == most_rows or room <= 0
            if has_more:
                break
            kept = tuple(cell and cell[:CELL_CHARS] for cell in row)
            cut += sum(len(cell or "") > CELL_CHARS for cell in row)
            room -= sum(len(cell or "") for cell in kept)
            rows.append(kept)
    return QueryResult(columns=tuple(columns), rows=tuple(rows), has_more=has_more, cut_cells=cut)


def _stream(
    cursor: "psycopg.AsyncCursor[Any]", statement: str
) -> AsyncGenerator[tuple[str | None, ...]]:
    return cast("AsyncGenerator[tuple[str | None, ...]]", cursor.stream(statement.encode()))


def _refusal(error: psycopg.Error, typed: str) -> StatementRefusedError | TransientError:
    """Say in one line what Postgres found, and where in what was typed, if it stands there."""
    found = error.diag
    if found.message_primary is None or found.sqlstate is None:
        return TransientError(f"the database failed: {str(error).splitlines()[0]}")
    if found.sqlstate == CANCELLED:
        return StatementRefusedError(
            f"it took longer than {READ_WITHIN_S} s and was ended: read less, such as a shorter"
            " period"
        )
    position = int(found.statement_position or 0) - len(_DECLARE)
    where = _place(typed, position - 1) if 0 < position <= len(typed) else ""
    hint = found.message_hint
    if found.sqlstate == NOT_ALLOWED:
        hint = "officers read the views of the schema `audit`, which `\\d` lists in the prompt"
    elif found.sqlstate == SYNTAX_ERROR and position <= 1:
        hint = "one SELECT is taken, and nothing else"
    said = f"{found.message_primary}{where}"
    return StatementRefusedError(f"{said}; {hint}" if hint else said)


def _place(typed: str, start: int) -> str:
    """Return where a character stands, with the words that begin there."""
    line, column = typed.count("\n", 0, start) + 1, start - typed.rfind("\n", 0, start)
    return f", at line {line}, column {column}: {typed[start : start + 30].splitlines()[0]!r}"
