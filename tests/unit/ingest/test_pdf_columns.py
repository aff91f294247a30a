"""Columns that a page draws in turns, as some typesetters do: a line of one, then of the next."""

import io
import itertools
from collections.abc import Callable

import pytest
from reportlab.pdfgen.canvas import Canvas

from core.ingest.prepare import Prepared, prepare

LEFTS = (42, 222, 402)
"""Of three columns on a page."""
PARAGRAPHS = (
    (
        "Gifts of small value may be accepted", "from anybody who works for us. What is",
        "worth more is to be returned to whoever", "gave it, within a week of the day on",
        "which it came, and with a letter that", "says why we do not keep what others",
        "would like us to have from them.",
    ),
    (
        "Meals are entered in the register that", "is kept by the office of ethics, within",
        "five days. The office reads it every", "month and tells the board which of the",
        "meals were worth more than the limit", "that the board has set for the year,",
        "and who was there when they were held.",
    ),
    (
        "Partners are chosen for what they can", "do, and never for what they offer to",
        "those who choose them. Whoever has an", "interest in a partner says so before",
        "the choice is made and has no vote in", "it, and whoever learns of an interest",
        "that was hidden tells the office.",
    ),
)  # fmt: skip
"""Lines of prose as wide as a column."""
Place = tuple[float, float, str]
"""Of a line: its left edge, its baseline and its words."""


def read(*pages: Callable[[Canvas], None]) -> Prepared:
    """A PDF of pages that are drawn one by one."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return prepare(buffer.getvalue(), source_name="scan0815.pdf")


def drawn(*places: Place, title: tuple[float, str] | None = None) -> str:
    """The text of a page with these lines, drawn in this order."""

    def page(canvas: Canvas) -> None:
        if title is not None:
            canvas.setFont("Helvetica-Bold", 16)
            canvas.drawString(42, *title)
        canvas.setFont("Helvetica", 9)
        for left, baseline, text in places:
            canvas.drawString(left, baseline, text)

    return read(page).document.text


def columns(top: float = 740, *, step: float = 0.0) -> list[list[Place]]:
    """Lines of three columns, each a little lower than the one to its left."""
    return [
        [(left, top - 11 * row - step * place, line) for row, line in enumerate(lines)]
        for place, (left, lines) in enumerate(zip(LEFTS, PARAGRAPHS, strict=True))
    ]


def in_turns(of: list[list[Place]], order: tuple[int, ...] = (2, 0, 1)) -> list[Place]:
    """A line of one column, then one of the next."""
    return [line for row in zip(*(of[place] for place in order), strict=True) for line in row]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("step", [0.0, 1.5, 4.0])
def test_columns_drawn_in_turns_read_like_columns(order: tuple[int, ...], step: float) -> None:
    """At one height, and at heights of their own, where pdfium makes one line of several."""
    text = drawn(*in_turns(columns(step=step), order))
    places = [text.index(" ".join(lines)) for lines in PARAGRAPHS]
    assert places == sorted(places)
    assert "|" not in text


def test_order_is_that_of_columns_drawn_one_after_the_other() -> None:
    tops = (740, 663)
    of = [
        [line for band in bands for line in band]
        for bands in zip(*(columns(top, step=2.0) for top in tops), strict=True)
    ]
    assert drawn(*in_turns(of)) == drawn(*(line for column in of for line in column))


def test_narrow_gutter_is_kept() -> None:
    """The longest line of a column ends closer to the next than the cells of a table would."""
    of = columns()
    left, baseline, _ = of[0][2]
    of[0][2] = (left, baseline, "worth more is to be given back to whoever")
    text = drawn(*in_turns(of, (0, 1, 2)))
    assert "given back to whoever gave it, within a week" in text


def test_title_across_columns_divides_bands() -> None:
    upper, lower = columns(), columns(top=600)
    title = "What is to be done about partners from other countries"
    text = drawn(*in_turns(upper), *in_turns(lower), title=(630, title))
    above, below = text.split(title)
    for band in (above, below):
        places = [band.index(" ".join(lines)) for lines in PARAGRAPHS]
        assert places == sorted(places)


def test_title_across_two_columns_leaves_the_third_whole() -> None:
    upper, lower = columns(), columns(top=600)
    between: list[Place] = [
        (402, 663 - 11 * row, f"and rule {row} is kept by those who know,") for row in range(5)
    ]
    title = "What is done about partners"
    text = drawn(*in_turns(upper), *between, *in_turns(lower), title=(630, title))
    third = [*PARAGRAPHS[2], *(line for *_, line in between), *PARAGRAPHS[2]]
    assert " ".join(third) in " ".join(text.split())
    assert text.index(title) < text.index(PARAGRAPHS[2][0])


def test_table_of_short_cells_stays_a_table() -> None:
    rows = [
        (left, 740 - 14 * row, f"{word} {row}")
        for row in range(12)
        for left, word in zip(LEFTS, ("Country", "limit for gifts", "since year"), strict=True)
    ]
    text = drawn(*rows)
    assert "Country 3 | limit for gifts 3 | since year 3" in text


def test_table_of_long_cells_is_not_read_by_columns() -> None:
    """Its cells are prose and drawn line by line, but its rows begin at one level."""
    rows = [
        (left, 740 - 11 * row - 50 * block, f"{line} {block}" if row == 0 else line)
        for block in range(6)
        for row in range(3)
        for left, line in zip(LEFTS, (lines[row] for lines in PARAGRAPHS), strict=True)
    ]
    text = drawn(*rows)
    for block in range(5):
        following = text.index(f"{PARAGRAPHS[0][0]} {block + 1}")
        assert all(text.index(f"{lines[0]} {block}") < following for lines in PARAGRAPHS)


def test_list_of_terms_stays_as_it_was() -> None:
    terms = ("Gift", "Meal", "Partner", "Register", "Office", "Board", "Limit", "Interest")
    lines = [
        line
        for row, term in enumerate(terms)
        for line in (
            (42.0, 740.0 - 30 * row, term),
            (222.0, 740.0 - 30 * row, f"is what {term.lower()} means in this code, also where"),
            (222.0, 729.0 - 30 * row, "the word is used of what others have given to us."),
        )
    ]
    text = drawn(*lines)
    for term in terms:
        assert text.index(f"is what {term.lower()} means") - text.index(f"{term} |") < 20


def test_right_to_left_text_is_not_torn_apart() -> None:
    """Each character is drawn left of the one before: no column begins there."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for place, letter in enumerate("The register is read by the office."):
            canvas.drawString(400 - 8 * place, 700, letter)

    assert len(read(page).document.text.strip().splitlines()) == 1
