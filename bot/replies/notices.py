"""Short messages other than answers, worded the same on every platform."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from typing import assert_never

from bot.replies.safe_text import line
from core.agent.languages_wording import words_in
from core.domain.answer import Answer
from core.domain.case import (
    UNSETTLED,
    Case,
    CaseNews,
    CaseReminder,
    CaseState,
    SupersededAnswer,
    Urgency,
)
from core.domain.delivery import Notice, StoredReply
from core.domain.officers import NoLink, SignInLink
from core.language.languages import Language

WRITE_DIRECTLY = (
    "I'm still finding out who can read this conversation. I answer here as soon as I know; in a"
    " direct message you get your answer at once."
)
REMOVED = "This answer was removed. Its record is kept."
BUSY = (
    "Many questions are waiting. Yours is kept: I answer it here when its turn comes, and you don't"
    " need to ask again."
)
TOO_MANY_OF_YOURS = (
    "You have as many questions waiting as I keep for one person, so I did not take this one or any"
    " that you send before there is room. Those that wait are answered; you can ask again at {at}."
    " If it can't wait, turn to Compliance directly."
)
TOO_MANY = (
    "More questions are waiting than I can keep, so I did not take this one. You can ask again at"
    " {at}. If it can't wait, turn to Compliance directly."
)
CONSOLE = "Officers' console"
SIGN_IN = (
    "Sign in here: {link}. The link works once, for {minutes} minutes, and lets in whoever has it:"
    " do not pass it on."
)
_NO_LINK: Mapping[NoLink, str] = {
    NoLink.NO_CONSOLE: "The officers' console is not set up here.",
    NoLink.NOT_OFFICER: "Only compliance officers can sign in to the officers' console.",
    NoLink.TOO_MANY: (
        "You have asked for several links within a few minutes. Use the last one, or ask again in"
        " 10 minutes."
    ),
}
DAY_BUDGET_SPENT = (
    "The language models have cost as much today as the daily budget (CITEBOUND_DAILY_BUDGET_USD)"
    " allows. Until midnight UTC questions are answered without them, and each answer says so."
)
CHECKPOINT = (
    "This is the signed state of the record today. It stands here so that nobody who can change the"
    " database can deny it: `citebound audit verify --anchors FILE` compares it, copied to a file."
)
CONTRADICTIONS = (
    "Past questions were asked again, and some answers contradict each other: today's and those of"
    " then, or those to two wordings of one question. The officers' console lists them under"
    " Reviews; in the record they are `contradiction:found`."
)
PRECEDENT_PROPOSED = (
    "An officer proposes an answer as a precedent. Another officer decides, in the console or by"
    " `citebound precedent approve`; `citebound precedent list` names it."
)
PRECEDENT_ENDED = (
    "A precedent is told no more: what it rests on has changed, or its last day has passed."
    " `citebound precedent list` names it; it can be proposed again."
)
SUBJECT = 400
"""Characters of a line of what a notice is about."""
SUBJECT_LINES = 14
"""Lines of it."""
REVIEW_OVERDUE = (
    "A policy is past its review: {subject}. It holds until it is changed, and answers that quote"
    " it say that its review is overdue. A new date or a new version ends that."
)
POLICIES_CHANGED = "What changed in the policies, {subject}"
SOURCE_FAILS = (
    "A source of policies can't be read: {subject}. What is known of it stays in force and gets no"
    " newer. It is tried again, ever more rarely; `citebound sources list` has the state."
)
SOURCE_WORKS = "A source of policies can be read again: {subject}."
HOW_IT_WORKS = (
    "Ask about company policy. Each answer quotes the policy text that it rests on, and says so if"
    " AI wrote it."
)
STAFF_ALONE = "I answer questions of this company's own staff."
NAME = "Compliance Assistant"
HOW = (
    "Each statement is checked against the policy text before you see it; “Show evidence” has the"
    " words around each quote.",
    "If the policies do not settle it, “Ask Compliance” hands your question to a person.",
    "Questions and answers are recorded, and Compliance can read the record.",
)
"""How it works; each platform adds how to ask."""
STOPPED = "Stopped. You can ask again at any time."
ONLY_ASKER = "Only the person who asked can do this."
ASKED_BY = "{who} asked this."
ASKED_ELSE = "Not answered: another question was asked instead."
EXPIRED = "This question is too old to be answered by a button. Please ask me again."
ONLY_ASKER_SENDS = (
    "Only the person who asked can send this to Compliance. Ask me the question yourself, and you"
    " can send yours."
)
NOT_READABLE = "You can't see this here. You can ask me the question yourself."
OFFICERS_ONLY = "Only compliance officers can do this."
OUTDATED = "This has been settled in the meantime. The message shows how it stands now."
THANKS_UP = "Thank you. Your feedback is recorded with the answer."
THANKS_DOWN = "Thank you. Compliance reviews answers that were marked as not helpful."
ANSWERED_YOU = "Thank you. I have recorded that this passage answers your question."
ANSWERED_YOU_TOO = (
    "Thank you. I have recorded that this passage answers it for you. Nothing changes for the"
    " person who asked."
)
ANSWERED_BEFORE = "You have told me before that this passage answers it. That is recorded."
STILL_WITH_COMPLIANCE = "Your question stays with Compliance."
ASKED_BEFORE = "This was asked before: the answer is in this thread."
CHECKING = "Checking the policies…"
IN_DIRECT = "Your answer is in our direct messages."
AUTOMATED = "Automated reply"


def ask_privately(answer: Answer) -> str:
    """Return all that is said of a report where others may read, in the asker's language."""
    return words_in(Language(answer.language)).report_in_public


