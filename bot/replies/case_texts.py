"""What is said of cases: to askers how far theirs is, to officers that one is due."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import assert_never

from bot.replies.notices import AUTOMATED
from bot.replies.safe_text import line
from core.domain.case import (
    UNSETTLED,
    Case,
    CaseNews,
    CaseReminder,
    CaseState,
    ReportClock,
    ReportDue,
    SupersededAnswer,
    Urgency,
)
from core.language.interface.texts import Text, as_it_is
from core.language.languages import Language

COMPLIANCE = as_it_is("Compliance")
ANSWER_CONFIRMED = Text("The answer that you got is right.", "Die Antwort oben ist richtig.")
STATES: Mapping[CaseState, Text] = {
    CaseState.OPEN: Text("open", "offen"),
    CaseState.CLAIMED: Text("claimed", "übernommen"),
    CaseState.ANSWERED: Text("answered", "beantwortet"),
    CaseState.CLOSED: Text("closed", "geschlossen"),
}
_HAS_CLAIMED = Text("{who} has claimed it", "{who} hat ihn übernommen")
_UNCLAIMED = Text("nobody has claimed it", "niemand hat ihn übernommen")
CASE_NUMBER = Text("Case {number}", "Fall {number}")
_WHAT: Mapping[ReportDue | None, Text] = {
    None: CASE_NUMBER,
    ReportDue.ACKNOWLEDGEMENT: Text(
        "Acknowledgement of report {number}", "Eingangsbestätigung zu Meldung {number}"
    ),
    ReportDue.FEEDBACK: Text("Feedback on report {number}", "Rückmeldung zu Meldung {number}"),
}
_WAS_DUE = Text(
    "{what} was due {due}. It is now {state}.", "{what} war fällig: {due}. Stand jetzt: {state}."
)
_OVERDUE = Text(
    "{what} is overdue: it was due {due}, and {who}.",
    "{what} ist überfällig: fällig war {due}, und {who}.",
)
_DUE = Text("{what} is due {due}, and {who}.", "{what} ist fällig {due}, und {who}.")
_GIVEN = Text("given", "gegeben")
_WRITTEN = Text(
    "The writer of report {number} has written. The card shows it.",
    "Zu Meldung {number} hat die meldende Person geschrieben. Die Karte zeigt es.",
)


def reminder_text(reminder: CaseReminder, language: Language, *, due: str) -> str:
    """Tell officers that a case is due, or was; `due` is when, as the platform writes it."""
    if reminder.has_written:
        return _WRITTEN.of(language).format(number=reminder.number)
    what = _WHAT[reminder.clock].of(language).format(number=reminder.number)
    if reminder.state not in UNSETTLED:
        state = (_GIVEN if reminder.clock else STATES[reminder.state]).of(language)
        return _WAS_DUE.of(language).format(what=what, due=due, state=state)
    officer = line(reminder.officer, limit=80) if reminder.officer else ""
    who = _HAS_CLAIMED.format(who=officer) if officer else _UNCLAIMED
    told = _OVERDUE if reminder.is_overdue else _DUE
    return told.of(language).format(what=what, due=due, who=who.of(language))


_FACTS: Mapping[ReportDue, tuple[Text, Text]] = {
    ReportDue.ACKNOWLEDGEMENT: (
        Text("receipt acknowledged {at}", "Eingang bestätigt {at}"),
        Text("acknowledgement of receipt due {at}", "Eingangsbestätigung fällig {at}"),
    ),
    ReportDue.FEEDBACK: (
        Text("feedback given {at}", "Rückmeldung gegeben {at}"),
        Text("feedback due {at}", "Rückmeldung fällig {at}"),
    ),
}


def clock_facts(
    clock: ReportClock, language: Language, moment: Callable[[datetime], str]
) -> Iterator[str]:
    """Yield what the writer of a report has had, and when the rest is due."""
    done = {
        ReportDue.ACKNOWLEDGEMENT: clock.acknowledged_at,
        ReportDue.FEEDBACK: clock.feedback_at,
    }
    for what, (was, will) in _FACTS.items():
        words, at = (was, done[what]) if done[what] else (will, clock.owed.get(what))
        if at is not None:
            yield words.of(language).format(at=moment(at))


_SENT_DUE = Text(
    "Sent to Compliance (case {number}). Expect an answer by {due}.",
    "An Compliance gesendet (Fall {number}). Eine Antwort ist fällig bis {due}.",
)
_SENT_USUALLY = Text(
    "Sent to Compliance (case {number}), usually answered {within}.",
    "An Compliance gesendet (Fall {number}), in der Regel {within} beantwortet.",
)
_TAKEN_UP = Text(
    "{who} has taken up your question (case {number}).",
    "{who} hat Ihre Frage übernommen (Fall {number}).",
)
_HAS_ANSWERED = Text(
    "{who} has answered your question (case {number}).",
    "{who} hat Ihre Frage beantwortet (Fall {number}).",
)
_HAS_CLOSED = Text(
    "{who} has closed case {number}. You can ask again at any time.",
    "{who} hat Fall {number} geschlossen. Sie können jederzeit wieder fragen.",
)

_RECEIVED = Text(
    "Compliance has received your report (case {number}). Feedback comes by {due}.",
    "Compliance hat Ihre Meldung erhalten (Fall {number}). Eine Rückmeldung kommt bis {due}.",
)
_UNHEARD = Text(
    "Nobody in Compliance has reacted in time to your report (case {number}). Please turn to"
    " somebody outside Compliance, such as the speak-up line or the ombudsperson.",
    "Bei Compliance hat niemand rechtzeitig auf Ihre Meldung reagiert (Fall {number}). Bitte wenden"
    " Sie sich an jemanden außerhalb von Compliance, etwa an die Hinweisgeberstelle oder die"
    " Ombudsperson.",
)


def within(urgency: Urgency) -> Text:
    """Return when an answer is due."""
    if urgency is Urgency.TODAY:
        return Text("within 1 working day", "innerhalb eines Arbeitstags")
    return Text("within a week", "innerhalb einer Woche")


def news_text(news: CaseNews, language: Language, *, due: str = "") -> str:
    """Tell askers how far their case is; `due`: until when an answer is due, if that is told."""
    who = line(news.officer, limit=80) if news.officer else COMPLIANCE.of(language)
    if news.ways is not None:
        return f"{_UNHEARD.of(language).format(number=news.number)} {line(news.ways)}".strip()
    if news.is_acknowledgement:
        return _RECEIVED.of(language).format(number=news.number, due=due)
    match news.state:
        case CaseState.OPEN:
            told = _SENT_DUE if due else _SENT_USUALLY
        case CaseState.CLAIMED:
            told = _TAKEN_UP
        case CaseState.ANSWERED:
            told = _HAS_ANSWERED
        case CaseState.CLOSED:
            told = _HAS_CLOSED
        case _:
            assert_never(news.state)
    usually = within(news.urgency).of(language)
    return told.of(language).format(number=news.number, due=due, within=usually, who=who)


def case_name(number: int, language: Language) -> str:
    """Return how people call a case."""
    return CASE_NUMBER.format(number=number).of(language)


def about_text(old: SupersededAnswer, language: Language) -> str:
    """Return what an answer that no longer holds is about: its case, or the change."""
    return AUTOMATED.of(language) if old.number is None else case_name(old.number, language)


_POLICY_CHANGED = Text(
    "This answer relies on policy wording that has since changed. {where}",
    "Diese Antwort beruht auf etwas, das nicht mehr in der Richtlinie steht. {where}",
)
_ASKER_HAS_TODAYS = Text(
    "The person who asked has been given today's answer.",
    "Die Person, die gefragt hat, hat die heutige Antwort.",
)
_THREAD_HAS_TODAYS = Text(
    "Today's answer is in this thread.", "Die heutige Antwort steht in diesem Thread."
)
_ANSWERED_DIRECTLY = Text(
    "This answer no longer holds. Compliance has answered the person who asked directly.",
    "Diese Antwort gilt nicht mehr. Compliance hat der Person, die gefragt hat, direkt"
    " geantwortet.",
)
_ANSWERED_HERE = Text(
    "This answer no longer holds. The reply from Compliance in this thread replaces it.",
    "Diese Antwort gilt nicht mehr. Es gilt die Antwort von Compliance in diesem Thread.",
)


def instead_text(old: SupersededAnswer, language: Language) -> str:
    """Say what replaces an earlier answer."""
    if old.number is None:
        where = _ASKER_HAS_TODAYS if old.is_elsewhere else _THREAD_HAS_TODAYS
        return _POLICY_CHANGED.format(where=where).of(language)
    return (_ANSWERED_DIRECTLY if old.is_elsewhere else _ANSWERED_HERE).of(language)


_SENT = Text(
    "Sent to Compliance as case {number}. {where}, usually {within}.",
    "Als Fall {number} an Compliance gesendet. {where}, in der Regel {within}.",
)
_TO_ASKER = Text(
    "Only you will get the reply, in our direct messages",
    "Die Antwort erhalten nur Sie, in unseren Direktnachrichten",
)
_TO_THREAD = Text("The reply comes in your thread", "Die Antwort kommt in Ihren Thread")
_SENT_BEFORE = Text(
    "This has already been sent to Compliance. {stands}",
    "Das ist schon an Compliance gegangen. {stands}",
)
_IS_OPEN = Text(
    "Case {number} is open: nobody has claimed it yet.",
    "Fall {number} ist offen: Noch hat ihn niemand übernommen.",
)
_WAS_CLAIMED = Text("{who} has claimed case {number}.", "{who} hat Fall {number} übernommen.")
_WAS_ANSWERED = Text("{who} has answered case {number}.", "{who} hat Fall {number} beantwortet.")
_IS_CLOSED = Text("Case {number} is closed.", "Fall {number} ist geschlossen.")


def sent_words(case: Case) -> Text:
    """Say that a question was sent to Compliance, and where the reply will appear."""
    where = _TO_ASKER if case.is_private else _TO_THREAD
    return _SENT.format(number=case.number, where=where, within=within(case.urgency))


def already_sent(case: Case) -> Text:
    """Say that this answer already has a case, and its state."""
    return _SENT_BEFORE.format(stands=case_stands(case))


def case_stands(case: Case) -> Text:
    """Say what state a case is in."""
    who = as_it_is(line(case.officer, limit=80)) if case.officer else COMPLIANCE
    match case.state:
        case CaseState.OPEN:
            told = _IS_OPEN
        case CaseState.CLAIMED:
            told = _WAS_CLAIMED
        case CaseState.ANSWERED:
            told = _WAS_ANSWERED
        case CaseState.CLOSED:
            told = _IS_CLOSED
    return told.format(number=case.number, who=who)
