"""A ledger with records in it, its sequencer, and what a superuser does to it."""

import asyncio
import hashlib
from dataclasses import dataclass, field
from datetime import date
from time import time
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.record.sequencer import PostgresSequencer, Sealed
from core.adapters.postgres.record.verification import PostgresVerifier, VerificationBasis
from core.adapters.system import SystemClock, UuidSource
from core.audit.checkpoint import LedgerKey, PublicKey
from core.audit.documents import Event
from core.audit.verification import Verification
from core.domain.audit import Tag

DEPLOYMENT = "test"
TABLES = ("record", "citation", "content", "leaf", "checkpoint")
UNARMED = (
    *(f"ALTER TABLE audit.{table} DISABLE TRIGGER ALL" for table in TABLES),
    "SET LOCAL session_replication_role = replica",
)
"""What a superuser does first."""
REARMED = (
    *(f"ALTER TABLE audit.{table} ENABLE TRIGGER ALL" for table in TABLES),
    *(
        f"ALTER TABLE audit.{table} ENABLE ALWAYS TRIGGER {trigger}"
        for table in TABLES
        for trigger in ("refuse_change", "refuse_truncate")
    ),
    "ALTER TABLE audit.record ENABLE ALWAYS TRIGGER check_clock",
    "ALTER TABLE audit.record ENABLE ALWAYS TRIGGER check_author",
)
"""And last, so that nothing shows."""


@dataclass
class SealedLedger:
    """The ledger of a test's own database, with one anchor."""

    engine: AsyncEngine
    key: LedgerKey = field(default_factory=lambda: LedgerKey.generate(DEPLOYMENT))
    notes: list[str] = field(default_factory=list[str])
    """What stands outside the database."""
    trusted: list[PublicKey] = field(default_factory=list[PublicKey])

    @property
    def sequencer(self) -> PostgresSequencer:
        return PostgresSequencer(self.engine, key=self.key, deployment=DEPLOYMENT)

    async def append(self, records: int, *, conversation: UUID, first: int = 1) -> None:
        """Append records of one conversation, with texts and citations."""
        async with self.engine.begin() as connection:
            for seq in range(first, first + records):
                await append(connection, conversation, seq)

    async def seal(self, *, until: int | None = None) -> Sealed:
        """Seal; with `until`, all that there is, in one checkpoint."""
        async with asyncio.timeout(60):
            if until is not None:
                await all_sealable(self.engine)
            sealed = await self.sequencer.seal()
            while until is not None and sealed.size < until:
                await asyncio.sleep(0.05)
                sealed = await self.sequencer.seal()
        if sealed.note not in self.notes:
            self.notes.append(sealed.note)
        return sealed

    @property
    def keys(self) -> list[PublicKey]:
        """Trusted; a test that rotates keys adds to them."""
        return self.trusted or [self.key.public]

    def basis(self, *, anchored: list[str] | None = None, later_s: float = 0) -> VerificationBasis:
        """What a verification trusts, so many seconds from now."""
        notes = self.notes if anchored is None else anchored
        return VerificationBasis(keys=self.keys, anchored=notes, now=time() + later_s)

    async def verify(
        self,
        *,
        anchored: list[str] | None = None,
        since: int | date | None = None,
        later_s: float = 0,
    ) -> Verification:
        verifier = PostgresVerifier(self.engine, deployment=DEPLOYMENT)
        basis = self.basis(anchored=anchored, later_s=later_s)
        return await verifier.verify(basis, since=since)

    async def tamper(self, *statements: str, **parameters: object) -> None:
        """Change rows as a superuser who knows the triggers, and puts them back."""
        async with self.engine.begin() as connection:
            for statement in (*UNARMED, *statements, *REARMED):
                await connection.exec_driver_sql(statement, parameters or None)


async def all_sealable(engine: AsyncEngine) -> None:
    """Wait until every record can be sealed: transactions of other databases hold it up."""
    waits = text(
        "SELECT EXISTS (SELECT FROM audit.record"
        " WHERE xid >= pg_snapshot_xmin(pg_current_snapshot()))"
    )
    async with asyncio.timeout(60), engine.connect() as connection:
        while await connection.scalar(waits):  # other tests'
            await connection.rollback()
            await asyncio.sleep(0.05)


async def append(connection: AsyncConnection, conversation: UUID, seq: int) -> None:
    """Append one record."""
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
    event = Event(
        tag=Tag.QUESTION_ANSWERED,
        actor=f"p-{seq}",
        actor_kind="asker",
        conversation=str(conversation),
        seq=seq,
        subject=None,
        cause=None,
        trace_id=None,
        says={
            "outcome": "answered",
            "confidence": {"badge": "high", "calibrated": 0.93},
            "citations": [
                {
                    "n": n,
                    "policy": "gifts",
                    "version": "1",
                    "section": f"2.{n}",
                    "char_start": 10 * n,
                    "char_end": 10 * n + 5,
                    "quote_hash": hashlib.sha256(bytes([n])).hexdigest(),
                }
                for n in (1, 2)
            ],
        },
    )
    await ledger.event(
        connection, event, content={"question": f"May I, {seq}?", "answer": f"Yes, {seq}."}
    )