_NOTICES: Mapping[Notice, str] = {
    Notice.EDITED_AFTER_ANSWER: (
        "I had already answered when you changed your message. Please ask again."
    ),
    Notice.WITHHELD: (
        "The answer is not shown here: since the question, the people who can read this"
        " conversation have changed. If you may read it, I send it to you directly."
    ),
    Notice.REMOVED: REMOVED,
    Notice.STOPPED: STOPPED,
    Notice.BUSY: BUSY,
    Notice.TOO_MANY_OF_YOURS: TOO_MANY_OF_YOURS,
    Notice.TOO_MANY: TOO_MANY,
    Notice.DAY_BUDGET_SPENT: DAY_BUDGET_SPENT,
    Notice.CHECKPOINT: CHECKPOINT,
    Notice.CONTRADICTIONS: CONTRADICTIONS,
    Notice.PRECEDENT_PROPOSED: PRECEDENT_PROPOSED,
    Notice.PRECEDENT_ENDED: PRECEDENT_ENDED,
    Notice.REVIEW_OVERDUE: REVIEW_OVERDUE,
    Notice.POLICIES_CHANGED: POLICIES_CHANGED,
    Notice.SOURCE_FAILS: SOURCE_FAILS,
    Notice.SOURCE_WORKS: SOURCE_WORKS,
    Notice.HOW_IT_WORKS: HOW_IT_WORKS,
    Notice.SIGN_IN: _NO_LINK[NoLink.NO_CONSOLE],
    Notice.MAYBE_ABOVE: "Your answer may be above; {platform} did not say whether it arrived.",
}


def subject_lines(subject: str | None) -> list[str]:
    """Return the lines of what a notice is about, each safe to be shown."""
    return [line(one, limit=SUBJECT) for one in (subject or "").split("\n")[:SUBJECT_LINES]]


def notice_text(notice: Notice, *, platform: str, at: str = "", subject: str = "") -> str:
    """Return the words of a notice.

    Args:
        notice: Which.
        platform: Its name, as people call it.
        at: The time that the notice names, as the platform writes it; empty if it names none.
        subject: What it is about, as the platform shows foreign words; empty if it names nothing.
    """
    return _NOTICES[notice].format(platform=platform, at=at, subject=subject)


def sign_in_text(told: SignInLink | NoLink | None, *, link: Callable[[str], str] = str) -> str:
    """Return the words of a notice about signing in; `link` writes an address as the platform."""
    if isinstance(told, SignInLink):
        return SIGN_IN.format(link=link(told.url), minutes=told.minutes)
    return _NO_LINK[told or NoLink.NO_CONSOLE]


