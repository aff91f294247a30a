"""One record with all that belongs to it: the text around its quotes, what followed, its proof."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.record.audit_reader import read_record
from core.audit.merkle import Tree, root_by_proof
from core.domain.audit import RecordView
from core.domain.ontology import page_name

AROUND = 700
"""Characters of a section that are shown on each side of a quote."""
EVENTS = 100

_SECTION = text(
    "SELECT s.number, s.title, s.path,"
    " greatest(s.char_start, :start - :around) > s.char_start AS is_cut_before,"
    " least(s.char_end, :end + :around) < s.char_end AS is_cut_after,"
    " substr(v.text, greatest(s.char_start, :start - :around) + 1,"
    "  :start - greatest(s.char_start, :start - :around)) AS before,"
    " substr(v.text, :start + 1, :end - :start) AS quote,"
    " substr(v.text, :end + 1, least(s.char_end, :end + :around) - :end) AS after"
    " FROM citebound.sections s JOIN citebound.policy_versions v ON v.id = s.version_id"
    " WHERE s.version_id = :version AND s.char_start <= :start AND s.char_end >= :end"
    " ORDER BY s.char_end - s.char_start LIMIT 1"
)
_VERSION = text("SELECT number FROM citebound.policy_versions WHERE id = :version")
_EVENTS = text(
    "SELECT r.id AS record_id, r.tag, r.at, r.actor, r.doc->'actor'->>'kind' AS kind,"
    " r.doc AS document, c.body AS comment FROM audit.record r"
    " LEFT JOIN audit.content c ON c.record_id = r.id AND c.field IN ('comment', 'reply', 'reason')"
    " WHERE r.conversation = :conversation"
    " AND (r.subject = :subject OR r.doc->>'trace_id' = :trace OR r.id = :id)"
    " ORDER BY r.seq LIMIT :most"
)
_LEAF = text("SELECT idx FROM audit.leaf WHERE record_id = :id")
_COVERING = text(
    "SELECT size, root, sealed_at, note, generation FROM audit.checkpoint WHERE size > :leaf"
    " ORDER BY generation DESC, size LIMIT 1"
)
_LEAVES = text("SELECT audit.leaf_hashes(:size)")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedText:
    """A quote in the section in which it stands."""

    number: int
    """By which the answer marks it."""
    policy: str
    title: str
    version: str | None
    version_number: int | None
    """Of the stored version; None: it can't be read."""
    section: str
    page: str
    """Page, slide or row, as people call it; empty: none."""
    before: str
    quote: str
    """As it was shown."""
    after: str
    is_cut_before: bool
    is_cut_after: bool
    is_there: bool
    """True: the stored text holds the quote at this place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEvent:
    """Another record about the same question."""

    record_id: UUID
    tag: str
    at: datetime
    actor: str
    kind: str
    """`asker`, `officer`, `operator` or `system`."""
    comment: str | None
    """What somebody wrote with it; None if nothing, or once erased."""
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerPlace:
    """Where a record stands in the ledger."""

    leaf: int
    size: int
    """Records under the checkpoint that covers it."""
    root: bytes
    sealed_at: datetime
    note: str
    """The signed checkpoint."""
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPage:
    """All that an officer sees of one record."""

    record: RecordView
    quotes: Mapping[int, QuotedText]
    """By the number that the answer gives them."""
    events: Sequence[RecordEvent]
    """In order; the record itself is one of them."""
    place: LedgerPlace | None
    """None: it is not sealed yet."""


async def read_record_page(connection: AsyncConnection, record_id: UUID) -> RecordPage | None:
    """Return a record; None if there is none that the reader may see."""
    found = await read_record(connection, record_id)
    if found is None:
        return None
    shown: Any = found.answer or {}
    quotes = [await _quoted(connection, one) for one in shown.get("citations", [])]
    return RecordPage(
        record=found,
        quotes={quote.number: quote for quote in quotes},
        events=await _events(connection, found),
        place=await read_place(connection, record_id),
    )


async def read_place(connection: AsyncConnection, record_id: UUID) -> LedgerPlace | None:
    """Return where a record is sealed; None: it is not, yet."""
    leaf = await connection.scalar(_LEAF, {"id": record_id})
    if leaf is None:
        return None
    row = (await connection.execute(_COVERING, {"leaf": leaf})).one_or_none()
    if row is None:
        return None
    return record(LedgerPlace, row, leaf=leaf)


async def read_proof(connection: AsyncConnection, place: LedgerPlace) -> list[bytes] | None:
    """Return the hashes from a leaf to the checkpoint's root; None: they don't lead there."""
    hashes = await connection.scalars(_LEAVES, {"size": place.size})
    leaves = [bytes(leaf) for leaf in hashes]
    if place.leaf >= len(leaves):
        return None
    path = Tree(leaves).proof(place.leaf)
    leads_to = root_by_proof(place.leaf, place.size, leaves[place.leaf], path)
    return path if leads_to == place.root else None


async def _quoted(connection: AsyncConnection, citation: Mapping[str, Any]) -> QuotedText:
    version, start, end = (citation[key] for key in ("version_id", "char_start", "char_end"))
    keys = {"version": version, "start": start, "end": end, "around": AROUND}
    row = (await connection.execute(_SECTION, keys)).mappings().one_or_none()
    number = await connection.scalar(_VERSION, {"version": version})
    said = " ".join(part for part in (citation["section"], citation["section_title"]) if part)
    return record(
        QuotedText,
        citation,
        number=citation["n"],
        version_number=number,
        section=said,
        page=page_name(citation["eid"], citation["page"]),
        before=row["before"].lstrip() if row else "",
        after=row["after"].rstrip() if row else "",
        is_cut_before=bool(row and row["is_cut_before"]),
        is_cut_after=bool(row and row["is_cut_after"]),
        is_there=row is not None and row["quote"] == citation["quote"],
    )


async def _events(connection: AsyncConnection, shown: RecordView) -> list[RecordEvent]:
    document = shown.document
    rows = await connection.execute(
        _EVENTS,
        {
            "conversation": document.get("conversation"),
            "subject": document.get("subject"),
            "trace": document.get("trace_id"),
            "id": shown.record_id,
            "most": EVENTS,
        },
    )
    return [record(RecordEvent, row) for row in rows]
