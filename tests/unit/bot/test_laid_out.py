"""How an answer reads: a statement a line, what a model wrote labelled, excerpts of sentences."""

from dataclasses import replace

import pytest

from bot.forms.evidence import WORD_FOR_WORD, ClaimHeading, EvidenceView, QuotePart, page_of
from bot.forms.excerpts import AROUND, Around, apart
from bot.replies.answer import grounds, is_generated, ref
from bot.replies.context import Library, RenderContext
from bot.replies.statements import laid_out
from bot.teams.cards.render import FULL, render
from core.agent.wording import FROM_METADATA, MODEL_UNAVAILABLE, ON_SAMPLES, WITHOUT_MODEL
from core.domain.answer import Answer, Badge, Outcome, RefusalKind, ShownCitation, ShownClaim
from core.domain.delivery import StoredReply
from core.language.spans import Span, VersionId
from tests.unit.slack.payloads import CALIBRATED, answered, citation, place

BY_MODEL = replace(answered("x"), notes=())
HERE = place("Limits")


def said(text: str, *claims: tuple[str, tuple[int, ...]]) -> str:
    shown = tuple(ShownClaim(text=words, numbers=numbers) for words, numbers in claims)
    return laid_out(replace(BY_MODEL, text=text, claims=shown))


def test_each_statement_has_a_line() -> None:
    """Those of one paragraph become a list; one alone stays a paragraph."""
    two = (("No gifts.", (1,)), ("No cash.", (2, 3)))
    assert said("No gifts. [1] No cash. [2][3]", *two) == "• No gifts. [1]\n• No cash. [2][3]"
    assert said("No. [1]\n\nNo gifts. [1] No cash. [2][3]", *two).startswith("No. [1]\n\n• No g")
    assert said("No gifts. [1]\n\nNo cash. [2][3]", *two) == "No gifts. [1]\n\nNo cash. [2][3]"
    assert said("Not paid: [1]\n• fines [2]", *two) == "Not paid: [1]\n• fines [2]"


def test_a_number_in_a_statement_ends_nothing() -> None:
    """Only what is a claim with its own marks is one."""
    told = "See note [1] of the annex. [2]"
    assert said(told, ("See note [1] of the annex.", (2,))) == told
    assert said("a [1] b [2] c", ("x", (1,))) == "a [1] b [2] c"


def test_a_statement_in_other_words_stands_apart() -> None:
    """One that says of how many it is one, before one that is its claim."""
    told = said("(1 of 2 listed): no gifts. [1] No cash. [2]", ("No cash.", (2,)))
    assert told == "• (1 of 2 listed): no gifts. [1]\n• No cash. [2]"


@pytest.mark.parametrize("text", ["[1] " * 2_000, "x [1] " * 1_300, "• " * 4_000])
def test_hostile_text_stays_whole(text: str) -> None:
    """8,000 characters: nothing is lost."""
    told = said(text, *((("x", (1,)),) * 50))
    assert told.replace("•", "").split() == text.replace("•", "").split()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (BY_MODEL, True),
        (replace(BY_MODEL, notes=(WITHOUT_MODEL.en,)), False),
        (replace(BY_MODEL, notes=(MODEL_UNAVAILABLE.en,)), False),
        (replace(BY_MODEL, notes=(FROM_METADATA.en,)), False),
        (replace(BY_MODEL, outcome=Outcome.CLARIFICATION), False),
        (replace(BY_MODEL, outcome=Outcome.REFUSED, refusal=RefusalKind.CONFLICT), True),
        (replace(BY_MODEL, outcome=Outcome.REFUSED, refusal=RefusalKind.NOT_FOUND), False),
        (replace(BY_MODEL, outcome=Outcome.ESCALATED), False),
    ],
)
def test_only_what_a_model_wrote_is_labelled(answer: Answer, expected: bool) -> None:
    """In Teams by its own label, of which the words are Microsoft's."""
    assert is_generated(answer) is expected
    reply = StoredReply(answer=answer, answer_id="a1", record_id="r1")
    made = render(reply, FULL, context=RenderContext(asker="29:1")).activity
    assert ("AIGeneratedContent" in str(made)) is expected


