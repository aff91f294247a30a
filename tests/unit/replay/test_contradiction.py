"""What counts as a contradiction of two answers, and as a change of one."""

from typing import Any

import pytest

from core.replay.contradiction import AnswerContradiction, ContradictionKind, contradiction
from evals.measuring.shadow.comparing import Compared, NotCompared, sample
from evals.measuring.shadow.outcome_change import AnswerChange, outcome_change

FIFTY = "Employees may accept gifts with a value of up to EUR 50 per giver and calendar year."
THIRTY = FIFTY.replace("50", "30")
CASH = "Employees must not accept cash or vouchers in any amount."
CASH_ALLOWED = "Employees may accept cash or vouchers in any amount."
REPORT = "Employees must report gifts to the Compliance Officer within 5 working days."


def answer(
    *quotes: str, policy: str = "gifts", outcome: str = "answered", **more: Any
) -> dict[str, Any]:
    """An answer that quotes."""
    return {
        "outcome": outcome,
        "answer": " ".join(quotes),
        "claims": [{"text": quote, "citations": [n]} for n, quote in enumerate(quotes, start=1)],
        "citations": [
            {"policy": policy, "section": "2.1", "section_title": "", "quote": quote}
            for quote in quotes
        ],
        "confidence": {"badge": "high" if quotes else None},
        "refusal": "not_found" if outcome == "refused" else None,
        "assumptions": [],
        "notes": [],
        **more,
    }


REFUSED = answer(outcome="refused")


@pytest.mark.parametrize(
    ("then", "now", "kind"),
    [
        (answer(FIFTY), answer(THIRTY), "number"),
        (answer(CASH), answer(CASH_ALLOWED), "modality"),
        (answer(CASH, answer=f"No. {CASH}"), answer(FIFTY, answer=f"Yes. {FIFTY}"), "modality"),
        (answer(FIFTY), REFUSED, "silence"),
        (REFUSED, answer(FIFTY), "silence"),
        (answer(FIFTY), answer(CASH), "quote"),
        (answer(FIFTY), answer(FIFTY), None),
        (answer(FIFTY), answer(FIFTY, REPORT), None),
        (answer(FIFTY), answer(THIRTY, policy="travel"), None),
        (answer(FIFTY), answer(outcome="clarification"), None),
        (REFUSED, REFUSED, None),
    ],
)
def test_what_contradicts(then: dict[str, Any], now: dict[str, Any], kind: str | None) -> None:
    """Numbers, the opposite, silence, and other sentences of the same policy; nothing else."""
    found = contradiction(then, now)
    assert (found.kind if found else None) == kind


def test_the_words_that_differ_are_told() -> None:
    """An officer sees at once what it is about."""
    assert contradiction(answer(FIFTY), answer(THIRTY)) == AnswerContradiction(
        kind=ContradictionKind.NUMBER, policy="gifts", then="EUR 50", now="EUR 30"
    )


@pytest.mark.parametrize(
    ("then", "now", "change"),
    [
        (answer(FIFTY), answer(THIRTY), AnswerChange.CONTRADICTS),
        (answer(FIFTY), REFUSED, AnswerChange.NOW_SILENT),
        (REFUSED, answer(FIFTY), AnswerChange.NOW_ANSWERED),
        (answer(FIFTY), answer(outcome="clarification"), AnswerChange.OTHER_OUTCOME),
        (REFUSED, REFUSED | {"refusal": "out_of_scope"}, AnswerChange.OTHER_OUTCOME),
        (answer(FIFTY), answer(CASH), AnswerChange.OTHER_QUOTES),
        (
            answer(FIFTY),
            answer(FIFTY, claims=[{"text": "Up to EUR 50.", "citations": [1]}]),
            AnswerChange.OTHER_WORDS,
        ),
        (answer(FIFTY), answer(FIFTY, confidence={"badge": "medium"}), AnswerChange.BADGE),
        (answer(FIFTY), answer(FIFTY, notes=["Sent to Compliance (case 3)."]), AnswerChange.SAME),
    ],
)
def test_each_change_has_its_word(
    then: dict[str, Any], now: dict[str, Any], change: AnswerChange
) -> None:
    """The gravest that applies; what was said of the answer afterwards is none."""
    assert outcome_change(then, now).change is change


@pytest.mark.timeout(60)
@pytest.mark.parametrize("part", ["EUR 50 must not ", "1,", "not ", "no, yes. ", "\u202e(", "aaaa"])
def test_hostile_texts_end(part: str) -> None:
    """However long a quote is, and whatever stands in it."""
    long = (part * 8_000)[:8_000]
    contradiction(answer(long), answer(long[::-1]))


def test_what_breaks_counts_as_answered_otherwise() -> None:
    """A pipeline lets nothing through that could not answer; what is left out is no change."""
    broken = Compared(record_id="1", question="", skipped=NotCompared.FAILED)
    assert broken.counts
    assert not Compared(record_id="1", question="", skipped=NotCompared.ERASED).counts
    assert not Compared(record_id="1", question="", change=AnswerChange.BADGE, already=True).counts
    assert Compared(record_id="1", question="", change=AnswerChange.BADGE).counts


def test_a_sample_is_drawn_by_the_seed_alone() -> None:
    """The same again for the same seed, in the order of the record; another for another."""
    ids = [f"record-{n}" for n in range(100)]
    drawn = sample(ids, 10, seed=1)
    assert drawn == sample(ids, 10, seed=1) == tuple(sorted(drawn, key=ids.index))
    assert drawn != sample(ids, 10, seed=2)
    assert sample(ids, 100, seed=1) == sample(ids, None, seed=1) == tuple(ids)
