"""What a statement found, as officers see it: nothing in a cell steers a terminal or a program."""

import csv
import io
import json

import pytest
from rich.console import Console

from bot.console.views.query_view import query_view, to_csv, to_rows
from bot.console.views.terminal import to_json
from core.adapters.postgres.officers.query import Column, QueryResult

HOSTILE = "\x1b[31mred\x1b[0m \u202eback\u202c [bold]x[/bold] :smile:\r\nnext\tcell\x00"


def found(*columns: tuple[str, str], rows: tuple[tuple[str | None, ...], ...]) -> QueryResult:
    return QueryResult(
        columns=tuple(Column(name=name, type=kind) for name, kind in columns),
        rows=rows,
        has_more=False,
        cut_cells=0,
    )


def printed(result: QueryResult, *, is_expanded: bool = False) -> str:
    console = Console(width=200, file=io.StringIO(), markup=False, emoji=False, highlight=False)
    for renderable in query_view(result, is_expanded=is_expanded):
        console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("is_expanded", [False, True])
def test_a_hostile_cell_is_text(*, is_expanded: bool) -> None:
    """In a table and in blocks, and as the name of a column."""
    shown = printed(found((HOSTILE, "text"), rows=((HOSTILE,), (None,))), is_expanded=is_expanded)
    assert not {"\x1b", "\u202e", "\x00", "\r"} & set(shown)
    assert shown.count("[31mred[0m back [bold]x[/bold] :smile:") >= 2
    assert "null" in shown


def test_many_columns_are_blocks() -> None:
    """Nobody reads columns of five letters; a cell with several lines keeps them."""
    columns = tuple((f"c{number}", "text") for number in range(9))
    shown = printed(found(*columns, rows=(tuple("a\nb" for _ in columns),)))
    assert shown.startswith("Row 1\n  c0  a\n      b\n  c1  a\n")
    assert shown.endswith("1 row\n")


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\t=1", " =1", "\r=1", "\n=1"])
def test_a_spreadsheet_computes_no_cell(cell: str) -> None:
    """Whatever stands before the sign; numbers stay numbers."""
    written = to_csv(found(("said", "text"), ("n", "int8"), rows=((cell, "-1"),)))
    _, (said, number) = csv.reader(io.StringIO(written))
    assert (said[0], number) == ("'", "-1")


def test_json_has_values_by_their_types() -> None:
    """Two columns of one name are told apart; what was cut, or is no number in JSON, is text."""
    result = found(
        ("n", "numeric"),
        ("n", "float8"),
        ("n_2", "bool"),
        ("doc", "jsonb"),
        ("doc", "jsonb"),
        ("none", "int4"),
        rows=(("1.50", "NaN", "true", '{"a": [1]}', '{"a": [1', None),),
    )
    assert json.loads(to_json(to_rows(result)))["rows"] == [
        {
            "n": 1.5,
            "n_2": "NaN",
            "n_2_2": True,
            "doc": {"a": [1]},
            "doc_2": '{"a": [1',
            "none": None,
        }
    ]
