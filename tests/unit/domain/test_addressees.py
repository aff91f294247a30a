"""Whom a rule binds: a group of staff, or nobody in particular."""

import time

import pytest

from core.language.people import addressees


@pytest.mark.parametrize(
    ("sentence", "group"),
    [
        ("Contractors must not accept any gift.", "contractor"),
        ("No contractor may accept a gift.", "contractor"),
        ("Gifts may not be accepted by contractors.", "contractor"),
        ("Freelancers need the consent of Legal.", "contractor"),
        ("Interns receive no allowance.", "intern"),
        ("Members of the board must not trade in the closed period.", "executive"),
        ("Drivers may not use a handset.", "driver"),
        ("Buyers must not accept hospitality from bidders.", "buyer"),
        ("Managers of contractors must sign the timesheet.", "manager"),
        ("1. Part-time employees may take half of it.", "part-timer"),
        ("If you are late, contractors must sign in.", "contractor"),
        ("Contractors must sign in, and tell the guard.", "contractor"),
        ("The contractor must sign in.", "contractor"),
        ("A manager must sign.", "manager"),
        ("Each intern must sign.", "intern"),
        ("Contractors are escorted.", "contractor"),
        ("Contractors in the archive will be escorted.", "contractor"),
        ("Part-time staff may leave at noon.", "part-timer"),
    ],
)
def test_a_rule_for_a_group_is_known(sentence: str, group: str) -> None:
    """Its subject, or the agent of a passive clause, says for whom it is."""
    assert addressees(sentence) == {group}


@pytest.mark.parametrize(
    "sentence",
    [
        "You must not accept gifts.",
        "Employees and contractors must not accept gifts.",
        "Contractors and users must lock their screen.",
        "Your manager must approve the trip.",
        "The manager approves the trip.",
        "If a contractor is offered a gift, it must be refused.",
        "Gifts from contractors must be declared.",
        "A contractor's gift must be declared.",
        "All staff, including contractors, must attend.",
        "All users, contractors included, must sign in.",
        "It is checked that contractors must sign in.",
        "Managers and colleagues must sign.",
        "Part-time work may be agreed with anybody.",
        "Their contractors must sign in.",
        "Contractors' gifts must be declared.",
        "Suppliers must sign in.",
        "",
    ],
)
def test_a_rule_for_all_is_for_nobody_in_particular(sentence: str) -> None:
    """Naming a group is not binding it, and one person with a function is no group."""
    assert addressees(sentence) == frozenset()


def test_a_lead_in_and_a_heading_say_for_whom_a_rule_is() -> None:
    """An item is for whom its list is introduced, "you" for whom the heading names alone."""
    assert addressees("- accept gifts", lead_in="Contractors must not:") == {"contractor"}
    assert addressees("You must not accept gifts.", "Rules for interns") == {"intern"}
    assert addressees("You must not accept gifts.", "Manager approvals") == frozenset()
    assert addressees("Employees must not accept gifts.", "Interns") == frozenset()


@pytest.mark.parametrize(
    ("sentence", "heading", "lead_in", "groups"),
    [
        ("Contractors may not, and interns must, sign.", "", "", {"contractor", "intern"}),
        ("- must sign in", "", "Contractors:", {"contractor"}),
        ("- one badge each", "", "For interns:", {"intern"}),
        ("- must sign in", "", "Contractors and suppliers:", set[str]()),
        ("- must sign in", "", "At the gate:", set[str]()),
        ("- tell your contractors", "", "Interns:", set[str]()),
        ("You are escorted.", "For contractors", "", {"contractor"}),
        ("You must sign.", "2) Contractors", "", {"contractor"}),
        ("Gifts are counted.", "Contractors", "", set[str]()),
        ("Keys must be signed for.", "Contractors", "", set[str]()),
        ("You must sign.", "Contractors and suppliers", "", set[str]()),
        ("You must sign.", "Employees and interns", "", set[str]()),
        ("You must tell an intern.", "Contractors", "", set[str]()),
    ],
)
def test_whoever_stands_above_a_rule_counts_alone(
    sentence: str, heading: str, lead_in: str, groups: set[str]
) -> None:
    """A heading or an introduction that names more than a group binds nobody in particular."""
    assert addressees(sentence, heading, lead_in) == groups


def test_hostile_sentences_take_linear_time() -> None:
    """8,000 characters are read in a fraction of a second of CPU time."""
    began_s = time.process_time()
    for text in ("contractors and " * 500, "by " * 2_600, "be done by " * 700, "must " * 1_600):
        addressees(text, "Interns " * 1_000)
    assert time.process_time() - began_s < 4.0
