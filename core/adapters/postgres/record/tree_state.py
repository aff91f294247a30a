"""The Merkle tree as the database has it: where it ends, and how it grows."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ARRAY, BigInteger, LargeBinary, RowMapping, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.rows import record
from core.audit.checkpoint import Checkpoint, LedgerKey, signed_note
from core.audit.merkle import Frontier
from core.domain.errors import IntegrityError

_LAST = text(
    "SELECT generation, size, root, frontier, horizon::text, cluster, note"
    " FROM audit.checkpoint ORDER BY generation DESC, size DESC LIMIT 1"
)
_SERVER = text(
    "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,"
    " (SELECT system_identifier FROM pg_control_system()) AS cluster,"
    " floor(extract(epoch FROM clock_timestamp()))::bigint AS now"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeState:
    """Where the tree ends."""

    generation: int
    """From 1; 0: nothing was ever sealed."""
    frontier: Frontier
    horizon: str
    """Transaction below which every record is sealed."""
    cluster: int
    """System identifier of the server that `horizon` is of."""
    note: str | None
    """The newest checkpoint of the generation; None: it has none yet."""


async def read_state(connection: AsyncConnection) -> TreeState:
    """Return where the newest checkpoint left the tree."""
    row = (await connection.execute(_LAST)).mappings().one_or_none()
    if row is None:
        return TreeState(generation=0, frontier=Frontier(), horizon="0", cluster=0, note=None)
    return record(
        TreeState,
        row,
        frontier=Frontier(row["size"], [bytes(subtree) for subtree in row["frontier"]]),
    )


async def read_server(connection: AsyncConnection) -> RowMapping:
    """Return the `horizon` of the server's transactions, which `cluster` it is, and its time."""
    return (await connection.execute(_SERVER)).mappings().one()


async def grow(
    connection: AsyncConnection,
    state: TreeState,
    rows: Sequence[RowMapping],
    *,
    origin: str,
    horizon: str,
    keys: Sequence[LedgerKey],
    at: int,
) -> str:
    """Store leaves and the checkpoint over them, and return its note; the frontier grows.

    Args:
        connection: within the transaction that holds the lock of sealing.
        state: where the tree ends.
        rows: records with `id` and `leaf_hash`, in their order.
        origin: see `origin_of`.
        horizon: see `TreeState`.
        keys: sign the checkpoint; the last one signs what follows.
        at: seconds since 1970, UTC, by the server's clock, which bounds the records' times, too.
    """
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
    size, root = state.frontier.size, state.frontier.root()
    note = signed_note(Checkpoint(origin=origin, size=size, root=root), keys, at=at)
    await connection.execute(
        _CHECKPOINT,
        {
            "generation": state.generation,
            "size": size,
            "root": root,
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
