"""Read records with their proofs, to be handed to somebody outside."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date
from operator import itemgetter

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import RecordingStore
from core.adapters.postgres.engine.record_ids import record_named
from core.adapters.postgres.engine.transactions import connected
from core.audit.bundle.verify import BundledRecord, BundledText, cited_versions, published_texts
from core.audit.bundle.write import Bundle
from core.audit.checkpoint import PublicKey, opened
from core.audit.documents import Event
from core.audit.merkle import Tree
from core.domain.audit import Tag
from core.domain.errors import ContractError, IntegrityError, UsageError

_NEWEST = text(
    "SELECT size, root, note FROM audit.checkpoint ORDER BY generation DESC, size DESC LIMIT 1"
)
_AROUND = text("""
SELECT before.note AS before, after.note AS after
  FROM unnest(CAST(:leaves AS bigint[])) AS given(leaf)
  LEFT JOIN LATERAL (
    SELECT note FROM audit.checkpoint WHERE size > given.leaf
     ORDER BY generation, size LIMIT 1) AS after ON true
  LEFT JOIN LATERAL (
    SELECT max(size) AS size FROM audit.checkpoint WHERE size <= given.leaf) AS last ON true
  LEFT JOIN LATERAL (
    SELECT max(at) AS at FROM (
      SELECT record.at FROM audit.leaf JOIN audit.record ON record.id = leaf.record_id
       WHERE leaf.idx < last.size ORDER BY leaf.idx DESC LIMIT 20) AS earlier) AS latest ON true
  LEFT JOIN LATERAL (
    SELECT note FROM audit.checkpoint
     WHERE size <= given.leaf AND sealed_at <= latest.at + interval '1 minute'
     ORDER BY generation DESC, size DESC LIMIT 1) AS before ON true
""")
"""The checkpoints around each leaf; where sealing lagged, one that is as old as the records are."""
_LEAVES = text("SELECT audit.leaf_hashes(:size)")
_RECORDS = text("""
WITH meant AS (
  SELECT record.id, record.doc->>'trace_id' AS trace
    FROM audit.record
   WHERE (CAST(:record AS uuid) IS NULL OR record.id = CAST(:record AS uuid))
     AND (CAST(:case AS text) IS NULL OR (record.tag LIKE 'case:%'
          AND (record.doc->>'case' = :case OR record.doc->>'number' = :case)))
     AND (CAST(:since AS date) IS NULL OR record.at >= CAST(:since AS date))
     AND (CAST(:until AS date) IS NULL OR record.at < CAST(:until AS date) + 1)
     AND (CAST(:policy AS text) IS NULL OR EXISTS (
           SELECT FROM audit.citation WHERE record_id = record.id AND policy = :policy))),
told AS (
  SELECT DISTINCT record.doc->'precedent'->>'id' AS precedent
    FROM audit.record JOIN meant ON meant.id = record.id WHERE record.outcome = 'answered')
SELECT record.id::text, record.canonical, leaf.idx
  FROM audit.record JOIN audit.leaf ON leaf.record_id = record.id
 WHERE leaf.idx < :size
   AND (record.id IN (SELECT id FROM meant)
     OR record.doc->>'trace_id' IN (SELECT trace FROM meant WHERE trace IS NOT NULL)
     OR (record.tag IN ('precedent:proposed', 'precedent:approved')
         AND record.subject IN (SELECT precedent FROM told WHERE precedent IS NOT NULL)))
""")
"""With each question all that came of it: replies, feedback, what officers did; of a precedent that
was told its proposal and approval."""
_PUBLISHED = text("""
SELECT record.id::text, record.canonical, leaf.idx
  FROM audit.record JOIN audit.leaf ON leaf.record_id = record.id
 WHERE leaf.idx < :size AND record.tag = 'corpus:published' AND EXISTS (
   SELECT FROM jsonb_array_elements(record.doc->'versions') AS version
    WHERE (version->>'policy_version')::bigint = ANY(CAST(:versions AS bigint[])))
