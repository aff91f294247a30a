"""Erase personal text from the record, by two officers; and hold what may not be erased.

The owner's functions do it: they check who asks, who has approved and what is held, delete the
texts with their salts and working copies, and append the record that lists them, in one
transaction. What stays is the record itself, with commitments that reveal nothing, so that every
proof stays valid.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.transactions import connected
from core.adapters.postgres.officers.requests import (
    ErasureScope,
    Request,
    find_request,
    whole_scope,
)
from core.adapters.postgres.officers.session import OfficerDeed, OfficerSession, deed
from core.audit.canonical import instant
from core.domain.audit import Tag
from core.domain.errors import UsageError
from core.domain.json_value import Json

AT_ONCE = 200
"""Records whose texts one record of an erasure lists."""

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
    "SELECT record_id::text, field, unit FROM audit.personal_texts("
    " :asker, CAST(:record AS uuid), CAST(:request AS uuid)) ORDER BY 1, 2"
)
_OLD = text(
    "SELECT record_id::text, field, unit FROM audit.texts_before(:before, :places) ORDER BY 1, 2"
)
_OBSTACLES = text(
    "SELECT record_id::text, why FROM audit.obstacles(CAST(:ids AS uuid[])) ORDER BY 1, 2"
)
_UNIT = text("SELECT unit FROM audit.record WHERE id = CAST(:id AS uuid)")
_HOLDS = text("SELECT * FROM audit.v_holds ORDER BY released_at IS NOT NULL, placed_at")
_ERASE, _HOLD = deed("erase"), deed("hold")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What an approved request came to."""

    found: Found
    count: int
    """Texts that are gone."""


class PostgresErasure:
    """Erases what another officer has approved, and holds, for one officer."""

    def __init__(self, session: OfficerSession) -> None:
        self._session = session

    async def find(self, scope: ErasureScope) -> Found:
        """Find the texts that would go; of an asker those of the quarter of that pseudonym alone.

        Raises:
            UsageError: No record, or several, begin so.
        """
        async with self._session.acting() as deed:
            return await _found(deed.connection, await whole_scope(deed, scope), request=None)

    async def erase(self, request_id: str) -> Erased:
        """Erase what was asked for and approved: of a person or record all of it, or nothing.

        Of what is old, some at a time, and not what is held.

        Raises:
            UsageError: Nobody has approved it, something is held or under way, or somebody has
                erased some meanwhile.
        """
        async with self._session.acting() as deed:
            request = await find_request(deed, request_id)
            found = await _found(deed.connection, request.scope, request=request.request_id)
            if request.scope.before is None:
                refuse_held(found)
                count = await _erase(deed, request, found, found.free)
                return Erased(found=found, count=count)
        count = 0
        for part in _parts(found.free):
            async with self._session.acting() as deed:
                count += await _erase(deed, request, found, part)
        return Erased(found=found, count=count)

    async def place_hold(self, scope: Mapping[str, Json], *, reason: str) -> str:
        """Let nothing of a scope be erased, and return the hold's id."""
        async with self._session.acting() as deed:
            done = await deed.do(
                _HOLD, Tag.HOLD_PLACED, content={"reason": reason}, says={"scope": scope}
            )
            return done.record_id

    async def release_hold(self, hold_id: str, *, reason: str) -> str:
        """Let what was held be erased again, and return the hold's id.

        Raises:
            UsageError: There is no such hold, or it was released.
        """
        async with self._session.acting() as deed:
            hold = await deed.record_id(hold_id)
            await deed.do(
                _HOLD,
                Tag.HOLD_RELEASED,
                unit=await deed.connection.scalar(_UNIT, {"id": hold}),
                subject=hold,
                content={"reason": reason},
            )
            return hold

    async def holds(self) -> list[Hold]:
        """Return all holds, those first that hold."""
        async with self._session.acting() as deed:
            return [record(Hold, row) for row in await deed.connection.execute(_HOLDS)]


async def _erase(deed: OfficerDeed, request: Request, found: Found, records: Sequence[str]) -> int:
    """Erase the texts of records, with a record for each unit and so many at once.

    The last names the asker: with it goes by what all others were found.
    """
    scope = request.scope
    parts = [
        (unit, part)
        for unit in sorted({found.units[record] for record in records})
        for part in _parts([record for record in records if found.units[record] == unit])
    ]
    gone = 0
    for n, (unit, part) in enumerate(parts, start=1):
        says: dict[str, Json] = {
            "approver": request.decided_by,
            "asker": scope.asker if n == len(parts) else None,
            "before": scope.before and instant(scope.before),
            "erased": {record: [*found.texts[record]] for record in part},
        }
        done = await deed.do(
            _ERASE,
            Tag.CONTENT_ERASED if scope.before is None else Tag.RETENTION_APPLIED,
            unit=unit,
            subject=request.request_id,
            says=says,
            content={"basis": request.basis or ""},
        )
        gone += int(done.row.done)
    return gone


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
    for record_id, why in found.obstacles.items():
        more = len(found.obstacles) - 1
        others = f"; {more} more records stay, too" if more else ""
        raise UsageError(f"nothing was erased: record {record_id} stays, since {why}{others}")


async def _found(connection: AsyncConnection, scope: ErasureScope, *, request: str | None) -> Found:
    if scope.before is None:
        given = {"asker": scope.asker, "record": scope.record_id, "request": request}
        rows = await connection.execute(_TEXTS, given)
    else:
        given = {"before": scope.before, "places": scope.only_places}
        rows = await connection.execute(_OLD, given)
    texts: dict[str, list[str]] = {}
    units: dict[str, str] = {}
    for row in rows:
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
