"""The rules of `decide`, in their order."""

from dataclasses import replace

import pytest

from core.agent.decision_input import DecisionInput, Ruling, relevance_read
from core.agent.stages.decide import TREATED_FROM, decide
from core.confidence.calibration import DEFAULT, badge_of
from core.domain.answer import (
    Branch,
    Check,
    Claim,
    Confidence,
    Decision,
    Draft,
    RefusalKind,
    Verdict,
    Verified,
)
from tests.factories import NO_CONFIDENCE, NOT_JUDGED, cite, make_evidence, make_judgement

ITEM = make_evidence("Employees must not accept cash.").items[0]
CLAIM = Claim(text=ITEM.text, citations=(cite(ITEM),))
FAILED = Verdict(claim=0, check=Check.QUOTE, passed=False, reason="the quote is not stored")
BRANCH = Branch(slot="jurisdiction", question="Where?", options=("Germany", "France"))


def confident(calibrated: float | None) -> Confidence:
    badge = None if calibrated is None else badge_of(calibrated, is_weakened=False)
    return replace(NO_CONFIDENCE, calibrated=calibrated, badge=badge)


CLOSE = confident(DEFAULT.closest_from)
FAR = confident(DEFAULT.closest_from - 0.01)
GOOD = DecisionInput(
    draft=Draft(claims=(CLAIM,)),
    verified=Verified(claims=(CLAIM,), dropped=(), verdicts=()),
    judgement=make_judgement(),
    critique=None,
    confidence=confident(0.9),
    may_retry=False,
    may_refine=False,
    may_clarify=True,
    best_relevance=0.8,
    relevance_threshold=0.3,
    ontology_suffices=False,
)
REJECTED = Verified(claims=(), dropped=(CLAIM,), verdicts=(FAILED,))


def ruled(situation: DecisionInput) -> tuple[Decision, RefusalKind | None]:
    ruling = decide(situation)
    assert ruling.reason
    return ruling.decision, ruling.refusal


def test_a_good_draft_is_final() -> None:
    """Verified, approved and confident enough: the draft is posted."""
    assert ruled(GOOD) == (Decision.FINAL, None)


def test_a_contradiction_is_escalated_with_both_sides() -> None:
    """Two verified claims that contradict each other are a conflict, however well judged."""
    both = Verified(claims=(CLAIM, CLAIM), dropped=(), verdicts=())
    draft = Draft(claims=(CLAIM, CLAIM), is_conflict=True)
    situation = replace(GOOD, draft=draft, verified=both)
    assert ruled(situation) == (Decision.ESCALATE, RefusalKind.CONFLICT)


@pytest.mark.parametrize("confidence", [CLOSE, FAR, confident(None)])
def test_a_contradiction_about_something_else_is_not_shown(confidence: Confidence) -> None:
    """It is no answer, nor a conflict, nor is one of its sides the closest passage."""
    both = Verified(claims=(CLAIM, CLAIM), dropped=(), verdicts=())
    draft = Draft(claims=(CLAIM, CLAIM), is_conflict=True)
    situation = replace(GOOD, draft=draft, verified=both, confidence=confidence)
    assert ruled(situation) == (Decision.ESCALATE, RefusalKind.POLICY_SILENT)


def test_a_contradiction_needs_both_sides() -> None:
    """If verify left one side, a conflict cannot be shown."""
    situation = replace(GOOD, draft=Draft(claims=(CLAIM, CLAIM), is_conflict=True))
    assert ruled(situation) == (Decision.FINAL, None)


@pytest.mark.parametrize(("relevance", "ruling"), [(0.29, False), (0.3, True), (0.0, False)])
def test_nothing_relevant_is_never_final(relevance: float, *, ruling: bool) -> None:
    """Below the threshold of relevance a run cannot be FINAL, not even by another attempt."""
    situation = replace(GOOD, best_relevance=relevance, may_retry=True, may_refine=True)
    expected = (Decision.FINAL, None) if ruling else (Decision.ESCALATE, RefusalKind.NOT_FOUND)
    assert ruled(situation) == expected


