"""Verify the ledger of one database: read every record, and say what does not agree.

The server is asked for what it stores; hashes, the tree and the signatures are computed here. What
it derives for officers (columns, citations, texts) it compares itself, by its built-in functions
and from the hashed bytes alone. An auditor may not read texts: the owner's function
`audit.content_digests` hands out what they hash to, and its definition is held to this release's.
"""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from typing import cast

import psycopg
from sqlalchemy import RowMapping, TextClause, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.transactions import connected
from core.adapters.postgres.record.ledger_schema import EXPECTED, SCHEMA
from core.adapters.postgres.record.sequencer import origin_of
from core.audit.checkpoint import PublicKey, SealedCheckpoint, opened
from core.audit.verification import (
    ProblemClass,
    ProblemLog,
    StoredCheckpoint,
    TreeCheck,
    Verification,
    compare_anchors,
    compare_roots,
    open_stored,
)
from core.domain.errors import ContractError

COMPARED = 10_000
"""Problems that one comparison returns at most."""
READ_AT_ONCE = 2_000
"""Records that are fetched together: some megabytes."""

_SAID = "convert_from(canonical, 'UTF8')::jsonb"
_LEAVES = """
SELECT leaf.idx, leaf.record_id::text, leaf.leaf_hash, record.canonical
  FROM audit.leaf AS leaf LEFT JOIN audit.record AS record ON record.id = leaf.record_id
 ORDER BY leaf.idx
"""
_CHECKPOINTS = text(
    "SELECT generation, size, root, frontier, note FROM audit.checkpoint ORDER BY generation, size"
)
# The bytes are read once a row: columns are compared with what was derived from them.
_COLUMNS = text(f"""
SELECT id::text AS record FROM audit.record
 WHERE leaf_hash IS DISTINCT FROM sha256('\\x00'::bytea || canonical)
    OR doc IS DISTINCT FROM {_SAID}
    OR id::text IS DISTINCT FROM doc->>'id' OR tag IS DISTINCT FROM doc->>'tag'
    OR at IS DISTINCT FROM (doc->>'at')::timestamptz OR unit IS DISTINCT FROM doc->>'unit'
    OR actor IS DISTINCT FROM doc->'actor'->>'ref' OR subject IS DISTINCT FROM doc->>'subject'
    OR conversation::text IS DISTINCT FROM doc->>'conversation'
    OR seq::text IS DISTINCT FROM doc->>'seq' OR outcome IS DISTINCT FROM doc->>'outcome'
    OR badge IS DISTINCT FROM doc->'confidence'->>'badge'
    OR calibrated IS DISTINCT FROM (doc->'confidence'->>'calibrated')::numeric
 LIMIT :most
""")  # noqa: S608  # constants
_CITATIONS = text(f"""
SELECT DISTINCT coalesce(told.record_id, kept.record_id)::text AS record
  FROM (SELECT id AS record_id, (c->>'n')::integer AS n, c->>'policy' AS policy,
               c->>'version' AS version, c->>'section' AS section,
               (c->>'char_start')::integer AS char_start, (c->>'char_end')::integer AS char_end,
               decode(c->>'quote_hash', 'hex') AS quote_hash
          FROM audit.record,
               jsonb_array_elements(coalesce({_SAID}->'citations', '[]')) AS c) AS told
  FULL JOIN audit.citation AS kept ON kept.record_id = told.record_id AND kept.n = told.n
 WHERE (told.policy, told.version, told.section, told.char_start, told.char_end, told.quote_hash)
       IS DISTINCT FROM
       (kept.policy, kept.version, kept.section, kept.char_start, kept.char_end, kept.quote_hash)
 LIMIT :most
""")  # noqa: S608  # constants
_CONTENTS = text(f"""
SELECT coalesce(told.id, kept.record_id)::text AS record,
       coalesce(told.field, kept.field) AS field,
       told.id IS NULL AS is_unknown, kept.record_id IS NULL AS is_missing
  FROM (SELECT id, promised.key AS field, promised.value AS digest
          FROM audit.record, jsonb_each_text({_SAID}->'content') AS promised) AS told
  FULL JOIN audit.content_digests() AS kept ON kept.record_id = told.id AND kept.field = told.field
 WHERE told.id IS NULL OR kept.record_id IS NULL OR told.digest IS DISTINCT FROM kept.digest
 LIMIT :most
""")  # noqa: S608  # constants
_NUMBERS = text("""
SELECT conversation::text, count(*) AS records, max(seq) AS last
  FROM audit.record WHERE seq IS NOT NULL
 GROUP BY conversation HAVING min(seq) <> 1 OR max(seq) <> count(*)
 LIMIT :most""")
