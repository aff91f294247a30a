"""What takes two officers: one asks for an identity or an erasure, another decides.

Each acts by their own login or session. The owner's functions refuse whoever decides on their own
request, acts without an approval of the last 72 hours, or asks for an identity again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.identity_key import IdentityKey
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.officers.session import OfficerDeed, OfficerSession, Reading, deed
from core.audit.canonical import instant
from core.domain.audit import Tag
from core.domain.errors import UsageError
from core.domain.json_value import Json
from core.domain.officers import Account

HOURS = 72
"""How long a request waits for another officer, and an approval for who asked."""

_ALL = text("SELECT * FROM audit.v_requests ORDER BY state <> 'open', at DESC LIMIT :most")
_ONE = text("SELECT * FROM audit.v_requests WHERE request_id = CAST(:id AS uuid)")
_UNDECIDED = text(
    "SELECT count(*) FROM audit.v_requests WHERE state = 'open'"
    " AND officer <> audit.officer_login()"
)
_UNIT = text("SELECT unit FROM audit.record WHERE id = CAST(:id AS uuid)")
_REQUEST, _DECIDE, _REVEAL = deed("request"), deed("decide"), deed("reveal")
_TAGS = {
    ("unmask", True): Tag.UNMASK_APPROVED,
    ("unmask", False): Tag.UNMASK_DENIED,
    ("erasure", True): Tag.ERASURE_APPROVED,
    ("erasure", False): Tag.ERASURE_DENIED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureScope:
    """Whose texts, or which, are to be erased: one of the three."""

    asker: str | None = None
    """A pseudonym: all texts of the person, in all quarters."""
    record_id: str | None = None
    """Those of the question that this record belongs to; a beginning of it will do."""
    before: datetime | None = None
    """What was recorded before."""
    only_places: bool = False
    """Of what is old: only where it was asked."""

    def as_json(self) -> dict[str, Json]:
        """Return it as the record says it."""
        if self.before is not None:
            return {"before": instant(self.before), "places": self.only_places}
        return {"asker": self.asker} if self.asker else {"record": self.record_id}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What an officer asked for, and what became of it."""

    request_id: str
    at: datetime
    unit: str
    officer: str
    """Who asks."""
    what: Literal["unmask", "erasure"]
    record_id: str | None
    """Of an unmasking: the record whose asker is meant."""
    scope: ErasureScope
    """Of an erasure."""
    reason: str | None
    """Of an unmasking; None: it was erased."""
    basis: str | None
    """None: it was erased."""
    state: str
    """`open`, `approved`, `denied`, `expired` or `done`."""
    decided_by: str | None
    decided_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmasked:
    """Who a pseudonym stands for."""

    pseudonym: str
    person: Account


class PostgresRequests:
    """Asks, decides and unmasks, for one officer."""

    def __init__(self, session: OfficerSession) -> None:
        self._session = session

    async def ask_to_unmask(self, record_id: str, *, reason: str, basis: str) -> str:
        """Ask who stands behind a record, and return the request's id.

        Raises:
            UsageError: There is no such record, or it is no asker's.
        """
        async with self._session.acting() as doing:
            record = await doing.record_id(record_id)
            done = await doing.do(
                _REQUEST,
                Tag.UNMASK_REQUESTED,
                unit=await doing.connection.scalar(_UNIT, {"id": record}),
                subject=record,
                content={"reason": reason, "basis": basis},
            )
            return done.record_id

    async def ask_to_erase(self, scope: ErasureScope, *, basis: str) -> str:
        """Ask for an erasure, and return the request's id.

        Raises:
            UsageError: There is no such record.
        """
        async with self._session.acting() as doing:
            whole = await whole_scope(doing, scope)
            done = await doing.do(
                _REQUEST,
                Tag.ERASURE_REQUESTED,
                says={"scope": whole.as_json()},
                content={"basis": basis},
            )
            return done.record_id

    async def decide(self, request_id: str, *, approves: bool) -> Request:
        """Approve or deny a request of another officer, and return it as it was.

        Raises:
            UsageError: It is the officer's own, too old, decided already, or there is none.
        """
        async with self._session.acting() as doing:
            request = await find_request(doing, request_id)
            await doing.do(
                _DECIDE,
                _TAGS[request.what, approves],
                unit=request.unit,
                subject=request.request_id,
                content={},
            )
            return request

    async def reveal(self, request_id: str, key: IdentityKey) -> Unmasked:
        """Take the sealed identity, which is handed out once, and open it here.

        Raises:
            UsageError: No other officer has approved it lately, it was handed out, or there is
                nothing that this key opens.
            IntegrityError: It was altered.
        """
        async with self._session.acting() as doing:
            request = await find_request(doing, request_id)
            done = await doing.do(
                _REVEAL,
                Tag.IDENTITY_UNMASKED,
                unit=request.unit,
                subject=request.request_id,
                says={"key": key.public.key_id.hex()},
                content={},
            )
        pseudonym = str(done.row.pseudonym)
        person = key.open(bytes(done.row.sealed), pseudonym=pseudonym)
        return Unmasked(pseudonym=pseudonym, person=person)

    async def list(self, reading: Reading, *, most: int = 200) -> list[Request]:
        """Return the requests of the officer's units, open ones first; that is recorded.

        Raises:
            ConfigError: See `OfficerSession.reading`.
            TransientError: Likewise.
        """
        async with self._session.reading(reading) as connection:
            rows = await connection.execute(_ALL, {"most": most})
            return [_request(row) for row in rows]


async def count_undecided(connection: AsyncConnection) -> int:
    """Return how many requests of others wait for the officer who reads."""
    return int(await connection.scalar(_UNDECIDED) or 0)


async def find_request(doing: OfficerDeed, request_id: str) -> Request:
    """Return a request by its id, or the beginning of it.

    Raises:
        UsageError: There is none, or there are several.
    """
    whole = await doing.record_id(request_id)
    row = (await doing.connection.execute(_ONE, {"id": whole})).one_or_none()
    if row is None:
        raise UsageError(f"{request_id} is no request: `citebound audit request list` lists them")
    return _request(row)


async def whole_scope(doing: OfficerDeed, scope: ErasureScope) -> ErasureScope:
    """Return a scope with the whole id of its record."""
    if scope.record_id is None:
        return scope
    return replace(scope, record_id=await doing.record_id(scope.record_id))


def _request(row: Any) -> Request:
    return record(Request, row, scope=_scope(row.scope or {}))


def _scope(said: Mapping[str, Any]) -> ErasureScope:
    before = said.get("before")
    return ErasureScope(
        asker=said.get("asker"),
        record_id=said.get("record"),
        before=before and datetime.fromisoformat(before),
        only_places=bool(said.get("places")),
    )
