"""Lines for whoever pressed something: how a case stands, and where its answer comes."""

from bot.replies.notices import within
from bot.replies.text import line
from core.domain.case import Case, CaseState


def sent_words(case: Case) -> str:
    """Return that a question was sent, and where the reply comes."""
    if case.is_private:
        where = "The reply comes to you alone, in our direct messages"
    else:
        where = "The reply comes in your thread"
    return f"Sent to Compliance as case {case.number}. {where}, usually {within(case.urgency)}."


def already_sent(case: Case) -> str:
    """Return that there is a case of this answer, and how it stands."""
    return f"This was sent to Compliance before. {case_stands(case)}"


def case_stands(case: Case) -> str:
    """Return how a case stands now."""
    who = line(case.officer, limit=80) if case.officer else "Compliance"
    match case.state:
        case CaseState.OPEN:
            return f"Case {case.number} is open: nobody has claimed it yet."
        case CaseState.CLAIMED:
            return f"{who} has claimed case {case.number}."
        case CaseState.ANSWERED:
            return f"{who} has answered case {case.number}."
        case CaseState.CLOSED:
            return f"Case {case.number} is closed."
