"""The sequencer: gives every record its place in the Merkle tree, and signs the tree.

It reads by the horizon of transactions. Ids and times are given before a record can be seen, so
that a cursor by them would pass over one that commits late; below the horizon nothing is open.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ARRAY, BigInteger, LargeBinary, RowMapping, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.transactions import AdvisoryLock, connected, wait_for
from core.audit.checkpoint import Checkpoint, LedgerKey, PublicKey, opened
from core.audit.documents import Event
from core.audit.merkle import Frontier
from core.domain.audit import Tag
from core.domain.errors import ContractError, IntegrityError
from core.ports import Clock

AT_ONCE = 20_000
"""Records in one checkpoint at most: a ledger that was never sealed is caught up with in parts."""
WAITS_FOR_OTHERS_S = 5.0

_LAST = text(
    "SELECT generation, size, root, frontier, horizon::text, cluster, note"
    " FROM audit.checkpoint ORDER BY generation DESC, size DESC LIMIT 1"
)
_SERVER = text(
    "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,"
    " (SELECT system_identifier FROM pg_control_system()) AS cluster"
)
_BELOW = text(
    "SELECT id, leaf_hash, xid::text FROM audit.record AS record"
    " WHERE xid >= CAST(CAST(:since AS text) AS xid8)"
    " AND xid < CAST(CAST(:horizon AS text) AS xid8)"
    " AND NOT EXISTS (SELECT FROM audit.leaf WHERE record_id = record.id)"
    " ORDER BY record.xid, id LIMIT :limit"
)
_LEFT_OUT = text(
    "SELECT id, leaf_hash, xid::text FROM audit.record AS record"
    " WHERE NOT EXISTS (SELECT FROM audit.leaf WHERE record_id = record.id)"
    " ORDER BY at, id"
)
_LEAVES = text(
    "INSERT INTO audit.leaf (idx, record_id, leaf_hash)"
    " SELECT * FROM unnest(:places, :ids, :leaves)"
).bindparams(
    bindparam("places", type_=ARRAY(BigInteger)),
    bindparam("ids", type_=ARRAY(Uuid)),
    bindparam("leaves", type_=ARRAY(LargeBinary)),
)
_CHECKPOINT = text(
    "INSERT INTO audit.checkpoint (generation, size, root, frontier, horizon, cluster, note)"
    " VALUES (:generation, :size, :root, :frontier, CAST(CAST(:horizon AS text) AS xid8), :cluster,"
    " :note)"
).bindparams(bindparam("frontier", type_=ARRAY(LargeBinary)))
_WAITING = text(
    "SELECT extract(epoch FROM clock_timestamp() - min(at)) FROM audit.record AS record"
    " WHERE xid >= coalesce((SELECT horizon FROM audit.checkpoint"
    "                         ORDER BY generation DESC, size DESC LIMIT 1), '0')"
    " AND NOT EXISTS (SELECT FROM audit.leaf WHERE record_id = record.id)"
)
_NOTE_AT = text("SELECT note FROM audit.checkpoint WHERE generation = :generation AND size = :size")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """What one round of sealing did."""

    note: str
    """The newest checkpoint, signed."""
    size: int
    """Records that are sealed."""
    added: int
    """Of these, by this round."""
    is_behind: bool
    """More wait than one round takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    generation: int
    frontier: Frontier
    horizon: str
    cluster: int
    note: str | None


