"""Question sets: what is read, and what is named with its line and its cure."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.domain.errors import UsageError
from evals.measuring.questions import (
    REMOVED,
    load_questions,
    read_question_set,
    spread,
    without_evidence,
)
from tests.unit.evals.runs import CASH, PARKING

LINE: dict[str, Any] = {
    "id": "q1",
    "question": "May I?",
    "kind": "graph",
    "difficulty": "hard",
    "expected": ["answered"],
    "gold": [{"policy": "gifts", "section": "Annex A"}],
    "must_quote": ["no cash"],
    "expected_facts": ["EUR 100"],
    "thread": [{"question": "Q", "outcome": "answered"}],
    "scope": {"jurisdiction": "DE", "as_of": "2025-01-01"},
}
OF_A_DOCUMENT: dict[str, Any] = {
    "document": "a.md",
    "question": "?",
    "expected_outcome": "answered",
    "gold_quotes": ["Yes."],
}


def written(folder: Path, *values: object) -> Path:
    path = folder / "set.jsonl"
    path.write_text("\n".join(json.dumps(value) for value in values))
    return path


def test_questions_are_read(tmp_path: Path) -> None:
    """One JSON object a line; an id that is missing is the line's number."""
    bare = {"question": "Where do I park?", "expected": ["refused"]}
    full, plain = load_questions(written(tmp_path, LINE, bare))
    assert (full.id, full.kind, full.difficulty) == ("q1", "graph", "hard")
    assert full.gold == {("gifts", "annex a")}
    assert (full.must_quote, full.expected_facts) == (("no cash",), ("EUR 100",))
    assert (full.thread, full.scope) == (tuple(LINE["thread"]), LINE["scope"])
    assert full.is_answerable
    assert (plain.id, plain.kind, plain.difficulty) == ("2", "unanswerable", None)
    assert not plain.is_answerable


def test_an_array_is_read_as_lines_are(tmp_path: Path) -> None:
    """What another tool exports as one value need not be rewritten."""
    path = tmp_path / "set.json"
    path.write_text(json.dumps([LINE], indent=2))
    assert load_questions(path) == load_questions(written(tmp_path, LINE))
    path.write_text("[{]")
    with pytest.raises(UsageError, match=r"set\.json:1: not a JSON array of questions"):
        load_questions(path)


def test_a_question_of_a_document_is_refused_in_any_way(tmp_path: Path) -> None:
    """That nothing answers is right as a refusal, a question back or a case."""
    refused = {"document": "a.md", "question": "Why?", "expected_outcome": "refused"}
    answered, other = load_questions(written(tmp_path, OF_A_DOCUMENT, refused))
    assert (answered.document, answered.gold_quotes) == ("a.md", ("Yes.",))
    assert answered.kind == "answerable"
    assert other.expected == {"refused", "clarification", "escalated"}


WRONG: tuple[tuple[dict[str, Any], str | None], ...] = (
    ({"question": ""}, "`question` is a text that is not empty"),
    ({"question": 7}, "`question` is a text"),
    ({"expected": []}, "`expected` is a list of answered"),
    ({"expected": ["maybe"]}, "`expected` is a list of answered"),
    ({"expected_outcome": "maybe"}, "`expected_outcome` is answered or refused"),
    ({"gold": ["gifts"]}, "`gold` is a list of"),
    ({"must_quote": ["***"]}, "`must_quote` is a list of texts"),
    ({"expected_facts": [5]}, "`expected_facts` is a list of texts"),
    ({"difficulty": "x" * 61}, "`difficulty` is a text of 1 to 60"),
    ({"id": "a\x1b[2J"}, "`id` is a text"),
    ({"thread": [{}]}, "`question` is a text"),
    ({"thread": 5}, "`thread` is a list"),
    ({"scope": []}, None),
    ({"scope": [1]}, "`scope` is an object"),
    ({"scope": {"as_of": "soon"}}, "isoformat"),
    ({"document": "a.md"}, "needs `gold_quotes`"),
    ({"document": None, "gold_quotes": ["a"]}, "`document` is a text"),
    ({"id": "q0"}, "stands twice"),
)


@pytest.mark.parametrize(("wrong", "cure"), WRONG)
def test_a_line_that_is_none_is_named(
    tmp_path: Path, wrong: dict[str, Any], cure: str | None
) -> None:
    """A mistake in a label would count as a mistake of the product; all are told at once."""
    path = written(tmp_path, {**LINE, "id": "q0"}, {**LINE, **wrong}, 7)
    bad = read_question_set(path).bad_lines
    assert [one.number for one in bad][-1] == 3
    if cure is not None:
        assert bad[0].number == 2
        assert cure in bad[0].reason
        with pytest.raises(UsageError, match=r"set\.jsonl:2: not a labelled question"):
            load_questions(path)


def test_questions_of_documents_and_of_policies_are_two_sets(tmp_path: Path) -> None:
    """A question without a document would be asked of all of them."""
    bad = read_question_set(written(tmp_path, LINE, OF_A_DOCUMENT)).bad_lines
    assert "make them two sets" in bad[0].reason


def test_an_empty_set_has_nothing_to_ask(tmp_path: Path) -> None:
    """Nobody takes the figures of nothing for figures."""
    with pytest.raises(UsageError, match="no questions"):
        load_questions(written(tmp_path))


def test_without_its_evidence_a_question_should_be_declined() -> None:
    """Each answerable question once more, without what answers it; the others have none."""
    (removed,) = without_evidence([CASH, PARKING])
    assert (removed.kind, removed.without) == (REMOVED, CASH.gold)
    assert removed.expected == {"refused", "clarification", "escalated"}
    assert removed.id != CASH.id


def test_a_limit_asks_all_over_the_file() -> None:
    """The same questions each time, from its beginning to its end."""
    numbers = list(range(10))
    assert spread(numbers, 3) == [0, 3, 6]
    assert spread(numbers, None) == spread(numbers, 11) == numbers


SPAN = {
    "policy": "gifts",
    "section": "4.2",
    "version": "2",
    "start": 3,
    "end": 10,
    "quote": "No cash",
}


def test_drafted_questions_are_read(tmp_path: Path) -> None:
    """With where each passage stands, and whether a person accepted it."""
    (one,) = load_questions(written(tmp_path, LINE | {"spans": [SPAN], "review": "draft"}))
    assert (one.spans[0].quote, one.spans[0].start, one.review) == ("No cash", 3, "draft")
    (plain,) = load_questions(written(tmp_path, LINE))
    assert (plain.spans, plain.review) == ((), None)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"spans": [SPAN | {"end": 9}]}, "is not as long as"),
        ({"spans": [{"policy": "gifts"}]}, "`spans` is a list of"),
        ({"spans": [SPAN | {"more": 1}]}, "`spans` is a list of"),
        ({"spans": 3}, "`spans` is a list of"),
        ({"spans": [SPAN | {"quote": 7}]}, "`spans` is a list of"),
        ({"spans": [SPAN | {"start": "3"}]}, "`spans` is a list of"),
        ({"review": "yes"}, "`review` is draft or accepted"),
        ({"review": ["draft"]}, "`review` is draft or accepted"),
    ],
)
def test_a_wrong_passage_or_review_is_named(
    tmp_path: Path, given: dict[str, Any], reason: str
) -> None:
    """With its line and what should stand there."""
    (bad,) = read_question_set(written(tmp_path, LINE | given)).bad_lines
    assert reason in bad.reason
