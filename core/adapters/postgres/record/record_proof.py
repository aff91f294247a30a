"""Verify one record: what it says, what is derived from it, and its proof against an anchor.

The proof leads from the record's leaf to the newest anchored checkpoint (RFC 6962, section 2.1.1):
the other records are not read, only their leaves.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.record_ids import record_named
from core.adapters.postgres.engine.transactions import connected
from core.adapters.postgres.record.audit_reader import row_problems
from core.adapters.postgres.record.tree_state import generation_of
from core.adapters.postgres.record.verification import (
    TRUSTED_NAMES,
    VerificationBasis,
    stored_checkpoints,
)
from core.audit.checkpoint import Checkpoint, opened
from core.audit.merkle import Tree, root_by_proof
from core.audit.timeline import Timeline
from core.audit.verification import (
    Problem,
    ProblemClass,
    ProblemLog,
    check_leaves,
    open_stored,
)
from core.domain.errors import ContractError, IntegrityError, UsageError
from core.domain.json_value import Json

_RECORD = text(
    "SELECT record.*, leaf.idx, leaf.leaf_hash AS sealed_hash FROM ONLY audit.record"
    " LEFT JOIN ONLY audit.leaf ON leaf.record_id = record.id WHERE record.id = :id"
)
_CITATIONS = text("SELECT * FROM ONLY audit.citation WHERE record_id = :id ORDER BY n")
_DIGESTS = text("SELECT field, digest FROM audit.content_digests(:id)")
_ERASED = text(
    "SELECT DISTINCT jsonb_array_elements_text(doc->'erased'->CAST(:id AS text))"
    " FROM ONLY audit.record"
    " JOIN ONLY audit.leaf ON leaf.record_id = record.id"  # unsealed, it proves nothing
    " WHERE tag IN ('content:erased', 'retention:applied') AND doc->'erased' ? CAST(:id AS text)"
)
_AROUND = text("""
(SELECT generation, size, root, frontier, note FROM ONLY audit.checkpoint
  WHERE size <= :leaf ORDER BY generation DESC, size DESC LIMIT 1)
UNION ALL
(SELECT generation, size, root, frontier, note FROM ONLY audit.checkpoint
  WHERE size > :leaf ORDER BY generation, size LIMIT 1)
""")
_TIMES = text("""
SELECT leaf.idx, record.id::text AS id, record.canonical, record.leaf_hash
  FROM ONLY audit.leaf AS leaf JOIN ONLY audit.record AS record ON record.id = leaf.record_id
 WHERE leaf.idx = :leaf OR leaf.idx >= :size - :before AND leaf.idx < :size ORDER BY leaf.idx
""")
BEFORE = 20
"""Leaves under the checkpoint before a record that say how late sealing was."""
_LEAVES = text("SELECT leaf_hash FROM ONLY audit.leaf WHERE idx < :size ORDER BY idx")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedRecord:
    """What a verification of one record found."""

    record_id: str
    """The record."""
    tag: str
    """What it is about."""
    at: datetime
    """When it was written, UTC."""
    leaf: int | None
    """Its place in the tree; None: it is not sealed yet."""
    checkpoint: Checkpoint | None
    """The newest anchored one that covers it; None: there is none."""
    path: Sequence[bytes]
    """Hashes that lead from the leaf to the root of that checkpoint."""
    anchors: int
    """Checkpoints outside the database that cover it."""
    citations: int
    contents: int
    """Texts that it commits to, and that are there."""
    erased: int
    """Texts that are gone as a record says."""
    problems: Sequence[Problem]
    lacks: Sequence[str]
    """What was missing for the verification to be complete: no result without it."""
    warnings: Sequence[str] = ()
    """What else whoever verifies should know."""
    took_ms: float

    @property
    def result(self) -> str:
        """Return `intact`, `tampered` or `incomplete`; see `Verification.result`."""
        if self.problems:
            return "tampered"
        return "incomplete" if self.lacks else "intact"

    def summary(self) -> dict[str, Json]:
        """Return what is recorded of it."""
        return {
            "result": self.result,
            "record": self.record_id,
            "origin": self.checkpoint.origin if self.checkpoint else None,
            "size": self.checkpoint.size if self.checkpoint else 0,
            "root": self.checkpoint.root.hex() if self.checkpoint else None,
            "records": 1,
            "problems": len(self.problems),
            "classes": sorted({one.kind.value for one in self.problems}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """The personal texts of a record."""

    held: Mapping[str, str]
    """What those that are there hash to, by field."""
    erased: frozenset[str]
    """Fields that are gone as a record says."""


class PostgresRecordVerifier:
    """Verifies single records of one database."""

    def __init__(self, engine: AsyncEngine, *, deployment: str) -> None:
        self._engine = engine
        self._deployment = deployment

    @raises_transient
    async def verify(self, record_id: str, basis: VerificationBasis) -> VerifiedRecord:
        """Check one record, by its id, the beginning of it, or its reference.

        Raises:
            UsageError: There is no such record, or there are several.
        """
        began, log = monotonic(), ProblemLog()
        async with connected(self._engine, "REPEATABLE READ") as connection:
            await connection.exec_driver_sql(TRUSTED_NAMES)
            row = await _find(connection, record_id)
            citations = (await connection.execute(_CITATIONS, {"id": row["id"]})).mappings().all()
            _compare_row(row, citations, log)
            texts = await _texts(connection, row)
            _compare_texts(row, texts, log)
            covering = self._covering(row, basis, log)
            path = await _proof(connection, row, covering[-1], log) if covering else ()
            if row["idx"] is not None and basis.keys:
                await self._compare_time(connection, row["idx"], basis, log)
        return VerifiedRecord(
            record_id=str(row["id"]),
            tag=row["tag"],
            at=row["at"],
            leaf=row["idx"],
            checkpoint=covering[-1] if covering else None,
            path=path,
            anchors=len(covering),
            citations=len(citations),
            contents=len(texts.held),
            erased=len(texts.erased),
            problems=log.problems,
            lacks=_lacks(row, basis, is_covered=bool(covering)),
            took_ms=(monotonic() - began) * 1_000,
        )

    async def _compare_time(
        self, connection: AsyncConnection, leaf: int, basis: VerificationBasis, log: ProblemLog
    ) -> None:
        """Hold the record's time to the checkpoints of the database around it."""
        rows = await connection.execute(_AROUND, {"leaf": leaf})
        around = stored_checkpoints(rows.all(), self._deployment)
        given = {"leaf": leaf, "size": min((row.size for row in around), default=0)}
        found = await connection.execute(_TIMES, {**given, "before": BEFORE})
        leaves = [
            (row.idx, row.id, bytes(row.leaf_hash), bytes(row.canonical), bytes(row.leaf_hash))
            for row in found
        ]
        sealed = open_stored(around, basis.keys, log, now=basis.now)
        Timeline(sealed, log).add(check_leaves(leaves).times, start=leaf)

    def _covering(
        self, row: RowMapping, basis: VerificationBasis, log: ProblemLog
    ) -> list[Checkpoint]:
        """Return the anchored checkpoints that cover a record, the newest last."""
        found: list[Checkpoint] = []
        for note in basis.anchored if basis.keys else ():
            try:
                checkpoint = opened(note, basis.keys).checkpoint
                generation_of(checkpoint.origin, self._deployment)
            except (ContractError, IntegrityError) as error:
                log.add(ProblemClass.NOTE_INVALID, f"an anchor's note: {error}")
                continue
            if row["idx"] is not None and checkpoint.size > row["idx"]:
                found.append(checkpoint)
        return sorted(found, key=lambda one: one.position)


