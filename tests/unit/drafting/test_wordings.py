"""Questions worded by rules: what a rule gives, and what gives none."""

from random import Random
from time import process_time

import pytest

from evals.measuring.drafting.clauses import clause_of, names_in
from evals.measuring.drafting.wordings import (
    definition_wording,
    is_definition,
    joined,
    wordings_of,
)

NAMES = frozenset({"Finance", "Acme"})


def chance(seed: int) -> Random:
    """Return a choice that is the same each time."""
    return Random(seed)  # noqa: S311  # no secret


def asked(sentence: str, seed: int = 1) -> set[str]:
    """Return the questions that a rule gives, over several choices of wording."""
    found: set[str] = set()
    for each in range(seed, seed + 12):
        clause = clause_of(sentence, NAMES)
        one = next(wordings_of(clause, chance(each)), None) if clause else None
        found |= {f"{one.kind}: {one.question}"} if one else set()
    return found


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        (
            "Employees must submit expense claims within 30 days of the end of the trip.",
            "deadline: How soon after the end of the trip do I have to submit expense claims?",
        ),
        (
            "Receipts must be kept for at least 7 years.",
            "deadline: How long do receipts have to be kept?",
        ),
        (
            "The risk owner must review the plan at least once a year.",
            "deadline: How often does the risk owner have to review the plan?",
        ),
        (
            "Leave must be requested at least two weeks before the first day.",
            "deadline: How long before the first day does leave have to be requested?",
        ),
        (
            "Passwords must have at least 14 characters.",
            "threshold: How many characters do passwords have to have at least?",
        ),
        (
            "Employees may work from home for up to 3 days per week.",
            "threshold: For how many days per week may I work from home at most?",
        ),
        (
            "Staff must not accept travel paid for by a supplier unless the manager has agreed.",
            "exception: When can I accept travel paid for by a supplier?",
        ),
        (
            "Meetings must be minuted unless all present agree.",
            "exception: When do meetings not have to be minuted?",
        ),
        ("The Finance Manager must approve the budget.", "norm: Who has to approve the budget?"),
        (
            "If a laptop is lost, employees must tell the service desk at once.",
            "norm: What do I have to do if a laptop is lost?",
        ),
        ("You must wear your badge at work.", "norm: Do I have to wear my badge at work?"),
        ("No employee may sign for a colleague.", "norm: Can I sign for a colleague?"),
        ("Acme cards may be used for private purchases.", "norm: Can Acme cards be used"),
        (
            "Contractors who are on site must sign the list.",
            "norm: Do contractors who are on site have",
        ),
        ("Each order requires two signatures.", "norm: Does each order require two signatures?"),
    ],
)
def test_a_rule_is_asked_about_as_a_person_would(sentence: str, question: str) -> None:
    """Who has to follow it asks of themselves; figures, conditions and answers are taken out."""
    assert any(one.startswith(question) for one in asked(sentence)), asked(sentence)


def test_a_figure_of_ones_own_is_compared() -> None:
    """Sometimes a case is named: an amount below the limit where one may, above where one must."""
    may = asked("Employees may accept gifts with a value of up to EUR 50 per year.")
    assert any("gifts of EUR 40 per year?" in one for one in may), may
    assert any(one.startswith("threshold: Up to what amount may I accept") for one in may), may
    must = asked("Purchases above EUR 1,000 must be approved by the manager.")
    assert any("purchases of EUR 1,200 have to be approved" in one for one in must), must


@pytest.mark.parametrize(
    "sentence",
    [
        "This must be reported.",
        "It may be approved as set out in section 4.2.",
        "The request must be refused.",
        "Such gifts must not be accepted above this limit.",
        "The following must be kept: invoices, receipts and claims.",
        "The report also names what managers must sign.",
        "Costs may differ by region.",
        "Travel is a large part of our costs.",
        "If you travel by car, ensure the car is insured.",
        "see www.example.com which must be read first.",
        "Employees must",
        "",
    ],
)
def test_what_needs_its_surroundings_is_not_asked_about(sentence: str) -> None:
    """A sentence that points elsewhere, or is no rule, gives no question."""
    assert not asked(sentence)


def test_terms() -> None:
    """A term is asked for where a sentence defines it, not where one only introduces it."""
    cash = '"Cash equivalent" means gift cards and vouchers that can be exchanged.'
    assert is_definition(cash, "Cash equivalent", "gift cards and vouchers")
    assert is_definition("Record | Any document that we keep", "Record", "Any document that we")
    assert not is_definition('Acme Ltd (the "Company") sells boats.', "Company", "Acme Ltd")
    asked_for = {definition_wording("Cash equivalent", chance(n), NAMES).question for n in range(9)}
    assert 'What does "cash equivalent" mean?' in asked_for


def test_names_keep_their_capital() -> None:
    """A word is a name if it has a capital within sentences more often than not."""
    names = names_in(["We ask Finance. The Finance team and the finance desk of Acme know Acme."])
    assert names == {"Finance", "Acme"}


def test_two_questions_at_once() -> None:
    """The second goes on in small letters, but for "I"."""
    assert joined("May I go?", "Who has to stay?") == "May I go, and who has to stay?"


@pytest.mark.parametrize(
    "text",
    [
        "Employees must " + "submit and " * 800 + ".",
        "If " + "a, " * 2_000 + "employees must go.",
        "must " * 1_600,
        "a" * 8_000,
        "(" * 8_000,
        "Employees must keep it for " + "1 " * 3_000 + "days.",
        "Gifts of " + "up to EUR 5 " * 600 + "may be accepted.",
    ],
)
def test_hostile_texts_take_no_time(text: str) -> None:
    """8,000 characters are refused, or read, in less than a second of processor time."""
    began = process_time()
    clause = clause_of(text, frozenset())
    assert clause is None
    short = clause_of(text[:390] + ".", frozenset())
    if short is not None:
        list(wordings_of(short, chance(1)))
    names_in([text])
    is_definition(text, text[:20], text)
    assert process_time() - began < 1
