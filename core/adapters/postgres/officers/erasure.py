"""Erase personal text from the record, by two officers; and hold what may not be erased.

The owner's functions do it: they check who asks, who approves and what is held, delete the texts
with their salts and working copies, and append the record that lists them, in one transaction. What
stays is the record itself, with commitments that reveal nothing, so that every proof stays valid.
"""

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ARRAY, LargeBinary, Text, TextClause, bindparam, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Entry, Ledger
from core.adapters.postgres.engine.transactions import connected
from core.audit.canonical import instant, leaf_hash
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.errors import UsageError
from core.domain.json_value import Json

AT_ONCE = 200
"""Records whose texts one record of an erasure lists."""
REFUSALS = frozenset({"42501", "55006", "P0002"})
"""SQLSTATEs with which our functions refuse (Postgres, appendix A): `insufficient_privilege`,
`object_in_use` where something is held, `no_data_found`."""

PURGED = (
    "audit.content",
    "audit.identity",
    *(
        f"citebound.{table}"
        for table in (
            "answers", "askers", "case_messages", "cases", "channel_paces", "claims",
            "conversation_references", "conversations", "feedback", "inbox", "model_calls",
            "outbox", "precedents", "questions", "trace_steps", "turns",
        )
    ),
)  # fmt: skip
"""Tables with personal text or platforms' ids."""
WORDS = "audit.content_words_idx"
"""The index of the words of questions and answers."""

_TEXTS = text(
    "SELECT record_id::text, field, unit"
    " FROM audit.personal_texts(:asker, CAST(:record AS uuid)) ORDER BY 1, 2"
)
_OLD = text(
    "SELECT record_id::text, field, unit FROM audit.texts_before(:before, :places) ORDER BY 1, 2"
)
_RECORD = text("SELECT id::text, tag, unit FROM audit.record WHERE id::text LIKE :prefix LIMIT 2")
_OBSTACLES = text(
    "SELECT record_id::text, why FROM audit.obstacles(CAST(:ids AS uuid[])) ORDER BY 1, 2"
)
_WHO = text("SELECT audit.officer_login() AS login, audit.my_units() AS units")
_HOLDS = text("SELECT * FROM audit.v_holds ORDER BY released_at IS NOT NULL, placed_at")


def _function(name: str) -> TextClause:
    return text(f"SELECT audit.{name}(:canonical, :leaf, :fields, :salts, :bodies)").bindparams(
        bindparam("fields", type_=ARRAY(Text)),
        bindparam("salts", type_=ARRAY(LargeBinary)),
        bindparam("bodies", type_=ARRAY(Text)),
    )


_ERASE, _HOLD = _function("erase"), _function("hold")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Texts that could be erased, and those of them that may not be."""

    texts: Mapping[str, Sequence[str]]
    """By record: the fields."""
    units: Mapping[str, str]
    """By record: its organisational unit."""
    obstacles: Mapping[str, str]
    """By record: why its texts stay; absent: nothing speaks against it."""

    @property
    def count(self) -> int:
        """Return how many texts may be erased."""
        return sum(len(self.texts[record]) for record in self.free)

    @property
    def free(self) -> list[str]:
        """Return the records whose texts may be erased."""
        return [record for record in self.texts if record not in self.obstacles]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """On what grounds texts are erased, and who agrees."""

    basis: str
    """The ground in law or in the schedule, and the ticket."""
    approver: str
    """Another officer of the unit, who has agreed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """What may not be erased, and why."""

    hold_id: str
    placed_at: datetime
    owner: str
    scope: Mapping[str, Json]
    """`asker`, `case`, `policy`, `since`, `until`: where several are given, all must fit."""
    reason: str | None
    """None: it was erased, once the hold was released."""
    released_at: datetime | None
    """None: it holds."""


