"""The precedent by which a recorded question was answered, from its record alone.

Whether there are others today, or this one was withdrawn since, changes nothing of what was told.
"""

from collections.abc import Mapping
from datetime import datetime, time, tzinfo
from typing import Any

from core.agent.reply.answer_json import answer_of
from core.domain.question import Scope
from core.ports.precedents import BoundClause, Precedent, PrecedentScope, PrecedentState
from core.replay.recorded import RecordedQuestion


class RecordedPrecedents:
    """See `core.ports.precedents.TellsPrecedents`: tells again what was told, and nothing else."""

    def __init__(self, question: RecordedQuestion, *, zone: tzinfo) -> None:
        self._question = question
        self._zone = zone

    async def tellable(self, _: Scope, /) -> tuple[Precedent, ...]:
        """Return the precedent that was told.

        Raises:
            ReplayImpossibleError: Its text was erased.
        """
        if self._question.record.document.get("precedent") is None:
            return ()
        return (_told(self._question.answer, self._question.record.text("question"), self._zone),)


def _told(stored: Mapping[str, Any], question: str, zone: tzinfo) -> Precedent:
    """Return a precedent as its answer shows it: its question is the one that was asked."""
    answer = answer_of(stored)
    told, (claim,) = answer.precedent, answer.claims
    if told is None:
        raise ValueError("expected an answer that tells a precedent, got another one")
    approved_at = datetime.combine(told.approved_on, time(), tzinfo=zone)
    return Precedent(
        precedent_id=told.precedent_id,
        number=told.number,
        case_number=0,
        state=PrecedentState.APPROVED,
        question=question,
        is_askers=False,
        wordings=(),
        answer=claim.text,
        answered_by="",
        clauses=tuple(
            BoundClause(
                span=one.span,
                quote=one.quote,
                policy=one.place.policy_key,
                version=one.place.version_label or "",
                section=one.place.number or one.place.title,
            )
            for one in answer.citations
        ),
        scope=PrecedentScope(),
        expires_on=told.approved_on,
        proposed_by="",
        proposed_at=approved_at,
        record_id="",
        approved_at=approved_at,
    )
