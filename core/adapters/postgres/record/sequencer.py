"""The sequencer: gives every record its place in the Merkle tree, and signs the tree.

It reads by the horizon of transactions. Ids and times are given before a record can be seen, so
that a cursor by them would pass over one that commits late; below the horizon nothing is open.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.horizon import horizon_holder
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.transactions import TableLock, connected, wait_for
from core.adapters.postgres.record.tree_state import (
    TreeState,
    generation_of,
    grow,
    origin_of,
    read_server,
    read_state,
)
from core.audit.checkpoint import (
    Checkpoint,
    LedgerKey,
    Position,
    PublicKey,
    is_signed_last,
    opened,
    signed_at,
)
from core.audit.documents import Event
from core.audit.merkle import Frontier
from core.domain.audit import Tag
from core.domain.errors import ContractError, IntegrityError, TransientError, UsageError
from core.domain.json_value import Json

AT_ONCE = 20_000
"""Records in one checkpoint at most: a ledger that was never sealed is caught up with in parts."""
WAITS_FOR_OTHERS_S = 5.0

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
_WAITING = text(
    "SELECT extract(epoch FROM clock_timestamp() - min(at)) FROM audit.record AS record"
    " WHERE xid >= coalesce((SELECT horizon FROM audit.checkpoint"
    "                         ORDER BY generation DESC, size DESC LIMIT 1), '0')"
    " AND NOT EXISTS (SELECT FROM audit.leaf WHERE record_id = record.id)"
)
_HANDED_OVER = text(
    "SELECT doc->>'generation' AS generation, doc->>'size' AS size, doc->'until' AS until"
    " FROM audit.ledger_events() WHERE tag = 'key:retired'"
    " AND doc->>'key' = :old AND doc->>'successor' = :new ORDER BY at DESC LIMIT 1"
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
class Rotation:
    """One key has taken over from another."""

    note: str
    """The checkpoint that both signed."""
    retired: PublicKey
    """The old key, with the last checkpoint that its signature counts for."""
    successor: PublicKey
    """The new key."""


class PostgresSequencer:
    """Seals the records of one database.

    Several may run: each round is one transaction under a lock. The server's clock dates the
    checkpoints, by which the record's own times are checked, too.
    """

    def __init__(self, engine: AsyncEngine, *, key: LedgerKey, deployment: str) -> None:
        """Take what is needed.

        Args:
            engine: a migrated database.
            key: signs the checkpoints.
            deployment: names the ledger, in its origin `<deployment>/audit/<generation>`.
        """
        self._engine = engine
        self._key = key
        self._deployment = deployment

    @raises_transient
    async def seal(self) -> Sealed:
        """Seal what has been committed, in one transaction.

        Raises:
            IntegrityError: The database is another, or an older one, than that which was sealed.
            OccupiedError: Somebody else seals, and for long.
            TransientError: The newest checkpoint lies ahead of the server's clock.
        """
        async with self._engine.begin() as connection:
            await connection.run_sync(wait_for, TableLock.SEALING, within_s=WAITS_FOR_OTHERS_S)
            state, server = await self._begin(connection)
            _check_clock(state, server)
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
            note = await self._append(connection, state, rows, server, horizon=horizon)
            return Sealed(note=note, size=state.frontier.size, added=len(rows), is_behind=is_behind)

    @raises_transient
    async def waiting_s(self) -> float:
        """Return the age of the oldest record that waits to be sealed, in seconds; 0: none does."""
        async with self._engine.connect() as connection:
            return float(await connection.scalar(_WAITING) or 0.0)

    @raises_transient
    async def held_up(self, after_s: float) -> str | None:
        """Say who holds up records that wait for longer than that; None: none do."""
        async with self._engine.connect() as connection:
            waiting_s = float(await connection.scalar(_WAITING) or 0.0)
            if waiting_s <= after_s:
                return None
            holder = await horizon_holder(connection)
            return f"a record waits for {waiting_s:.0f} s: {holder or 'nobody holds it up now'}"

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
                        " removed; `citebound audit verify` shows which, `citebound audit rebase`"
                        " continues from here"
                    )
                if stored is None or opened(stored, keys).checkpoint != checkpoint:
                    raise IntegrityError(
                        f"the database does not have the checkpoint of size {checkpoint.size} that"
                        " an anchor holds: run `citebound audit verify`"
                    )

    @raises_transient
    async def rebase(self, ledger: Ledger, *, reason: str, anchored: int = 0) -> Sealed:
        """Go on from a restored database, or a clock put right: seal all, in a new generation.

        The reason is recorded (`ledger:restored`), and sealed with the next round.

        Args:
            ledger: writes the record.
            reason: why.
            anchored: the newest generation that an anchor knows, which a backup may lack.
        """
        async with self._engine.begin() as connection:
            await connection.run_sync(wait_for, TableLock.SEALING, within_s=WAITS_FOR_OTHERS_S)
            state = await read_state(connection)
            server = await read_server(connection)
            rows = (await connection.execute(_LEFT_OUT)).mappings().all()
            generation = max(state.generation, anchored) + 1
            state = replace(state, generation=generation, cluster=server["cluster"], note=None)
            note = await self._append(connection, state, rows, server, horizon=server["horizon"])
            restored = {"generation": state.generation, "size": state.frontier.size}
            await ledger.event(
                connection, _event(Tag.LEDGER_RESTORED, restored), content={"reason": reason}
            )
            return Sealed(note=note, size=state.frontier.size, added=len(rows), is_behind=False)

    @raises_transient
    async def rotate(
        self, new: LedgerKey, ledger: Ledger, *, until: Position | None = None
    ) -> Rotation:
        """Hand over to another key; a repetition changes nothing.

        In one transaction: `key:introduced`, a checkpoint that both sign, `key:retired`.

        Args:
            new: signs from then on.
            ledger: writes the records.
            until: the last checkpoint that the old key counts for, as of one that was stolen; None:
                the one that both sign.

        Raises:
            UsageError: Nothing was sealed yet, or both keys are one.
            IntegrityError: See `seal`.
        """
        old = self._key.public
        if old == new.public:
            raise UsageError("the new key is the one in use")
        async with self._engine.begin() as connection:
            await connection.run_sync(wait_for, TableLock.SEALING, within_s=WAITS_FOR_OTHERS_S)
            done = await _handed_over(connection, old, new.public)
            if done is not None:
                return done
            state, server = await self._begin(connection)
            _check_clock(state, server)
            if state.note is None:
                raise UsageError(
                    "nothing was sealed yet: point CITEBOUND_LEDGER_KEY at the new key"
                )
            introduced = {"key": new.public.text(), "predecessor": old.text()}
            await ledger.event(connection, _event(Tag.KEY_INTRODUCED, introduced), content={})
            rows = (await connection.execute(_LEFT_OUT)).mappings().all()
            keys = (self._key, new)
            horizon = server["horizon"]
            note = await self._append(connection, state, rows, server, horizon=horizon, keys=keys)
            handover = (state.generation, state.frontier.size)
            retired = old.retired(until or handover)
            says: dict[str, Json] = {
                "key": old.text(),
                "successor": new.public.text(),
                "generation": handover[0],
                "size": handover[1],
                "until": list(retired.until or handover),
            }
            await ledger.event(connection, _event(Tag.KEY_RETIRED, says), content={})
            return Rotation(note=note, retired=retired, successor=new.public)

    async def _begin(self, connection: AsyncConnection) -> tuple[TreeState, RowMapping]:
        state = await read_state(connection)
        server = await read_server(connection)
        if state.note is None:
            state = TreeState(
                generation=1, frontier=Frontier(), horizon="0", cluster=server["cluster"], note=None
            )
        if state.cluster != server["cluster"]:
            raise IntegrityError(
                "the ledger was sealed on another server, whose transaction ids mean nothing"
                " here: a dump was restored; `citebound audit rebase` continues from here"
            )
        if state.note is not None:
            self._check_custody(state.note)
        return state, server

    def _check_custody(self, note: str) -> None:
        """Refuse to sign after another key, which may be the one that took over from this one."""
        if not is_signed_last(note, self._key.public):
            raise IntegrityError(
                "the newest checkpoint was signed by another key than CITEBOUND_LEDGER_KEY: after a"
                " rotation, name the new key there; after the loss of a key `citebound audit"
                " rebase` goes on"
            )

    async def _append(
        self,
        connection: AsyncConnection,
        state: TreeState,
        rows: Sequence[RowMapping],
        server: RowMapping,
        *,
        horizon: str,
        keys: Sequence[LedgerKey] = (),
    ) -> str:
        return await grow(
            connection,
            state,
            rows,
            origin=origin_of(self._deployment, state.generation),
            horizon=horizon,
            keys=keys or [self._key],
            at=server["now"],
        )


def _check_clock(state: TreeState, server: RowMapping) -> None:
    """Sign nothing that would seem older than what was signed before."""
    last = signed_at(state.note) if state.note is not None else None
    if last is not None and last > server["now"]:
        raise TransientError(
            f"the newest checkpoint is dated {last - server['now']} s after the clock of Postgres,"
            " which has gone back: put that clock right, or wait until it has caught up; if it had"
            " run ahead for long, `citebound audit rebase` begins a new line of time"
        )


def _anchored(note: str, keys: Sequence[PublicKey]) -> Checkpoint:
    try:
        return opened(note, keys).checkpoint
    except ContractError as error:
        raise IntegrityError(
            f"an anchor's newest checkpoint is not ours: {error}; is CITEBOUND_LEDGER_KEY the key"
            " that it was signed with?"
        ) from error


def _event(tag: Tag, says: Mapping[str, Json]) -> Event:
    return Event(tag=tag, actor="operator", actor_kind="operator", says=says)


async def _handed_over(
    connection: AsyncConnection, old: PublicKey, new: PublicKey
) -> Rotation | None:
    """Return what an earlier rotation did; None: there was none."""
    found = await connection.execute(_HANDED_OVER, {"old": old.text(), "new": new.text()})
    row = found.one_or_none()
    if row is None:
        return None
    place = {"generation": int(row.generation), "size": int(row.size)}
    note = await connection.scalar(_NOTE_AT, place)
    generation, size = row.until
    retired = old.retired((generation, size))
    return Rotation(note=str(note), retired=retired, successor=new)
