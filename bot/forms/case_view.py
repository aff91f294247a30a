"""The officers' card of a case: question, what the asker got, and what can be done.

Who asked and where is shown only as far as the case says so. A report is told nowhere that several
people read: there its card has a number and nothing of its content.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from bot.replies.answer import BadgeLine, badge_of, ref
from bot.replies.buttons import Button, case_buttons
from bot.replies.case_texts import STATES, clock_facts
from bot.replies.safe_text import line, permalink_or_none
from core.cases.written import plain
from core.domain.case import Case, ReviewVerdict, Urgency
from core.language.interface.texts import Text
from core.language.languages import Language

QUESTION = 1_500
REPLY = 3_000
NOTE = 2_000
"""Characters of what was asked, of an answer, of what the asker added."""
HIDDEN = Text(
    "A report. The officer in charge gets its content in a direct message.",
    "Ein Hinweis. Der Inhalt geht in einer Direktnachricht an die zuständige Person.",
)
NO_ANSWER = Text("No answer was given", "Es gab keine Antwort")
NOTED, TOLD = Text("Note", "Anmerkung"), Text("Answered", "Geantwortet")
GOT = Text("What the asker got", "Was die fragende Person erhalten hat")
EARLIER = Text("The earlier answer", "Die frühere Antwort")
EARLIER_WAS = Text("The earlier answer was:", "Die frühere Antwort war:")
ASKED_BY = Text("asked by {who}", "gefragt von {who}")
OPEN_THREAD = Text("open the thread", "Thread öffnen")
WHERE_ASKED = Text("Where you asked", "Zu Ihrer Frage")
MARKED = {
    ReviewVerdict.RIGHT: Text("right", "richtig"),
    ReviewVerdict.PARTLY: Text("partly right", "teilweise richtig"),
    ReviewVerdict.WRONG: Text("wrong", "falsch"),
}
_DUE = {Urgency.TODAY: Text("today", "heute"), Urgency.WEEK: Text("this week", "diese Woche")}
_TITLE = Text("Case {number} · {state} · {due}", "Fall {number} · {state} · {due}")
_OPENED = Text("Opened {at}", "Eröffnet {at}")
_CLAIMED = Text("claimed by {who}{on}", "übernommen von {who}{on}")
_ON = Text(" on {at}", " am {at}")
_IS_DUE = Text("due {at}", "fällig {at}")
_WRITER = Text("Writer of the report", "Meldende Person")
_PRIVATE = Text("only the asker gets the reply", "die Antwort geht nur an die fragende Person")
_IS_MARKED = Text("the answer is marked as {verdict}", "die Antwort ist als {verdict} bewertet")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """The parts of a card besides the question, its note and the answers."""

    title: str
    """Number, state and urgency."""
    is_hidden: bool
    """True: only the title and `HIDDEN` are shown."""
    badge: BadgeLine | None
    """Badge of the answer that the asker got; None if there was none."""
    thread: str | None
    """A link to where it was asked; None if that is unknown."""
    facts: tuple[str, ...]
    """Further facts, in order."""
    opened: str
    """When it was opened, and the reference of the asker's answer."""
    buttons: tuple[Button, ...]


def noted(case: Case, language: Language) -> str:
    """Return what a report's officers and writer wrote to each other, the latest first, and notes.

    All of it is foreign.
    """
    messages = (
        f"{said.officer}: {plain(said.text)}"
        if said.officer
        else f"{_WRITER.of(language)}: {said.text}"
        for said in reversed(case.messages)
    )
    return "\n\n".join([*messages, *filter(None, [case.note])])


def _as_it_is(text: str) -> str:
    return text


def case_view(
    case: Case,
    *,
    is_public: bool,
    moment: Callable[[datetime], str],
    literal: Callable[[str], str] = _as_it_is,
    language: Language = Language.ENGLISH,
) -> CaseView:
    """Return the parts of a card.

    Args:
        case: the case.
        is_public: others than the officer in charge read it.
        moment: writes an instant, as a platform shows it in each reader's zone.
        literal: makes foreign text inert beside it.
        language: of whoever reads it.
    """
    reference = f" · {literal(ref(case.record_id))}" if case.record_id else ""
    return CaseView(
        title=_TITLE.format(
            number=case.number, state=STATES[case.state], due=_DUE[case.urgency]
        ).of(language),
        is_hidden=case.is_sensitive and is_public,
        badge=badge_of(case.answer, language) if case.answer else None,
        thread=permalink_or_none(case.permalink),
        facts=tuple(_facts(case, moment, literal, language)),
        opened=f"{_OPENED.of(language).format(at=moment(case.opened_at))}{reference}",
        buttons=tuple(case_buttons(case)),
    )


def _facts(
    case: Case,
    moment: Callable[[datetime], str],
    literal: Callable[[str], str],
    language: Language,
) -> Iterator[str]:
    if case.officer:
        on = _ON.of(language).format(at=moment(case.claimed_at)) if case.claimed_at else ""
        who = literal(line(case.officer, limit=80))
        yield _CLAIMED.of(language).format(who=who, on=on)
    if case.due_at:
        yield _IS_DUE.of(language).format(at=moment(case.due_at))
    yield from clock_facts(case.clock, language, moment)
    if case.is_private:
        yield _PRIVATE.of(language)
    if case.verdict:
        yield _IS_MARKED.format(verdict=MARKED[case.verdict]).of(language)
