"""The record in Postgres: one transaction a question."""

from dataclasses import replace

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.cases.case_beginning import Beginning
from core.adapters.postgres.engine.database import cause_of
from core.adapters.postgres.engine.ledger import (
    Entry,
    Ledger,
    append,
    committed,
    json_text,
    take_number,
)
from core.adapters.postgres.engine.tables import (
    answers,
    citations,
    claims,
    conversations,
    questions,
    trace_steps,
)
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.queue.replies import settle
from core.agent.reply.answer_json import answer_json, place_json
from core.agent.reply.compose import not_passed_on, passed_on
from core.agent.trace import trace_json
from core.audit.canonical import canonical
from core.audit.documents import outcome_document, quote_hash
from core.domain.answer import Answer
from core.domain.case_rules import NoCase
from core.domain.conversation import context_json
from core.domain.errors import TransientError
from core.domain.officers import Officers
from core.domain.run import Run
from core.failpoints import failpoint
from core.ports import Clock, Completion, IdSource, RecordReceipt


class PostgresAuditLog:
    """See `core.ports.AuditLog`."""

    def __init__(
        self,
        engine: AsyncEngine,
        *,
        clock: Clock,
        ids: IdSource,
        unit: str,
        officers: Officers | None = None,
    ) -> None:
        """Use a migrated database; `unit` is written into each record.

        `officers` hear of what only a person can answer; None: nobody does.
        """
        ledger = Ledger(clock=clock, ids=ids, unit=unit)
        listed = officers or Officers()
        self._beginning = Beginning(ledger=ledger, officers=listed)
        self._engine = engine
        self._clock = clock
        self._ids = ids
        self._unit = unit

    async def record(self, run: Run, /, *, completion: Completion | None = None) -> RecordReceipt:
        """See `AuditLog.record`.

        Raises:
            OvertakenError: See `settle`. Nothing was stored.
            TransientError: Nothing was stored; nothing may be shown.
        """
        failpoint("F6")
        try:
            return await self._record(run, completion)
        except (DBAPIError, PoolTimeoutError, OSError) as error:
            raise TransientError(
                f"the answer could not be recorded, so it is not shown: {cause_of(error)}"
            ) from error

    @begun_again
    async def _record(self, run: Run, completion: Completion | None) -> RecordReceipt:
        record_id, answer_id = self._ids.new(), self._ids.new()
        async with self._engine.begin() as connection:
            seq = await _next_seq(connection, run)
            number: int | NoCase = NoCase.NOT_MEANT
            if completion is not None and not completion.is_dead:
                number = await self._beginning.number_for(connection, run)
            run = replace(run, answer=_with_case(run.answer, number))
            await _store_run(connection, run, answer_id, self._clock)
            cause = completion.cause if completion else None
            leaf = await self._append(connection, run, record_id, answer_id, seq=seq, cause=cause)
            receipt = RecordReceipt(
                record_id=record_id, answer_id=answer_id, leaf_hash=leaf, answer=run.answer
            )
            if completion is not None:
                person = await settle(connection, completion, run=run, receipt=receipt)
                if isinstance(number, int):
                    await self._beginning.ourselves(
                        connection, run, answer_id=answer_id, person=person, number=number
                    )
        return receipt

    async def _append(
        self,
        connection: AsyncConnection,
        run: Run,
        record_id: str,
        answer_id: str,
        *,
        seq: int,
        cause: str | None,
    ) -> bytes:
        contents = committed(_contents(run))
        data = canonical(
            outcome_document(
                run,
                record_id=record_id,
                answer_id=answer_id,
                at=self._clock.now(),
                seq=seq,
                unit=self._unit,
                commitments=contents,
                cause=cause,
            )
        )
        entry = Entry(record_id=record_id, data=data, contents=contents)
        (leaf,) = await append(connection, [entry])
        return leaf


def _with_case(answer: Answer, number: int | NoCase) -> Answer:
    """Return what is shown, once it is known whether the question goes to Compliance by itself."""
    match number:
        case int():
            return passed_on(answer, number)
        case NoCase.TOO_MANY:
            return not_passed_on(answer)
        case NoCase.NOT_MEANT:
            return answer


def _contents(run: Run) -> dict[str, str]:
    """Collect all personal text of a run."""
    question = run.question
    around = {"context": json_text(context_json(question.context))} if question.context else {}
    return {
        "question": question.text,
        **around,
        "thread": json_text([turn.question for turn in question.history]),
        "answer": run.answer.text,
        "answer_json": json_text(answer_json(run.answer)),
        "assumptions": json_text({item.slot: item.value for item in question.assumptions}),
        "trace": json_text(trace_json(run)),
        "place": json_text(
            {
                "tenant": question.place.tenant,
                "channel": question.place.channel,
                "thread": question.place.thread,
            }
        ),
    }


async def _next_seq(connection: AsyncConnection, run: Run) -> int:
    """Make or lock the conversation, and take its next number: a record left out would show."""
    place = run.question.place
    await connection.execute(
        insert(conversations)
        .values(
            id=run.question.conversation_id,
            platform=place.platform,
            tenant=place.tenant,
            channel=place.channel,
            thread=place.thread,
        )
        .on_conflict_do_nothing()
    )
    return await take_number(connection, run.question.conversation_id)


async def _store_run(connection: AsyncConnection, run: Run, answer_id: str, clock: Clock) -> None:
    question, answer = run.question, run.answer
    scope = question.scope
    await connection.execute(
        questions.insert().values(
            id=question.question_id,
            conversation_id=question.conversation_id,
            text=question.text,
            standalone=question.own,
            context=context_json(question.context),
            scope={
                "as_of": scope.as_of.isoformat(),
                "edition": scope.edition,
                "groups": sorted(scope.groups),
                "jurisdiction": scope.jurisdiction,
                "tags": sorted(scope.tags),
            },
            assumptions=[
                {"slot": item.slot, "value": item.value, "source": item.source}
                for item in question.assumptions
            ],
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
            trace=trace_json(run),
            answered_at=clock.now(),
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
                {
                    "answer_id": answer_id,
                    "n": citation.number,
                    "key": citation.key,
                    "version_id": citation.span.version_id,
                    "char_start": citation.span.char_start,
                    "char_end": citation.span.char_end,
                    "quote_hash": quote_hash(citation.quote),
                    "score": scores.get(citation.key),
                }
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
