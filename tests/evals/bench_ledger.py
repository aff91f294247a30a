"""How fast the record is appended to, sealed and verified.

    python -m tests.evals.bench_ledger [--records 100000] [--appended 16000] [--clients 16]

Starts an embedded Postgres with its default durability (fsync on). `pgbench`, which comes with it,
appends as the application's login: one record of about 1.4 kB with its two texts a transaction, as
an answer does. The records are made before, so that the server is measured and not who writes them.
Meanwhile the ledger is sealed as `citebound audit seal` does; how long a record waited to be sealed
is what the server says of both commits. Then records are appended in bulk up to the number asked
for, and verified.
"""

import argparse
import asyncio
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.app.sealing import EVERY_S
from core.adapters.postgres.engine.embedded_account import binary, server_account
from core.adapters.postgres.engine.ledger import Entry, Ledger
from core.adapters.postgres.engine.roles import DatabaseRole, as_embedded_login
from core.adapters.postgres.engine.schema import open_database
from core.adapters.postgres.record.sequencer import PostgresSequencer
from core.adapters.postgres.record.verification import PostgresVerifier, VerificationBasis
from core.adapters.system import SystemClock, UuidSource
from core.audit.canonical import leaf_hash
from core.audit.checkpoint import LedgerKey
from core.audit.documents import Event
from core.domain.audit import Tag
from tests.evals.platform_bench import busy, postgres
from tests.record_filler import append_all

CORES = 2
FILLER = "x" * 900
_PREPARED = """
CREATE SCHEMA bench;
CREATE UNLOGGED TABLE bench.record (client int, n int, canonical bytea, leaf_hash bytea,
  PRIMARY KEY (client, n));
CREATE UNLOGGED TABLE bench.content (client int, n int, record_id uuid, field text, salt bytea,
  body text, PRIMARY KEY (client, n, field));
GRANT USAGE ON SCHEMA bench TO PUBLIC;
GRANT SELECT ON bench.record, bench.content TO PUBLIC;
"""
_APPENDING = """
\\set n :n + 1
BEGIN;
WITH appended AS (
  INSERT INTO audit.record (canonical, leaf_hash)
  SELECT canonical, leaf_hash FROM bench.record WHERE client = :client_id AND n = :n)
INSERT INTO audit.content (record_id, field, salt, body)
SELECT record_id, field, salt, body FROM bench.content WHERE client = :client_id AND n = :n;
COMMIT;
"""
"""Of `pgbench`: what `core.adapters.postgres.engine.ledger.append` says, of records made before."""
_LAG = text("""
SELECT percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY extract(epoch FROM
         pg_xact_commit_timestamp(sealed.xmin) - pg_xact_commit_timestamp(record.xid::xid))::float)
  FROM audit.record JOIN audit.leaf ON leaf.record_id = record.id,
       LATERAL (SELECT xmin FROM audit.checkpoint WHERE size > leaf.idx
                ORDER BY size LIMIT 1) AS sealed
""")


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
    return ledger.entry(
        event,
        at=ledger.clock.now(),
        content={"question": "May I?", "answer": "Yes. " * 20},
    )


async def prepare(engine: AsyncEngine, ledger: Ledger, *, clients: int, each: int) -> None:
    """Make the records that are to be appended; they are dated now."""
    async with engine.begin() as connection:
        raw = (await connection.get_raw_connection()).driver_connection
        assert raw is not None
        await raw.execute(_PREPARED)
        made = [(client, n, entry(ledger)) for client in range(clients) for n in range(1, each + 1)]
        async with raw.cursor() as cursor:
            async with cursor.copy("COPY bench.record FROM STDIN") as copy:
                for client, n, one in made:
                    await copy.write_row((client, n, one.data, leaf_hash(one.data)))
            async with cursor.copy("COPY bench.content FROM STDIN") as copy:
                for client, n, one in made:
                    for part in one.contents:
                        row = (client, n, one.record_id, part.field, part.salt, part.body)
                        await copy.write_row(row)
        await raw.execute("ANALYZE bench.record")


