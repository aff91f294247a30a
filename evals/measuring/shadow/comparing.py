"""Past questions answered by what is to come, beside what was answered then: nobody hears of it.

What answers here can record nothing (`RecordsNothing`), so that no path through it makes an answer,
a case or a turn of a conversation. Scope, groups and thread are those of then: what an asker might
not read then is not quoted to whoever looks at the comparison.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from core.agent.rehearsal import Rehearses
from core.agent.reply.answer_json import answer_json
from core.domain.errors import CiteboundError, TransientError
from core.domain.json_value import JsonObject
from core.domain.run import Run, total_cost
from core.replay.contradiction import AnswerContradiction
from core.replay.recorded import RecordedQuestion, ReplayImpossibleError, TextErasedError
from evals.measuring.shadow.outcome_change import AnswerChange, outcome_change


class NotCompared(StrEnum):
    """Why a past question was left out."""

    ERASED = "erased"
    """A text that it takes was erased."""
    NOT_ANSWERED = "not_answered"
    """No answer was sought then, as for small talk; or an earlier release did not keep enough."""
    NOT_INTACT = "not_intact"
    """Its record is not what was sealed."""
    PRECEDENT = "precedent"
    """An officer's words answered it, which are bound to the corpus of today."""
    FAILED = "failed"
    """What is to come broke on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a person is told."""

    outcome: str
    """Value of `Outcome`."""
    refusal: str | None
    """Value of `RefusalKind`; None: it is no refusal."""
    badge: str | None
    """Value of `Badge`; None: there is none."""
    text: str
    """The words."""
    quotes: tuple[tuple[str, str, str], ...]
    """Policy, section and words of each quote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A past question, and how it would be answered."""

    record_id: str
    """The record that closed it."""
    question: str
    """As asked; empty where it can't be compared."""
    change: AnswerChange | None = None
    """What is different; None: it was not compared."""
    skipped: NotCompared | None = None
    """Why it was not compared; None: it was."""
    reason: str = ""
    """The same in words; empty: it was compared."""
    already: bool = False
    """True if today's product answers just as what is to come does: switching changes nothing."""
    contradiction: AnswerContradiction | None = None
    """What the answers disagree in, plainly; None: they don't."""
    then: Told | None = None
    """What was told; None: it was not compared."""
    now: Told | None = None
    """What would be told; None: it was not compared."""
    cost_usd: float | None = 0.0
    """Of language models; None: a price is not known."""

    @property
    def counts(self) -> bool:
        """True if people would be told otherwise by the switch alone, or nothing as it broke."""
        if self.skipped is NotCompared.FAILED:
            return True
        return self.change not in {None, AnswerChange.SAME} and not self.already

    @property
    def badge_moved(self) -> bool:
        """True if the badge would be another one."""
        return bool(self.then and self.now and self.then.badge != self.now.badge)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowCandidate:
    """What is to come, and what it is held against."""

    answering: Rehearses
    """Answers as it would."""
    today: Rehearses | None
    """Answers as today; None: nothing new is tried."""
    has_own_corpus: bool
    """True if it answers from another corpus than that of the deployment."""
    on_day: date
    """The day whose rules count."""


async def compare(question: RecordedQuestion, candidate: ShadowCandidate) -> Compared:
    """Answer a past question by what is to come, and compare with what was told.

    Raises:
        TransientError: The database failed.
    """
    try:
        return await _compared(question, candidate)
    except TransientError:
        raise
    except TextErasedError as error:
        return _left_out(question, NotCompared.ERASED, error)
    except ReplayImpossibleError as error:
        return _left_out(question, NotCompared.NOT_ANSWERED, error)


async def _compared(question: RecordedQuestion, candidate: ShadowCandidate) -> Compared:
    for record in (question.record, *question.turns.values()):
        if record.problems:
            return _left_out(question, NotCompared.NOT_INTACT, record.problems[0])
    if candidate.has_own_corpus and question.record.document.get("precedent") is not None:
        return _left_out(question, NotCompared.PRECEDENT, "an officer's precedent answered it")
    request, history = question.request(today=candidate.on_day), question.history()
    then = question.answer
    try:
        run = await candidate.answering.rehearse(request, history=history)
    except TransientError:
        raise
    except CiteboundError as error:
        return _left_out(question, NotCompared.FAILED, f"{type(error).__name__}: {error}")
    now = _as_shown(run)
    found = outcome_change(then, now)
    calls, already = list(run.model_calls), False
    if candidate.today is not None and found.change is not AnswerChange.SAME:
        today = await candidate.today.rehearse(request, history=history)
        calls += today.model_calls
        already = outcome_change(_as_shown(today), now).change is AnswerChange.SAME
    return Compared(
        record_id=question.record_id,
        question=request.text,
        change=found.change,
        already=already,
        contradiction=found.contradiction,
        then=told(then),
        now=told(now),
        cost_usd=total_cost(call.cost_usd for call in calls),
    )


def told(answer: JsonObject) -> Told:
    """Return what a person is told by an answer, as `answer_json` writes it."""
    citations: Sequence[Mapping[str, Any]] = answer["citations"]
    return Told(
        outcome=answer["outcome"],
        refusal=answer["refusal"],
        badge=answer["confidence"]["badge"],
        text=answer["answer"],
        quotes=tuple(
            (str(one["policy"]), str(one["section"] or one["section_title"]), str(one["quote"]))
            for one in citations
        ),
    )


def sample(record_ids: Sequence[str], most: int | None, *, seed: int) -> tuple[str, ...]:
    """Return so many of the records, drawn by lot in the order that they have; None: all.

    The lot follows from the record and the seed, so that a repeated run draws the same.
    """
    if most is None or most >= len(record_ids):
        return tuple(record_ids)
    lots = {one: hashlib.sha256(f"{seed}:{one}".encode()).digest() for one in record_ids}
    drawn = set(sorted(record_ids, key=lots.__getitem__)[:most])
    return tuple(one for one in record_ids if one in drawn)


def _as_shown(run: Run) -> JsonObject:
    return answer_json(run.answer)


def _left_out(question: RecordedQuestion, why: NotCompared, reason: object) -> Compared:
    return Compared(
        record_id=question.record_id, question="", skipped=why, reason=" ".join(str(reason).split())
    )
