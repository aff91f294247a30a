"""What a statement found, as a table, as blocks of lines, as CSV or as JSON.

Cells hold what people typed: none may steer a terminal or be a formula in a spreadsheet.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from itertools import count

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from bot.console.views.terminal import clean, one_line, safe
from core.adapters.postgres.officers.query import QueryResult

WIDE = 8
"""A table of more columns is shown as blocks: nobody reads columns of five letters."""
CELL = 300
"""Characters of a cell in a table; blocks have all."""
_NUMBERS = frozenset({"bigint", "integer", "smallint", "numeric", "double precision", "int8"}) | {
    "int4",
    "int2",
    "float8",
    "float4",
}
_JSON = frozenset({"json", "jsonb"})
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet computes (OWASP, CSV injection)."""


def query_view(result: QueryResult, *, is_expanded: bool = False) -> Iterator[RenderableType]:
    """Return what to print at a terminal: a table, or a block a row."""
    if is_expanded or len(result.columns) > WIDE:
        yield from _blocks(result)
    else:
        yield _table(result)
    yield Text(counted(result), style="dim")


def counted(result: QueryResult) -> str:
    """Return how many rows there are, and what is left out."""
    rows = len(result.rows)
    said = f"{rows} row{'' if rows == 1 else 's'}"
    if result.has_more:
        said += "; there are more: --limit shows them"
    if result.cut_cells:
        said += f"; {result.cut_cells} cells are cut"
    return said


def _table(result: QueryResult) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in result.columns:
        justify = "right" if _is_number(column.type) else "left"
        table.add_column(safe(one_line(column.name)), justify=justify, overflow="fold")
    for row in result.rows:
        table.add_row(*(_cell(value) for value in row))
    return table


def _blocks(result: QueryResult) -> Iterator[Text]:
    width = max((len(one_line(column.name)) for column in result.columns), default=0)
    for number, row in enumerate(result.rows, start=1):
        yield Text(f"Row {number}", style="bold")
        for column, value in zip(result.columns, row, strict=True):
            head = Text(f"  {one_line(column.name):<{width}}  ", style="dim")
            said = (
                _null()
                if value is None
                else Text(clean(value).replace("\n", f"\n{'':{width + 4}}"))
            )
            yield head.append_text(said)
        yield Text()


def _cell(value: str | None) -> Text:
    return _null() if value is None else Text(one_line(value, limit=CELL))


def _null() -> Text:
    return Text("null", style="dim italic")


def to_csv(result: QueryResult) -> str:
    """Return it as CSV (RFC 4180) with a head line; null is empty.

    A text that a spreadsheet would compute begins with an apostrophe, as OWASP advises.
    """
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(_inert(column.name) for column in result.columns)
    numbers = [_is_number(column.type) for column in result.columns]
    for row in result.rows:
        rows.writerow(
            value if is_number else _inert(value or "")
            for value, is_number in zip(row, numbers, strict=True)
        )
    return written.getvalue()


def _inert(value: str) -> str:
    kept = clean(value)
    return f"'{kept}" if kept.lstrip().startswith(_FORMULA) else kept


def to_rows(result: QueryResult) -> dict[str, object]:
    """Return it as JSON: numbers, truth values and JSON as such, all else as Postgres writes it.

    Of several columns of one name, the later ones are numbered: count, count_2.
    """
    names = _unique([column.name for column in result.columns])
    types = [column.type for column in result.columns]
    return {
        "types": dict(zip(names, types, strict=True)),
        "rows": [dict(zip(names, map(_value, row, types), strict=True)) for row in result.rows],
        "has_more": result.has_more,
        "cut_cells": result.cut_cells,
    }


def _unique(names: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for name in names:
        numbered = (name if number == 1 else f"{name}_{number}" for number in count(1))
        found[next(one for one in numbered if one not in found)] = None
    return list(found)


def _value(value: str | None, kind: str) -> object:
    if value is None:
        return None
    if kind == "bool":
        return value == "true"
    if kind in _JSON or (_is_number(kind) and _NUMBER.fullmatch(value)):
        try:
            return json.loads(value)
        except ValueError:  # cut
            return value
    return value


def _is_number(kind: str) -> bool:
    return kind in _NUMBERS


def described(rows: Sequence[tuple[str, str, str]]) -> Table:
    """Return names, types and comments as a table."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, kind, said in rows:
        table.add_row(safe(one_line(name)), safe(one_line(kind)), safe(one_line(said)))
    return table
