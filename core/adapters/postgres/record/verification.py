"""Verify the ledger of one database: read every record, and say what does not agree.

The server is asked for what it stores; hashes, the tree and the signatures are computed here. What
it derives for officers (columns, citations, texts) it compares itself, by its built-in functions
and from the hashed bytes alone. An auditor may not read texts: the owner's function
`audit.content_digests` hands out what they hash to, and its definition is held to this release's.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from multiprocessing import get_context
from time import monotonic, time
from typing import Any, cast

import psycopg
from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient, server_now
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.published_texts import altered_versions
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.server_state import (
    compare_identities,
    compare_officers,
    compare_server,
)
from core.adapters.postgres.engine.transactions import connected
from core.adapters.postgres.record.comparisons import (
    compare_outbox,
    compare_records,
    compare_rows,
    compare_unsealed,
)
from core.adapters.postgres.record.ledger_schema import compare_schema
from core.adapters.postgres.record.receipts import read_receipts
from core.adapters.postgres.record.tree_state import origin_of
from core.audit.canonical import canonical_document, leaf_hash
from core.audit.checkpoint import PublicKey, SealedCheckpoint, opened
from core.audit.documents import Event
from core.audit.outside import StampedAt, compare_anchors, compare_receipts
from core.audit.restorations import Restorations
from core.audit.timeline import Timeline
from core.audit.verification import (
    CheckedLeaves,
    LeafRow,
    ProblemClass,
    ProblemLog,
    StoredCheckpoint,
    TreeCheck,
    Verification,
    begin_after,
    check_leaves,
    compare_roots,
    open_stored,
)
from core.domain.audit import Tag
from core.domain.errors import ContractError
from core.domain.json_value import Json

READ_AT_ONCE = 2_000
"""Records that are fetched together: some megabytes."""
AHEAD = 4
"""Batches that wait for their check: what is read is not kept in memory."""
TRUSTED_NAMES = "SET LOCAL search_path = pg_catalog, pg_temp"
"""Whatever a role, the database or a trigger at login has set: names without a schema are those of
Postgres, temporary ones last."""
WORTH_PROCESSES = 500_000
"""Leaves from which on it pays to start processes, which takes seconds on a busy machine."""
PROCESSES = 2
FIRST = -(2**63)
"""No leaf has a lower place: one before the first is read, and named."""

_LEAVES = """
SELECT leaf.idx, leaf.record_id::text, leaf.leaf_hash, record.canonical, record.leaf_hash
  FROM ONLY audit.leaf AS leaf LEFT JOIN ONLY audit.record AS record ON record.id = leaf.record_id
 WHERE leaf.idx >= %s ORDER BY leaf.idx
"""
_CHECKPOINTS = text(
    "SELECT generation, size, root, frontier, note FROM ONLY audit.checkpoint"
    " ORDER BY generation, size"
)
_RESTORED = text("""
SELECT record.id::text AS record, record.canonical
  FROM ONLY audit.record AS record JOIN ONLY audit.leaf AS leaf ON leaf.record_id = record.id
 WHERE record.tag = 'ledger:restored' ORDER BY leaf.idx
""")
_SIZES = text("""
SELECT (SELECT count(*) FROM ONLY audit.leaf) AS leaves,
       (SELECT count(*) FROM ONLY audit.record)
         - (SELECT count(*) FROM ONLY audit.leaf) AS unsealed,
       (SELECT count(*) FROM ONLY audit.content) AS contents,
       (SELECT count(*) FROM ONLY audit.record, jsonb_each(doc->'erased') AS gone,
               jsonb_array_elements(gone.value)
         WHERE tag IN ('content:erased', 'retention:applied')) AS erased
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationBasis:
    """What a verification holds the database to: all of it comes from outside."""

    keys: Sequence[PublicKey]
    """Public keys that are trusted."""
    anchored: Sequence[str] = ()
    """Notes that stand outside the database."""
    stamped_at: StampedAt | None = None
    """Checks the token of a timestamp authority; None: no authority is trusted."""
    lacks: Sequence[str] = ()
    """What could not be come by, such as an anchor that does not answer."""
    now: float = field(default_factory=time)
    """Seconds since 1970, UTC, by the clock of whoever verifies."""


