"""HTML."""

import re
from time import process_time

import pytest

from core.domain.errors import DocumentError
from core.ingest.load import load
from core.ingest.sections import split_sections


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


def titles(body: str) -> list[str]:
    page = f"<!doctype html><html><body>{body}</body></html>".encode()
    return [
        " > ".join(section.path)
        for section in split_sections(load(page, source_name="a.html"))
        if section.eid != "preamble"
    ]


TEXT = "<p>Staff may accept gifts up to EUR 50 from each giver in a year.</p>"


@pytest.mark.parametrize(
    "heading",
    [
        '<div role="heading" aria-level="{level}">{title}</div>',
        '<h{level}>{title}<a class="headerlink" href="#x">¶</a></h{level}>',
        '<h{level}><a href="#x">#</a> {title} [<a href="/e">edit</a>]</h{level}>',
        '<div class="heading-{level}">{title}</div>',
        '<div><h{level}><span style="font-size:24px">{title}</span></h{level}></div>',
        '<p class="h{level}"><b>{title}</b></p>',
    ],
)
def test_headings_are_known_however_a_page_marks_them(heading: str) -> None:
    body = "".join(
        heading.format(title=title, level=level) + TEXT
        for title, level in (("Gifts", 1), ("Limits", 2), ("Records", 2))
    )
    assert titles(body) == ["Gifts", "Gifts > Limits", "Gifts > Records"]


def test_bold_and_large_lines_are_headings_where_nothing_else_is() -> None:
    """As pages saved from Word have them, whose text has a size of its own."""
    line = "<p><b><span style='font-size:{size}pt'>{title}</span></b></p>"
    body = "".join(
        line.format(title=title, size=size) + TEXT.replace("<p>", "<p style='font-size:10pt'>")
        for title, size in (("Gifts", 14), ("Limits", "10.0"), ("Records", 10), ("Cash", 10))
    )
    assert titles(body) == ["Gifts", "Gifts > Limits", "Gifts > Records", "Gifts > Cash"]
    assert titles("<h2>A one</h2><h2>B two</h2><h2>C three</h2><p><b>Important</b></p>")[-1] != (
        "Important"
    )


def test_summary_of_a_folded_text_is_its_heading() -> None:
    folded = f"<details><summary>May I accept cash?</summary>{TEXT}</details>"
    assert titles(f"<h1>Gifts</h1><h2>Questions</h2>{folded}<h2>Contact</h2>") == [
        "Gifts",
        "Gifts > Questions",
        "Gifts > Questions > May I accept cash?",
        "Gifts > Contact",
    ]


MENU = '<ul><li><a href="/hr">Human Resources</a></li><li><a href="/it">IT Help</a></li></ul>'


@pytest.mark.parametrize(
    "frame",
    [
        f'<div class="site-header">{MENU}</div>',
        f"<header>{MENU}</header>",
        f'<aside class="sidebar"><h3>Related pages</h3>{MENU}</aside>',
        f'<div role="navigation">{MENU}</div>',
        '<div class="breadcrumbs"><a href="/">Home</a> &gt; <a href="/p">Policies</a></div>',
        '<div id="cookie-banner"><p>We use cookies.</p><button>OK</button></div>',
        '<footer>© ACME <a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></footer>',
    ],
)
def test_what_frames_a_page_is_left_out_and_said(frame: str) -> None:
    document = load(f"<body>{frame}<h1>Gifts</h1>{TEXT}</body>".encode(), source_name="a.html")
    assert document.text.startswith("Gifts")
    assert document.left_out == ("left out menus, banners and footers",)


@pytest.mark.parametrize(
    "part",
    [
        "<header><h1>Gifts</h1><p>In force since 2024.</p></header>",
        "<aside><p>Cash must never be accepted, whoever gives it.</p></aside>",
        "<footer><p>Questions go to Compliance.</p></footer>",
        '<div class="cookie-policy"><p>Cookies need consent.</p></div>',
        '<p style="font-size:0.9em">Small print counts too.</p>',
    ],
)
def test_text_is_kept_whatever_element_it_stands_in(part: str) -> None:
    words = " ".join(re.sub("<[^>]*>", " ", part).split())
    assert " ".join(read(f"{TEXT}{part}").split()).endswith(words)


def test_main_part_of_a_page_is_read_with_the_title_above_it() -> None:
    page = f"<h1>Gifts</h1><div>Log in</div><main><h2>Limits</h2>{TEXT}</main><p>Comments: 0</p>"
    assert read(page).startswith("Gifts\n\nLimits\n\nStaff may")
    assert read(page).endswith("in a year.")


def test_hidden_words_are_counted() -> None:
    page = '<body><p style="mso-hide:all">Cash is fine.</p><p>Cash is not fine.</p></body>'
    document = load(page.encode(), source_name="a.html")
    assert (document.text, document.notes) == (
        "Cash is not fine.",
        ("left out 1 hidden passage: what belongs to the policy must be visible in the file",),
    )


def test_titles_of_columns_in_heading_tags_stay_a_table() -> None:
    head = "<tr><th><h3>Role</h3></th><th><h3>Limit</h3></th></tr>"
    assert read(f"<table>{head}<tr><td>Manager</td><td>EUR 50</td></tr></table>") == (
        "Role | Limit\nManager | EUR 50"
    )


@pytest.mark.parametrize(
    "lines", ["<p><b>Limits</b></p>" * 8000, f"<p>{'<b>' * 100}Limits{'</b>' * 100}</p>" * 300]
)
def test_lines_that_are_set_apart_cost_no_more_the_more_there_are(lines: str) -> None:
    begun = process_time()
    assert read(lines).startswith("Limits")
    assert process_time() - begun < 4


def test_items_within_items_are_indented() -> None:
    """So that what introduces each can be told."""
    inner = "<ul><li>cash</li><li><p>loans</p><p>of any kind</p></li></ul>"
    shown = read(f"<ul><li>accept:{inner}</li><li>offer</li></ul>")
    assert shown == "- accept:\n  - cash\n  - loans\n\n    of any kind\n\n- offer"


def test_struck_text_is_left_out_of_pages_and_markdown() -> None:
    """As an element, by its style, or between tildes; the words around it stay apart."""
    page = (
        "<h1>Perks</h1><p>Within <s>60 days</s> 30 days, <del>or</del> <strike>90</strike> so.</p>"
        "<p style='color:red; text-decoration: line-through'>Taxis are free.</p>"
        "<ul><li>Gym</li><li><del>Lunch</del></li><li>Fruit</li></ul>"
        "<table><tr><td>Bike</td><td><s>EUR 50</s> EUR 25</td></tr></table>"
    )
    marked = (
        "# Perks\n\nWithin ~~60 days~~ 30 days, <del>or</del> ~~90~~ so.\n\n~~Taxis are free.~~\n\n"
        "- Gym\n- ~~Lunch~~\n- Fruit\n\n<!-- Taxis are free. -->\n\n"
        "| Bike | ~~EUR 50~~ EUR 25 |\n|---|---|\n"
    )
    for name, written in (("a.html", page), ("a.md", marked)):
        document = load(written.encode(), source_name=name)
        assert document.text == ("Perks\n\nWithin 30 days, so.\n\n- Gym\n- Fruit\n\nBike | EUR 25")
        (note,) = document.notes
        assert note.startswith("left out 6 struck passages")
