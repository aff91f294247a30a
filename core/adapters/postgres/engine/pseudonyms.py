"""How the record names people: by a random pseudonym for each person and calendar quarter.

A person is found again by a keyed hash (HMAC-SHA256), which names nobody to whoever lacks the key.
Who a pseudonym stands for is kept sealed, for officers: see `identity_key`.

A quarter is long enough to see what one person keeps asking, and short enough that little is known
of one pseudonym. A conversation keeps the pseudonyms of the quarter in which it began, since its id
would join two of them.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import LargeBinary, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.identity_key import SealingKey
from core.adapters.postgres.engine.rows import record, row_of
from core.config.settings import Settings
from core.domain.json_value import Json
from core.domain.officers import Account

ADOPTED_AT_ONCE = 500
"""People whom a release before named in clear, in one transaction."""

_OWN_KEY = text("SELECT key FROM citebound.pseudonym_keys")
_OF = text(
    "SELECT c.period, i.pseudonym FROM citebound.conversations c LEFT JOIN audit.identity i"
    " ON i.match_hash = :match AND i.period = c.period WHERE c.id = CAST(:conversation AS uuid)"
)
_MAKE = text(
    "INSERT INTO audit.identity (pseudonym, period, match_hash, sealed)"
    " VALUES (:pseudonym, :period, :match, :sealed)"
    " ON CONFLICT (match_hash, period) DO NOTHING RETURNING pseudonym"
).bindparams(bindparam("sealed", type_=LargeBinary))
_MADE = text("SELECT pseudonym FROM audit.identity WHERE match_hash = :match AND period = :period")
"""A statement of its own, which sees what was committed while the insertion waited."""
_IN_CLEAR = text(
    "DELETE FROM citebound.askers WHERE (platform, tenant, person) IN ("
    " SELECT platform, tenant, person FROM citebound.askers ORDER BY platform, tenant, person"
    " LIMIT :most FOR UPDATE) RETURNING platform, tenant, person, pseudonym, period"
)
_ADOPT = text(
    "INSERT INTO audit.identity (pseudonym, period, match_hash, sealed)"
    " VALUES (:pseudonym, :period, :match, :sealed) ON CONFLICT DO NOTHING"
).bindparams(bindparam("sealed", type_=LargeBinary))
_REFERENCE = text(
    "UPDATE citebound.conversation_references SET match_hash = :match"
    " WHERE platform = :platform AND tenant = :tenant AND person = :person"
)


Recorded = Callable[[AsyncConnection, str, Mapping[str, Json]], Awaitable[object]]
"""Takes a pseudonym, and what is recorded of it."""


class Pseudonyms:
    """Names people. Safe from many tasks."""

    def __init__(self, key: bytes, *, sealing: SealingKey | None = None) -> None:
        """`key` finds people again; without `sealing` nobody can tell who they are later."""
        self.recorded: Recorded | None = None
        """Records what was kept of a person; set by the ledger that names people."""
        self._key = key
        self._sealing = sealing

    def match_hash(self, person: Account) -> bytes:
        """Return what a person is found by: 32 bytes, the same in every period."""
        named = json.dumps([person.platform, person.tenant, person.person]).encode()
        return hmac.digest(self._key, named, hashlib.sha256)

    def code_hash(self, code: str) -> bytes:
        """Return what the code of a report is found by: 32 bytes, never those of a person."""
        return hmac.digest(self._key, f"case code {code}".encode(), hashlib.sha256)

    async def of(self, connection: AsyncConnection, person: Account, conversation_id: str) -> str:
        """Return the pseudonym of a person in a conversation, made if they never were in one."""
        keys = {"match": self.match_hash(person), "conversation": conversation_id}
        row = (await connection.execute(_OF, keys)).one()
        return row.pseudonym or await self.make(connection, person, row.period)

    async def make(self, connection: AsyncConnection, person: Account, period: str) -> str:
        """Return the pseudonym of a person who had none in a period, unless somebody made it."""
        pseudonym = f"p-{secrets.token_hex(8)}"
        row = self._row(person, pseudonym, period)
        made = await connection.scalar(_MAKE, row)
        if made and row["sealed"] and self.recorded:
            await self.recorded(connection, pseudonym, {"period": period, "identity": _kept(row)})
        return str(made or (await connection.execute(_MADE, row)).scalar_one())

    @raises_transient
    async def adopt(self, engine: AsyncEngine) -> None:
        """Seal the people whom a release before named in clear; they keep their pseudonyms."""
        found = ADOPTED_AT_ONCE
        while found == ADOPTED_AT_ONCE:
            async with engine.begin() as connection:
                people = (await connection.execute(_IN_CLEAR, {"most": ADOPTED_AT_ONCE})).all()
                found = len(people)
                if people:
                    rows = await asyncio.to_thread(self._adopted, people)
                    await connection.execute(_ADOPT, rows)
                    await connection.execute(_REFERENCE, rows)

    def _adopted(self, people: Sequence[Any]) -> list[dict[str, object]]:
        return [self._row(record(Account, row), row.pseudonym, row.period) for row in people]

    def _row(self, person: Account, pseudonym: str, period: str) -> dict[str, Any]:
        return row_of(
            person,
            pseudonym=pseudonym,
            period=period,
            match=self.match_hash(person),
            sealed=self._sealing and self._sealing.seal(person, pseudonym=pseudonym),
        )


def _kept(row: dict[str, Any]) -> str:
    """Return what a record commits to: nobody can guess it once the sealed identity is erased."""
    return hashlib.sha256(row["match"] + row["sealed"]).hexdigest()


async def open_pseudonyms(engine: AsyncEngine, settings: Settings) -> Pseudonyms:
    """Return what names people, by the settings' key or else by the database's own."""
    sealing = settings.identity_key and SealingKey.from_text(settings.identity_key)
    if settings.pseudonym_key:
        key = base64.b64decode(settings.pseudonym_key)
    else:
        async with engine.connect() as connection:
            key = bytes((await connection.execute(_OWN_KEY)).scalar_one())
    pseudonyms = Pseudonyms(key, sealing=sealing or None)
    await pseudonyms.adopt(engine)
    return pseudonyms
