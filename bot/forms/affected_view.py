"""The officers' card of an edition that affects past answers: what changed, and what can be done.

It stands where only officers read, as the card of a case does.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.replies.buttons import TELL_ASKERS, Button
from bot.replies.notices import moment
from bot.replies.safe_text import line
from core.domain.affected import AffectedEdition, ChangedClause, ClauseChange

PAGE = "/officer/affected/{edition}"
"""Of the console."""
TITLE = 120
QUOTE = 280
"""Characters of a policy's title, and of what stood in it or stands there now."""
_BECAME = {
    ClauseChange.CHANGED: "other words",
    ClauseChange.REMOVED: "the section is gone",
    ClauseChange.AMENDED: "the quote stands, and what is around it changed",
    ClauseChange.WITHDRAWN: "the policy is withdrawn",
    ClauseChange.ENDED: "the policy is out of force",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseView:
    """One clause that changed."""

    head: str
    """Policy, section, versions, and what became of it."""
    before: str
    """What was quoted; empty if nothing was recorded of it."""
    after: str
    """What stands there now, or was added; empty if nothing does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedView:
    """The parts of a card."""

    title: str
    """How many past answers."""
    clauses: tuple[ClauseView, ...]
    left_out: str
    """How many clauses more; empty if none."""
    states: tuple[str, ...]
    """What was decided, and what came of it."""
    button: Button | None
    """Approves; None: nothing waits."""
    link_text: str
    """Of the link to the console."""


def affected_view(affected: AffectedEdition) -> AffectedView:
    """Return the parts of a card."""
    total, left_out = affected.total, affected.clauses_left_out
    answers = "1 past answer rests" if total == 1 else f"{total} past answers rest"
    return AffectedView(
        title=f"{answers} on what edition {affected.edition} changed",
        clauses=tuple(_clause(one) for one in affected.clauses),
        left_out=f"and {left_out} more" if left_out else "",
        states=tuple(_states(affected)),
        button=TELL_ASKERS if affected.waiting else None,
        link_text="Look first" if affected.waiting else "Look",
    )


def without_console(affected: AffectedEdition) -> str:
    """Say where the answers are listed if there is no console."""
    return f"“citebound audit affected --edition {affected.edition}” lists the answers."


def _clause(clause: ChangedClause) -> ClauseView:
    where = ", ".join(filter(None, (clause.title, clause.section)))
    versions = f"version {clause.old_version}"
    if clause.new_version is not None:
        versions += f" to {clause.new_version}"
    answers = "1 answer" if clause.answers == 1 else f"{clause.answers} answers"
    return ClauseView(
        head=" · ".join(
            (line(where, limit=TITLE), line(versions, limit=60), _BECAME[clause.change], answers)
        ),
        before=line(clause.before or "", limit=QUOTE),
        after=line(clause.after or "", limit=QUOTE),
    )


def _states(affected: AffectedEdition) -> Iterator[str]:
    if affected.approved_by and affected.approved_at is not None:
        officers = ", ".join(line(one, limit=60) for one in affected.approved_by)
        told = f"{affected.told} of {affected.approved} told"
        yield f"Approved by {officers} on {moment(affected.approved_at)}: {told}"
    counts = (
        (affected.under_way, "being looked at"),
        (affected.confirmed, "the same today"),
        (affected.dropped, "with nobody to tell, or nothing to tell any more"),
        (affected.failed, "could not be given again"),
    )
    yield from (f"{count} {words}" for count, words in counts if count)
    if affected.waiting:
        yield f"{affected.waiting} not decided: nobody is told before an officer approves"
