"""What the run of a question tells beside its outcome: of questions back, assumptions, conflicts.

Each event follows from the record of the outcome and is appended with it. None repeats a text: what
somebody said stands in the outcome's own, which can be erased.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.audit.documents import Event
from core.domain.answer import Outcome, RefusalKind, ShownCitation
from core.domain.audit import Tag
from core.domain.json_value import Json
from core.domain.question import NOTHING_ASKED, Assumption, Question, Turn
from core.domain.run import Run

SAID = frozenset({"asker", "button"})
"""Sources of an assumption that somebody stated with this message."""
REFERENT = "referent"
"""Slot of a question back that names none: what somebody meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredBack:
    """The question back that was open when a message came, which closed it."""

    answer_id: str
    """The stored question back."""
    slot: str
    """What was missing."""
    said: str
    """What the message says of it; empty: nothing, it asks something else."""


def answered_back(run: Run) -> AnsweredBack | None:
    """Return the question back that a message closes; None: none was open, or it stays so."""
    pending = _pending(run.question)
    if pending is None or run.answer.outcome is Outcome.IGNORED or _is_small_talk(run):
        return None
    slot = pending.slot or REFERENT
    said = (one.value for one in _stated(run.question) if one.slot == slot)
    return AnsweredBack(answer_id=pending.answer_id, slot=slot, said=next(said, ""))


def run_events(run: Run, *, answer_id: str, record_id: str) -> list[Event]:
    """Return what a run tells, in the order of its record; none has a number yet."""
    if run.answer.outcome is Outcome.IGNORED or _is_small_talk(run):
        return []

    def event(tag: Tag, says: Mapping[str, Json], *, subject: str = answer_id) -> Event:
        return Event(
            tag=tag,
            actor=run.question.asker,
            actor_kind="asker",
            conversation=run.question.conversation_id,
            subject=subject,
            cause=record_id,
            trace_id=run.question.question_id,
            says=says,
        )

    events: list[Event] = []
    answered = answered_back(run)
    if answered is not None:
        tag = Tag.CLARIFICATION_ANSWERED if answered.said else Tag.CLARIFICATION_EXPIRED
        events.append(event(tag, {"slot": answered.slot}, subject=answered.answer_id))
    before = _held_before(run.question)
    for one in _stated(run.question):
        if before.get(one.slot, one.value) != one.value:
            events.append(event(Tag.ASSUMPTION_REVOKED, {"slot": one.slot}))
        events.append(event(Tag.ASSUMPTION_STATED, {"slot": one.slot, "source": one.source}))
    if run.answer.refusal is RefusalKind.CONFLICT:
        sections = conflicting_sections(run.answer.citations)
        events.append(event(Tag.CONFLICT_FOUND, {"sections": sections}))
    return events


def conflicting_sections(citations: tuple[ShownCitation, ...]) -> list[Json]:
    """Return policy and section of each citation, each once."""
    places = dict.fromkeys(
        (one.place.policy_key, one.place.number or one.place.title) for one in citations
    )
    return [{"policy": policy, "section": section} for policy, section in places]


def _is_small_talk(run: Run) -> bool:
    return run.answer.outcome is Outcome.CLARIFICATION and run.answer.slot in NOTHING_ASKED


def _pending(question: Question) -> Turn | None:
    """Return the question back that was still open when this message came; None: there was none.

    Small talk leaves it open; any other message closes it.
    """
    last = next(
        (turn for turn in reversed(question.history) if turn.slot not in NOTHING_ASKED), None
    )
    is_open = last is not None and last.outcome == Outcome.CLARIFICATION and bool(last.answer_id)
    return last if is_open else None


def _stated(question: Question) -> Iterator[Assumption]:
    return (one for one in question.assumptions if one.source in SAID)


def _held_before(question: Question) -> dict[str, str]:
    """Return what this asker had stated before, the latest by slot."""
    return {
        one.slot: one.value
        for turn in question.history
        if turn.asker in {"", question.asker}
        for one in turn.assumptions
    }
