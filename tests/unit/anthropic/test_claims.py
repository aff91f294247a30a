"""From the text of a reply to claims: what is one, what it cites, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.adapters.anthropic.api.api_types import CitedBlocks, ModelReply, TextPart, ToolUse
from core.adapters.anthropic.dialogue.claims import (
    STATEMENTS,
    cited_sentences,
    claims_of,
    text_parts,
)
from core.adapters.anthropic.dialogue.dialogue import Dialogue, source_of
from core.agent.stages.verify import verify
from core.domain.answer import Check, Draft
from core.domain.evidence import Evidence
from core.domain.run import TokenUse
from core.language.sentences import split_sentences
from tests.factories import make_item, make_place, make_span, stored_text


def _at(source: int, start: int = 0, end: int | None = None) -> CitedBlocks:
    return CitedBlocks(
        search_result=source,
        start_block=start,
        end_block=start + 1 if end is None else end,
        cited_text="something else",
    )


def _part(text: str, *cited: CitedBlocks) -> TextPart:
    return TextPart(text=text, citations=cited)


def test_each_sentence_is_a_claim_with_its_citations() -> None:
    """Two sentences of one part both have what it cites."""
    found = cited_sentences(
        [_part("Cash is out. Gifts are in.", _at(0)), _part(" Ask first.", _at(1))]
    )
    assert [(one.text, one.citations) for one in found] == [
        ("Cash is out.", (_at(0),)),
        ("Gifts are in.", (_at(0),)),
        ("Ask first.", (_at(1),)),
    ]


def test_parts_of_one_sentence_are_joined() -> None:
    """A sentence has the citations of all its parts, each once."""
    parts = [
        _part("Cash is out", _at(0)),
        _part(" and "),
        _part("gifts are in", _at(1), _at(0)),
        _part("."),
    ]
    (one,) = cited_sentences(parts)
    assert (one.text, one.citations) == ("Cash is out and gifts are in.", (_at(0), _at(1)))


def test_a_full_stop_in_the_next_part_lends_no_citation() -> None:
    """What counts is a word of the part, not its punctuation."""
    first, second = cited_sentences(
        [_part("Cash is out", _at(0)), _part(". Gifts are in.", _at(1))]
    )
    assert first.citations == (_at(0),)
    assert second.citations == (_at(1),)


@pytest.mark.parametrize(
    "text",
    [
        "## Cash and gifts",
        "Limits",
        "**Cash and gifts**",
        "Here is what the policies say.",
        "In short:",
        "No.",
        "The following holds for gifts.",
        "---",
    ],
)
def test_headings_and_transitions_are_no_claims(text: str) -> None:
    """Short, uncited and nothing that can be wrong."""
    found = cited_sentences([_part(f"{text}\n\n"), _part("Cash is out.", _at(0))])
    assert [one.text for one in found] == ["Cash is out."]


@pytest.mark.parametrize(
    "text",
    [
        "You must ask your manager.",
        "It is allowed.",
        "Your manager approves gifts.",
        "In short, your manager approves gifts.",
        "Here is the limit: EUR 50.",
        "The limit is EUR 50.",
        "Section 4 applies.",
        "Your manager decides on the matter once all of the documents have reached the legal team.",
        "The policies do not require approval.",
    ],
)
def test_an_uncited_sentence_that_can_be_wrong_is_a_claim(text: str) -> None:
    """It is a claim without a citation: verify drops it by name, and it never passes unseen."""
    found = cited_sentences([_part("Cash is out. ", _at(0)), _part(text)])
    assert [one.text for one in found] == ["Cash is out.", text]
    claims = claims_of(found[1:], locate=lambda _: None, evidence=Evidence(items=()))
    verified = verify(Draft(claims=claims), Evidence(items=()), stored={}, role_names=())
    assert verified.dropped == claims
    failed = [one.reason for one in verified.verdicts if one.check is Check.CITED]
    assert failed == ["the claim cites nothing"]


def test_an_item_says_what_its_lead_in_says() -> None:
    """ "Employees must not accept: cash" loses neither half."""
    parts = [
        _part("Employees must not accept:\n", _at(0)),
        _part("- cash;\n", _at(1)),
        _part("- vouchers.\n\n", _at(2)),
        _part("Gifts are in.", _at(3)),
    ]
    assert [(one.text, one.citations) for one in cited_sentences(parts)] == [
        ("Employees must not accept: cash;", (_at(0), _at(1))),
        ("Employees must not accept: vouchers.", (_at(0), _at(2))),
        ("Gifts are in.", (_at(3),)),
    ]


def test_a_lead_in_without_items_is_a_claim_of_its_own() -> None:
    """It does not vanish."""
    (one,) = cited_sentences([_part("Employees must not accept the following:")])
    assert one.text == "Employees must not accept the following:"


def test_an_unfinished_last_sentence_is_left_out() -> None:
    """A reply that was cut may have lost the "not"."""
    parts = [_part("Cash is out. Gifts are", _at(0))]
    assert [one.text for one in cited_sentences(parts, is_cut=True)] == ["Cash is out."]
    assert len(cited_sentences(parts)) == 2
    assert len(cited_sentences([_part("Cash is out.", _at(0))], is_cut=True)) == 1


def test_only_so_many_sentences_are_read() -> None:
    """Of 100 kB the beginning is read, and that there was more is a claim that fails."""
    found = cited_sentences([_part("Cash is out. " * 10_000, _at(0))])
    assert len(found) == STATEMENTS + 1
    assert found[-1].citations == ()
    assert "9940" in found[-1].text


def test_text_before_and_after_a_call_is_two_paragraphs() -> None:
    """A sentence does not run through a tool call."""
    reply = ModelReply(
        parts=(_part("I look"), ToolUse(use_id="1", name="x", arguments={}), _part("Cash", _at(0))),
        content=(),
        stop_reason="end_turn",
        tokens=TokenUse(fresh=1),
    )
    assert [one.text for one in cited_sentences(text_parts(reply))] == ["Cash"]


@given(st.lists(st.tuples(st.text(alphabet="ab.: \n-#1*", max_size=12), st.booleans()), max_size=8))
def test_no_word_with_a_citation_is_lost(pieces: list[tuple[str, bool]]) -> None:
    """Every cited part with a word is in some statement that cites it."""
    parts = [
        _part(text, *([_at(at)] if is_cited else [])) for at, (text, is_cited) in enumerate(pieces)
    ]
    found = cited_sentences(parts)
    for part in parts:
        if part.citations and any(character.isalpha() for character in part.text):
            assert any(part.citations[0] in one.citations for one in found)


TEXT = "Cash is out. Gifts are in."
CHUNK = make_item(TEXT, key="c2", start=100)
FINDING = make_item("Gifts are in.", key="c1", start=113, is_finding=True)


def _shown(*texts: tuple[str, int]) -> Dialogue:
    dialogue = Dialogue(is_marked=False)
    for text, start in texts:
        source = source_of(text, make_span(start, start + len(text)), make_place())
        assert source
        dialogue.show(source)
    return dialogue


def test_a_citation_quotes_the_stored_text_under_the_key_of_its_evidence() -> None:
    """Span and quote come from what is stored; the text that the model cites is not looked at."""
    dialogue = _shown((TEXT, 100), ("Gifts are in.", 113))
    found = cited_sentences([_part("Gifts are fine.", _at(0, 1), _at(1))])
    (claim,) = claims_of(found, locate=dialogue.locate, evidence=Evidence(items=(FINDING, CHUNK)))
    span = make_span(113, 126)
    assert [(one.key, one.span, one.quote) for one in claim.citations] == [
        ("c2", span, "Gifts are in."),
        ("c1", span, "Gifts are in."),
    ]


LIST = "Employees must not accept:\n- cash;\n- vouchers.\n"
TABLE = (
    "| Contract value | Approval required from |\n|---|---|\n"
    "| above EUR 10,000 | Executive Board |\n"
)


@pytest.mark.parametrize(
    ("text", "block", "claim"),
    [
        (LIST, 2, "Employees must not accept vouchers."),
        (TABLE, 2, "Contracts above EUR 10,000 require approval from the Executive Board."),
    ],
)
def test_an_item_or_a_row_carries_its_claim(text: str, block: int, claim: str) -> None:
    """It is held against what introduces it too, or no rule of a list would ever pass."""
    item = make_item(text)
    evidence = Evidence(items=(item,))
    claims = claims_of(
        cited_sentences([_part(claim, _at(0, block))]),
        locate=_shown((text, 0)).locate,
        evidence=evidence,
    )
    draft = Draft(claims=claims)
    stored = stored_text(evidence, draft)
    verified = verify(draft, evidence, stored=stored, role_names=["Executive Board"])
    assert verified.claims == claims
    assert len(claims[0].citations) == 2


def test_an_item_that_was_shown_alone_is_read_in_its_passage() -> None:
    """The ontology knows the item; the chunk has the sentence that introduces it."""
    start = LIST.index("- vouchers.")
    finding = make_item("- vouchers.", key="c1", start=start, is_finding=True)
    chunk = make_item(LIST, key="c2")
    found = cited_sentences([_part("Employees must not accept vouchers.", _at(0))])
    dialogue = _shown(("- vouchers.", start))
    (claim,) = claims_of(found, locate=dialogue.locate, evidence=Evidence(items=(finding, chunk)))
    assert [(one.key, one.quote) for one in claim.citations] == [
        ("c2", "Employees must not accept:"),
        ("c2", "- vouchers."),
    ]
    (alone,) = claims_of(found, locate=dialogue.locate, evidence=Evidence(items=(finding,)))
    assert [(one.key, one.quote) for one in alone.citations] == [("c1", "- vouchers.")]


def test_what_is_not_among_the_evidence_is_cited_under_a_key_that_does_not_exist() -> None:
    """A source that was shown, but is no evidence of this attempt, and a place that never was."""
    dialogue = _shown((TEXT, 100), ("Old text.", 900))
    found = cited_sentences([_part("So it is.", _at(1), _at(7), _at(0, 5))])
    evidence = Evidence(items=(FINDING, CHUNK))
    claims = claims_of(found, locate=dialogue.locate, evidence=evidence)
    assert {one.key for one in claims[0].citations} & {"c1", "c2"} == set()
    verified = verify(Draft(claims=claims), evidence, stored={}, role_names=())
    assert verified.claims == ()
    assert "is not among the evidence" in verified.verdicts[0].reason


def test_a_sentence_that_is_said_twice_is_one_claim() -> None:
    """Repetition adds nothing."""
    dialogue = _shown((TEXT, 100))
    found = cited_sentences([_part("Cash is out. Cash is out.", _at(0))])
    assert len(claims_of(found, locate=dialogue.locate, evidence=Evidence(items=(CHUNK,)))) == 1


def test_what_a_finding_and_a_passage_both_say_is_one_claim() -> None:
    """The same sentence, cited once here and once there, is told once."""
    dialogue = _shown((TEXT, 100), ("Gifts are in.", 113))
    parts = [
        _part("Gifts are in. ", _at(1)),
        _part("Cash is out. ", _at(0)),
        _part("Gifts are in.", _at(0, 1)),
    ]
    evidence = Evidence(items=(FINDING, CHUNK))
    found = claims_of(cited_sentences(parts), locate=dialogue.locate, evidence=evidence)
    assert [one.text for one in found] == ["Gifts are in.", "Cash is out."]


@pytest.mark.parametrize(
    "texts",
    [
        ("It is so.", "It is not."),
        ("It is so.", "", "It is not."),
        ("It is so.It is not.",),
        ("It is so.it is not.",),
        ("It is so.\u200bIt is not.",),
        ("Cash is fine. the rest is not.",),
        ("It is so!", "\u2060It is not."),
        ("It is so\u3002It is not.",),
    ],
)
def test_sentences_without_a_space_are_two_all_the_same(texts: tuple[str, ...]) -> None:
    """Neither passes on the strength of the other."""
    reply = ModelReply(
        parts=tuple(TextPart(text=text) for text in texts),
        content=(),
        stop_reason="end_turn",
        tokens=TokenUse(fresh=1),
    )
    said = "".join(part.text for part in text_parts(reply))
    assert len(split_sentences(said)) == 2, said


@pytest.mark.parametrize(
    "text", ["See e.g. rule 9.3.1(2).", "Up to EUR 1.50 a day.", "It takes approx. ten days."]
)
def test_what_only_looks_like_an_end_is_left_alone(text: str) -> None:
    """Abbreviations, numbers and amounts are not torn apart."""
    reply = ModelReply(
        parts=(TextPart(text=text),),
        content=(),
        stop_reason="end_turn",
        tokens=TokenUse(fresh=1),
    )
    assert text_parts(reply) == reply.parts