def checkpoint_lines(reply: StoredReply) -> str:
    """Return the signed note of a checkpoint, which ends no block of code; empty: there is none."""
    return (reply.checkpoint or "").strip().replace("`", "'")


def time_text(at: datetime, zone: tzinfo = UTC) -> str:
    """Return a time of day, with its zone."""
    return _with_zone(at.astimezone(zone), "%H:%M")


def day_text(at: datetime, zone: tzinfo = UTC) -> str:
    """Return a day and a time, with its zone: unambiguous in any country."""
    return _with_zone(at.astimezone(zone), "%a %Y-%m-%d %H:%M")


def _with_zone(local: datetime, form: str) -> str:
    name = local.tzname() or "UTC"
    return f"{local.strftime(form)} {f'UTC{name}' if name[0] in '+-' else name}"


def reminder_text(reminder: CaseReminder, *, due: str) -> str:
    """Tell officers that a case is due, or was; `due` is when, as the platform writes it."""
    if reminder.state not in UNSETTLED:
        return f"Case {reminder.number} was due {due}. It is {reminder.state.value} now."
    who = f"{line(reminder.officer, limit=80)} has claimed it" if reminder.officer else ""
    who = who or "nobody has claimed it"
    if reminder.is_overdue:
        return f"Case {reminder.number} is overdue: it was due {due}, and {who}."
    return f"Case {reminder.number} is due {due}, and {who}."


def due_text(news: CaseNews, *, due: str) -> str:
    """Say that a question was sent to Compliance, and until when an answer is due."""
    return f"Sent to Compliance (case {news.number}). An answer is due by {due}."


def escalation_text(number: int, urgency: Urgency) -> str:
    """Say that a question was sent to Compliance."""
    return f"Sent to Compliance (case {number}), usually answered {within(urgency)}."


def within(urgency: Urgency) -> str:
    """Return when an answer is due."""
    return "within 1 working day" if urgency is Urgency.TODAY else "within a week"


def news_text(news: CaseNews, *, due: str = "") -> str:
    """Tell askers how far their case is; `due`: until when an answer is due, if that is told."""
    who = line(news.officer, limit=80) if news.officer else "Compliance"
    match news.state:
        case CaseState.OPEN:
            return due_text(news, due=due) if due else escalation_text(news.number, news.urgency)
        case CaseState.CLAIMED:
            return f"{who} has taken up your question (case {news.number})."
        case CaseState.ANSWERED:
            return f"{who} has answered your question (case {news.number})."
        case CaseState.CLOSED:
            return f"{who} has closed case {news.number}. You can ask again at any time."
        case _:
            assert_never(news.state)


def about_text(old: SupersededAnswer) -> str:
    """Return what an answer that no longer holds is about: its case, or the change."""
    return AUTOMATED if old.number is None else f"Case {old.number}"


def instead_text(old: SupersededAnswer) -> str:
    """Say what replaces an earlier answer."""
    if old.number is None:
        where = "The person who asked has" if old.is_elsewhere else "This thread has"
        return f"This answer rests on what the policy no longer says. {where} the answer of today."
    if old.is_elsewhere:
        return "This answer no longer holds. Compliance has answered the person who asked directly."
    return "This answer no longer holds. The reply of Compliance in this thread does."


def moment(at: datetime) -> str:
    """Return an instant in a form that is unambiguous in any country."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def sent_words(case: Case) -> str:
    """Say that a question was sent to Compliance, and where the reply will appear."""
    if case.is_private:
        where = "The reply comes to you alone, in our direct messages"
    else:
        where = "The reply comes in your thread"
    return f"Sent to Compliance as case {case.number}. {where}, usually {within(case.urgency)}."


def already_sent(case: Case) -> str:
    """Say that this answer already has a case, and its state."""
    return f"This was sent to Compliance before. {case_stands(case)}"


def case_stands(case: Case) -> str:
    """Say what state a case is in."""
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
