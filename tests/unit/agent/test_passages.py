"""Evidence cut into quotable units, each exactly where it stands."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.evidence_text import passages_of
from core.agent.extractive.quoting import claim_of
from core.domain.evidence import EvidenceItem
from core.language.lead_ins import lead_in_of
from core.language.spans import VersionId
from tests.factories import make_item, make_place

TABLE = "City | Limit\nLondon | GBP 190\nRome | EUR 160\n"
LIST = "Employees must register:\n- gifts above EUR 50;\n- invitations.\n\nNothing else counts.\n"


def texts(*items: EvidenceItem) -> list[list[str]]:
    return [[unit.text for unit in passage.units] for passage in passages_of(items)]


def assert_exact(*items: EvidenceItem) -> None:
    """Each unit is the text of its item at its span, in order, none over another."""
    for passage in passages_of(items):
        end = -1
        for unit in passage.units:
            (item,) = [item for item in items if item.key == unit.key]
            start = unit.span.char_start - item.span.char_start
            assert item.text[start : start + len(unit.text)] == unit.text
            assert unit.span.char_end - unit.span.char_start == len(unit.text)
            assert item.span.char_start <= unit.span.char_start
            assert unit.span.char_end <= item.span.char_end
            assert unit.span.char_start >= end
            end = unit.span.char_end


def test_sentences_are_units() -> None:
    """A paragraph is cut into its sentences."""
    item = make_item("Cash is forbidden. Gifts may be accepted.\n", start=37)
    assert texts(item) == [["Cash is forbidden.", "Gifts may be accepted."]]
    assert_exact(item)


def test_the_heading_is_not_quoted() -> None:
    """The section's own heading is no unit."""
    item = make_item("1 Limits\nCash is forbidden.\n")
    assert texts(item) == [["Cash is forbidden."]]
    assert_exact(item)


def test_a_printed_paragraph_number_is_not_quoted() -> None:
    """The number of an untitled paragraph is left out of the quote, which stays exact."""
    item = make_item("4.2 Cash is forbidden.", place=make_place("", number="4.2"))
    assert texts(item) == [["Cash is forbidden."]]
    assert_exact(item)


def test_a_list_item_has_its_lead_in() -> None:
    """Items of a list carry the sentence that introduces them; what follows does not."""
    item = make_item(LIST, start=5)
    (passage,) = passages_of([item])
    lead, first, second, after = passage.units
    assert lead.text == "Employees must register:"
    assert first.lead_in is not None
    assert second.lead_in is not None
    assert (first.lead_in.text, second.lead_in.text) == (lead.text, lead.text)
    assert (first.is_item, after.is_item, after.lead_in) == (True, False, None)
    assert lead.words <= first.words
    assert_exact(item)


def test_a_table_row_has_its_header() -> None:
    """Rows carry the header, and the header says nothing by itself."""
    item = make_item(TABLE, place=make_place("Hotels"))
    (passage,) = passages_of([item])
    header, london, rome = passage.units
    assert (header.introduces, london.introduces) == (True, False)
    assert london.lead_in is not None
    assert (london.lead_in.text, london.text) == ("City | Limit", "London | GBP 190")
    assert rome.is_row
    assert_exact(item)


def test_what_introduces_is_what_verify_asks_for() -> None:
    """A lead-in needs no colon; an item below another one has that before it."""
    item = make_item(
        "As somebody who works here I accept that\n\n* devices are watched;\n\n"
        "Visitors must:\n(1) show, at the gate:\n(a) a card; or\n(b) a letter;\n(2) sign.\n",
        place=make_place("Gate"),
    )
    (passage,) = passages_of([item])
    leads = {unit.text: unit.lead_in.text for unit in passage.units if unit.lead_in}
    assert leads["* devices are watched;"] == "As somebody who works here I accept that"
    assert leads["(b) a letter;"] == "(1) show, at the gate:"
    assert leads["(2) sign."] == "Visitors must:"
    (letter,) = (unit for unit in passage.units if unit.text == "(b) a letter;")
    claim = claim_of(letter)
    assert claim.text == "Visitors must: show, at the gate: a letter."
    assert [one.quote for one in claim.citations] == [
        "Visitors must:",
        "(1) show, at the gate:",
        "(b) a letter;",
    ]


