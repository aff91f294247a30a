"""What a question wants, the facts that it states, and the questions of one message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.planning.intent import (
    Intent,
    facets_of,
    intents_of,
    last_facets_of,
    plain,
    without_facets,
)
from core.agent.planning.terms import parts_of
from core.domain.question import EMPLOYMENT, JURISDICTION
from core.domain.run import Term
from core.language.content_words import content_words


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("What is the difference between gifts and hospitality?", Intent.COMPARISON),
        ("employees vs contractors", Intent.COMPARISON),
        ("What does cash equivalent mean?", Intent.DEFINITION),
        ("What's a gift?", Intent.DEFINITION),
        ("Who counts as a public official?", Intent.DEFINITION),
        ("How do I register a gift?", Intent.PROCEDURE),
        ("What happens if I am late?", Intent.PROCEDURE),
        ("How much may a gift cost?", Intent.THRESHOLD),
        ("What is the hotel limit in Rome?", Intent.THRESHOLD),
        ("How long are records kept?", Intent.DEADLINE),
        ("By when must I file?", Intent.DEADLINE),
        ("Until what time are urgent payments taken?", Intent.DEADLINE),
        ("Until when is it kept?", Intent.DEADLINE),
        ("How many days may I work abroad?", Intent.DEADLINE),
        ("Who approves travel?", Intent.ROLE),
        ("Who's responsible for records?", Intent.ROLE),
        ("Whose approval do I need?", Intent.ROLE),
        ("May I accept cash?", Intent.PERMISSION),
        ("Is it ok to pay a tip?", Intent.PERMISSION),
        ("Why must I register?", Intent.REASON),
        ("And why?", Intent.REASON),
        ("Tell me about gifts", Intent.GENERAL),
        ("", Intent.GENERAL),
    ],
)
def test_the_kind_of_a_question(text: str, intent: Intent) -> None:
    """The words of a question say what kind of answer it wants first."""
    assert intents_of(text)[0] is intent


@given(st.text(max_size=80))
def test_every_text_has_a_kind(text: str) -> None:
    """Any text has one kind at least."""
    assert intents_of(text)


def test_contractions_are_written_out() -> None:
    """Kinds and words are read from full forms, on one line."""
    assert plain("What's  up; I'm\nwe\u2019ve they'll") == "What is up; I am we have they will"


@pytest.mark.parametrize(
    ("text", "jurisdictions", "employments"),
    [
        ("for contractors", set[str](), {"contractor"}),
        ("our freelancers in the UK", {"GB"}, {"contractor"}),
        ("employees in Berlin", {"DE"}, {"employee"}),
        ("the Germans and the French", {"DE", "FR"}, set[str]()),
        ("under US law", {"US"}, set[str]()),
        ("let us know", set[str](), set[str]()),
        ("May I accept a gift?", set[str](), set[str]()),
    ],
)
def test_country_and_employment_are_read(
    text: str, jurisdictions: set[str], employments: set[str]
) -> None:
    """Countries by name, demonym or city; employment by the words in use."""
    found = facets_of(text)
    assert (found.of(JURISDICTION), found.of(EMPLOYMENT)) == (jurisdictions, employments)


def test_the_last_word_of_a_thread_counts() -> None:
    """Each fact is taken from the last message that states it."""
    found = last_facets_of(("contractors in Germany", "what about the UK?", "and cash?"))
    assert (found.jurisdictions, found.employments) == ({"GB"}, {"contractor"})


def test_facts_are_no_subject() -> None:
    """Country and employment are left out of the words that are looked for."""
    words = content_words(without_facets("May contractors in Germany accept gifts?"))
    assert words == content_words("accept gifts")


def _terms(text: str) -> tuple[Term, ...]:
    return tuple(Term(word=word, weight=1.0) for word in sorted(content_words(text)))


def _parts(text: str) -> list[tuple[set[str], Intent]]:
    found = parts_of(text, _terms(text))
    return [({term.word for term in part.terms}, part.intents[0]) for part in found]


def test_a_plain_question_is_one_part() -> None:
    """One question has one part with all its words."""
    text = "May I accept a gift from a supplier?"
    assert _parts(text) == [(set(content_words(text)), Intent.PERMISSION)]


def test_two_questions_are_two_parts() -> None:
    """Each question keeps its own words and kind."""
    first, second = _parts("May I accept supplier gifts? How long are invoice records kept?")
    assert first[1] is Intent.PERMISSION
    assert second[1] is Intent.DEADLINE
    assert content_words("supplier gifts") <= first[0]
    assert content_words("invoice records") <= second[0]
    assert not first[0] & second[0]


def test_a_double_question_is_two_parts() -> None:
    """ "... and who ..." asks twice."""
    kinds = [
        kind
        for _, kind in _parts("How much may a supplier gift cost and who approves hotel bookings?")
    ]
    assert kinds == [Intent.THRESHOLD, Intent.ROLE]


def test_a_half_that_cannot_stand_alone_stays() -> None:
    """A short second half belongs to the question before it."""
    assert len(_parts("May I accept a gift from a supplier? And why?")) == 1


def test_the_story_around_a_question_counts_less() -> None:
    """Words of the circumstances weigh less than those of the question."""
    text = "A haulier invited me to dinner. May I accept tickets for football?"
    (part,) = parts_of(text, _terms(text))
    weights = {term.word: term.weight for term in part.terms}
    told = content_words("haulier dinner")
    asked = content_words("tickets football")
    assert max(weights[word] for word in told) < min(weights[word] for word in asked)


@given(st.text(max_size=120))
def test_every_message_has_a_part(text: str) -> None:
    """Any message has at least one question, and no part has words from elsewhere."""
    terms = _terms(text)
    found = parts_of(text, terms)
    assert found
    known = {term.word for term in terms}
    assert all(term.word in known and term.weight <= 1 for part in found for term in part.terms)
