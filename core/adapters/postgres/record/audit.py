"""Questions, their answers and the record of both in Postgres: one transaction a question."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.cases import case_unit
from core.adapters.postgres.engine.database import cause_of, server_now
from core.adapters.postgres.engine.ledger import (
    Entry,
    Ledger,
    RecordingStore,
    append,
    committed,
    json_text,
    take_number,
    unit_of,
)
from core.adapters.postgres.engine.rows import row_of
from core.adapters.postgres.engine.tables import (
    answers,
    citations,
    claims,
    conversations,
    questions,
    trace_steps,
)
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.queue.clarified import show_reply
from core.adapters.postgres.queue.replies import settle
from core.adapters.postgres.record.corrections import correct
from core.agent.conversation.misconduct import was_confidential
from core.agent.reply.answer_json import answer_json, place_json
from core.agent.trace import trace_json
from core.audit.canonical import canonical
from core.audit.documents import Event, outcome_document, quote_hash
from core.audit.run_events import run_events
from core.domain.answer import ToldPrecedent
from core.domain.audit import Tag
from core.domain.conversation import context_json
from core.domain.errors import TransientError
from core.domain.json_value import JsonObject
from core.domain.question import Turn
from core.domain.run import Run
from core.ports import Completion, RecordReceipt
from core.ports.corrections import Correction
from core.ports.record import RecordUnit


class PostgresRecords(RecordingStore):
    """See `core.ports.record.RecordStore`; the database is migrated."""

    async def run(self, work: Callable[[RecordUnit], Awaitable[RecordReceipt]], /) -> RecordReceipt:
        """See `RecordStore.run`."""
        try:
            return await self._run(work)
        except (DBAPIError, PoolTimeoutError, OSError) as error:
            raise TransientError(
                f"the answer could not be recorded, so it is not shown: {cause_of(error)}"
            ) from error

    @begun_again
    async def _run(self, work: Callable[[RecordUnit], Awaitable[RecordReceipt]]) -> RecordReceipt:
        async with self._engine.begin() as connection:
            return await work(
                RecordUnit(
                    answers=_AnswerRows(connection, ledger=self._ledger),
                    cases=case_unit(connection, ledger=self._ledger),
                )
            )


class _AnswerRows:
    """See `core.ports.record.AnswerRows`: writes on one connection."""

    def __init__(self, connection: AsyncConnection, *, ledger: Ledger) -> None:
        self._connection = connection
        self._ledger = ledger

    async def begin(self, run: Run, /) -> int:
        """See `AnswerRows.begin`."""
        question = run.question
        place = question.place
        await self._connection.execute(
            insert(conversations)
            .values(
                id=question.conversation_id,
                platform=place.platform,
                tenant=place.tenant,
                channel=place.channel,
                thread=place.thread,
            )
            .on_conflict_do_nothing()
        )
        return await take_number(self._connection, question.conversation_id)

    async def append(self, run: Run, /, *, seq: int, cause: str | None) -> RecordReceipt:
        """See `AnswerRows.append`."""
        ledger = self._ledger
        record_id, answer_id = ledger.ids.new(), ledger.ids.new()
        at = await server_now(self._connection)
        # By the server's time, too, as processes whose clocks differ answer in one thread.
        asked_at = at - (ledger.clock.now() - run.question.asked_at)
        run = replace(run, question=replace(run.question, asked_at=asked_at))
        await _store_run(self._connection, run, answer_id, record_id, at)
        contents = committed(_contents(run))
        document = outcome_document(
            run,
            record_id=record_id,
            answer_id=answer_id,
            at=at,
            seq=seq,
            unit=await unit_of(self._connection, cause) or ledger.unit,
            commitments=contents,
            cause=cause,
        )
        entry = Entry(record_id=record_id, data=canonical(document), contents=contents)
        told = run.answer.precedent
        applied = [self._applied(told, run, record_id, at)] if told else []
        leaf, *_ = await append(self._connection, [entry, *applied])
        return RecordReceipt(
            record_id=record_id, answer_id=answer_id, leaf_hash=leaf, answer=run.answer
        )

    def _applied(self, told: ToldPrecedent, run: Run, record_id: str, at: datetime) -> Entry:
        """Return the record of a precedent that it was told: by it the answers are found."""
        event = Event(
            tag=Tag.PRECEDENT_APPLIED,
            actor="pipeline",
            actor_kind="system",
            subject=told.precedent_id,
            cause=record_id,
            trace_id=run.question.question_id,
            says={"number": told.number},
        )
        return self._ledger.entry(event, at=at, content={})

    async def append_events(self, run: Run, receipt: RecordReceipt, /) -> None:
        """See `AnswerRows.append_events`."""
        told = run_events(run, answer_id=receipt.answer_id, record_id=receipt.record_id)
        for event in told:
            seq = await take_number(self._connection, run.question.conversation_id)
            await self._ledger.event(self._connection, replace(event, seq=seq), content={})

    async def correct(self, correction: Correction, run: Run, receipt: RecordReceipt, /) -> None:
        """See `AnswerRows.correct`."""
        await correct(self._connection, correction, run, receipt, ledger=self._ledger)

    async def settle(self, completion: Completion, run: Run, receipt: RecordReceipt, /) -> str:
        """See `AnswerRows.settle`."""
        person = await settle(self._connection, completion, run=run, receipt=receipt)
        await show_reply(self._connection, run)
        return person


def _contents(run: Run) -> dict[str, str]:
    """Collect all personal text of a run; of a report nothing that was written in it."""
    question = run.question
    if run.answer.is_report:
        question = replace(question, text="", context=(), history=(), assumptions=())
        run = replace(run, searches=())
    more = {"context": context_json(question.context), "searches": list(run.searches)}
    return {
        "question": question.text,
        **{field: json_text(held) for field, held in more.items() if held},
        "thread": json_text([_said(turn) for turn in question.history]),
        "answer": run.answer.text,
        "answer_json": json_text(answer_json(run.answer)),
        "assumptions": json_text({item.slot: item.value for item in question.assumptions}),
        "trace": json_text(_trace(run)),
        "place": json_text(
            {
                "tenant": question.place.tenant,
                "channel": question.place.channel,
                "thread": question.place.thread,
            }
        ),
    }


def _said(turn: Turn) -> str:
    """Return what was asked in an earlier turn; empty: it told of misconduct, or may have."""
    return "" if was_confidential(turn) else turn.question


def _trace(run: Run) -> JsonObject:
    """Return the trace of a run, without the words of a report."""
    told = trace_json(run)
    withheld: JsonObject = {"question": "", "standalone": "", "searched": None, "context": []}
    return {**told, **withheld} if run.answer.is_report else told


async def _store_run(
    connection: AsyncConnection, run: Run, answer_id: str, record_id: str, at: datetime
) -> None:
    question, answer = run.question, run.answer
    scope = question.scope
    await connection.execute(
        questions.insert().values(
            id=question.question_id,
            conversation_id=question.conversation_id,
            text=question.text,
            standalone=question.own,
            context=context_json(question.context),
            scope=row_of(scope, as_of=scope.as_of.isoformat()),
            assumptions=[row_of(item) for item in question.assumptions],
            asked_at=question.asked_at,
        )
    )
    await connection.execute(
        answers.insert().values(
            id=answer_id,
            question_id=question.question_id,
            outcome=answer.outcome.value,
            refusal=answer.refusal.value if answer.refusal else None,
            text=answer.text,
            slot=answer.slot,
            options=list(answer.options),
            nearest=[place_json(place) for place in answer.nearest],
            badge=answer.confidence.badge.value if answer.confidence.badge else None,
            calibrated=answer.confidence.calibrated,
            reported=answer.confidence.reported,
            edition=run.edition or None,
            reasoner=run.reasoner,
            used_rag=run.used_rag,
            trace=_trace(run),
            answered_at=at,
            record_id=record_id,
        )
    )
    await _store_claims(connection, run, answer_id)
    await _store_steps(connection, run)


async def _store_claims(connection: AsyncConnection, run: Run, answer_id: str) -> None:
    if run.answer.claims:
        await connection.execute(
            claims.insert(),
            [
                {
                    "answer_id": answer_id,
                    "n": n,
                    "text": claim.text,
                    "citations": list(claim.numbers),
                }
                for n, claim in enumerate(run.answer.claims, start=1)
            ],
        )
    if run.answer.citations:
        scores = {item.key: item.relevance for item in run.evidence.items}
        await connection.execute(
            citations.insert(),
            [
                row_of(
                    citation.span,
                    answer_id=answer_id,
                    n=citation.number,
                    key=citation.key,
                    quote_hash=quote_hash(citation.quote),
                    score=scores.get(citation.key),
                )
                for citation in run.answer.citations
            ],
        )


async def _store_steps(connection: AsyncConnection, run: Run) -> None:
    if run.steps:
        await connection.execute(
            trace_steps.insert(),
            [
                {
                    "question_id": run.question.question_id,
                    "n": n,
                    "stage": step.stage,
                    "detail": step.detail,
                    "took_ms": step.took_ms,
                }
                for n, step in enumerate(run.steps, start=1)
            ],
        )
