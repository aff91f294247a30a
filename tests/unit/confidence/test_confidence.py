"""From features to a probability, from a probability to a badge."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.confidence.calibration import (
    DEFAULT,
    DEFAULT_OF_MODELS,
    HIGH,
    MEDIUM,
    Calibration,
    badge_of,
    calibrate,
    confidence_of,
    features_of,
)
from core.domain.answer import Badge, Claim, Decision, Judgement, NotJudged, Verified
from core.domain.evidence import Evidence
from tests.factories import NOT_JUDGED, cite, make_item, make_judgement

_SHARE = st.floats(min_value=0, max_value=1)
FIRST = make_item("Cash is forbidden.", relevance=0.4)
SECOND = make_item("Gifts are allowed.", key="c2", version=2, relevance=0.7)
FACT = make_item("Cash is forbidden.", key="c3", version=3, is_finding=True)
EVIDENCE = Evidence(items=(FIRST, SECOND, FACT))
CLAIM = Claim(text=FIRST.text, citations=(cite(FIRST),))
KEPT = Verified(claims=(CLAIM,), dropped=(), verdicts=())
HALF = Verified(claims=(CLAIM,), dropped=(CLAIM,), verdicts=())


@pytest.mark.parametrize(
    ("calibrated", "badge"),
    [
        (1.0, Badge.HIGH),
        (HIGH, Badge.HIGH),
        (0.8499, Badge.MEDIUM),
        (MEDIUM, Badge.MEDIUM),
        (0.4999, Badge.LOW),
        (0.0, Badge.LOW),
    ],
)
def test_the_badge_of_a_probability(calibrated: float, badge: Badge) -> None:
    """High from .85, Medium from .5, Low below."""
    assert badge_of(calibrated, is_weakened=False) is badge


@given(_SHARE)
def test_a_weakened_answer_is_never_high(calibrated: float) -> None:
    """A dropped claim or a conflict costs High, and nothing else."""
    weakened = badge_of(calibrated, is_weakened=True)
    assert weakened is not Badge.HIGH
    if calibrated < HIGH:
        assert weakened is badge_of(calibrated, is_weakened=False)


def test_the_arithmetic_of_a_calibration() -> None:
    """1 / (1 + e^-(intercept + weight x feature))."""
    calibration = Calibration(
        name="test/1", intercept=-1.0, weights={"a": 2.0, "b": 1.0}, is_measured=True
    )
    assert calibrate({"a": 0.5}, calibration) == 0.5
    assert calibrate({"a": 1.0, "b": 1.0}, calibration) == pytest.approx(1 / (1 + math.exp(-2)))
    assert calibrate({}, calibration) == pytest.approx(1 / (1 + math.exp(1)))
    assert calibrate({"unknown": 9.0}, calibration) == calibrate({}, calibration)


def test_nothing_known_is_low() -> None:
    """Without a feature the conservative default posts nothing."""
    for calibration in (DEFAULT, DEFAULT_OF_MODELS):
        assert badge_of(calibrate({}, calibration), is_weakened=False) is Badge.LOW
        assert not calibration.is_measured


_KNOWN = sorted({*DEFAULT.weights, *DEFAULT_OF_MODELS.weights})


@pytest.mark.parametrize("calibration", [DEFAULT, DEFAULT_OF_MODELS])
@given(features=st.dictionaries(st.sampled_from(_KNOWN), _SHARE), more=_SHARE)
def test_a_better_feature_never_lowers_the_probability(
    calibration: Calibration, features: dict[str, float], more: float
) -> None:
    """Calibration is monotone in each feature, and stays in [0, 1]."""
    before = calibrate(features, calibration)
    assert 0 <= before <= 1
    for name in _KNOWN:
        raised = {**features, name: min(1.0, features.get(name, 0.0) + more)}
        assert calibrate(raised, calibration) >= before


@given(
    scores=st.tuples(_SHARE, _SHARE, _SHARE),
    better=st.tuples(_SHARE, _SHARE, _SHARE),
    dropped=_SHARE,
)
def test_a_better_judgement_never_lowers_the_badge_of_a_model(
    scores: tuple[float, float, float], better: tuple[float, float, float], dropped: float
) -> None:
    """Monotone also through the lowest score, which is computed from the others."""

    def probability(three: tuple[float, float, float]) -> float:
        judgement = Judgement(
            faithfulness=three[0],
            relevance=three[1],
            completeness=three[2],
            approved=True,
            decision=Decision.FINAL,
        )
        verified = HALF if dropped > 0.5 else KEPT
        features = features_of(
            verified=verified, judgement=judgement, evidence=EVIDENCE, reported=None
        )
        return calibrate(features, DEFAULT_OF_MODELS)

    raised = tuple(map(max, scores, better))
    assert probability((raised[0], raised[1], raised[2])) >= probability(scores)


@pytest.mark.parametrize(
    ("score", "support", "badge"),
    [
        (1.0, 0.0, Badge.HIGH),
        (0.9, 0.0, Badge.HIGH),
        (0.8, 0.0, Badge.MEDIUM),
        (0.8, 1.0, Badge.MEDIUM),
        (0.7, 0.0, Badge.LOW),
        (0.7, 1.0, Badge.LOW),
        (0.6, 1.0, Badge.LOW),
        (0.0, 1.0, Badge.LOW),
    ],
)
def test_the_badges_of_judged_drafts(score: float, support: float, badge: Badge) -> None:
    """With every check passed the judge decides; relevance and the reported number don't."""
    features = features_of(
        verified=KEPT,
        judgement=make_judgement(score, answers=None),
        evidence=Evidence(items=()),
        reported=support,
    ) | {"cited_relevance": support}
    probability = calibrate(features, DEFAULT_OF_MODELS)
    assert badge_of(probability, is_weakened=False) is badge


