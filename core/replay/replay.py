"""Answer a recorded question as it was answered then, and compare.

Edition, day, scope, thresholds, context, earlier turns, assumptions and what was searched are those
of the record, and so are the replies of language models. All else runs again: understanding,
exploring, drafting, checking, deciding, wording.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.agent.rehearsal import Rehearses
from core.agent.reply import compose
from core.agent.reply.answer_json import answer_json
from core.agent.search_log import ChunkReader, RecordedSearches
from core.agent.trace import trace_json
from core.agent.wording import NOT_PASSED_ON, SIMILAR
from core.audit.documents import retrieved
from core.domain.answer import Answer, Outcome
from core.domain.errors import TransientError
from core.domain.run import Run, RunLimits
from core.ports import CorpusStore
from core.ports.corrections import REPLACES
from core.replay.comparison import Difference, RunParts, difference, first_difference, written
from core.replay.recorded import RecordedQuestion, ReplayImpossibleError
from core.retrieval.retriever import ChunkRetriever

PATIENT_S = 600.0
"""Deadline of a replay, whatever the recorded one was: a slower machine gives the same answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What came of a replay."""

    question: RecordedQuestion
    """What was replayed."""
    answer: Answer | None
    """What would be shown; None: it broke."""
    difference: Difference | None
    """What differs first; None: it is the same in every byte."""
    moved_searches: int
    """Searches of the same edition that find other chunks now than they did then."""


BuildAnswering = Callable[[RecordedQuestion, ChunkRetriever, RunLimits], Rehearses]
"""Composes what answers as it did then: its searches, its limits, the recorded model calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayer:
    """Replays recorded questions; `models` are the local models that are installed here."""

    build: BuildAnswering
    corpus: CorpusStore
    chunks: ChunkReader
    retriever: ChunkRetriever
    models: Mapping[str, str | None]

    async def replay(self, question: RecordedQuestion) -> Replay:
        """Answer a question as it was answered then.

        Raises:
            ReplayImpossibleError: Something that it takes is not there; the message says what.
            TransientError: The database failed.
        """
        _check_intact(question)
        self._check_models(question)
        request, history = question.request(), question.history()
        searches = RecordedSearches(question.searches, chunks=self.chunks, live=self.retriever)
        limits = replace(question.limits, deadline_s=PATIENT_S)
        try:
            answering = self.build(question, searches, limits)
            run = await answering.rehearse(request, history=history)
        except (ReplayImpossibleError, TransientError):
            raise
        except Exception as error:  # whatever it is, it may be what broke then
            return Replay(
                question=question,
                answer=None,
                difference=_broken(question, error),
                moved_searches=0,
            )
        if searches.unreadable:
            ids = ", ".join(sorted(searches.unreadable)[:3])
            raise ReplayImpossibleError(
                f"who may read {ids} has changed since: access is always that of today"
            )
        answer = _passed(question, run.answer)
        found = first_difference(_recorded_parts(question), _parts(run, answer))
        if found is not None:
            await self._check_readable(question, run)
        return Replay(
            question=question,
            answer=answer,
            difference=found,
            moved_searches=await searches.moved(run.question.scope),
        )

    def _check_models(self, question: RecordedQuestion) -> None:
        for part, then in question.models.items():
            here = self.models.get(part)
            if here != then:
                raise ReplayImpossibleError(
                    f"it was answered with {part} {then or 'none'}; here is {here or 'none'}"
                )

    async def _check_readable(self, question: RecordedQuestion, run: Run) -> None:
        live = await self.corpus.versions(run.question.scope)
        gone = question.versions - {version.version_id for version in live}
        if gone:
            raise ReplayImpossibleError(
                f"who may read {len(gone)} of the policies that it rests on has changed since:"
                " access is always that of today"
            )


def _check_intact(question: RecordedQuestion) -> None:
    for record in (question.record, *question.turns.values()):
        if record.problems:
            raise ReplayImpossibleError(
                f"record {record.document['id']} is not intact: {record.problems[0]}"
            )


def _passed(question: RecordedQuestion, answer: Answer) -> Answer:
    """Return the answer with what its record says was done with it after the run.

    It was passed on to Compliance, or was not; it replaced an earlier one; a similar question was
    offered beside it.
    """
    notes, told = question.answer["notes"], question.answer["answer"].partition("\n\n")[0]
    for note in (*notes[:1], told):
        if note.startswith(tuple(REPLACES.each)):
            answer = compose.with_first_note(answer, note)
    for note in notes:
        if note.startswith(tuple(SIMILAR.each)):
            answer = compose.with_note(answer, note)
    number: int | None = question.answer["case"]
    if number is not None and answer.needs_person:
        return compose.passed_on(answer, number)
    was_not = any(words in question.answer["answer"] for words in NOT_PASSED_ON.each)
    return compose.not_passed_on(answer) if was_not and answer.needs_person else answer


def _recorded_parts(question: RecordedQuestion) -> RunParts:
    document = question.record.document
    return RunParts(trace=question.trace, retrieved=document["retrieved"], answer=question.answer)


def _parts(run: Run, answer: Answer) -> RunParts:
    return RunParts(
        trace=_as_stored(trace_json(run)),
        retrieved=_as_stored(retrieved(run)),
        answer=_as_stored(answer_json(answer)),
    )


def _as_stored(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _broken(question: RecordedQuestion, error: Exception) -> Difference | None:
    """Return what differs where a replay breaks; None: it broke then, in the same way."""
    name = type(error).__name__
    if question.outcome == Outcome.FAILED and name in question.trace["warnings"]:
        return None
    return difference("run", written(question.outcome), written(f"{name}: {error}"))