class PostgresErasure:
    """Erases and holds, for the officer whom the console's login names."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger) -> None:
        self._engine = engine
        self._ledger = ledger

    @raises_transient
    async def of_asker(self, asker: str) -> Found:
        """Find all texts of a person, by pseudonym."""
        async with self._engine.connect() as connection:
            return await _found(connection, _TEXTS, asker=asker, record=None)

    @raises_transient
    async def of_record(self, record_id: str) -> Found:
        """Find the texts of a record and of the question that it belongs to.

        Raises:
            UsageError: No record, or several, begin so.
        """
        async with self._engine.connect() as connection:
            record = await _record(connection, record_id)
            return await _found(connection, _TEXTS, asker=None, record=record)

    @raises_transient
    async def before(self, day: datetime, *, only_places: bool) -> Found:
        """Find the texts that were recorded before an instant; or the places among them."""
        async with self._engine.connect() as connection:
            return await _found(connection, _OLD, before=day, places=only_places)

    @raises_transient
    async def erase(self, found: Found, reasons: Reasons, *, asker: str | None) -> int:
        """Erase all of them, or nothing; return how many.

        Raises:
            UsageError: Something is held or under way, or the approver is no other officer.
        """
        refuse_held(found)
        says: dict[str, Json] = {"asker": asker, "approver": reasons.approver}
        async with self._deed() as connection:
            return await self._erase(
                connection, Tag.CONTENT_ERASED, found.free, found=found, says=says, reasons=reasons
            )

    @raises_transient
    async def retain(self, found: Found, reasons: Reasons, *, before: datetime) -> int:
        """Erase what is old and not held, some at a time; return how many.

        Raises:
            UsageError: The approver is no other officer, or somebody has erased some meanwhile.
        """
        says: dict[str, Json] = {"before": instant(before), "approver": reasons.approver}
        gone = 0
        for part in _parts(found.free):
            async with self._deed() as connection:
                gone += await self._erase(
                    connection, Tag.RETENTION_APPLIED, part, found=found, says=says, reasons=reasons
                )
        return gone

    @raises_transient
    async def place_hold(self, scope: Mapping[str, Json], *, reason: str) -> str:
        """Let nothing of a scope be erased, and return the hold's id."""
        async with self._deed() as connection:
            login, units = (await connection.execute(_WHO)).one()
            unit = self._ledger.unit if "*" in units or not units else units[0]
            event = _event(Tag.HOLD_PLACED, login, says={"scope": scope})
            entry = self._of_unit(unit).entry(event, content={"reason": reason})
            await _run(connection, _HOLD, entry)
            return entry.record_id

    @raises_transient
    async def release_hold(self, hold_id: str, *, reason: str) -> str:
        """Let what was held be erased again, and return the hold's id.

        Raises:
            UsageError: There is no such hold, or it was released.
        """
        async with self._deed() as connection:
            login = (await connection.execute(_WHO)).one().login
            hold = await _record(connection, hold_id)
            unit = await connection.scalar(
                text("SELECT unit FROM audit.record WHERE id = CAST(:id AS uuid)"), {"id": hold}
            )
            event = _event(Tag.HOLD_RELEASED, login, subject=hold)
            entry = self._of_unit(str(unit)).entry(event, content={"reason": reason})
            await _run(connection, _HOLD, entry)
            return hold

    @raises_transient
    async def holds(self) -> list[Hold]:
        """Return all holds, those first that hold."""
        async with self._engine.connect() as connection:
            return [
                Hold(
                    hold_id=str(row.hold_id),
                    placed_at=row.placed_at,
                    owner=row.owner,
                    scope=row.scope,
                    reason=row.reason,
                    released_at=row.released_at,
                )
                for row in await connection.execute(_HOLDS)
            ]

    async def _erase(
        self,
        connection: AsyncConnection,
        tag: Tag,
        records: Sequence[str],
        *,
        found: Found,
        says: Mapping[str, Json],
        reasons: Reasons,
    ) -> int:
        """Erase the texts of records, with a record for each unit and so many at once."""
        login = (await connection.execute(_WHO)).one().login
        gone = 0
        for unit in sorted({found.units[record] for record in records}):
            of_unit = [record for record in records if found.units[record] == unit]
            for part in _parts(of_unit):
                erased = {record: [*found.texts[record]] for record in part}
                event = _event(tag, login, says={**says, "erased": erased})
                entry = self._of_unit(unit).entry(event, content={"basis": reasons.basis})
                gone += await _run(connection, _ERASE, entry)
        return gone

    def _of_unit(self, unit: str) -> Ledger:
        return Ledger(clock=self._ledger.clock, ids=self._ledger.ids, unit=unit)

    @asynccontextmanager
    async def _deed(self) -> AsyncGenerator[AsyncConnection]:
        """Lend a transaction; what our functions refuse is an error of the user's."""
        try:
            async with self._engine.begin() as connection:
                yield connection
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in REFUSALS:
                raise
            diagnosis = getattr(error.orig, "diag", None)
            raise UsageError(str(getattr(diagnosis, "message_primary", error.orig))) from error