_LEFT_OUT = text("""
SELECT id::text AS record FROM audit.record
 WHERE NOT EXISTS (SELECT FROM audit.leaf WHERE record_id = record.id)
   AND xid < (SELECT horizon FROM audit.checkpoint ORDER BY generation DESC, size DESC LIMIT 1)
 LIMIT :most
""")
_SIZES = text("""
SELECT (SELECT count(*) FROM audit.record) - (SELECT count(*) FROM audit.leaf) AS unsealed,
       (SELECT count(*) FROM audit.content) AS contents
""")


class PostgresVerifier:
    """Verifies the ledger of one database; see `core.audit.verification`."""

    def __init__(self, engine: AsyncEngine, *, deployment: str) -> None:
        self._engine = engine
        self._deployment = deployment

    @raises_transient
    async def verify(
        self,
        *,
        keys: Sequence[PublicKey],
        anchored: Iterable[str],
        lacks: Sequence[str] = (),
    ) -> Verification:
        """Check everything, in one snapshot.

        Args:
            keys: that are trusted; they come from outside the database.
            anchored: notes that stand outside the database.
            lacks: what the caller could not come by, such as an anchor that does not answer.
        """
        async with connected(self._engine, "REPEATABLE READ") as connection:
            return await verified(
                connection, self._deployment, keys=keys, anchored=anchored, lacks=lacks
            )


async def verified(
    connection: AsyncConnection,
    deployment: str,
    *,
    keys: Sequence[PublicKey],
    anchored: Iterable[str],
    lacks: Sequence[str] = (),
) -> Verification:
    """Check everything that one transaction sees; see `PostgresVerifier.verify`."""
    began = monotonic()
    log = ProblemLog()
    anchors = _opened(anchored, keys, log)
    stored = await _checkpoints(connection, deployment)
    sealed = open_stored(stored, keys, log) if keys else []
    wanted = {one.size for one in stored} | {one.checkpoint.size for one in anchors}
    tree = TreeCheck(log, wanted)
    await _walk(connection, tree)
    compare_roots(stored, tree, log)
    compare_anchors(anchors, stored, tree, log)
    await _compare_rows(connection, log)
    await _compare_schema(connection, log)
    sizes = (await connection.execute(_SIZES)).mappings().one()
    unsealed = max(0, sizes["unsealed"])
    missing = [*lacks]
    if not keys:
        missing.append("no public key of the ledger is known")
    if not anchors:
        missing.append("no anchor outside the database was compared")
    if not stored:
        missing.append("nothing was ever sealed: `citebound audit seal` does it")
    return Verification(
        problems=log.problems,
        count=log.count,
        warnings=[f"{unsealed} records wait to be sealed"] if unsealed else [],
        lacks=missing,
        newest=sealed[-1].checkpoint if sealed else None,
        sealed_until=sealed[-1].signed_at if sealed else None,
        unsealed=unsealed,
        records=tree.size,
        checkpoints=len(stored),
        anchors=len(anchors),
        contents=sizes["contents"],
        took_ms=(monotonic() - began) * 1_000,
    )


async def _checkpoints(connection: AsyncConnection, deployment: str) -> list[StoredCheckpoint]:
    return [
        StoredCheckpoint(
            origin=origin_of(deployment, row.generation),
            size=row.size,
            root=bytes(row.root),
            frontier=tuple(bytes(subtree) for subtree in row.frontier),
            note=row.note,
        )
        for row in await connection.execute(_CHECKPOINTS)
    ]


