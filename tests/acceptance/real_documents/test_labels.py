"""Questions about published rulebooks and codes of conduct hold against the documents."""

from pathlib import Path

import pytest

from core.ingest.prepare import prepare
from evals.measuring.matching import has_gold
from evals.measuring.questions import load_questions

QUESTIONS = Path(__file__).parents[2] / "evals" / "policies_questions.jsonl"
LONGEST = 8
"""Words of a published text that a label may hold."""


def test_there_are_enough_and_they_copy_little() -> None:
    """At least 40 that a document answers and 20 that none does; a label is a short phrase."""
    questions = load_questions(QUESTIONS)
    answerable = [one for one in questions if one.is_answerable]
    assert len(answerable) >= 40
    assert len(questions) - len(answerable) >= 20
    assert len({one.question for one in questions}) == len(questions)
    assert all(len(phrase.split()) <= LONGEST for one in answerable for phrase in one.gold_quotes)


@pytest.mark.shared_data
def test_every_phrase_is_in_its_document(shared: Path) -> None:
    """A label that is in no text would count against every answer."""
    texts: dict[str, str] = {}
    for one in load_questions(QUESTIONS):
        path = shared / "policies" / (one.document or "")
        if path.name not in texts:
            texts[path.name] = prepare(path.read_bytes(), source_name=path.name).document.text
        text = texts[path.name]
        missing = [phrase for phrase in one.gold_quotes if not has_gold([text], [phrase])]
        assert not missing, one.id