class PostgresSequencer:
    """Seals the records of one database.

    Several may run: each round is one transaction under a lock.
    """

    def __init__(
        self, engine: AsyncEngine, *, key: LedgerKey, deployment: str, clock: Clock
    ) -> None:
        """Take what is needed.

        Args:
            engine: a migrated database.
            key: signs the checkpoints.
            deployment: names the ledger, in its origin `<deployment>/audit/<generation>`.
            clock: dates the checkpoints.
        """
        self._engine = engine
        self._key = key
        self._deployment = deployment
        self._clock = clock

    @raises_transient
    async def seal(self) -> Sealed:
        """Seal what has been committed, in one transaction.

        Raises:
            IntegrityError: The database is another, or an older one, than that which was sealed.
            OccupiedError: Somebody else seals, and for long.
        """
        async with self._engine.begin() as connection:
            await connection.run_sync(wait_for, AdvisoryLock.SEALING, within_s=WAITS_FOR_OTHERS_S)
            state, server = await self._begin(connection)
            found = await connection.execute(
                _BELOW,
                {"since": state.horizon, "horizon": server["horizon"], "limit": AT_ONCE + 1},
            )
            rows = found.mappings().all()
            horizon = str(server["horizon"])
            is_behind = len(rows) > AT_ONCE
            if is_behind:
                # The last transaction may have more records: it is left for the next round.
                horizon = str(rows[-1]["xid"])
                rows = [row for row in rows if row["xid"] != horizon]
            if not rows and state.note is not None:
                return Sealed(note=state.note, size=state.frontier.size, added=0, is_behind=False)
            note = await self._append(connection, state, rows, horizon=horizon)
            return Sealed(note=note, size=state.frontier.size, added=len(rows), is_behind=is_behind)

    @raises_transient
    async def waiting_s(self) -> float:
        """Return the age of the oldest record that waits to be sealed, in seconds; 0: none does."""
        async with self._engine.connect() as connection:
            return float(await connection.scalar(_WAITING) or 0.0)

    async def check(self, anchored: Sequence[str], keys: Sequence[PublicKey]) -> None:
        """Compare with the newest notes that stand outside the database.

        Raises:
            IntegrityError: One is ahead of the database, or says something else.
        """
        async with connected(self._engine, "REPEATABLE READ") as connection:
            state, _ = await self._begin(connection)
            for note in anchored:
                checkpoint = _anchored(note, keys)
                generation = generation_of(checkpoint.origin, self._deployment)
                stored = await connection.scalar(
                    _NOTE_AT, {"generation": generation, "size": checkpoint.size}
                )
                if generation == state.generation and checkpoint.size > state.frontier.size:
                    raise IntegrityError(
                        f"an anchor holds {checkpoint.size} sealed records, the database"
                        f" {state.frontier.size}: an older backup was restored, or records were"
                        " removed; `citebound audit verify` says what, `citebound audit rebase`"
                        " goes on from here"
                    )
                if stored is None or opened(stored, keys).checkpoint != checkpoint:
                    raise IntegrityError(
                        f"the database does not have the checkpoint of size {checkpoint.size} that"
                        " an anchor holds: run `citebound audit verify`"
                    )

    @raises_transient
    async def rebase(self, ledger: Ledger, *, reason: str) -> Sealed:
        """Go on from a restored database: seal what no leaf holds, in a new generation.

        The reason is recorded (`ledger:restored`), and sealed with the next round.
        """
        async with self._engine.begin() as connection:
            await connection.run_sync(wait_for, AdvisoryLock.SEALING, within_s=WAITS_FOR_OTHERS_S)
            state = await _state(connection)
            server = (await connection.execute(_SERVER)).mappings().one()
            rows = (await connection.execute(_LEFT_OUT)).mappings().all()
            state = _State(
                generation=state.generation + 1,
                frontier=state.frontier,
                horizon=state.horizon,
                cluster=server["cluster"],
                note=None,
            )
            note = await self._append(connection, state, rows, horizon=server["horizon"])
            await ledger.event(connection, _restored(state), content={"reason": reason})
            return Sealed(note=note, size=state.frontier.size, added=len(rows), is_behind=False)

    async def _begin(self, connection: AsyncConnection) -> tuple[_State, RowMapping]:
        state = await _state(connection)
        server = (await connection.execute(_SERVER)).mappings().one()
        if state.note is None:
            state = _State(
                generation=1, frontier=Frontier(), horizon="0", cluster=server["cluster"], note=None
            )
        if state.cluster != server["cluster"]:
            raise IntegrityError(
                "the ledger was sealed on another server, whose transaction ids mean nothing here:"
                " a dump was restored; `citebound audit rebase` goes on from here"
            )
        return state, server

    async def _append(
        self,
        connection: AsyncConnection,
        state: _State,
        rows: Sequence[RowMapping],
        *,
        horizon: str,
    ) -> str:
        """Store leaves and the checkpoint over them; return its note. The frontier grows."""
        first = state.frontier.size
        for row in rows:
            state.frontier.add(bytes(row["leaf_hash"]))
        await connection.execute(
            _LEAVES,
            {
                "places": list(range(first, state.frontier.size)),
                "ids": [row["id"] for row in rows],
                "leaves": [bytes(row["leaf_hash"]) for row in rows],
            },
        )
        checkpoint = Checkpoint(
            origin=origin_of(self._deployment, state.generation),
            size=state.frontier.size,
            root=state.frontier.root(),
        )
        note = self._key.sign(checkpoint, at=int(self._clock.now().timestamp()))
        await connection.execute(
            _CHECKPOINT,
            {
                "generation": state.generation,
                "size": checkpoint.size,
                "root": checkpoint.root,
                "frontier": state.frontier.subtrees,
                "horizon": horizon,
                "cluster": state.cluster,
                "note": note,
            },
        )
        return note


def origin_of(deployment: str, generation: int) -> str:
    """Return the name of a ledger in its checkpoints."""
    return f"{deployment}/audit/{generation}"


def generation_of(origin: str, deployment: str) -> int:
    """Return the generation that an origin names.

    Raises:
        IntegrityError: It is the origin of another ledger.
    """
    named, _, generation = origin.rpartition("/")
    if named != f"{deployment}/audit" or not generation.isdecimal():
        raise IntegrityError(f"a checkpoint of another ledger: {origin[:200]!r}")
    return int(generation)


def _anchored(note: str, keys: Sequence[PublicKey]) -> Checkpoint:
    try:
        return opened(note, keys).checkpoint
    except ContractError as error:
        raise IntegrityError(
            f"an anchor's newest checkpoint is not ours: {error}; is CITEBOUND_LEDGER_KEY the key"
            " that it was signed with?"
        ) from error


def _restored(state: _State) -> Event:
    return Event(
        tag=Tag.LEDGER_RESTORED,
        actor="operator",
        actor_kind="operator",
        conversation=None,
        seq=None,
        subject=None,
        cause=None,
        trace_id=None,
        says={"generation": state.generation, "size": state.frontier.size},
    )


async def _state(connection: AsyncConnection) -> _State:
    row = (await connection.execute(_LAST)).mappings().one_or_none()
    if row is None:
        return _State(generation=0, frontier=Frontier(), horizon="0", cluster=0, note=None)
    return _State(
        generation=row["generation"],
        frontier=Frontier(row["size"], [bytes(subtree) for subtree in row["frontier"]]),
        horizon=row["horizon"],
        cluster=row["cluster"],
        note=row["note"],
    )
