"""Give a statement many rows as one JSON parameter, which both ends read in C.

A row that is bound by itself costs the client some twenty times as much.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Table, TextClause, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection

_T = TypeVar("_T")
BATCH = 2_000
"""Rows of a statement: bounds what both ends hold of it at once."""
_DIALECT = postgresql.dialect()


def json_rows(table: Table, columns: Sequence[str], more: str = "") -> str:
    """Return a table expression, `given`, of rows in the parameter `:rows`.

    Args:
        table: Whose columns these are; it gives their types.
        columns: Their names.
        more: Further columns with their types, that the table does not have.
    """
    typed = [f"{name} {table.c[name].type.compile(dialect=_DIALECT)}" for name in columns]
    wanted = ", ".join([*typed, *([more] if more else [])])
    return f"json_to_recordset(CAST(:rows AS json)) AS given ({wanted})"


def rows_parameter(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as the parameter `:rows`; bytes are given by `bytes_in_json`."""
    return json.dumps(rows, ensure_ascii=False)


def bytes_in_json(value: bytes) -> str:
    """Return bytes as Postgres reads them from text."""
    return f"\\x{value.hex()}"


def batches(items: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Yield items in parts of at most `BATCH`."""
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]


async def insert_rows(
    connection: AsyncConnection, table: Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Insert rows in their order; what the first has that is no column of the table is left out."""
    for batch in batches(rows):
        statement = _insert(table, tuple(name for name in batch[0] if name in table.c))
        await connection.execute(statement, {"rows": rows_parameter(batch)})


@cache
def _insert(table: Table, columns: tuple[str, ...]) -> TextClause:
    names = ", ".join(columns)
    return text(
        f"INSERT INTO {table.fullname} ({names})"  # noqa: S608  # names of our own tables
        f" SELECT {names} FROM {json_rows(table, columns)}"
    )