@pytest.mark.parametrize("name", ["faithfulness", "relevance", "completeness"])
def test_two_good_scores_do_not_mend_a_bad_one(name: str) -> None:
    """A draft that is perfect but for one score of .5 is Low."""
    judgement = replace(make_judgement(1.0, answers=None), **{name: 0.5})
    features = features_of(verified=KEPT, judgement=judgement, evidence=EVIDENCE, reported=1.0)
    assert badge_of(calibrate(features, DEFAULT_OF_MODELS), is_weakened=False) is Badge.LOW


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), 1e300, -1e300])
def test_an_extreme_feature_stays_a_probability(value: float) -> None:
    """No feature overflows."""
    assert 0 <= calibrate({"answers": value}) <= 1


def test_no_number_is_no_confidence() -> None:
    """A feature that is not a number opens nothing."""
    assert calibrate({"answers_odds": float("nan")}) == 0.0


def test_the_features_of_an_attempt() -> None:
    """Shares, scores and relevances by name; what is not known is left out."""
    features = features_of(
        verified=HALF, judgement=make_judgement(0.9, answers=0.6), evidence=EVIDENCE, reported=0.3
    )
    assert features == {
        "passed": 0.5,
        "faithfulness": 0.9,
        "judged_relevance": 0.9,
        "judged_completeness": 0.9,
        "judged_lowest": 0.9,
        "answers": 0.6,
        "answers_odds": pytest.approx(0.5338, abs=1e-4),
        "relevance": 0.7,
        "cited_relevance": 0.4,
        "reported": 0.3,
        "lexical_rank": 1.0,
        "dense_share": 0.0,
    }
    bare = features_of(
        verified=KEPT, judgement=NOT_JUDGED, evidence=Evidence(items=(FACT,)), reported=None
    )
    assert bare == {"passed": 1.0}


