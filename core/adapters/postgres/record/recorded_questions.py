"""Recorded questions as officers read them, to answer them again; every hash is checked."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.officers.session import OfficerSession, Reading
from core.audit.canonical import Commitment, leaf_hash
from core.audit.documents import Event
from core.domain.affected import AffectedAnswer
from core.domain.audit import Tag
from core.domain.json_value import Json, JsonObject
from core.replay.recorded import RecordedQuestion, StoredRecord

_FIND = text("SELECT id::text, canonical, leaf_hash FROM audit.record WHERE id = CAST(:id AS uuid)")
_ASKED = text(
    "SELECT id::text FROM audit.record WHERE outcome IS NOT NULL AND outcome <> 'ignored'"
    " AND at >= :since AND at < :until ORDER BY at, id"
)
_SEVERAL = text(
    "SELECT id::text, canonical, leaf_hash FROM audit.record"
    " WHERE id = ANY(CAST(:ids AS uuid[])) AND outcome IS NOT NULL ORDER BY at, id"
)
_TURNS = text(
    "SELECT id::text, subject, canonical, leaf_hash FROM audit.record"
    " WHERE conversation = ANY(CAST(:conversations AS uuid[])) AND subject = ANY(:answers)"
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


@database_store
class PostgresRecordedQuestions:
    """Recorded questions, for an officer at the console: what is read is recorded before."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger, officer: str) -> None:
        self._engine = engine
        self._ledger = ledger
        self._officer = officer
        self._session = OfficerSession(engine, ledger=ledger, officer=officer)

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
            if json.loads(bytes(rows[0]["canonical"])).get("outcome") is None:
                return None
            return (await _with_turns(connection, rows))[0]

    async def asked_between(
        self, since: datetime, until: datetime, /, *, purpose: str
    ) -> tuple[str, ...]:
        """Return the records of the questions of a time, the oldest first."""
        given = {"since": since.isoformat(), "until": until.isoformat()}
        reading = Reading(purpose=purpose, statement=json.dumps(given), views=["record"])
        async with self._session.reading(reading) as connection:
            found = await connection.execute(_ASKED, {"since": since, "until": until})
            return tuple(found.scalars().all())

    async def several(
        self, record_ids: Sequence[str], /, *, purpose: str
    ) -> tuple[RecordedQuestion, ...]:
        """Return questions by their records, the oldest first; one reading is recorded for all."""
        reading = Reading(
            purpose=purpose,
            statement=json.dumps({"records": list(record_ids)}),
            views=["record", "content"],
        )
        async with self._session.reading(reading) as connection:
            found = await connection.execute(_SEVERAL, {"ids": list(record_ids)})
            return await _with_turns(connection, found.mappings().all())

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
        return tuple(record(AffectedAnswer, row) for row in rows)

    async def note_replay(self, question: RecordedQuestion, says: Mapping[str, Json]) -> None:
        """Record that somebody replayed a question, and what came of it."""
        document = question.record.document
        await self._note(
            Tag.ANSWER_REPLAYED,
            subject=document["subject"],
            cause=question.record_id,
            trace_id=document["trace_id"],
            says=says,
        )

    async def note_shadow(self, says: Mapping[str, Json]) -> str:
        """Record that somebody answered past questions anew, how, and what came of all of them."""
        return await self._note(Tag.SHADOW_COMPARED, subject=None, says=says)

    async def _note(
        self,
        tag: Tag,
        *,
        subject: str | None,
        says: Mapping[str, Json],
        cause: str | None = None,
        trace_id: str | None = None,
    ) -> str:
        event = Event(
            tag=tag,
            actor=self._officer,
            actor_kind="officer",
            subject=subject,
            cause=cause,
            trace_id=trace_id,
            says=says,
        )
        async with self._engine.begin() as connection:
            return await self._ledger.event(connection, event, content={})


async def _with_turns(
    connection: AsyncConnection, rows: Sequence[RowMapping]
) -> tuple[RecordedQuestion, ...]:
    """Return the questions of records, with the records of the turns before them."""
    documents: list[JsonObject] = [json.loads(bytes(row["canonical"])) for row in rows]
    wanted: list[list[str]] = [list(one["question"].get("turns", [])) for one in documents]
    found = await connection.execute(
        _TURNS,
        {
            "conversations": [one["conversation"] for one in documents],
            "answers": [answer for turns in wanted for answer in turns],
        },
    )
    earlier = {row["subject"]: row for row in found.mappings()}
    held = await _contents(connection, [row["id"] for row in (*rows, *earlier.values())])
    turns = {subject: _record(row, held) for subject, row in earlier.items()}
    return tuple(
        RecordedQuestion(
            record=_record(row, held),
            turns={answer: turns[answer] for answer in asked if answer in turns},
        )
        for row, asked in zip(rows, wanted, strict=True)
    )


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