def test_what_is_behind_a_badge() -> None:
    """What it rests on, and who wrote it."""
    told = " ".join(one.en for one in grounds(BY_MODEL))
    assert "High confidence (91%): measured" in told
    assert "language model wrote" in told
    samples = replace(CALIBRATED, is_calibrated=False, is_on_samples=True, badge=Badge.MEDIUM)
    told = " ".join(
        one.en for one in grounds(replace(BY_MODEL, confidence=samples, notes=(WITHOUT_MODEL.en,)))
    )
    assert f"Medium confidence: {ON_SAMPLES.en}." in told
    assert "no language model was used" in told
    assert list(grounds(replace(BY_MODEL, outcome=Outcome.REFUSED))) == []


def test_people_read_eight_digits() -> None:
    """The evidence has the whole id, and the beginning of the hash."""
    assert ref("01983f2a-6c1e-7d40-9b52-7f3a1c0e8d44") == "Ref 1c0e8d44"
    view = EvidenceView(answer=BY_MODEL, answer_id="a1", record_id="01983f2a-6c1e", leaf_hash="ab")
    assert "01983f2a-6c1e · ab" in str(items(view)[-1])


def items(view: EvidenceView) -> list[object]:
    page = page_of(view, Library(), draw=lambda one: [[one]], size=lambda _: 1, most=99, items=99)
    return list[object](page.items)


def test_evidence_shows_nothing_twice() -> None:
    """Neither a claim that is its quote, nor a quote of two claims, nor the text between two."""
    first = citation(1, "No gifts.", HERE)
    claims = (ShownClaim(text="No gifts", numbers=(1,)), ShownClaim(text="None.", numbers=(1,)))
    view = EvidenceView(answer=replace(BY_MODEL, claims=claims, citations=(first,)), answer_id="a")
    told = [one for one in items(view) if isinstance(one, ClaimHeading)]
    assert [one.text for one in told] == [WORD_FOR_WORD.en, "None."]
    assert [one.note for one in told] == ["", "[1] stands above."]
    assert len([one for one in items(view) if isinstance(one, QuotePart)]) == 1


def at(number: int, start: int, end: int, version: int = 1) -> ShownCitation:
    span = Span(version_id=VersionId(version), char_start=start, char_end=end)
    return replace(citation(number, "q", HERE), span=span)


TEXT = " ".join(f"Sentence number {number} stands here." for number in range(200))


def test_excerpts_begin_and_end_at_sentences() -> None:
    """Of a long text on both sides; a short one is whole."""
    around = Around(before=TEXT[: AROUND + 301], after=TEXT[-AROUND - 301 :])
    assert around.shown_before.startswith("Sentence number")
    assert around.shown_after.endswith("stands here.")
    assert len(around.shown_before) <= AROUND
    whole = Around(before="half a sent", after="ence. And")
    assert (whole.shown_before, whole.shown_after) == ("half a sent", "ence. And")
    endless = Around(before="x" * 8_000, after="x y" * 3_000)
    assert endless.shown_before.startswith("…x")
    assert endless.shown_after.endswith("…")


def test_what_lies_between_two_quotes_stands_once() -> None:
    """After the first of them; quotes of other versions keep theirs."""
    cited = [at(1, 100, 200), at(2, 300, 400), at(3, 300, 400, version=2)]
    around = {number: Around(before=f"{'b' * 300}", after=f"{'a' * 300}") for number in (1, 2, 3)}
    made = apart(cited, around)
    assert (len(made[1].before), len(made[1].after)) == (300, 100)
    assert (len(made[2].before), len(made[2].after)) == (0, 300)
    assert (len(made[3].before), len(made[3].after)) == (300, 300)
    near = apart([at(1, 100, 200), at(2, 150, 400)], around)
    assert (near[1].after, near[2].before) == ("", "")
