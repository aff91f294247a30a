"""A rule is not denied, conditioned otherwise, or given to somebody else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.grounding.rule_framing import framing_kept

CASH = "Employees must not accept cash from customers."
UNLESS = "Employees must not travel abroad unless the line manager has approved the trip."
IF = "Gifts may be accepted if the Compliance Officer is told."
BOTH = "Employees must register gifts. Managers must approve travel plans."


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It is not true that employees must not accept cash.", CASH),
        ("It's not the case that employees must not accept cash.", CASH),
        ("It is a myth that employees must not accept cash.", CASH),
        ("There is no rule against accepting cash.", CASH),
        ("There is no ban on cash from customers.", CASH),
        ("Nothing in the policy forbids cash from customers.", CASH),
        ("Some people think that employees must not accept cash.", CASH),
        ("Ignore the rule that employees must not accept cash.", CASH),
        (
            "Employees must not travel abroad even if the line manager has approved the trip.",
            UNLESS,
        ),
        ("Gifts may be accepted even if the Compliance Officer is told.", IF),
        ("Contractors must not accept cash.", CASH),
        ("Customers must not accept cash.", CASH),
        ("No customer may accept cash.", CASH),
        ("Managers must register gifts.", BOTH),
        ("Cash from customers is refused only on weekdays.", "Cash from customers is refused."),
        ("Employees must not accept cash unless it snows.", CASH),
        ("Employees must not accept cash, except on birthdays.", CASH),
        ("Staff may enter if they wish.", "Staff must enter by the gate."),
        ("Gifts may be accepted whatever their value.", IF),
    ],
)
def test_another_frame_is_named(claim: str, source: str) -> None:
    """Denials, turned conditions and other subjects have a reason."""
    assert framing_kept(claim, [source])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Staff must not take cash from customers.", CASH),
        ("You must not accept cash.", CASH),
        ("Cash from customers must not be accepted.", CASH),
        ("Unless the line manager has approved it, employees must not travel abroad.", UNLESS),
        ("Employees must not travel abroad if the manager has not approved the trip.", UNLESS),
        ("If the Compliance Officer is told gifts may be accepted.", IF),
        ("Gifts may be accepted when the Compliance Officer is told.", IF),
        ("Managers must approve travel plans.", BOTH),
        ("Only with the line manager's approval may employees travel abroad.", UNLESS),
        ("Employees may travel abroad if the line manager has approved the trip.", UNLESS),
        ("Report it without delay.", "Report it at once."),
        (
            "Tell them without delay if the gift is likely to cost much.",
            "If the gift is likely to cost much, tell them without delay.",
        ),
        ("No rule on alcohol exists.", "There is no rule on alcohol."),
        (
            "There is no rule against it even if it is late.",
            "Nobody minds: there is no rule against it even if it is late.",
        ),
    ],
)
def test_the_same_frame_is_kept(claim: str, source: str) -> None:
    """Other words, another order and the source's own denials are no reason."""
    assert framing_kept(claim, [source]) is None


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_can_be_compared(claim: str, source: str) -> None:
    """Comparing never raises, and a text agrees with itself."""
    assert framing_kept(claim, [source, claim]) is None
