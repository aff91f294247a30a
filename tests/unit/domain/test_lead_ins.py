"""What introduces a list item or table row, in the layouts of policies that others wrote."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.lead_ins import introduced_units, section_units


def read(text: str) -> dict[str, list[str]]:
    """Return items and rows with what introduces each, outermost first."""
    return {
        unit.span.of(text): [one.of(text) for one in unit.lead_ins]
        for unit in introduced_units(text)
        if unit.kind in {"item", "row", "header"}
    }


def test_a_list_item_is_introduced_by_the_sentence_before_its_list() -> None:
    """Also where items have several sentences, and blank lines stand between them."""
    found = read(
        "You must not:\n\n- accept cash. Vouchers are cash.\n\n- accept loans\n\nElse:\n- tell"
    )
    assert found == {
        "- accept cash.": ["You must not:"],
        "- accept loans": ["You must not:"],
        "- tell": ["Else:"],
    }


def test_a_nested_item_has_the_whole_chain() -> None:
    """By indentation where the format kept it, and the outer list goes on afterwards."""
    found = read("Never:\n- accept:\n  - vouchers\n  - loans\n- offer cash\n")
    assert found["  - loans".strip()] == ["Never:", "- accept:"]
    assert found["- offer cash"] == ["Never:"]


def test_markers_tell_the_levels_without_indentation() -> None:
    """As rulebooks print them: a Roman number right below a letter is no letter."""
    found = read(
        "(1) A firm must:\n(a) check names; and\n(b) where it lends:\n(i) ask why; and\n"
        "(ii) keep records.\n(c) never wait.\n(2) It may:\n(a) stop.\n"
    )
    assert found["(ii) keep records."] == ["(1) A firm must:", "(b) where it lends:"]
    assert found["(c) never wait."] == ["(1) A firm must:"]
    assert found["(a) stop."] == ["(2) It may:"]


def test_a_list_that_lost_its_indentation_is_read_by_its_colons() -> None:
    """The next item that introduces something ends what the one before introduced."""
    found = read("- You must not accept:\n- cash\n- loans\n- You may accept:\n- mugs\n")
    assert found["- loans"] == ["- You must not accept:"]
    assert found["- You may accept:"] == []
    assert found["- mugs"] == ["- You may accept:"]


def test_a_letter_that_follows_its_list_is_no_roman_number() -> None:
    """The ninth item of a list stands beside the eighth."""
    assert read("You must:\n(h) report:\n(i) wait\n")["(i) wait"] == ["You must:"]


def test_a_table_row_is_introduced_by_its_header() -> None:
    """And by the sentence before the table."""
    found = read("Per night:\n\n| City | Rate |\n|---|---|\n| Oslo | EUR 90 |\n")
    assert found["| Oslo | EUR 90 |"] == ["Per night:", "| City | Rate |"]


@pytest.mark.parametrize(
    "opening",
    [
        "**You may not:**",
        "The following expenses are not reimbursed.",
        "Users shall not use company resources to",
        "We pay for \u2014",
    ],
)
def test_lead_ins_have_many_shapes(opening: str) -> None:
    """Bold, with a full stop, without any sign, with a dash."""
    assert read(f"{opening}\n\u2022 minibar\n")["\u2022 minibar"] == [opening]


@pytest.mark.parametrize(
    "before", ["We value safety.", "{{#ifHIPAA}}", "\\pagebreak", "Table 3: Rates", "## Safety"]
)
def test_what_ends_before_a_list_introduces_none(before: str) -> None:
    """A sentence of its own, marks of a template, captions and headings."""
    assert read(f"{before}\n- Wear a helmet.\n")["- Wear a helmet."] == []


def test_a_paragraph_ends_a_list() -> None:
    """What stands after it is not said to be forbidden."""
    found = read("You must not:\n- smoke\n\nBreaks are free.\n\n- Tea is in the kitchen.\n")
    assert found["- Tea is in the kitchen."] == []


@pytest.mark.parametrize(
    ("heading", "introduces"),
    [("What we do not pay for", True), ("You must:", True), ("Meals", False)],
)
def test_a_heading_may_introduce_the_list_below(heading: str, *, introduces: bool) -> None:
    """If it ends in a colon, or says what is not: else an item would say the opposite."""
    text = f"## {heading}\n- minibar\n"
    body = text.index("-")
    [unit] = section_units(text, char_start=0, body_start=body, char_end=len(text))
    assert [one.of(text) for one in unit.lead_ins] == ([f"## {heading}"] if introduces else [])


@given(
    st.lists(
        st.sampled_from(
            ("- ", "(a) ", "(i) ", "1. ", "word", ":", ".", "\n", "  ", "|", " | ", "\t")
        ),
        max_size=60,
    )
)
def test_units_and_lead_ins_are_in_order(tokens: list[str]) -> None:
    """Whatever the layout, what introduces stands before, outermost first, and is no rule."""
    text = "".join(tokens)
    end = 0
    for unit in introduced_units(text):
        assert unit.span.char_start >= end
        end = unit.span.char_end
        chain = [*unit.lead_ins, unit.span]
        assert chain == sorted(set(chain))
        assert all(one.char_end <= after.char_start for one, after in pairwise(chain))


@pytest.mark.parametrize(
    "piece", ["- a:\n", "(i) a: ", "x ", "| a |\n", "not ", "  " * 40 + "- a:\n"]
)
def test_reading_takes_time_in_proportion(piece: str) -> None:
    """Hostile layouts cost no more than others; CPU time, with room to spare."""
    text = piece * (200_000 // len(piece))
    began = time.process_time()
    assert sum(1 for _ in introduced_units(text)) > 0
    assert time.process_time() - began < 10


def test_items_within_a_line_end_with_it() -> None:
    """What the next list says is introduced by the sentence before it alone."""
    found = read(
        "- We tell nobody unless asked by either\n  (i) a court; or (ii) a judge. We may show:\n"
        "  - logs\n  - mails\n- We keep:\n  - names\n"
    )
    assert found["(ii) a judge."] == ["- We tell nobody unless asked by either"]
    assert found["- mails"] == ["We may show:"]
    assert found["- names"] == ["- We keep:"]


def test_a_list_ends_where_one_further_left_goes_on() -> None:
    """Also where a text is read from the middle of an item on."""
    found = read("We may show:\n  - logs\n  - mails\n- We keep:\n  - names\n")
    assert found["- mails"] == ["We may show:"]
    assert found["- We keep:"] == []
    assert found["- names"] == ["- We keep:"]


@pytest.mark.parametrize("first", range(1, 7))
def test_a_text_that_begins_in_a_list_gives_no_item_another_lead_in(first: int) -> None:
    """As a passage does that begins with an item of a list within another one."""
    text = "Never:\n- take:\n  - cash\n  - loans of others\n  - mugs\n- give:\n  - cars\n- wait\n"
    whole = read(text)
    start = text.index(list(whole)[first])
    for item, leads in read(text[start:]).items():
        assert set(leads) <= set(whole[item])
    if first in {2, 3}:
        assert read(text[start:])["- mugs"] == []