@pytest.mark.parametrize("after", ["", "\nAsk at the gate.\n\n"])
def test_a_piece_of_a_list_keeps_what_introduces_it(after: str) -> None:
    """A passage may begin amid a list or a table, but a sentence ends that."""
    place = make_place("Gate")
    for lead, text in (
        ("Visitors must not bring:", "- dogs;\n- kites.\n"),
        ("Gate | Opens", "North | 8 am\nSouth | 9 am\n"),
    ):
        first, second = text.splitlines()
        item = replace(
            make_item(f"{first}\n{after}{second}\n", place=place, start=100),
            lead_in=lead_in_of(VersionId(1), [(0, len(lead), lead)]),
        )
        (passage,) = passages_of([item])
        introduced = [unit.text for unit in passage.units if unit.lead_in]
        assert introduced == ([first] if after else [first, second])


def test_items_of_one_section_are_one_passage() -> None:
    """Findings and chunks of a section are read together, each stretch once."""
    chunk = make_item("Cash is forbidden. Gifts may be accepted.")
    finding = make_item("Cash is forbidden.", key="c2", is_finding=True)
    (passage,) = passages_of([chunk, finding])
    assert [unit.text for unit in passage.units] == [
        "Cash is forbidden.",
        "Gifts may be accepted.",
    ]
    assert [unit.is_fact for unit in passage.units] == [True, False]
    assert passage.relevance == 0.8


def test_sections_are_kept_apart() -> None:
    """Another section, or the same one of another version, is another passage."""
    here = make_item("Cash is forbidden.")
    there = make_item("Keep records.", key="c2", start=50, place=make_place("Records", number="2"))
    other = replace(make_item("Cash is fine.", key="c3", version=2))
    assert texts(here, there, other) == [
        ["Cash is forbidden."],
        ["Keep records."],
        ["Cash is fine."],
    ]


def test_a_passage_knows_whom_it_is_for() -> None:
    """The heading's country goes before that of the policy."""
    german = make_place("Limits", jurisdiction="DE")
    french = make_place("Staff in France", jurisdiction="DE", number="3")
    first, second = passages_of(
        [make_item("Yes.", place=german), make_item("No.", key="c2", place=french)]
    )
    assert (first.facets.jurisdictions, second.facets.jurisdictions) == ({"DE"}, {"FR"})


@given(st.text(max_size=200), st.integers(min_value=0, max_value=1_000))
def test_units_are_exact_in_any_unicode(text: str, start: int) -> None:
    """Whatever the text, each unit stands at its span."""
    assert_exact(make_item(text, start=start))


_PIECES = st.lists(
    st.sampled_from(
        [
            "1 Limits\n",
            "4.2 ",
            "- item;\n",
            "a | b\n",
            "Text. ",
            "List:\n",
            "\n",
            "\u2022 x\n",
            "No?",
        ]
    ),
    max_size=12,
).map("".join)


@given(_PIECES, _PIECES, st.sampled_from([("Limits", "1"), ("", "4.2"), ("", None)]))
def test_units_are_exact_in_any_layout(
    one: str, other: str, heading: tuple[str, str | None]
) -> None:
    """Lists, tables, numbers and headings in any order, in two items, are cut exactly."""
    place = make_place(heading[0], number=heading[1])
    assert_exact(
        make_item(one, place=place, start=3),
        make_item(other, key="c2", place=place, start=3 + len(one)),
    )


@pytest.mark.parametrize(
    "torn",
    [
        "Staff asked to work overtime or perform\n\nof their own will a duty are paid.",
        "Gifts are accepted by all employees of the\n\nCash is forbidden.",
    ],
)
def test_pieces_of_a_sentence_are_marked(torn: str) -> None:
    """Half a rule may say the opposite of the whole."""
    (passage,) = passages_of([make_item(f"All is well.\n\n{torn}\n\nNo one is exempt.")])
    assert [unit.is_part for unit in passage.units] == [False, True, True, False]


@pytest.mark.parametrize(
    "whole",
    [
        "Employees must register:\n\n- gifts; and\n- trips",
        "Who to turn to\n\nThe manager decides.",
        "City | Limit\nLondon | GBP 190\nRome | 160 EUR for any",
        "(A) gifts above EUR 50; or\n\n(B) invitations.",
        "Offices and their opening hours\n\nAll offices are open at nine.",
    ],
)
def test_headings_items_and_rows_are_no_pieces(whole: str) -> None:
    """They end without a full stop by right."""
    (passage,) = passages_of([make_item(whole)])
    assert not any(unit.is_part for unit in passage.units)


def test_the_story_of_a_question_is_no_rule() -> None:
    """What somebody asks in a policy is answered by what comes after it."""
    item = make_item(
        "Shops are closed. I have a small shop. It is my own. May I sell there? You may not.",
        place=make_place("Shops"),
    )
    (passage,) = passages_of([item])
    rules = [unit.text for unit in passage.units if not unit.asks]
    assert rules == ["Shops are closed.", "You may not."]