async def appended(url: str, *, clients: int, each: int) -> float:
    """Append what was prepared with several clients at once, and return how many a second."""
    with TemporaryDirectory() as folder:
        script = Path(folder) / "append.sql"
        script.write_text(_APPENDING)
        process = await asyncio.create_subprocess_exec(
            *binary("pgbench", server_account()),
            *("--no-vacuum", "--protocol=prepared", "--define=n=0", f"--file={script}"),
            *(f"--client={clients}", f"--jobs={CORES}", f"--transactions={each}"),
            as_embedded_login(url, DatabaseRole.APP),
            stdout=asyncio.subprocess.PIPE,
        )
        told, _ = await process.communicate()
    found = re.search(r"tps = ([0-9.]+) \(without", told.decode())
    if process.returncode != 0 or found is None:
        raise SystemExit("bench: pgbench failed")
    return float(found[1])


async def seal_each_round(sequencer: PostgresSequencer) -> None:
    """Seal as the sealing process does, until cancelled."""
    while True:
        began = time.monotonic()
        await sequencer.seal()
        await asyncio.sleep(began + EVERY_S - time.monotonic())


async def seal_all(sequencer: PostgresSequencer) -> str:
    """Seal what waits, print how fast, and return the newest note."""
    began = time.perf_counter()
    sealed = await sequencer.seal()
    before = sealed.size - sealed.added
    while sealed.is_behind:
        sealed = await sequencer.seal()
    took_s = time.perf_counter() - began
    print(f"sealed: {(sealed.size - before) / took_s:.0f}/s")
    return sealed.note


class Server:
    """What the server's processes cost."""

    def __init__(self, backend: int) -> None:
        """Find the server by the id of one of its processes."""
        self._first = psutil.Process(psutil.Process(backend).ppid())

    def cpu_s(self) -> float:
        """Return the processor's time of all of them, those that ended included."""
        ended = self._first.cpu_times()
        spent_s = sum(ended[:4])
        for one in self._first.children():
            with suppress(psutil.NoSuchProcess):
                spent_s += sum(one.cpu_times()[:2])
        return spent_s


async def measure(url: str, engine: AsyncEngine, given: argparse.Namespace) -> None:
    """Print the figures."""
    print(f"before: {busy()}")
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="bench")
    key = LedgerKey.generate("bench")
    sequencer = PostgresSequencer(engine, key=key, deployment="bench")
    async with engine.connect() as connection:
        server = Server(int(await connection.scalar(text("SELECT pg_backend_pid()"))))
    each = given.appended // given.clients
    await prepare(engine, ledger, clients=given.clients, each=each)
    async with asyncio.TaskGroup() as group:
        sealing = group.create_task(seal_each_round(sequencer))
        began_s = server.cpu_s()
        rate = await appended(url, clients=given.clients, each=each)
        spent_s = server.cpu_s() - began_s
        await asyncio.sleep(2 * EVERY_S)
        sealing.cancel()
    async with engine.connect() as connection:
        half_s, most_s = await connection.scalar(_LAG)
    print(
        f"appended, {given.clients} clients, one record a transaction: {rate:.0f}/s, of the"
        f" server's processor {spent_s / each / given.clients * 1e6:.0f} us each; sealed after"
        f" p50 {half_s:.2f} s, p99 {most_s:.2f} s"
    )
    missing = given.records - each * given.clients
    await append_all(engine, (entry(ledger) for _ in range(missing)))
    note = await seal_all(sequencer)
    began, began_s, own_s = time.perf_counter(), server.cpu_s(), _own_cpu_s()
    verifier = PostgresVerifier(engine, deployment="bench")
    found = await verifier.verify(VerificationBasis(keys=[key.public], anchored=[note]))
    took_s = time.perf_counter() - began
    own_s, spent_s = _own_cpu_s() - own_s, server.cpu_s() - began_s
    print(
        f"verified: {found.records} records in {took_s:.1f} s, {found.records / took_s:.0f}/s,"
        f" {found.result}; of the processor {own_s / found.records * 1e6:.0f} us each, and of the"
        f" server's {spent_s / found.records * 1e6:.0f} us"
    )


def _own_cpu_s() -> float:
    """Return the processor's time of this process and of those that it started."""
    return sum(os.times()[:4])


async def run(url: str, given: argparse.Namespace) -> None:
    """Measure on a database of its own."""
    async with open_database(url) as engine:
        await measure(url, engine, given)


def main() -> None:
    """Parse the command line, and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--appended", type=int, default=16_000)
    parser.add_argument("--clients", type=int, default=16)
    with postgres("track_commit_timestamp = on") as url:
        asyncio.run(run(url, parser.parse_args()))


if __name__ == "__main__":
    main()