async def _find(connection: AsyncConnection, record_id: str) -> RowMapping:
    found = await record_named(connection, record_id)
    if found is None:
        raise UsageError(f"there is no record {record_id!r}")
    return (await connection.execute(_RECORD, {"id": found})).mappings().one()


def _compare_row(row: RowMapping, citations: Sequence[RowMapping], log: ProblemLog) -> None:
    """Hold the row to its bytes, and the bytes to the leaf."""
    record = str(row["id"])
    data, own = bytes(row["canonical"]), bytes(row["leaf_hash"])
    if row["idx"] is not None:
        leaf = (row["idx"], record, bytes(row["sealed_hash"]), data, own)
        log.extend(check_leaves([leaf]).problems)
    for said in row_problems(row, citations):
        log.add(ProblemClass.COLUMN_ALTERED, said, record=record)


async def _texts(connection: AsyncConnection, row: RowMapping) -> _Texts:
    digests = await connection.execute(_DIGESTS, {"id": row["id"]})
    erased = await connection.scalars(_ERASED, {"id": str(row["id"])})
    return _Texts(held={one.field: one.digest for one in digests}, erased=frozenset(erased.all()))


def _compare_texts(row: RowMapping, texts: _Texts, log: ProblemLog) -> None:
    """Hold the texts to what the record commits to."""
    document: dict[str, Any] = json.loads(bytes(row["canonical"]))
    promised: dict[str, str] = document["content"]
    held, erased = texts.held, texts.erased
    for field in sorted({*promised, *held}):
        problem: tuple[ProblemClass, str] | None = None
        if field not in promised:
            problem = ProblemClass.CONTENT_UNKNOWN, "is not committed to"
        elif field not in held and field not in erased:
            problem = ProblemClass.CONTENT_MISSING, "is gone, and no sealed record says why"
        elif field in held and field in erased:
            problem = ProblemClass.CONTENT_RESTORED, "was erased, and is there again"
        elif field in held and held[field] != promised[field]:
            problem = ProblemClass.CONTENT_ALTERED, "is not the one that was recorded"
        if problem is not None:
            log.add(problem[0], f"the text of {field!r} {problem[1]}", record=str(row["id"]))


async def _proof(
    connection: AsyncConnection, row: RowMapping, checkpoint: Checkpoint, log: ProblemLog
) -> Sequence[bytes]:
    """Return the path from a leaf to an anchored root, checked."""
    rows = await connection.scalars(_LEAVES, {"size": checkpoint.size})
    leaves = [bytes(leaf) for leaf in rows]
    if len(leaves) < checkpoint.size:
        log.add(
            ProblemClass.ANCHOR_AHEAD,
            f"an anchor of {checkpoint.origin} holds {checkpoint.size} sealed records, the database"
            f" {len(leaves)}",
            leaf=checkpoint.size,
        )
        return ()
    tree = await asyncio.to_thread(Tree, leaves)
    path = tree.proof(row["idx"])
    leaf = bytes(row["sealed_hash"])
    if root_by_proof(row["idx"], checkpoint.size, leaf, path) != checkpoint.root:
        log.add(
            ProblemClass.ANCHOR_DIFFERS,
            f"an anchor of {checkpoint.origin} holds another root",
            record=str(row["id"]),
            leaf=checkpoint.size,
        )
    return path


def _lacks(row: RowMapping, basis: VerificationBasis, *, is_covered: bool) -> list[str]:
    lacks = [*basis.lacks]
    if not basis.keys:
        lacks.append("no public key of the ledger is known")
    if row["idx"] is None:
        lacks.append("the record is not sealed yet: `citebound audit seal` does it")
    elif not is_covered:
        lacks.append("no anchor outside the database has a checkpoint that covers it")
    return lacks