async def purge_files(engine: AsyncEngine, *, is_full: bool) -> None:
    """Take what was erased out of the files of tables and indexes, as whoever migrates.

    An index of words keeps words that no text has any more until it is built anew. Space that rows
    left is used again, and overwritten, sooner or later; `is_full` writes the tables anew at once,
    and nobody reads or writes them meanwhile.
    """
    how = "FULL" if is_full else "INDEX_CLEANUP ON"
    async with connected(engine, "AUTOCOMMIT") as connection:
        for table in PURGED:
            await connection.execute(text(f"VACUUM ({how}) {table}"))
        await connection.execute(text(f"REINDEX INDEX CONCURRENTLY {WORDS}"))


def refuse_held(found: Found) -> None:
    """Refuse to erase where something must stay.

    Raises:
        UsageError: It must; the message names the first, and how many more.
    """
    for record, why in found.obstacles.items():
        more = len(found.obstacles) - 1
        others = f"; {more} more records stay, too" if more else ""
        raise UsageError(f"nothing was erased: record {record} stays, since {why}{others}")


async def _found(connection: AsyncConnection, query: TextClause, **given: object) -> Found:
    texts: dict[str, list[str]] = {}
    units: dict[str, str] = {}
    for row in await connection.execute(query, given):
        texts.setdefault(row.record_id, []).append(row.field)
        units[row.record_id] = row.unit
    return Found(texts=texts, units=units, obstacles=await _obstacles(connection, texts))


async def _obstacles(connection: AsyncConnection, records: Iterable[str]) -> dict[str, str]:
    obstacles: dict[str, str] = {}
    for part in _parts([*records]):
        for row in await connection.execute(_OBSTACLES, {"ids": [*part]}):
            obstacles.setdefault(row.record_id, row.why)
    return obstacles


def _parts(records: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(records), AT_ONCE):
        yield records[start : start + AT_ONCE]


async def _record(connection: AsyncConnection, record_id: str) -> str:
    typed = record_id.strip().lower()
    is_id = bool(typed) and not set(typed) - set("0123456789abcdef-")
    rows = (await connection.execute(_RECORD, {"prefix": f"{typed}%" if is_id else ""})).all()
    if len(rows) != 1:
        raise UsageError(
            f"expected the id of a record of your units, or its beginning, got {record_id!r}"
        )
    return str(rows[0].id)


async def _run(connection: AsyncConnection, function: TextClause, entry: Entry) -> int:
    done = await connection.scalar(
        function,
        {
            "canonical": entry.data,
            "leaf": leaf_hash(entry.data),
            "fields": [part.field for part in entry.contents],
            "salts": [part.salt for part in entry.contents],
            "bodies": [part.body for part in entry.contents],
        },
    )
    return done if isinstance(done, int) else 0


def _event(
    tag: Tag, officer: str, *, subject: str | None = None, says: Mapping[str, Json] | None = None
) -> Event:
    return Event(
        tag=tag,
        actor=officer,
        actor_kind="officer",
        conversation=None,
        seq=None,
        subject=subject,
        cause=None,
        trace_id=None,
        says=says or {},
    )
