"""Recorded questions as officers read them, to answer them again; every hash is checked."""

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.officers.session import OfficerSession, Reading
from core.audit.canonical import Commitment, leaf_hash
from core.audit.documents import Event
from core.domain.affected import AffectedAnswer, ClauseChange
from core.domain.audit import Tag
from core.domain.json_value import Json, JsonObject
from core.replay.recorded import RecordedQuestion, StoredRecord

_FIND = text("SELECT id::text, canonical, leaf_hash FROM audit.record WHERE id = CAST(:id AS uuid)")
_TURNS = text(
    "SELECT id::text, subject, canonical, leaf_hash FROM audit.record"
    " WHERE conversation = CAST(:conversation AS uuid) AND subject = ANY(:answers)"
    " AND outcome IS NOT NULL"
)
_CONTENTS = text(
    "SELECT record_id::text, field, salt, body FROM audit.content"
    " WHERE record_id = ANY(CAST(:records AS uuid[]))"
)
AFFECTED_VIEW = "v_answers_affected_by_change"
_LISTED = text(
    "SELECT v.*, q.body AS question FROM audit.v_answers_affected_by_change v"
    " LEFT JOIN audit.content q ON q.record_id = v.record_id AND q.field = 'question'"
    " WHERE (CAST(:edition AS int) IS NULL OR v.edition = :edition)"
    " AND (CAST(:policy AS text) IS NULL OR v.policy = :policy)"
    " ORDER BY v.edition DESC, v.still_holds, v.policy, v.section, v.answered_at, v.record_id"
)


class PostgresRecordedQuestions:
    """Recorded questions, for an officer at the console: what is read is recorded before."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger, officer: str) -> None:
        self._engine = engine
        self._ledger = ledger
        self._officer = officer
        self._session = OfficerSession(engine, ledger=ledger, officer=officer)

    @raises_transient
    async def find(self, record_id: str, /) -> RecordedQuestion | None:
        """Return a question by the beginning of its record's id; None: there is none, or several.

        The replies of language models are not among what an officer reads: they are added.
        """
        found = await self._session.record_id(record_id, purpose="audit replay")
        if found is None:
            return None
        async with self._session.reading(Reading(record_id=found)) as connection:
            rows = (await connection.execute(_FIND, {"id": found})).mappings().all()
            if not rows:
                return None
            document: JsonObject = json.loads(bytes(rows[0]["canonical"]))
            if document.get("outcome") is None:
                return None
            turns = await connection.execute(
                _TURNS,
                {
                    "conversation": document["conversation"],
                    "answers": document["question"].get("turns", []),
                },
            )
            earlier = turns.mappings().all()
            held = await _contents(connection, [row["id"] for row in (*rows, *earlier)])
            return RecordedQuestion(
                record=_record(rows[0], held),
                turns={row["subject"]: _record(row, held) for row in earlier},
            )

    @raises_transient
    async def affected(
        self, *, edition: int | None = None, policy: str | None = None
    ) -> tuple[AffectedAnswer, ...]:
        """Return the quotes of past answers that changed: of one edition, of one policy, or all."""
        given = {"edition": edition, "policy": policy}
        reading = Reading(
            purpose="audit affected", statement=json.dumps(given), views=[AFFECTED_VIEW]
        )
        async with self._session.reading(reading) as connection:
            rows = (await connection.execute(_LISTED, given)).mappings().all()
        return tuple(
            AffectedAnswer(
                record_id=str(row["record_id"]),
                answered_at=row["answered_at"],
                question=row["question"],
                edition=row["edition"],
                policy=row["policy"],
                section=row["section"],
                old_version=row["old_version"],
                new_version=row["new_version"],
                change=ClauseChange(row["change"]),
                before=row["before"],
                after=row["after"],
                still_holds=row["still_holds"],
                decided_at=row["decided_at"],
                notified_at=row["notified_at"],
            )
            for row in rows
        )

    @raises_transient
    async def note_replay(self, question: RecordedQuestion, says: Mapping[str, Json]) -> None:
        """Record that somebody replayed a question, and what came of it."""
        document = question.record.document
        event = Event(
            tag=Tag.ANSWER_REPLAYED,
            actor=self._officer,
            actor_kind="officer",
            conversation=None,
            seq=None,
            subject=document["subject"],
            cause=question.record_id,
            trace_id=document["trace_id"],
            says=says,
        )
        async with self._engine.begin() as connection:
            await self._ledger.event(connection, event, content={})


async def _contents(
    connection: AsyncConnection, records: Sequence[str]
) -> Mapping[str, list[Commitment]]:
    held: dict[str, list[Commitment]] = {}
    rows = await connection.execute(_CONTENTS, {"records": list(records)})
    for row in rows.mappings():
        kept = Commitment(field=row["field"], salt=bytes(row["salt"]), body=row["body"])
        held.setdefault(row["record_id"], []).append(kept)
    return held


def _record(row: RowMapping, held: Mapping[str, Sequence[Commitment]]) -> StoredRecord:
    data, contents = bytes(row["canonical"]), held.get(row["id"], ())
    document: JsonObject = json.loads(data)
    problems: list[str] = []
    if leaf_hash(data) != bytes(row["leaf_hash"]):
        problems.append("its bytes do not hash to its leaf")
    problems += [
        f"the text of {one.field!r} is not the one that was recorded"
        for one in contents
        if document["content"].get(one.field) != one.digest()
    ]
    return StoredRecord(
        document=document,
        contents={one.field: one.body for one in contents},
        problems=tuple(problems),
    )
