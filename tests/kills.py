"""What a kill may leave behind, and what must hold once another process went on."""

import asyncio

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.databases import POLL_S

LONGEST_LEASE_S = 60.0

_LEFT = (
    "SELECT (SELECT count(*) FROM citebound.inbox WHERE state IN ('received', 'running'))"
    " + (SELECT count(*) FROM citebound.outbox WHERE settled_at IS NULL)"
)
_BALANCE = (
    "SELECT (SELECT count(*) FROM citebound.inbox WHERE kind = 'message') AS messages,"
    " (SELECT count(*) FROM citebound.answers) AS answers,"
    " (SELECT count(*) FROM citebound.outbox WHERE replaces IS NULL) AS replies,"
    " (SELECT count(*) FROM audit.record r JOIN audit.tag t ON t.tag = r.tag WHERE t.is_outcome)"
    " AS outcomes,"
    " (SELECT count(*) FROM audit.record WHERE tag = 'reply:posted') AS posted"
)


async def quiet(tables: AsyncEngine, *, within_s: float = 60.0) -> None:
    """Wait until nothing is left to answer or to post."""
    async with asyncio.timeout(within_s), tables.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        while await connection.scalar(text(_LEFT)) != 0:  # noqa: ASYNC110  # other processes
            await asyncio.sleep(POLL_S)


async def balance(tables: AsyncEngine) -> dict[str, int]:
    """Count what must be as many as there are questions."""
    async with tables.connect() as connection:
        return dict((await connection.execute(text(_BALANCE))).mappings().one())
