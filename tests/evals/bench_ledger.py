"""How fast the record is appended to, sealed and verified.

    python -m tests.evals.bench_ledger [--records 100000] [--seconds 8] [--clients 16]

Starts an embedded Postgres with its default durability (fsync on). Clients append one record of
about 1.6 kB a transaction, as an answer does; meanwhile the ledger is sealed as fast as
it goes. Then records are appended in bulk up to the number asked for, and verified.
"""

import argparse
import asyncio
import time
from statistics import quantiles

from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.ledger import Entry, Ledger, append
from core.adapters.postgres.engine.schema import open_database
from core.adapters.postgres.record.sequencer import PostgresSequencer
from core.adapters.postgres.record.verification import PostgresVerifier, VerificationBasis
from core.adapters.system import SystemClock, UuidSource
from core.audit.checkpoint import LedgerKey
from core.audit.documents import Event
from core.domain.audit import Tag
from tests.evals.platform_bench import postgres

BULK = 2_000
FILLER = "x" * 900


def entry(ledger: Ledger) -> Entry:
    """Return a record of the size of an answer's, with its texts."""
    event = Event(
        tag=Tag.QUESTION_ANSWERED,
        actor="p-17",
        actor_kind="asker",
        conversation=ledger.ids.new(),
        seq=1,
        subject=None,
        cause=None,
        trace_id=None,
        says={"outcome": "answered", "filler": FILLER},
    )
    return ledger.entry(event, content={"question": "May I?", "answer": "Yes. " * 20})


async def write(engine: AsyncEngine, ledger: Ledger, *, clients: int, seconds: float) -> int:
    """Append with several clients at once, and return how many records there are."""
    written, until = 0, time.monotonic() + seconds

    async def client() -> None:
        nonlocal written
        while time.monotonic() < until:
            async with engine.begin() as connection:
                await append(connection, [entry(ledger)])
            written += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(client())
    return written


async def fill(engine: AsyncEngine, ledger: Ledger, records: int) -> None:
    """Append records in bulk."""
    for _ in range(0, records, BULK):
        async with engine.begin() as connection:
            await append(connection, [entry(ledger) for _ in range(BULK)])


async def measure(engine: AsyncEngine, *, records: int, seconds: float, clients: int) -> None:
    """Print the figures."""
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="bench")
    key = LedgerKey.generate("bench")
    sequencer = PostgresSequencer(engine, key=key, deployment="bench", clock=SystemClock())
    rounds_ms: list[float] = []
    async with asyncio.TaskGroup() as group:

        async def seal() -> None:
            while True:
                began = time.perf_counter()
                await sequencer.seal()
                rounds_ms.append((time.perf_counter() - began) * 1_000)
                await asyncio.sleep(0.5)

        sealing = group.create_task(seal())
        written = await write(engine, ledger, clients=clients, seconds=seconds)
        sealing.cancel()
    print(
        f"appended, {clients} clients, one record a transaction: {written / seconds:.0f}/s;"
        f" a round of sealing meanwhile p50 {quantiles(rounds_ms, n=100)[49]:.0f} ms,"
        f" max {max(rounds_ms):.0f} ms"
    )
    await fill(engine, ledger, max(0, records - written))
    began = time.perf_counter()
    sealed = await sequencer.seal()
    before = sealed.size - sealed.added
    while sealed.is_behind:
        sealed = await sequencer.seal()
    took_s = time.perf_counter() - began
    print(f"sealed: {(sealed.size - before) / took_s:.0f}/s")
    began = time.perf_counter()
    verifier = PostgresVerifier(engine, deployment="bench")
    found = await verifier.verify(VerificationBasis(keys=[key.public], anchored=[sealed.note]))
    took_s = time.perf_counter() - began
    print(f"verified: {found.records} records in {took_s:.1f} s, {found.records / took_s:.0f}/s,"
          f" {found.result}")  # fmt: skip


async def run(url: str, arguments: argparse.Namespace) -> None:
    """Measure on a database of its own."""
    async with open_database(url) as engine:
        await measure(
            engine,
            records=arguments.records,
            seconds=arguments.seconds,
            clients=arguments.clients,
        )


def main() -> None:
    """Parse the command line, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--clients", type=int, default=16)
    arguments = parser.parse_args()
    with postgres() as url:
        asyncio.run(run(url, arguments))


if __name__ == "__main__":
    main()
