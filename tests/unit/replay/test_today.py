"""What an officer reads of two answers to one question."""

from typing import Any

from core.replay.comparison import RunParts, first_difference
from core.replay.today import changes_between


def answer(*quotes: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    """Return an answer of quotes: policy, section, words; each is a statement, too."""
    return {
        "outcome": "answered",
        "refusal": None,
        "answer": " ".join(words for *_, words in quotes),
        "confidence": {"badge": "high"},
        "assumptions": [],
        "notes": [],
        "claims": [{"text": words, "citations": [n]} for n, (*_, words) in enumerate(quotes, 1)],
        "citations": [
            {"n": n, "policy": policy, "section": section, "section_title": "", "quote": words}
            for n, (policy, section, words) in enumerate(quotes, 1)
        ],
        **more,
    }


THEN = answer(("gifts", "2.1", "Gifts up to EUR 50 may be accepted."))


def test_the_same_words_elsewhere_are_the_same_answer() -> None:
    """A clause that moved is told, and is no change."""
    found = changes_between(THEN, answer(("gifts", "3.1", "Gifts up to EUR 50 may be accepted.")))
    assert found.is_same
    assert found.moved == (("gifts 2.1", "gifts 3.1"),)
    assert found.clauses == ()


def test_changed_words_are_shown_within_their_clause() -> None:
    """Runs of words: kept, taken away, added."""
    found = changes_between(THEN, answer(("gifts", "2.1", "Gifts up to EUR 30 may be accepted.")))
    assert not found.is_same
    (clause,) = found.clauses
    assert clause.words == (
        (" ", "Gifts up to EUR"),
        ("-", "50"),
        ("+", "30"),
        (" ", "may be accepted."),
    )
    assert [change.what for change in found.changes] == ["text"]


def test_an_answer_that_became_none() -> None:
    """Outcome and reason come first, and the clause is gone."""
    now = answer(outcome="refused", refusal="not_found", confidence={"badge": None})
    found = changes_between(THEN, now)
    assert [change.what for change in found.changes] == ["outcome", "refusal", "badge", "text"]
    assert found.clauses[0].now == ""
    assert len(found.dropped) == 1


def test_a_lower_badge_alone_is_the_same_answer() -> None:
    """People were told the same; the officer sees it."""
    found = changes_between(THEN, {**THEN, "confidence": {"badge": "medium"}})
    assert found.is_same
    assert [(one.then, one.now) for one in found.changes] == [("high", "medium")]


def test_the_first_stage_that_differs_is_named() -> None:
    """A second search has a number; times are nowhere compared."""

    def parts(*details: Any) -> RunParts:
        steps = [{"stage": "retrieve", "took_ms": id(one), "detail": one} for one in details]
        trace = {
            "question": "q",
            "standalone": "q",
            "searched": None,
            "context": [],
            "steps": steps,
            "model_calls": [],
        }
        return RunParts(trace=trace, retrieved={}, answer={})

    same = parts({"chunks": [1], "took_ms": 1.0})
    assert first_difference(same, parts({"chunks": [1], "took_ms": 2.0})) is None
    found = first_difference(parts({"chunks": [1]}, {"chunks": [2]}), parts({"chunks": [1]}))
    assert found is not None
    assert found.stage == "retrieve 2"
