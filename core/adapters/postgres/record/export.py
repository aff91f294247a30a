"""Read records with their proofs, to be handed to somebody outside."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import RecordingStore
from core.adapters.postgres.engine.record_ids import record_named
from core.adapters.postgres.engine.transactions import connected
from core.audit.bundle.contents import Bundle, BundledRecord, BundledText, Passage
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
 ORDER BY leaf.idx
""")
"""With each question all that came of it: replies, feedback, what officers did; of a precedent that
was told its proposal and approval."""
_PASSAGES = text("""
SELECT DISTINCT ON (given.version_id, given.first, given.last)
       version.id AS version_id, policy.key AS policy, version.title, section.number AS section,
       encode(version.sha256, 'hex') AS sha256, section.char_start,
       substr(version.text, section.char_start + 1, section.char_end - section.char_start) AS text
  FROM unnest(CAST(:versions AS bigint[]), CAST(:firsts AS integer[]), CAST(:lasts AS integer[]))
       AS given(version_id, first, last)
  JOIN citebound.policy_versions AS version ON version.id = given.version_id
  JOIN citebound.policies AS policy ON policy.id = version.policy_id
  JOIN citebound.sections AS section ON section.version_id = version.id
       AND section.char_start <= given.first AND section.char_end >= given.last
 ORDER BY given.version_id, given.first, given.last,
       section.char_end - section.char_start >= given.last - given.first + :around DESC,
       section.char_end - section.char_start
""")
"""The smallest section that says more than the quote."""
AROUND = 200
"""Characters more."""
_TEXTS = text(
    "SELECT record_id::text, field, salt, body FROM audit.content"
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
            conversation=None,
            seq=None,
            subject=None,
            cause=None,
            trace_id=None,
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
    rows = await _records(connection, selection, newest["size"])
    if not rows:
        raise UsageError(f"no sealed record matches {selection.about()!r}")
    leaves = await connection.execute(_LEAVES, {"size": newest["size"]})
    signer = _signer(newest["note"], keys)
    tree = Tree(bytes(leaf) for leaf in leaves.scalars())
    if tree.root() != bytes(newest["root"]):
        raise IntegrityError(
            "the leaves do not lead to the signed root: run `citebound audit verify`"
        )
    texts = await _texts(connection, [row["id"] for row in rows])
    passages = await _passages(connection, texts)
    found = await connection.execute(_AROUND, {"leaves": [row["idx"] for row in rows]})
    notes = dict.fromkeys(note for row in found for note in row if note is not None)
    return Bundle(
        note=newest["note"],
        key=signer,
        about=selection.about(),
        around=[note for note in notes if _is_by(signer, note)],
        passages=passages,
        records=[
            BundledRecord(
                record_id=row["id"],
                canonical=bytes(row["canonical"]),
                leaf=row["idx"],
                path=tree.proof(row["idx"]),
                texts=texts.get(row["id"], ()),
            )
            for row in rows
        ],
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
    found = await connection.execute(
        _RECORDS,
        {
            "size": size,
            "record": record,
            "case": selection.case,
            "policy": selection.policy,
            "since": selection.since,
            "until": selection.until,
        },
    )
    return found.mappings().all()


async def _texts(connection: AsyncConnection, ids: Sequence[str]) -> dict[str, list[BundledText]]:
    texts: dict[str, list[BundledText]] = {}
    for row in (await connection.execute(_TEXTS, {"ids": list(ids)})).mappings():
        texts.setdefault(row["record_id"], []).append(
            BundledText(field=row["field"], salt=bytes(row["salt"]), body=row["body"])
        )
    return texts


async def _passages(
    connection: AsyncConnection, texts: Mapping[str, Sequence[BundledText]]
) -> list[Passage]:
    """Return the innermost sections that the quotes of these texts stand in."""
    spans = sorted(
        {
            (one["version_id"], one["char_start"], one["char_end"])
            for parts in texts.values()
            for part in parts
            if part.field == "answer_json"
            for one in json.loads(part.body).get("citations", [])
        }
    )
    versions, firsts, lasts = ([span[n] for span in spans] for n in range(3))
    found = await connection.execute(
        _PASSAGES, {"versions": versions, "firsts": firsts, "lasts": lasts, "around": AROUND}
    )
    return list(dict.fromkeys(Passage(**row) for row in found.mappings()))
