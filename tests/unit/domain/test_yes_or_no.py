"""Yes and No lead where a rule plainly says so, and nowhere else."""

import pytest

from core.grounding.yes_or_no import AskedModality, Polarity, asked_of, needs_approval, polarity

ACCEPT = "May I accept gifts?"
WORTH_40 = "May I accept gifts worth EUR 40?"
REGISTER = "Do I have to register gifts?"
FORBIDDEN = "Are gifts forbidden?"


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        (ACCEPT, "Employees may accept gifts.", Polarity.YES),
        (ACCEPT, "Employees must not accept gifts.", Polarity.NO),
        ("May I accept wine gifts?", "Employees must not accept gifts.", Polarity.NO),
        (FORBIDDEN, "Employees must not accept gifts.", Polarity.YES),
        (FORBIDDEN, "Employees may accept gifts.", Polarity.NO),
        (REGISTER, "Employees must register gifts.", Polarity.YES),
        (REGISTER, "Employees need not register gifts.", Polarity.NO),
        (WORTH_40, "Employees may accept gifts of up to EUR 50.", Polarity.YES),
    ],
)
def test_a_plain_rule_answers_a_plain_question(
    question: str, sentence: str, answer: Polarity
) -> None:
    """One modal clause, about all that is asked, within the sum that it allows."""
    assert polarity(question, sentence) is answer


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (ACCEPT, "Gifts | must not be accepted"),
        (ACCEPT, "Managers check that employees must not accept gifts."),
        (ACCEPT, "Employees may accept gifts, and must not accept cash."),
        (ACCEPT, "Employees may accept no gifts."),
        (ACCEPT, "Employees may decline gifts, never accept them."),
        (ACCEPT, "Employees must not accept gifts if they come from suppliers."),
        (ACCEPT, "Employees must not accept cash gifts."),
        (ACCEPT, "Employees must not accept gifts above EUR 50."),
        (ACCEPT, "Employees accept gifts."),
        (ACCEPT, "Contractors must not accept gifts."),
        ("May I accept wine gifts?", "Employees may accept gifts."),
        ("May I travel by train?", "Visitors must not be filmed."),
        ("May I accept gifts worth EUR 60?", "Employees may accept gifts of up to EUR 50."),
        ("May I accept gifts worth USD 40?", "Employees may accept gifts of up to EUR 50."),
        ("May I accept gifts worth EUR 60?", "Employees may accept gifts of at least EUR 50."),
        (WORTH_40, "Employees may accept gifts of up to EUR 50 and meals of up to EUR 80."),
        (WORTH_40, "Employees must not accept gifts of up to EUR 50."),
        (WORTH_40, "Employees may accept gifts."),
        (WORTH_40, "Employees may accept gifts within 5 days."),
        (REGISTER, "Employees should not register gifts."),
        ("Do I have to register gifts worth EUR 40?", "Employees must register gifts of EUR 90."),
        ("Who may accept gifts?", "Employees must not accept gifts."),
        ("May I accept gifts or cash?", "Employees must not accept gifts."),
        ("May I accept gifts? They are small.", "Employees must not accept gifts."),
        ("May I be given gifts?", "Employees must not be given gifts."),
    ],
)
def test_whatever_is_not_plain_is_left_open(question: str, sentence: str) -> None:
    """A row, a condition, another group, another sum, less or more than what is asked."""
    assert polarity(question, sentence) is None


def test_a_list_item_is_read_behind_its_lead_in() -> None:
    """The item alone says nothing; another item is about something else."""
    assert polarity(ACCEPT, "gifts;", "Employees must not accept:") is Polarity.NO
    assert polarity(ACCEPT, "gifts;") is None
    assert polarity(ACCEPT, "cash;", "Employees must not accept:") is None


@pytest.mark.parametrize(
    ("question", "sentence", "needs"),
    [
        (ACCEPT, "Accepting gifts requires the prior approval of the manager.", True),
        (ACCEPT, "To accept gifts, employees must first obtain written consent.", True),
        (ACCEPT, "Nobody accepts gifts; no gift is accepted without consent.", False),
        (ACCEPT, "Accepting gifts does not require approval.", False),
        (ACCEPT, "To accept gifts no approval is required.", False),
        (ACCEPT, "Accepting gifts never requires approval.", False),
        (ACCEPT, "Gifts to accept | requires the prior approval", False),
        (WORTH_40, "Accepting gifts requires the prior approval of the manager.", False),
        (ACCEPT, "Accepting gifts above EUR 50 requires the prior approval of the manager.", False),
        (ACCEPT, "Accepting gifts requires approval unless they are small.", False),
        ("Must I accept gifts?", "Accepting gifts requires the prior approval.", False),
        (ACCEPT, "Travel requires the prior approval of the manager.", False),
        (ACCEPT, "Gifts must be approved by the manager.", False),
    ],
)
def test_what_needs_an_approval(question: str, sentence: str, *, needs: bool) -> None:
    """Said of what is asked about, of all of it, and not denied."""
    assert needs_approval(question, sentence) is needs


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Hi, can I accept gifts?", AskedModality.ALLOWED),
        ("Am I allowed to accept gifts", AskedModality.ALLOWED),
        ("is it ok to accept gifts?", AskedModality.ALLOWED),
        ("Is it forbidden to accept gifts?", AskedModality.FORBIDDEN),
        ("Is accepting gifts against the rules?", AskedModality.FORBIDDEN),
        ("Must I register gifts?", AskedModality.REQUIRED),
        ("Are employees obliged to register gifts?", AskedModality.REQUIRED),
        ("Is it not allowed to accept gifts?", None),
        ("Can't I accept gifts?", None),
        ("Can I refuse gifts?", None),
        ("May I accept gifts if they are small?", AskedModality.ALLOWED),
        ("Can I get gifts?", None),
        ("Can we be given gifts?", None),
        ("What may I accept?", None),
        ("", None),
    ],
)
def test_what_a_question_asks_of_an_act(question: str, asked: AskedModality | None) -> None:
    """A negation, a condition or an alternative makes it no plain one."""
    assert asked_of(question) is asked
