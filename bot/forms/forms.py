"""The words of forms: the same questions and choices wherever they are filled in."""

from core.domain.answer import Answer

ESCALATE_TITLE, REPORT_TITLE, ANSWER_TITLE = "Ask Compliance", "Report a problem", "Answer"
REASONS = (
    ("wrong", "The answer contradicts the policy"),
    ("stale", "The source is out of date"),
    ("incomplete", "It missed an exception"),
    ("citation", "The citation does not support it"),
    ("other", "Other"),
)
"""What is wrong with an answer: value and words."""
URGENCIES = (("today", "Today"), ("week", "This week"))
QUOTED = 2_000
"""Characters of a message that a form quotes."""
WHO_SEES = (
    "A compliance officer will see your name, your question and the answer you got, and"
    " replies in this thread."
)
WHO_SEES_HERE = (
    "A compliance officer will see your name, your question and the answer you got, and"
    " replies to you here."
)
SEEN_OF_REPORT = (
    "The compliance officer on call will see what you wrote and what you add here. Your name is not"
    " shown, nothing of it stands in a channel, and the reply comes to you alone."
)
UNDER_YOUR_NAME_ALONE = (
    "The text goes to the asker alone, directly, under your name, without the AI label."
)
UNDER_YOUR_NAME = "The text goes to the asker under your name, without the AI label."
IN_PRIVATE = "The answer comes in our direct messages, where you alone read it."
NOT_MY_NAME = "Do not show my name to the officer"
WHAT_TO_KNOW, WHAT_HINT = "What should they know?", "Deal, counterparty, deadline..."
WHEN = "When do you need it?"
WHAT_IS_WRONG = "What is wrong?"
YOUR_QUESTION = "Your question"
WHERE_TO = "Where should the answer go?"
ANSWER_ME_PRIVATELY, ANSWER_IN_THREAD = "Answer me privately", "Answer in the thread"
REPORTED = "Thank you. Compliance reviews this answer; your report is recorded."


def with_compliance(number: int) -> str:
    """Return that a question was passed on already, and what this form adds."""
    return (
        f"Your question is with Compliance as case {number} already, without your name. Here you"
        " can add to it."
    )


def asks_compliance(answer: Answer) -> str:
    """Return what the button says that hands a question to Compliance, or adds to its case."""
    number = answer.case_number
    return "Ask Compliance" if number is None else f"Add to case {number}"
