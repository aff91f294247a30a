"""The officers' card of a case: question, what the asker got, and what can be done.

Who asked and where is shown only as far as the case says so. A report is told nowhere that several
people read: there its card has a number and nothing of its content.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from bot.replies.answer import BadgeLine, badge_of, ref
from bot.replies.buttons import Button, case_buttons
from bot.replies.safe_text import line, permalink_or_none
from core.domain.case import Case, ReviewVerdict, Urgency

QUESTION = 1_500
REPLY = 3_000
NOTE = 2_000
"""Characters of what was asked, of an answer, of what the asker added."""
HIDDEN = "A report. Its content is told to the officer in charge in a direct message."
NO_ANSWER = "No answer was given"
MARKED = {
    ReviewVerdict.RIGHT: "right",
    ReviewVerdict.PARTLY: "partly right",
    ReviewVerdict.WRONG: "wrong",
}
_DUE = {Urgency.TODAY: "today", Urgency.WEEK: "this week"}


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


def _as_it_is(text: str) -> str:
    return text


def case_view(
    case: Case,
    *,
    is_public: bool,
    moment: Callable[[datetime], str],
    literal: Callable[[str], str] = _as_it_is,
) -> CaseView:
    """Return the parts of a card.

    Args:
        case: the case.
        is_public: others than the officer in charge read it.
        moment: writes an instant, as a platform shows it in each reader's zone.
        literal: makes foreign text inert beside it.
    """
    reference = f" · {literal(ref(case.record_id))}" if case.record_id else ""
    return CaseView(
        title=f"Case {case.number} · {case.state.value} · {_DUE[case.urgency]}",
        is_hidden=case.is_sensitive and is_public,
        badge=badge_of(case.answer) if case.answer else None,
        thread=permalink_or_none(case.permalink),
        facts=tuple(_facts(case, moment, literal)),
        opened=f"Opened {moment(case.opened_at)}{reference}",
        buttons=tuple(case_buttons(case)),
    )


def _facts(
    case: Case, moment: Callable[[datetime], str], literal: Callable[[str], str]
) -> Iterator[str]:
    if case.officer:
        claimed = f" on {moment(case.claimed_at)}" if case.claimed_at else ""
        yield f"claimed by {literal(line(case.officer, limit=80))}{claimed}"
    if case.due_at:
        yield f"due {moment(case.due_at)}"
    if case.is_private:
        yield "the reply goes to the asker alone"
    if case.verdict:
        yield f"the answer is marked as {MARKED[case.verdict]}"