""")
"""The publications of what is quoted: they have the hashes of its text."""
_POLICIES = text(
    "SELECT id, text FROM citebound.policy_versions WHERE id = ANY(CAST(:versions AS bigint[]))"
)
_TEXTS = text(
    "SELECT record_id::text, field, encode(salt, 'hex'), body FROM audit.content"
    " WHERE record_id = ANY(CAST(:ids AS uuid[])) ORDER BY record_id, field"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which records leave; all that is given must hold."""

    record: str | None = None
    """An id, its beginning, or the reference below a reply."""
    case: str | None = None
    """Number or id of a case."""
    policy: str | None = None
    """Answers that cite this policy."""
    since: date | None = None
    """First day, UTC."""
    until: date | None = None
    """Last day, UTC."""

    def about(self) -> str:
        """Return it in words."""
        said = (
            f"record {self.record}" if self.record else "",
            f"case {self.case}" if self.case else "",
            f"answers that rest on the policy {self.policy}" if self.policy else "",
            f"since {self.since}" if self.since else "",
            f"until {self.until}" if self.until else "",
        )
        return ", ".join(part for part in said if part)


class PostgresExport(RecordingStore):
    """Reads bundles from one database, and records that they left."""

    @raises_transient
    async def bundle(
        self, selection: Selection, *, keys: Sequence[PublicKey], actor: str
    ) -> Bundle:
        """Return what was asked for with its proofs; see `read_bundle`."""
        async with connected(self._engine, "REPEATABLE READ") as connection:
            bundle = await read_bundle(connection, selection, keys=keys)
        await self.record(selection, len(bundle.records), actor=actor)
        return bundle

    @raises_transient
    async def record(
        self, selection: Selection, records: int, *, actor: str, actor_kind: str = "operator"
    ) -> None:
        """Record that records leave, before they do."""
        event = Event(
            tag=Tag.BUNDLE_EXPORTED,
            actor=actor,
            actor_kind=actor_kind,
            says={"records": records, "selection": selection.about()},
        )
        async with self._engine.begin() as connection:
            await self._ledger.event(connection, event, content={})


async def read_bundle(
    connection: AsyncConnection, selection: Selection, *, keys: Sequence[PublicKey]
) -> Bundle:
    """Return what was asked for with its proofs, as far as the reader may see it.

    Raises:
        UsageError: Nothing was sealed yet, or no sealed record is meant.
        IntegrityError: The leaves do not lead to the signed root.
    """
    newest = (await connection.execute(_NEWEST)).mappings().one_or_none()
    if newest is None:
        raise UsageError("nothing was sealed yet: `citebound audit seal` does it")
    meant = await _records(connection, selection, newest["size"])
    if not meant:
        raise UsageError(f"no sealed record matches {selection.about()!r}")
    hashes = await connection.scalars(_LEAVES, {"size": newest["size"]})
    signer = _signer(newest["note"], keys)
    tree = Tree(bytes(leaf) for leaf in hashes)
    if tree.root() != bytes(newest["root"]):
        raise IntegrityError(
            "the leaves do not lead to the signed root: run `citebound audit verify`"
        )
    given = {"ids": [row["id"] for row in meant], "size": newest["size"]}
    texts = [BundledText(*row) for row in await connection.execute(_TEXTS, given)]
    given["versions"] = sorted(cited_versions((text.field, text.body) for text in texts))
    published = (await connection.execute(_PUBLISHED, given)).mappings()
    leaves = {row["idx"]: row for row in (*meant, *published)}
    records = [
        BundledRecord(data, json.loads(data), row["id"], leaf, tree.proof(leaf))
        for leaf, row in sorted(leaves.items(), key=itemgetter(0))
        for data in [bytes(row["canonical"])]
    ]
    proven = published_texts(record.document for record in records)
    policies = await connection.execute(_POLICIES, given)
    found = await connection.execute(_AROUND, {"leaves": [record.leaf for record in records]})
    notes = dict.fromkeys(note for row in found for note in row if note is not None)
    return Bundle(
        note=newest["note"],
        key=signer,
        records=records,
        texts=texts,
        policies={version: body for version, body in policies if version in proven},
        around=[note for note in notes if _is_by(signer, note)],
    )


def _signer(note: str, keys: Sequence[PublicKey]) -> PublicKey:
    for key in keys:
        if _is_by(key, note):
            return key
    raise IntegrityError(
        "no trusted key signed the newest checkpoint: run `citebound audit verify`"
    )


def _is_by(key: PublicKey, note: str) -> bool:
    with suppress(ContractError):
        return bool(opened(note, [key]))
    return False


async def _records(
    connection: AsyncConnection, selection: Selection, size: int
) -> Sequence[RowMapping]:
    record = await record_named(connection, selection.record) if selection.record else None
    if selection.record and record is None:
        return ()
    given = {**asdict(selection), "record": record, "size": size}
    found = await connection.execute(_RECORDS, given)
    return found.mappings().all()