def test_relevance_does_not_count_where_the_ontology_suffices() -> None:
    """Without a search, or where the gate was open, relevance decides nothing."""
    low = replace(GOOD, best_relevance=0.1)
    assert ruled(replace(low, ontology_suffices=True))[0] is Decision.FINAL
    assert ruled(replace(GOOD, best_relevance=None))[0] is Decision.FINAL


@pytest.mark.parametrize(
    ("found", "measures", "relevance"),
    [
        (0.1, (("answers", 0.8), ("read", 1.0)), 0.8),
        (0.9, (("answers", 0.8), ("read", 1.0)), 0.9),
        (0.1, (("answers", 0.8), ("read", 0.0)), 0.1),
        (None, (("answers", 0.8), ("read", 1.0)), None),
    ],
)
def test_relevance_is_at_least_how_likely_a_reader_finds_an_answer(
    found: float | None, measures: tuple[tuple[str, float], ...], relevance: float | None
) -> None:
    """By its word alone: without a reader, or without a search, nothing is added."""
    judged = replace(make_judgement(), measures=measures)
    assert relevance_read(found, judged) == relevance
    assert relevance_read(found, NOT_JUDGED) == found


@pytest.mark.parametrize(
    ("read", "confidence", "kind"),
    [
        (1.0, confident(DEFAULT.closest_from), RefusalKind.NOT_SURE),
        (1.0, FAR, RefusalKind.NOT_FOUND),
        (0.0, confident(DEFAULT.closest_from), RefusalKind.NOT_FOUND),
    ],
    ids=["read and close", "read and far", "by words alone"],
)
def test_what_a_reader_finds_close_is_shown_though_no_word_is_shared(
    read: float, confidence: Confidence, kind: RefusalKind
) -> None:
    """As the closest passage, never as an answer."""
    judged = replace(make_judgement(), measures=(("answers", 0.2), ("read", read)))
    situation = replace(GOOD, judgement=judged, confidence=confidence, best_relevance=0.2)
    assert ruled(situation) == (Decision.ESCALATE, kind)


def test_an_open_fact_is_asked_for() -> None:
    """A draft that depends on a missing fact leads to a question."""
    draft = replace(GOOD.draft, branch=BRANCH)
    assert ruled(replace(GOOD, draft=draft)) == (Decision.CLARIFY, None)


def test_no_third_question_is_asked() -> None:
    """After as many questions as are allowed the draft is decided as it is."""
    situation = replace(GOOD, draft=replace(GOOD.draft, branch=BRANCH), may_clarify=False)
    assert ruled(situation) == (Decision.FINAL, None)


@pytest.mark.parametrize("calibrated", [DEFAULT.asked_from - 0.01, None])
def test_an_unlikely_branch_is_not_asked_about(calibrated: float | None) -> None:
    """Nobody is asked about a rule that hardly concerns the question."""
    low = replace(NO_CONFIDENCE, calibrated=calibrated)
    situation = replace(GOOD, draft=replace(GOOD.draft, branch=BRANCH), confidence=low)
    assert ruled(situation)[0] is Decision.ESCALATE


def test_an_open_fact_is_asked_for_before_the_answer_is_likely() -> None:
    """A question back states nothing: it needs less confidence than an answer."""
    low = confident(DEFAULT.asked_from)
    situation = replace(GOOD, draft=replace(GOOD.draft, branch=BRANCH), confidence=low)
    assert ruled(situation) == (Decision.CLARIFY, None)


def test_verify_overrides_the_judge() -> None:
    """Where no claim is left, the judge's FINAL counts nothing."""
    situation = replace(GOOD, verified=REJECTED)
    assert ruled(situation) == (Decision.ESCALATE, RefusalKind.NOT_FOUND)
    assert "the quote is not stored" in decide(situation).reason


def test_verify_overrides_a_branch() -> None:
    """Where no claim is left, nothing is asked either."""
    situation = replace(
        GOOD,
        draft=replace(GOOD.draft, branch=BRANCH),
        verified=REJECTED,
        confidence=NO_CONFIDENCE,
    )
    assert ruled(situation) == (Decision.ESCALATE, RefusalKind.NOT_FOUND)


