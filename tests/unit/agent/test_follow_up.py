"""A follow-up's own question: what takes whose place, what is added, and what is new in it."""

import time

import pytest

from core.agent.conversation.follow_up import follow_up
from core.language.conditions import ConditionKind

SUPPLIER = "May I accept a gift from a supplier?"


@pytest.mark.parametrize(
    ("question", "text", "standalone", "kind", "words"),
    [
        (
            SUPPLIER,
            "what if it is from a public official?",
            "May I accept a gift from a public official?",
            ConditionKind.COUNTERPARTY,
            "public official",
        ),
        (
            "May I accept gifts?",
            "and for contractors?",
            "May contractors accept gifts?",
            ConditionKind.GROUP,
            "contractors",
        ),
        (
            "Am I allowed to drive a hire car?",
            "does this also apply to interns?",
            "Are interns allowed to drive a hire car?",
            ConditionKind.GROUP,
            "interns",
        ),
        (
            "May I pay in cash?",
            "and if I'm in Spain?",
            "May I pay in cash in Spain?",
            ConditionKind.PLACE,
            "Spain",
        ),
        (
            "May I take wine worth EUR 20?",
            "and if it's EUR 200?",
            "May I take wine worth EUR 200?",
            ConditionKind.AMOUNT,
            "EUR 200",
        ),
        (
            SUPPLIER,
            "what if the supplier is a relative of mine?",
            "May I accept a gift from a supplier if the supplier is a relative of mine?",
            ConditionKind.COUNTERPARTY,
            "relative",
        ),
        (
            SUPPLIER,
            "What if they invite me to dinner?",
            "May I accept a gift from a supplier if they invite me to dinner?",
            ConditionKind.OTHER,
            "invite me to dinner",
        ),
    ],
)
def test_a_new_circumstance_is_the_question(
    question: str, text: str, standalone: str, kind: ConditionKind, words: str
) -> None:
    """Who, where and how much are exchanged, the rest is added; what came in is a condition."""
    found = follow_up(question, text)
    assert found.standalone == standalone
    assert [(one.kind, one.words, one.is_new) for one in found.news] == [(kind, words, True)]


@pytest.mark.parametrize("text", ["Why?", "who approves it?", "For how long?", "In which country?"])
def test_a_question_of_its_own_brings_no_condition(text: str) -> None:
    """Whoever asks something else about the same asks under no new circumstance."""
    found = follow_up(SUPPLIER, text)
    assert (found.standalone, found.news) == (f"{SUPPLIER} {text}", ())


@pytest.mark.parametrize(
    ("question", "text", "standalone", "news"),
    [
        (SUPPLIER, "and for contractors?", "May contractors accept a gift from a supplier?", 1),
        (SUPPLIER, "sorry, as a contractor", "May contractors accept a gift from a supplier?", 1),
        (SUPPLIER, "does that apply to interns?", "May interns accept a gift from a supplier?", 1),
        ("can I take wine", "and for interns?", "can interns take wine", 1),
        ("May contractors take wine?", "and interns?", "May interns take wine?", 1),
        ("Am I allowed to take wine?", "and for interns?", "Are interns allowed to take wine?", 1),
        ("What is the limit?", "and for contractors?", "What is the limit for contractors?", 1),
        (SUPPLIER, "is it the same for customers?", "May I accept a gift from customers?", 1),
        (
            SUPPLIER,
            "what if it is from a customer or a relative?",
            "May I accept a gift from a customer or a relative?",
            2,
        ),
        ("May I give wine?", "and to a customer?", "May I give wine to a customer?", 1),
        ("May I give wine to a supplier?", "to a relative?", "May I give wine to a relative?", 1),
        (SUPPLIER, "and in Germany?", f"{SUPPLIER[:-1]} in Germany?", 1),
        ("What is the limit in the UK?", "and for the US?", "What is the limit in the US?", 1),
        (
            "Can I work from Spain?",
            "I work in Germany",
            "Can I work from Spain? I work in Germany",
            1,
        ),
        ("May I take wine?", "if it costs EUR 200?", "May I take wine if it costs EUR 200?", 1),
        (SUPPLIER, "without a receipt?", f"{SUPPLIER[:-1]} without a receipt?", 1),
        (SUPPLIER, "even if it is small?", f"{SUPPLIER[:-1]} if it is small?", 1),
        (SUPPLIER, "what about meals", "May I accept meals from a supplier?", 1),
        (SUPPLIER, "and what is the limit?", f"{SUPPLIER} and what is the limit?", 0),
        (SUPPLIER, f"and {'very ' * 13}big", f"{SUPPLIER} and {'very ' * 13}big", 0),
        ("I work in Germany. May I fly?", "and for interns?", "May interns fly?", 1),
        ("I'm in Germany", "and for interns?", "I'm in Germany for interns?", 1),
    ],
)
def test_what_takes_whose_place(question: str, text: str, standalone: str, news: int) -> None:
    """A group asks instead of the asker, a person or a place for another, all else is added."""
    found = follow_up(question, text)
    assert (found.standalone, len(found.news), found.is_general) == (standalone, news, False)


def test_who_gives_does_not_take_the_place_of_who_is_given() -> None:
    """The direction of a gift is no detail."""
    standalone = follow_up(SUPPLIER, "and to a public official?").standalone
    assert standalone.startswith("May I accept a gift from a supplier")
    assert standalone.endswith("to a public official?")


def test_a_country_can_be_lifted() -> None:
    """ "In general" asks without the country, and says so."""
    found = follow_up("What is the hotel limit in the UK?", "and in general?")
    assert (found.standalone, found.is_general) == ("What is the hotel limit?", True)


def test_where_one_works_is_not_where_one_goes() -> None:
    """Saying where one is employed leaves the destination of the question alone."""
    standalone = follow_up("Can I work from Spain?", "I work in Germany").standalone
    assert standalone.startswith("Can I work from Spain?")


@pytest.mark.parametrize(
    "text",
    [
        "and " * 2_000,
        "what if " + "a " * 4_000,
        "no, " * 2_000,
        "and for " + "x" * 8_000,
        "it's " * 1_600,
    ],
)
def test_hostile_follow_ups_take_linear_time(text: str) -> None:
    """8,000 characters are read in a fraction of a second of CPU time."""
    began_s = time.process_time()
    follow_up("May I accept a gift from a supplier? " * 200, text)
    assert time.process_time() - began_s < 2.0