def test_both_halves_of_the_search_agree_or_not() -> None:
    """The cited chunk's rank by words, and its cosine as a share of the nearest one's."""
    first = replace(FIRST, lexical_score=0.2, dense_score=0.3)
    second = replace(SECOND, lexical_score=0.5, dense_score=0.6)
    features = features_of(
        verified=KEPT,
        judgement=NOT_JUDGED,
        evidence=Evidence(items=(first, second, FACT)),
        reported=None,
    )
    assert (features["lexical_rank"], features["dense_share"]) == (0.5, 0.5)
    nearer = replace(first, lexical_score=0.7, dense_score=0.9)
    features = features_of(
        verified=KEPT, judgement=NOT_JUDGED, evidence=Evidence(items=(nearer,)), reported=None
    )
    assert (features["lexical_rank"], features["dense_share"]) == (1.0, 1.0)


def _badge(verified: Verified, judgement: Judgement | NotJudged, *, conflict: bool) -> Badge | None:
    return confidence_of(
        verified, judgement, evidence=EVIDENCE, reported=None, is_conflict=conflict
    ).badge


def test_a_dropped_claim_or_a_conflict_costs_high() -> None:
    """The same answer is High whole, Medium with a claim dropped or a source against it."""
    sure = make_judgement(1.0, answers=1.0)
    assert _badge(KEPT, sure, conflict=False) is Badge.HIGH
    assert _badge(HALF, sure, conflict=False) is Badge.MEDIUM
    assert _badge(KEPT, sure, conflict=True) is Badge.MEDIUM


def test_a_degraded_search_costs_high() -> None:
    """With the embedder down, something nearer may have been missed."""
    found = confidence_of(
        KEPT,
        make_judgement(1.0, answers=1.0),
        evidence=EVIDENCE,
        reported=None,
        is_conflict=False,
        is_degraded=True,
    )
    assert found.badge is Badge.MEDIUM


def test_without_a_judgement_confidence_is_low() -> None:
    """What was not judged can't be confident."""
    assert _badge(KEPT, NOT_JUDGED, conflict=False) is Badge.LOW


def test_without_a_claim_there_is_no_confidence() -> None:
    """Absent is never 0: no claim, no probability, no badge."""
    nothing = Verified(claims=(), dropped=(CLAIM,), verdicts=())
    confidence = confidence_of(
        nothing, make_judgement(), evidence=EVIDENCE, reported=1.0, is_conflict=False
    )
    assert (confidence.calibrated, confidence.badge, confidence.features) == (None, None, ())
    assert confidence.reported == 1.0


def test_the_reported_number_alone_changes_nothing_by_default() -> None:
    """A reasoner that reports 1.0 on everything gains nothing by it."""
    judged = make_judgement(0.9, answers=0.3)
    numbers = {
        confidence_of(
            KEPT, judged, evidence=EVIDENCE, reported=reported, is_conflict=False
        ).calibrated
        for reported in (None, 0.0, 1.0)
    }
    assert len(numbers) == 1


def test_a_confidence_says_if_it_was_measured() -> None:
    """The badge says "not yet calibrated" until a calibration was fitted here."""
    measured = Calibration(name="here/1", intercept=0.0, weights={}, is_measured=True)
    for calibration in (DEFAULT, measured):
        confidence = confidence_of(
            KEPT,
            make_judgement(),
            evidence=EVIDENCE,
            reported=None,
            is_conflict=False,
            calibration=calibration,
        )
        assert confidence.is_calibrated is calibration.is_measured
        assert confidence.features == tuple(sorted(confidence.features))


def test_a_cited_fact_counts_like_the_passage_that_holds_it() -> None:
    """Else an answer would be less sure for being read from the graph."""
    fact = replace(FACT, span=FIRST.span)
    claim = Claim(text=FIRST.text, citations=(cite(fact),))
    features = features_of(
        verified=Verified(claims=(claim,), dropped=(), verdicts=()),
        judgement=NOT_JUDGED,
        evidence=Evidence(items=(FIRST, SECOND, fact)),
        reported=None,
    )
    assert features["cited_relevance"] == FIRST.relevance
    elsewhere = Claim(text=FACT.text, citations=(cite(FACT),))
    features = features_of(
        verified=Verified(claims=(elsewhere,), dropped=(), verdicts=()),
        judgement=NOT_JUDGED,
        evidence=EVIDENCE,
        reported=None,
    )
    assert "cited_relevance" not in features