def test_an_empty_draft_is_refused() -> None:
    """A draft without claims is no answer, nor the closest passage."""
    nothing = Verified(claims=(), dropped=(), verdicts=())
    situation = replace(GOOD, verified=nothing, best_relevance=TREATED_FROM - 0.01)
    assert ruled(situation) == (Decision.ESCALATE, RefusalKind.NOT_FOUND)


@pytest.mark.parametrize(
    ("confidence", "kind"),
    [(GOOD.confidence, RefusalKind.NOT_SURE), (FAR, RefusalKind.NOT_FOUND)],
)
def test_not_judged_is_never_an_approval(confidence: Confidence, kind: RefusalKind) -> None:
    """Without a valid judgement nothing is posted as an answer."""
    situation = replace(GOOD, judgement=NOT_JUDGED, confidence=confidence)
    assert ruled(situation) == (Decision.ESCALATE, kind)
    assert "no token" in decide(situation).reason


@pytest.mark.parametrize(
    "judgement",
    [
        make_judgement(approved=False),
        make_judgement(decision=Decision.RETRY),
        make_judgement(decision=Decision.CLARIFY),
        make_judgement(approved=False, decision=Decision.RETRY),
    ],
    ids=lambda one: f"{one.approved}-{one.decision}",
)
def test_only_approve_with_final_approves(judgement: object) -> None:
    """The verdict and the token must both say yes; what was verified may still be quoted."""
    situation = replace(GOOD, judgement=judgement)
    assert ruled(situation) == (Decision.ESCALATE, RefusalKind.NOT_SURE)
    doubtful = replace(situation, confidence=FAR, best_relevance=TREATED_FROM - 0.01)
    assert ruled(doubtful) == (Decision.ESCALATE, RefusalKind.NOT_FOUND)


@pytest.mark.parametrize("calibrated", [DEFAULT.closest_from, 0.3, 0.49])
def test_what_is_not_sure_is_the_closest_passage(calibrated: float) -> None:
    """Verified, below Medium and yet not unlikely: quoted, never stated."""
    situation = replace(GOOD, confidence=confident(calibrated))
    assert ruled(situation) == (Decision.ESCALATE, RefusalKind.NOT_SURE)


@pytest.mark.parametrize("confidence", [FAR, confident(0.0), confident(None)])
def test_what_is_unlikely_is_not_shown(confidence: Confidence) -> None:
    """Below the band nothing is quoted, whatever passed the checks."""
    situation = replace(GOOD, confidence=confidence, best_relevance=TREATED_FROM - 0.01)
    assert ruled(situation) == (Decision.ESCALATE, RefusalKind.NOT_FOUND)


def test_only_another_attempt_goes_before_the_closest_passage() -> None:
    """It is what is left when no retry brought anything better."""
    situation = replace(GOOD, confidence=CLOSE, may_retry=True)
    assert ruled(situation) == (Decision.RETRY, None)


@pytest.mark.parametrize(
    ("relevance", "kind"),
    [
        (TREATED_FROM, RefusalKind.POLICY_SILENT),
        (TREATED_FROM - 0.01, RefusalKind.NOT_FOUND),
        (None, RefusalKind.NOT_FOUND),
    ],
)
def test_the_policies_are_silent_only_on_what_they_treat(
    relevance: float | None, kind: RefusalKind
) -> None:
    """That they say nothing can be said where the section that treats the topic was read."""
    nothing = Verified(claims=(), dropped=(), verdicts=())
    for more in ({"confidence": FAR}, {"verified": nothing, "confidence": NO_CONFIDENCE}):
        situation = replace(GOOD, best_relevance=relevance, **more)
        assert ruled(situation) == (Decision.ESCALATE, kind)
    dropped = replace(GOOD, best_relevance=relevance, verified=REJECTED)
    assert ruled(dropped) == (Decision.ESCALATE, RefusalKind.NOT_FOUND)


