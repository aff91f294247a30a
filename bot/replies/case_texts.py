"""The words about a case, for officers and askers, in which no platform has a say."""

from collections.abc import Iterator
from datetime import datetime
from typing import assert_never

from bot.replies.notices import escalation_text, within
from bot.replies.text import line
from core.domain.case import Case, CaseNews, CaseState, Superseded, Urgency

QUESTION = 1_500
REPLY = 3_000
NOTE = 2_000
"""Characters of what was asked, of an answer, of what the asker added."""
CUT = "… [shortened]"
HIDDEN = "A report. Its content is told to the officer in charge in a direct message."
SUPERSEDED = "Superseded by Compliance"
_DUE = {Urgency.TODAY: "today", Urgency.WEEK: "this week"}


def case_title(case: Case) -> str:
    """Return number, state and urgency."""
    return f"Case {case.number} · {case.state.value} · {_DUE[case.urgency]}"


def case_facts(case: Case) -> Iterator[str]:
    """Return what is known of a case besides question, answer, asker and place."""
    if case.officer:
        claimed = f" on {moment(case.claimed_at)}" if case.claimed_at else ""
        yield f"claimed by {line(case.officer, limit=80)}{claimed}"
    if case.due_at:
        yield f"due {moment(case.due_at)}"
    if case.is_private:
        yield "the reply goes to the asker alone"
    if case.is_wrong:
        yield "the answer is marked as wrong"


def opened_line(case: Case) -> str:
    """Return since when it is open, and the record of what the asker got."""
    reference = f" · Ref {line(case.record_id, limit=80)}" if case.record_id else ""
    return f"Opened {moment(case.opened_at)}{reference}"


def news_text(news: CaseNews) -> str:
    """Return to the asker how far their case is."""
    who = line(news.officer, limit=80) if news.officer else "Compliance"
    match news.state:
        case CaseState.OPEN:
            return escalation_text(news.number, news.urgency)
        case CaseState.CLAIMED:
            return f"{who} has taken up your question (case {news.number})."
        case CaseState.ANSWERED:
            return f"{who} has answered your question (case {news.number})."
        case CaseState.CLOSED:
            return f"{who} has closed case {news.number}. You can ask again at any time."
        case _:
            assert_never(news.state)


def instead_text(old: Superseded) -> str:
    """Return what holds instead of an earlier answer."""
    if old.is_elsewhere:
        return "This answer no longer holds. Compliance has answered the person who asked directly."
    return "This answer no longer holds. The reply of Compliance in this thread does."


def moment(at: datetime) -> str:
    """Return an instant as people of any country read it."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


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
