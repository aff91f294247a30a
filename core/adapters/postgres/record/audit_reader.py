"""The record in Postgres as officers read it: every hash is checked on the way."""

import hashlib
import json
from collections.abc import Sequence, Set
from typing import Any
from uuid import UUID

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.officers.session import OfficerSession, Reading
from core.audit.canonical import Commitment, instant, leaf_hash
from core.domain.audit import RecordLine, RecordView

_COLUMNS = ("id", "tag", "unit", "subject", "conversation", "seq", "outcome")
_NEWEST = text(
    "SELECT record_id, at, outcome, badge, question FROM audit.v_answers"
    " WHERE CAST(:outcome AS text) IS NULL OR outcome = :outcome"
    " ORDER BY at DESC, record_id DESC LIMIT :limit"
)
_RECORD = text("SELECT * FROM audit.record WHERE id = :id")
_CONTENTS = text("SELECT field, salt, body FROM audit.content WHERE record_id = :id")
_CITATIONS = text("SELECT * FROM audit.citation WHERE record_id = :id ORDER BY n")
_CITATION = ("n", "policy", "version", "section", "char_start", "char_end")
_ERASED = text(
    "SELECT DISTINCT jsonb_array_elements_text(doc->'erased'->CAST(:id AS text)) FROM audit.record"
    " WHERE tag IN ('content:erased', 'retention:applied') AND doc->'erased' ? CAST(:id AS text)"
)
_RESTRICTED = text("SELECT audit.restricted(:id)")
_WITHHELD = frozenset({"place"})
"""Texts that officers may not read."""


@database_store
class PostgresAuditReader:
    """The record for an officer at a terminal: what is read is recorded before."""

    def __init__(self, session: OfficerSession) -> None:
        self._session = session

    async def show(self, record_id: str) -> RecordView | None:
        """Return one record, checked; None if there is none.

        What is typed is looked up first, so that what is recorded names the whole id.
        """
        found = await self._session.record_id(record_id, purpose="audit show")
        if found is None:
            return None
        async with self._session.reading(Reading(record_id=found)) as connection:
            return await read_record(connection, UUID(found))

    async def list(self, *, limit: int = 20, outcome: str | None = None) -> list[RecordLine]:
        """Return the newest records first, of one outcome if given."""
        given = json.dumps({"limit": limit, "outcome": outcome})
        reading = Reading(purpose="audit list", statement=given, views=["v_answers"])
        async with self._session.reading(reading) as connection:
            return await newest_records(connection, limit=limit, outcome=outcome)


async def newest_records(
    connection: AsyncConnection, *, limit: int = 20, outcome: str | None = None
) -> list[RecordLine]:
    """Return the newest records first, of one outcome if given."""
    rows = await connection.execute(_NEWEST, {"limit": limit, "outcome": outcome})
    return [record(RecordLine, row) for row in rows]


async def read_record(connection: AsyncConnection, record_id: UUID) -> RecordView | None:
    """Return one record, checked; None if there is none."""
    key = {"id": record_id}
    row = (await connection.execute(_RECORD, key)).mappings().one_or_none()
    if row is None:
        return None
    parts = (await connection.execute(_CONTENTS, key)).mappings().all()
    citations = (await connection.execute(_CITATIONS, key)).mappings().all()
    gone = await connection.scalars(_ERASED, {"id": str(record_id)})
    restricted = await connection.scalar(_RESTRICTED, key)
    return _view(row, parts, citations, frozenset(gone.all()), restricted)


def _view(
    row: RowMapping,
    parts: Sequence[RowMapping],
    derived: Sequence[RowMapping],
    erased: frozenset[str],
    restricted: dict[str, Any] | None,
) -> RecordView:
    bodies: dict[str, str] = {part["field"]: part["body"] for part in parts}
    withheld = row["doc"].get("content", {}).keys() if restricted else _WITHHELD
    return RecordView(
        record_id=str(row["id"]),
        at=row["at"],
        outcome=row["outcome"] or row["tag"],
        question=bodies.get("question"),
        answer=restricted["answer"] if restricted else _loaded(bodies.get("answer_json")),
        restriction=restricted["mark"] if restricted else None,
        trace=_loaded(bodies.get("trace")),
        document=row["doc"],
        leaf_hash=bytes(row["leaf_hash"]).hex(),
        problems=(
            *row_problems(row, derived),
            *_text_problems(row, parts, bodies, erased, withheld),
        ),
    )


def row_problems(row: RowMapping, derived: Sequence[RowMapping]) -> list[str]:
    """Return what of a row is not what its bytes say."""
    data = bytes(row["canonical"])
    problems: list[str] = []
    if leaf_hash(data) != bytes(row["leaf_hash"]):
        problems.append("the record's bytes do not hash to its leaf")
    document: dict[str, Any] = json.loads(data)
    if document != row["doc"] or not _is_derived(row, document):
        problems.append("the record's columns are not those of its bytes")
    stored = [
        {name: citation[name] for name in _CITATION} | {"quote_hash": citation["quote_hash"].hex()}
        for citation in derived
    ]
    if stored != [
        {name: citation[name] for name in (*_CITATION, "quote_hash")}
        for citation in document.get("citations", [])
    ]:
        problems.append("the record's citations are not those of its bytes")
    return problems


def _is_derived(row: RowMapping, document: dict[str, Any]) -> bool:
    """Say whether the columns are what the bytes say, as the table's expressions have it."""
    confidence: dict[str, Any] = document.get("confidence") or {}
    calibrated = row["calibrated"]
    return (
        all(str(row[name]) == str(document.get(name)) for name in _COLUMNS)
        and instant(row["at"]) == document["at"]
        and row["actor"] == document["actor"]["ref"]
        and row["badge"] == confidence.get("badge")
        and (None if calibrated is None else float(calibrated)) == confidence.get("calibrated")
    )


def _text_problems(
    row: RowMapping,
    parts: Sequence[RowMapping],
    bodies: dict[str, str],
    erased: frozenset[str],
    withheld: Set[str],
) -> list[str]:
    problems: list[str] = []
    document: dict[str, Any] = json.loads(bytes(row["canonical"]))
    promised: dict[str, str] = document.get("content", {})
    for part in parts:
        held = Commitment(field=part["field"], salt=bytes(part["salt"]), body=part["body"])
        if promised.get(held.field) != held.digest():
            problems.append(f"the text of {held.field!r} is not the one that was recorded")
    absent = promised.keys() - bodies.keys() - erased - withheld
    problems += [f"the text of {field!r} is missing" for field in promised if field in absent]
    problems += [
        f"the text of {field!r} was erased, and is there again" for field in erased & bodies.keys()
    ]
    shown = _loaded(bodies.get("answer_json")) or {}
    recorded = {item["n"]: item["quote_hash"] for item in document.get("citations", [])}
    for citation in shown.get("citations", []):
        if hashlib.sha256(citation["quote"].encode()).hexdigest() != recorded.get(citation["n"]):
            problems.append(f"quote [{citation['n']}] is not the one that was recorded")
    return problems


def _loaded(body: str | None) -> dict[str, Any] | None:
    return None if body is None else json.loads(body)