_RECORD = text("SELECT audit.record_verification(:canonical, :leaf)")


@raises_transient
async def record_verification(
    engine: AsyncEngine, says: Mapping[str, Json], *, ledger: Ledger, operator: str
) -> None:
    """Record that somebody verified the ledger, or a part of it, and what came of it.

    Raises:
        TransientError: It could not be recorded, as on a server that only follows another one.
    """
    event = Event(tag=Tag.LEDGER_VERIFIED, actor=operator, actor_kind="operator", says=says)
    async with engine.begin() as connection:
        entry = ledger.entry(event, at=await server_now(connection), content={})
        recorded = {"canonical": entry.data, "leaf": leaf_hash(entry.data)}
        await connection.execute(_RECORD, recorded)


class PostgresVerifier:
    """Verifies the ledger of one database; see `core.audit.verification`."""

    def __init__(self, engine: AsyncEngine, *, deployment: str) -> None:
        self._engine = engine
        self._deployment = deployment

    @raises_transient
    async def verify(
        self, basis: VerificationBasis, *, since: int | date | None = None
    ) -> Verification:
        """Check everything, in one snapshot.

        Args:
            basis: from outside the database.
            since: only what was sealed after the last checkpoint of at most this size, or before
                this day, UTC; None: everything.

        Raises:
            UsageError: There is no such checkpoint.
        """
        async with (
            connected(self._engine, "REPEATABLE READ") as connection,
            connected(self._engine, "REPEATABLE READ") as beside,
        ):
            snapshot = await connection.scalar(text("SELECT pg_catalog.pg_export_snapshot()"))
            await beside.exec_driver_sql(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
            return await verified(connection, self._deployment, basis, since=since, beside=beside)


async def verified(
    connection: AsyncConnection,
    deployment: str,
    basis: VerificationBasis,
    *,
    since: int | date | None = None,
    beside: AsyncConnection | None = None,
) -> Verification:
    """Check everything that one transaction sees; see `PostgresVerifier.verify`.

    `beside` sees the same: on it the server compares while the records are read.
    """
    began = monotonic()
    for each in filter(None, (connection, beside)):
        await each.exec_driver_sql(TRUSTED_NAMES)
    stored = stored_checkpoints(await connection.execute(_CHECKPOINTS), deployment)
    log = ProblemLog(await _restorations(connection, stored))
    anchors = _opened(basis.anchored, basis.keys, log)
    sealed = open_stored(stored, basis.keys, log, now=basis.now) if basis.keys else []
    first = begin_after(stored, sealed, since) if since is not None else None
    start = first.size if first else 0
    wanted = {one.size for one in stored} | {one.checkpoint.size for one in anchors}
    tree = TreeCheck(log, wanted, begin=first)
    timeline = Timeline(sealed, log)
    sizes = (await connection.execute(_SIZES)).mappings().one()
    compared = _Compared()
    async with asyncio.TaskGroup() as group:
        if beside is not None:
            group.create_task(_compare(beside, compared, start=start))
        await _walk(connection, tree, timeline, log, start=start, leaves=sizes["leaves"])
    if beside is None:
        await _compare(connection, compared, start=start)
    log.extend(compared.log.problems)
    if stored:
        await compare_unsealed(connection, log, now=basis.now)
    compare_roots([one for one in stored if one.size >= start], tree, log)
    compare_anchors([one for one in anchors if one.checkpoint.size >= start], stored, tree, log)
    stamps = compare_receipts(await read_receipts(connection), basis.stamped_at, log)
    unsealed = max(0, sizes["unsealed"])
    return Verification(
        problems=log.problems,
        count=log.count,
        restored=log.restorations.needed,
        warnings=[
            *([f"{unsealed} records wait to be sealed"] if unsealed else []),
            *([f"the first {start} records were not read again"] if start else []),
            *compared.warnings,
            *stamps.warnings,
        ],
        lacks=[*_lacks(basis, anchors=len(anchors), is_sealed=bool(stored)), *compared.lacks],
        newest=sealed[-1].checkpoint if sealed else None,
        sealed_until=sealed[-1].signed_at if sealed else None,
        unsealed=unsealed,
        records=tree.size - start,
        checkpoints=len(stored),
        anchors=len(anchors),
        timestamps=stamps.checked,
        contents=sizes["contents"],
        erased=sizes["erased"],
        took_ms=(monotonic() - began) * 1_000,
    )


@dataclass(slots=True)
class _Compared:
    """What the server's own comparisons found."""

    log: ProblemLog = field(default_factory=ProblemLog)
    warnings: list[str] = field(default_factory=list[str])
    lacks: list[str] = field(default_factory=list[str])


async def _compare(connection: AsyncConnection, compared: _Compared, *, start: int) -> None:
    compared.lacks += await compare_rows(connection, compared.log, start=start)
    await compare_records(connection, compared.log, start=start)
    unread = await compare_outbox(connection, compared.log)
    compared.warnings += [unread] if unread else []
    for altered in await connection.run_sync(altered_versions):
        compared.log.add(ProblemClass.TEXT_ALTERED, altered)
    await compare_officers(connection, compared.log)
    await compare_identities(connection, compared.log)
    await compare_server(connection, compared.log)
    schema = await compare_schema(connection, compared.log)
    compared.warnings += schema.warnings
    compared.lacks += schema.lacks


def _lacks(basis: VerificationBasis, *, anchors: int, is_sealed: bool) -> list[str]:
    lacks = [*basis.lacks]
    if not basis.keys:
        lacks.append("no public key of the ledger is known")
    if not anchors:
        lacks.append("no anchor outside the database was compared")
    if not is_sealed:
        lacks.append("nothing was ever sealed: `citebound audit seal` does it")
    return lacks


def stored_checkpoints(rows: Iterable[Row[Any]], deployment: str) -> list[StoredCheckpoint]:
    """Return rows of `audit.checkpoint` with their origins."""
    return [
        record(StoredCheckpoint, row, origin=origin_of(deployment, row.generation)) for row in rows
    ]


async def _restorations(
    connection: AsyncConnection, stored: Sequence[StoredCheckpoint]
) -> Restorations:
    rows = (await connection.execute(_RESTORED)).all()
    documents = [(row.record, canonical_document(bytes(row.canonical)) or {}) for row in rows]
    return Restorations.of(
        [(str(record), int(document.get("generation", 0))) for record, document in documents],
        [row.checkpoint.position for row in stored],
    )


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


async def _walk(
    connection: AsyncConnection,
    tree: TreeCheck,
    timeline: Timeline,
    log: ProblemLog,
    *,
    start: int,
    leaves: int,
) -> None:
    """Read the leaves with their records, past SQLAlchemy, and check them as they come.

    Of a large ledger other processes check the records, which is most of the work. The leaf before
    `start` is read for its time alone.
    """
    raw = (await connection.get_raw_connection()).driver_connection
    session = cast("psycopg.AsyncConnection[LeafRow]", raw)

    def take(checked: CheckedLeaves) -> None:
        log.extend(one for one in checked.problems if one.leaf is None or one.leaf >= start)
        timeline.add(checked.times, start=start)

    with _checking(leaves - start) as check:
        async with session.cursor(name="ledger", binary=True) as cursor:
            await cursor.execute(_LEAVES, (start - 1 if start else FIRST,))
            pending: deque[Awaitable[CheckedLeaves]] = deque()
            while rows := await cursor.fetchmany(READ_AT_ONCE):
                pending.append(check(rows))
                for row in rows:
                    if row[0] >= start or not start:
                        tree.add(row[0], row[2])
                if len(pending) > AHEAD:
                    take(await pending.popleft())
            for checked in pending:
                take(await checked)


@contextmanager
def _checking(leaves: int) -> Generator[Callable[[list[LeafRow]], Awaitable[CheckedLeaves]]]:
    """Yield what checks a batch of rows: here, or in other processes where that pays."""
    loop = asyncio.get_running_loop()
    if leaves < WORTH_PROCESSES:

        def here(rows: list[LeafRow]) -> Awaitable[CheckedLeaves]:
            return asyncio.to_thread(check_leaves, rows)

        yield here
        return
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        yield lambda rows: loop.run_in_executor(pool, check_leaves, rows)