def _opened(
    notes: Iterable[str], keys: Sequence[PublicKey], log: ProblemLog
) -> list[SealedCheckpoint]:
    found: list[SealedCheckpoint] = []
    for note in notes if keys else ():
        try:
            found.append(opened(note, keys))
        except ContractError as error:
            log.add(ProblemClass.NOTE_INVALID, f"an anchor's note: {error}")
    return found


async def _walk(connection: AsyncConnection, tree: TreeCheck) -> None:
    """Read all leaves with their records, past SQLAlchemy: a million of them in seconds."""
    raw = (await connection.get_raw_connection()).driver_connection
    session = cast("psycopg.AsyncConnection[tuple[int, str, bytes, bytes | None]]", raw)
    async with session.cursor(name="ledger", binary=True) as cursor:
        cursor.itersize = READ_AT_ONCE
        await cursor.execute(_LEAVES)
        async for place, record, leaf, canonical in cursor:
            tree.add(place, record, leaf, canonical)


async def _compare_rows(connection: AsyncConnection, log: ProblemLog) -> None:
    """Compare what was derived from the records."""
    for row in await _rows(connection, _COLUMNS, "columns of the records", log):
        log.add(
            ProblemClass.COLUMN_ALTERED,
            "a column is not what the record's bytes say",
            record=str(row["record"]),
        )
    for row in await _rows(connection, _CITATIONS, "citations", log):
        log.add(
            ProblemClass.CITATION_ALTERED,
            "the citations are not those of the record's bytes",
            record=str(row["record"]),
        )
    for row in await _rows(connection, _CONTENTS, "texts", log):
        kind, said = _content_problem(row)
        log.add(kind, f"the text of {row['field']!r} {said}", record=str(row["record"]))
    for row in await _rows(connection, _NUMBERS, "numbers of the records", log):
        log.add(
            ProblemClass.NUMBER_MISSING,
            f"conversation {row['conversation']} has {row['records']} records, numbered up to"
            f" {row['last']}",
        )
    for row in await _rows(connection, _LEFT_OUT, "records without a leaf", log):
        log.add(
            ProblemClass.RECORD_LEFT_OUT,
            "the record is older than what was sealed, and has no place in the tree",
            record=str(row["record"]),
        )


def _content_problem(row: RowMapping) -> tuple[ProblemClass, str]:
    if row["is_missing"]:
        return ProblemClass.CONTENT_MISSING, "is missing"
    if row["is_unknown"]:
        return ProblemClass.CONTENT_UNKNOWN, "belongs to no record"
    return ProblemClass.CONTENT_ALTERED, "is not the one that was recorded"


async def _compare_schema(connection: AsyncConnection, log: ProblemLog) -> None:
    found: set[str] = set()
    for row in await _rows(connection, SCHEMA, "schema", log):
        found.add(str(row["line"]))
    for line in sorted(EXPECTED - found):
        log.add(ProblemClass.SCHEMA_ALTERED, f"missing: {line}")
    for line in sorted(found - EXPECTED):
        log.add(ProblemClass.SCHEMA_ALTERED, f"not of this release: {line}")


async def _rows(
    connection: AsyncConnection, query: TextClause, what: str, log: ProblemLog
) -> Sequence[RowMapping]:
    """Run one comparison; what can't even be read as it should be is a problem, too.

    Without a cursor, since Postgres spreads no cursor's query over several processes.
    """
    async with _guarded(connection, what, log):
        return (await connection.execute(query, {"most": COMPARED})).mappings().all()
    return ()


@asynccontextmanager
async def _guarded(connection: AsyncConnection, what: str, log: ProblemLog) -> AsyncGenerator[None]:
    try:
        async with connection.begin_nested():
            yield
    except DBAPIError as error:
        if error.connection_invalidated or error.orig is None:
            raise
        state = getattr(error.orig, "sqlstate", None)
        if state is None or not state.startswith("22"):
            raise
        log.add(ProblemClass.UNREADABLE, f"the {what} can't be read (SQLSTATE {state})")
