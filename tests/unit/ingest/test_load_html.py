"""HTML."""

import pytest

from core.domain.errors import DocumentError
from core.ingest.load import load


def read(body: str) -> str:
    return load(
        f"<!doctype html><html><body>{body}</body></html>".encode(), source_name="a.html"
    ).text


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>x</script>",
        "<style>x</style>",
        "<nav>x</nav>",
        "<p hidden>x</p>",
        '<p style="display: none">x</p>',
        '<span aria-hidden="true">x</span>',
        "<template>x</template>",
        "<!-- x -->",
    ],
)
def test_what_a_reader_does_not_see_is_dropped(hidden: str) -> None:
    assert read(f"<p>Before.</p>{hidden}<p>After.</p>") == "Before.\n\nAfter."


def test_tail_of_a_dropped_element_is_kept() -> None:
    assert read("<p>Pay <script>x</script>nothing.</p>") == "Pay nothing."


def test_structure_becomes_lines() -> None:
    document = load(
        b"<h1>Gifts &amp; more</h1><p>Text<br>two</p><ol start=3><li>three<li>four</ol>"
        b"<ul><li>dot</ul><h2>1 Scope</h2><table><tr><th>A<th>B<tr><td>1<td>2</table>",
        source_name="a.html",
    )
    assert document.text == (
        "Gifts & more\n\nText\ntwo\n\n3. three\n4. four\n\n- dot\n\n1 Scope\n\nA | B\n1 | 2"
    )
    assert [(h.level, h.span.of(document.text)) for h in document.headings] == [
        (1, "Gifts & more"),
        (2, "1 Scope"),
    ]
    assert [span.of(document.text) for span in document.tables] == ["A | B\n1 | 2"]


def test_declared_encoding_is_used() -> None:
    page = '<meta charset="iso-8859-2"><p>Łódź</p>'.encode("iso-8859-2")
    assert load(page, source_name="a.html").text == "Łódź"


def test_title_element_names_a_page_without_heading() -> None:
    page = b"<title>Gifts</title><p>Text.</p>"
    assert load(page, source_name="a.html").metadata == {"title": "Gifts"}


def test_text_named_txt_that_is_a_page_is_read_as_one() -> None:
    assert load(b"<!DOCTYPE html><p>Hi</p>", source_name="a.txt").media_type == "text/html"


def test_deep_nesting_is_refused_not_cut() -> None:
    """What a parser would silently leave out is never stored as the whole."""
    assert read("<div>" * 300 + "x" + "</div>" * 300 + "<p>end</p>") == "x\n\nend"
    with pytest.raises(DocumentError, match="nested"):
        read("<div>" * 20_000 + "x" + "</div>" * 20_000 + "<p>end</p>")


def test_cells_over_rows_and_columns_stand_where_they_reach() -> None:
    page = (
        "<table><tr><th>Level</th><th>Limit</th><th>Approver</th></tr>"
        "<tr><td rowspan=2>Staff</td><td>EUR 50</td><td>none</td></tr>"
        "<tr><td>EUR 100</td><td>Line manager</td></tr>"
        "<tr><td>Managers</td><td colspan='2'>by the board</td></tr></table>"
    )
    document = load(page.encode(), source_name="a.html")
    assert document.text.split("\n") == [
        "Level | Limit | Approver",
        "Staff | EUR 50 | none",
        "Staff | EUR 100 | Line manager",
        "Managers | by the board |",
    ]


def test_hostile_spans_are_no_harm() -> None:
    cells = "<td rowspan=99999999 colspan=99999999>a</td>" * 50
    document = load(f"<table>{f'<tr>{cells}</tr>' * 50}</table>".encode(), source_name="a.html")
    assert len(document.text) < 200_000
