"""Data that stays data, and sources of which each sentence has its span."""

import json

from hypothesis import given
from hypothesis import strategies as st

from core.adapters.anthropic.api.api_types import CitedBlocks
from core.adapters.anthropic.dialogue.dialogue import (
    Dialogue,
    data_block,
    dumped,
    numbered,
    search_result,
    source_of,
)
from core.language.lead_ins import LeadIn
from core.language.spans import Span
from tests.factories import make_place, make_span

TEXT = "  Cash is forbidden. Gifts up to EUR 50 are allowed.\n\n- Meals are.\n"
_WORDS = st.text(
    alphabet=st.sampled_from("ab .!?\n\t-|#:1\u00e9\u2028\U0001f600<>&[]c"), max_size=120
)


def _cited(source: int, start: int, end: int) -> CitedBlocks:
    return CitedBlocks(search_result=source, start_block=start, end_block=end, cited_text="")


def test_a_source_is_one_block_a_sentence() -> None:
    """Blocks carry the white space behind them; spans do not."""
    source = source_of(TEXT, make_span(100, 100 + len(TEXT), version=7), make_place())
    assert source is not None
    assert [one.text for one in source.sentences] == [
        "  Cash is forbidden. ",
        "Gifts up to EUR 50 are allowed.\n\n",
        "- Meals are.\n",
    ]
    assert [(one.span.char_start, one.span.char_end) for one in source.sentences] == [
        (102, 120),
        (121, 152),
        (154, 166),
    ]
    assert search_result(source) == {
        "type": "search_result",
        "source": "gifts#sec_1",
        "title": "Gifts Policy, 1 Limits",
        "content": [{"type": "text", "text": one.text} for one in source.sentences],
        "citations": {"enabled": True},
    }


def test_a_source_names_the_country_of_its_policy() -> None:
    """Which rule holds for whom is seen before it is read."""
    source = source_of("Cash is out.", make_span(0, 12), make_place(jurisdiction="DE"))
    assert source
    assert source.title == "Gifts Policy, 1 Limits (DE)"


@given(text=_WORDS, start=st.integers(min_value=0, max_value=9))
def test_blocks_join_to_the_text_and_spans_to_their_sentences(text: str, start: int) -> None:
    """Whatever the text: nothing is lost, and no block is blank."""
    source = source_of(text, make_span(start, start + len(text)), make_place())
    if source is None:
        assert not text.strip()
        return
    assert "".join(one.text for one in source.sentences) == text
    for one in source.sentences:
        assert one.text.strip()
        said = text[one.span.char_start - start : one.span.char_end - start]
        assert said == said.strip() == one.text.strip()


LIST = (
    "Employees must not accept:\n- cash;\n- vouchers:\n- gold.\n\nAsk first.\n- alone\n\n"
    "| Value | Approved by |\n|---|---|\n| above EUR 10 | Board |\n| below | Manager |\n\nEnd."
)


def test_an_item_is_cited_with_what_introduces_it() -> None:
    """A list with its lead-in, a row with its header; prose in one piece."""
    source = source_of(LIST, make_span(0, len(LIST)), make_place())
    assert source

    def cited(start: int, end: int) -> list[str]:
        return [LIST[one.char_start : one.char_end] for one in source.spans(start, end)]

    said = [one.text.strip() for one in source.sentences]
    lead_in, header = "Employees must not accept:", "| Value | Approved by |"
    assert cited(0, 1) == [lead_in]
    assert cited(1, 2) == [lead_in, "- cash;"]
    assert cited(1, 3) == [lead_in, "- cash;", "- vouchers:"]
    gold = said.index("- gold.")
    assert cited(gold, gold + 1) == [lead_in, "- vouchers:", "- gold."]
    assert cited(said.index("- alone"), said.index("- alone") + 1) == ["- alone"]
    row = said.index("| above EUR 10 | Board |")
    assert cited(row, row + 1) == [header, said[row]]
    assert cited(row, row + 2) == [header, said[row], said[row + 1]]
    assert cited(said.index("Ask first."), said.index("Ask first.") + 1) == ["Ask first."]
    assert cited(len(said) - 1, len(said)) == ["End."]


def test_where_nothing_is_written_there_is_no_source() -> None:
    """A blank stretch can't be sent: the API refuses blank blocks."""
    assert source_of(" \n ", make_span(0, 3), make_place()) is None


@given(value=st.dictionaries(_WORDS, _WORDS, max_size=3))
def test_data_is_closed_by_nothing_in_it(value: dict[str, str]) -> None:
    """No text within a data block ends it, and it can be read back."""
    text = str(data_block("question", value)["text"])
    assert text.startswith("<question>\n")
    assert text.endswith("\n</question>")
    inside = text[len("<question>\n") : -len("\n</question>")]
    assert "<" not in inside
    assert json.loads(inside) == value


def test_the_same_value_has_the_same_text() -> None:
    """The order in which a mapping was filled does not matter."""
    assert dumped({"a": 1, "b": 2}) == dumped({"b": 2, "a": 1})


def test_marked_sources_number_their_sentences_on() -> None:
    """Marks go on from source to source, one a sentence, on one line each."""
    dialogue = Dialogue(is_marked=True)
    one = source_of("Cash is\nforbidden. <b>", make_span(0, 21), make_place())
    two = source_of("Gifts are not.", make_span(0, 14, version=2), make_place())
    assert one
    assert two
    assert dialogue.show(one)["text"] == (
        "<evidence>\nfrom: Gifts Policy, 1 Limits (gifts#sec_1)\n"
        "[c1] Cash is forbidden.\n[c2] &lt;b>\n</evidence>"
    )
    assert "[c3] Gifts are not." in str(dialogue.show(two)["text"])
    assert dialogue.marks == [_cited(0, 0, 1), _cited(0, 1, 2), _cited(1, 0, 1)]
    assert "[c9]" in str(numbered(two, first=9)["text"])


def test_cited_blocks_are_found_where_they_stand() -> None:
    """A range reaches from its first sentence to its last; what was never shown is nowhere."""
    dialogue = Dialogue(is_marked=False)
    source = source_of(TEXT, make_span(100, 100 + len(TEXT), version=7), make_place())
    assert source
    dialogue.show(source)
    located = dialogue.locate(_cited(0, 0, 2))
    assert located
    assert located[1] == (Span(version_id=source.span.version_id, char_start=102, char_end=152),)
    for wrong in (
        _cited(1, 0, 1),
        _cited(-1, 0, 1),
        _cited(0, 0, 4),
        _cited(0, 2, 2),
        _cited(0, 2, 1),
        _cited(0, -1, 1),
        _cited(10**9, 10**9, 10**9 + 1),
    ):
        assert dialogue.locate(wrong) is None


def test_an_item_shown_alone_is_shown_and_cited_with_its_chain() -> None:
    """What introduces it stands before it as stored, wherever in the policy that is."""
    above = LeadIn(span=make_span(10, 19), text="You must:")
    lead_in = LeadIn(span=make_span(40, 50), text="- lend no:", above=above)
    source = source_of("- cash", make_span(90, 96), make_place(), lead_in=lead_in)
    assert source
    assert [one.text.strip() for one in source.sentences] == ["You must:", "- lend no:", "- cash"]
    spans = source.spans(2, 3)
    assert spans == (above.span, lead_in.span, make_span(90, 96))
    assert [source.quote(span) for span in spans] == ["You must:", "- lend no:", "- cash"]