PASSED_ON = {
    "the judge escalates": replace(GOOD, judgement=make_judgement(decision=Decision.ESCALATE)),
    "both sides of a conflict": replace(
        GOOD,
        draft=Draft(claims=(CLAIM, CLAIM), is_conflict=True),
        verified=Verified(claims=(CLAIM, CLAIM), dropped=(), verdicts=()),
    ),
}
NOT_PASSED_ON = {
    "nothing relevant": replace(GOOD, best_relevance=0.0),
    "no claim left": replace(GOOD, verified=REJECTED),
    "not judged": replace(GOOD, judgement=NOT_JUDGED),
    "needs review": replace(GOOD, judgement=make_judgement(approved=False)),
    "not sure": replace(GOOD, confidence=CLOSE),
    "unlikely": replace(GOOD, confidence=FAR),
    "answered": GOOD,
}


@pytest.mark.parametrize("name", PASSED_ON | NOT_PASSED_ON)
def test_what_a_person_should_decide(name: str) -> None:
    """Where a judge or two policies say so; what is merely not sure, its asker decides."""
    ruling = decide((PASSED_ON | NOT_PASSED_ON)[name])
    assert ruling.needs_person is (name in PASSED_ON)


def test_medium_confidence_is_posted() -> None:
    """Medium is enough."""
    assert ruled(replace(GOOD, confidence=confident(0.5)))[0] is Decision.FINAL


UNGROUNDED = {
    "no claim left": replace(GOOD, verified=REJECTED),
    "not judged": replace(GOOD, judgement=NOT_JUDGED),
    "needs review": replace(GOOD, judgement=make_judgement(approved=False)),
    "not sure": replace(GOOD, confidence=CLOSE),
    "unlikely": replace(GOOD, confidence=FAR),
}


@pytest.mark.parametrize("name", UNGROUNDED)
def test_another_attempt_only_if_one_is_left(name: str) -> None:
    """RETRY while attempts remain, a refusal with its kind afterwards."""
    situation = UNGROUNDED[name]
    assert ruled(replace(situation, may_retry=True, may_refine=True)) == (Decision.RETRY, None)
    decision, refusal = ruled(replace(situation, may_retry=False))
    assert decision is Decision.ESCALATE
    assert refusal is not None


def test_the_first_rule_decides() -> None:
    """Conflict goes before relevance, relevance before a branch, a branch before the judge."""
    everything = replace(
        GOOD,
        draft=Draft(claims=(CLAIM, CLAIM), is_conflict=True, branch=BRANCH),
        verified=Verified(claims=(CLAIM, CLAIM), dropped=(), verdicts=()),
        judgement=NOT_JUDGED,
        best_relevance=0.0,
    )
    assert ruled(everything)[1] is RefusalKind.CONFLICT
    no_conflict = replace(everything, draft=replace(everything.draft, is_conflict=False))
    assert ruled(no_conflict)[1] is RefusalKind.NOT_FOUND
    relevant = replace(no_conflict, best_relevance=0.9)
    assert ruled(relevant)[0] is Decision.CLARIFY
    plain = replace(relevant, draft=replace(relevant.draft, branch=None))
    assert ruled(plain) == (Decision.ESCALATE, RefusalKind.NOT_SURE)


def test_no_ruling_but_final_and_clarify_posts_anything() -> None:
    """A refusal always names its kind, and FINAL never does."""
    for situation in (GOOD, *UNGROUNDED.values()):
        ruling: Ruling = decide(situation)
        assert (ruling.refusal is None) is (ruling.decision is not Decision.ESCALATE)


@pytest.mark.parametrize(
    ("found", "measures", "relevance"),
    [
        (None, (("answers", 0.9), ("read", 1.0)), None),
        (0.2, (("answers", 0.9), ("read", 1.0)), 0.9),
        (0.95, (("answers", 0.9), ("read", 1.0)), 0.95),
        (0.2, (("answers", 0.9), ("read", 0.0)), 0.2),
        (0.2, (("answers", 0.9),), 0.2),
        (0.2, (("read", 1.0),), 0.2),
    ],
)
def test_what_a_reader_read_is_as_relevant_as_it_answers(
    found: float | None, measures: tuple[tuple[str, float], ...], relevance: float | None
) -> None:
    """Only where a reader read it, and only upwards; without a search there is no relevance."""
    judged = replace(make_judgement(), measures=measures)
    assert relevance_read(found, judged) == relevance
    assert relevance_read(found, NOT_JUDGED) == found
