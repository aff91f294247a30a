"""Arguments of our own tools: parsed once, or refused."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.adapters.anthropic.dialogue.review import MALFORMED, critique_of, judgement_of, token_of
from core.adapters.anthropic.dialogue.tools import (
    ClarificationRequest,
    Malformed,
    Planned,
    Reported,
    askable,
    definitions,
    parse_confidence,
    parse_plan,
    share,
    usable_options,
)
from core.domain.answer import ClaimJudgement, Critique, Decision, Judgement, NotJudged, Support
from core.ontology.tools.toolbox import REGISTRY

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
GOOD = {
    "claims": [{"claim": 1, "support": "supported"}],
    "faithfulness": 0.9,
    "relevance": 1,
    "completeness": 0.5,
    "verdict": "approve",
    "decision": "FINAL",
}


@pytest.mark.parametrize("score", [0, 1, 0.0, 0.85, 1.0])
def test_a_confidence_in_range_is_taken(score: float) -> None:
    """Both ends belong to the range."""
    found = parse_confidence({"score": score, "reasoning": "why"})
    assert found == Reported(score=float(score), reasoning="why")


@pytest.mark.parametrize(
    "score", [-0.01, 1.01, math.nan, math.inf, "0.9", "high", None, True, [], {}, 10**400]
)
def test_any_other_confidence_is_refused(score: Any) -> None:
    """Out of range, no number, or none at all."""
    assert isinstance(parse_confidence({"score": score, "reasoning": ""}), Malformed)


@given(JSON)
def test_nothing_makes_the_parsers_fail(value: Any) -> None:
    """Whatever a model writes is a value or a refusal."""
    assert isinstance(parse_confidence(value), Reported | Malformed)
    assert isinstance(parse_plan(value, known=()), Planned | ClarificationRequest | Malformed)
    assert isinstance(judgement_of(value, claims=1), Judgement | NotJudged)
    assert isinstance(critique_of(value), Critique)
    for name in GOOD:
        found = judgement_of(GOOD | {name: value}, claims=1)
        assert isinstance(found, NotJudged | Judgement)
        if isinstance(found, Judgement):
            assert 0 <= found.score <= 1


@given(st.floats() | st.integers())
def test_a_share_is_in_range(value: float) -> None:
    """NaN and infinities are none."""
    found = share(value)
    assert found is None or 0 <= found <= 1


def test_a_plan_is_read() -> None:
    """A known intent, and the tools it names."""
    plan = {"intent": "threshold", "need_clarification": False, "tools": ["compare", 3]}
    assert parse_plan(plan, known=()) == Planned(intent="threshold", tools=("compare",))


@pytest.mark.parametrize("intent", ["bribery", None, 3, ["threshold"]])
def test_an_unknown_intent_is_general(intent: Any) -> None:
    """It decides nothing, so it is no reason to refuse the plan."""
    found = parse_plan({"intent": intent, "need_clarification": False}, known=())
    assert found == Planned(intent="general", tools=())


def test_a_question_back_is_read() -> None:
    """With its slot and options, white space folded."""
    found = parse_plan(
        {
            "intent": "general",
            "need_clarification": True,
            "clarification_question": " Which\n gift? ",
            "slot": "referent",
            "options": ["a pen", "", "a pen", "above EUR 900", "x" * 90],
        },
        known=["May I take it?"],
    )
    assert found == ClarificationRequest(
        intent="general", question="Which gift?", slot="referent", options=("a pen",)
    )


@pytest.mark.parametrize(
    "question", [None, "", "  ", "Tell me more.", "Is it above EUR 900?", "x" * 600 + "?", 3]
)
def test_a_question_back_that_may_not_be_shown_is_refused(question: Any) -> None:
    """Empty, too long, a statement, or with a figure of its own."""
    arguments = {
        "intent": "general",
        "need_clarification": True,
        "clarification_question": question,
    }
    assert isinstance(parse_plan(arguments, known=["May I?"]), Malformed)


@pytest.mark.parametrize(
    "live",
    [
        "<@U123>",
        "<!channel>",
        "@everyone",
        "https://evil.example",
        "www.evil.test",
        "evil.com",
        "`rm`",
        "[here](x)",
    ],
)
def test_what_a_platform_would_bring_to_life_is_never_asked(live: str) -> None:
    """Neither in a question back nor in an option of it: both are shown as they were written."""
    assert askable(f"Do you mean {live}?", known=[live]) is None
    assert usable_options(["gifts", f"see {live}"], known=[live]) == ("gifts",)


@pytest.mark.parametrize("text", ["Cash is fine.?", "Cash is fine. Is it cash?", "Take it!?"])
def test_a_question_back_states_nothing(text: str) -> None:
    """A statement is none for a question mark behind it."""
    assert askable(text, known=[]) is None


@pytest.mark.parametrize(
    ("text", "decision", "reason"),
    [
        ("FINAL", Decision.FINAL, ""),
        ("final", Decision.FINAL, ""),
        (" Retry : the limit\nis missing ", Decision.RETRY, "the limit is missing"),
        ("CLARIFY:", Decision.CLARIFY, ""),
        ("escalate: FINAL", Decision.ESCALATE, "FINAL"),
    ],
)
def test_a_decision_is_one_of_four_words(text: str, decision: Decision, reason: str) -> None:
    """Case does not matter, and a reason may follow a colon."""
    token = token_of(text)
    assert token
    assert (token.decision, token.reason) == (decision, reason)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "APPROVED",
        "FINAL.",
        "FINAL - good",
        "FINAL good",
        "Decision: FINAL",
        "FINALLY",
        "FINAL FINAL",
        "FINAL|RETRY",
        "\u202eFINAL",
        "F\u0406NAL",
        "\ufb01nal",
        "not FINAL",
        '"FINAL"',
        None,
        1,
        ["FINAL"],
    ],
)
def test_any_other_decision_is_no_judgement(text: Any) -> None:
    """Nothing is read into it, and it never approves."""
    assert token_of(text) is None
    assert isinstance(judgement_of(GOOD | {"decision": text}, claims=1), NotJudged)


@given(st.text())
def test_only_the_allow_list_is_read(text: str) -> None:
    """Any text that does not begin with one of the words is none."""
    begins = text.strip().upper().startswith(("FINAL", "RETRY", "CLARIFY", "ESCALATE"))
    assert token_of(text) is None or begins


def test_a_judgement_is_read() -> None:
    """Three scores, a verdict and a decision."""
    assert judgement_of(GOOD, claims=1) == Judgement(
        faithfulness=0.9,
        relevance=1.0,
        completeness=0.5,
        approved=True,
        decision=Decision.FINAL,
        claims=(ClaimJudgement(support=Support.SUPPORTED),),
    )
    doubtful = judgement_of(GOOD | {"verdict": "needs_review", "decision": "RETRY: why"}, claims=1)
    assert isinstance(doubtful, Judgement)
    assert (doubtful.approved, doubtful.reason) == (False, "why")


@pytest.mark.parametrize(
    "change",
    [
        *(
            {name: wrong}
            for name in ("faithfulness", "relevance", "completeness")
            for wrong in (1.1, -1, "1", True, None)
        ),
        *({"verdict": wrong} for wrong in ("Approve", "approved", "yes", True, None, ["approve"])),
    ],
)
def test_a_malformed_judgement_is_none(change: dict[str, Any]) -> None:
    """One bad field is enough; nothing is repaired."""
    assert isinstance(judgement_of(GOOD | change, claims=1), NotJudged)


@pytest.mark.parametrize(
    "claims",
    [
        [],
        "supported",
        [{"claim": 1, "support": "supported"}] * 2,
        [{"claim": 0, "support": "supported"}],
        [{"claim": "1", "support": "supported"}],
        [{"claim": True, "support": "supported"}],
        [{"claim": 1, "support": "yes"}],
        [{"claim": 1, "support": ["supported"]}],
        [{"claim": 1}],
        ["supported"],
    ],
)
def test_a_claim_without_its_one_verdict_is_not_judged(claims: Any) -> None:
    """Too few, too many, of another claim, or of another kind: no judgement at all."""
    assert isinstance(judgement_of(GOOD | {"claims": claims}, claims=1), NotJudged)


def test_verdicts_may_come_in_any_order() -> None:
    """Each says which claim it is about."""
    said = [
        {"claim": 2, "support": "not", "words": " in\nGermany "},
        {"claim": 1, "support": "partly", "words": 3},
    ]
    found = judgement_of(GOOD | {"claims": said}, claims=2)
    assert isinstance(found, Judgement)
    assert found.claims == (
        ClaimJudgement(support=Support.PARTLY),
        ClaimJudgement(support=Support.NOT, words="in Germany"),
    )


@pytest.mark.parametrize("missing", list(GOOD))
def test_an_incomplete_judgement_is_none(missing: str) -> None:
    """Absent is never 0, and never approved."""
    assert isinstance(
        judgement_of({name: value for name, value in GOOD.items() if name != missing}, claims=1),
        NotJudged,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        None,
        [],
        "refine",
        {},
        {"refine": "true", "issues": []},
        {"refine": 1, "issues": []},
        {"refine": True},
        {"refine": True, "issues": "a"},
        {"refine": True, "issues": [1]},
    ],
)
def test_a_malformed_critique_asks_for_nothing_and_is_seen(arguments: Any) -> None:
    """It is no approval: the critic approves nothing."""
    assert critique_of(arguments) == MALFORMED
    assert MALFORMED.issues
    assert not MALFORMED.refine


def test_a_critique_is_read() -> None:
    """Issues in one line each, blank ones left out."""
    found = critique_of({"refine": True, "issues": ["claim 1\nsays more", " "]})
    assert found == Critique(refine=True, issues=("claim 1 says more",))


def test_confidence_is_offered_only_where_there_is_a_gate() -> None:
    """Without retrieval there is no `emit_confidence`; the other tools are the run's."""
    offered = REGISTRY.capable_of("documents").definitions()
    for use_rag, own in ((True, ["make_plan", "emit_confidence"]), (False, ["make_plan"])):
        tools = definitions(offered, use_rag=use_rag)
        assert [one["name"] for one in tools] == [*(one["name"] for one in offered), *own]
