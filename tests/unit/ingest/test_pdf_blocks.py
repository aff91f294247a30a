"""Whatever stands on a page of a PDF, and wherever: all of it is read, once."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from core.ingest.load.pdf_layout import blocks_of
from core.ingest.load.pdf_lines import Line
from tests.properties import examples

EDGES = (20.0, 50.0, 222.0, 300.0, 420.0)


@st.composite
def lines(draw: st.DrawFn) -> Line:
    left = draw(st.sampled_from(EDGES))
    text = draw(st.sampled_from(("95,000", "Gifts", "\u2022 Meals", "Staff must wait. " * 5, "7")))
    return Line(
        text=text.strip(),
        left=left,
        right=left + draw(st.sampled_from((6.0, 40.0, 160.0))),
        baseline=draw(st.integers(min_value=2, max_value=75)) * 10.0,
        size=draw(st.sampled_from((7.5, 9.5, 28.0))),
        is_bold=draw(st.booleans()),
        first_word_width=6.0,
    )


@examples(400)
@given(st.lists(lines(), max_size=14))
def test_each_word_is_in_one_block(page: list[Line]) -> None:
    found = [line for block in blocks_of(page) for line in block.lines]
    assert words(found) == words(page)


def words(page: list[Line]) -> Counter[str]:
    return Counter(word for line in page for word in line.text.split())
