"""A message is cut into the questions that it asks: a few, whatever its length."""

from core.agent.planning.terms import MOST, QuestionPart, parts_of
from core.domain.run import Term
from core.language.content_words import content_words

SUBJECTS = ("gifts", "hotels", "vendors", "records", "cameras", "laptops", "visitors", "taxis")


def asked(subjects: tuple[str, ...]) -> str:
    """Ask for the limit of each."""
    return " ".join(f"What monthly limit holds for {one}?" for one in subjects)


def parts(text: str) -> tuple[QuestionPart, ...]:
    """Return the questions of a message whose words all tell something."""
    return parts_of(text, tuple(Term(word=word, weight=1.0) for word in content_words(text)))


def test_a_question_that_is_repeated_is_asked_once() -> None:
    """Eight thousand characters of one question took two minutes."""
    assert len(parts(asked(("gifts",) * 100))) == 1


def test_more_questions_than_are_answered_apart_belong_to_the_last() -> None:
    """None is left out: what is not covered is said."""
    found = parts(asked((*SUBJECTS, "parking")))
    assert len(found) == MOST
    assert "parking" in found[-1].text
    assert "parking" not in found[0].text
