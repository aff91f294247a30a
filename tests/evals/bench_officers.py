"""How fast officers get answers to the twenty questions of `deploy/sql/examples.sql`.

    python -m tests.evals.bench_officers [--records 1000000] [--rounds 5] [--home FOLDER] [--plans]

Starts an embedded Postgres with its default durability, and fills it with the records of questions
of two years (`tests/record_filler.py`). An officer of one of the two units then executes each
question as `citebound audit sql` does: recorded, on a connection of its own, read to the end. A
folder that was filled before is used again.
"""

import argparse
import asyncio
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles

from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.schema import open_database
from core.adapters.postgres.engine.transactions import connected
from core.adapters.postgres.officers.grants import PostgresGrants
from core.adapters.postgres.officers.query import OfficerQueries
from core.adapters.postgres.officers.session import OfficerSession
from core.adapters.system import SystemClock, UuidSource
from tests.record_filler import at_midnight, examples, fill, questions

DAYS = 730
RECORDS_A_QUESTION = 3.26
OFFICER = "bench.officer"
GOAL_S = 1.0


async def prepare(engine: AsyncEngine, ledger: Ledger, records: int) -> int:
    """Fill the record unless it is, and return how many records it has."""
    async with engine.connect() as connection:
        held = int(await connection.scalar(text("SELECT count(*) FROM audit.record")) or 0)
    if held < records / 2:
        now = at_midnight(datetime.now(UTC))  # noqa: TID251  # examples say `now()`
        began = time.perf_counter()
        asked = questions(round(records / RECORDS_A_QUESTION), days=DAYS, now=now)
        held = await fill(engine, asked)
        print(f"filled in {time.perf_counter() - began:.0f} s")
        async with connected(engine, "AUTOCOMMIT") as connection:
            await connection.execute(text("VACUUM ANALYZE"))
    grants = PostgresGrants(engine, ledger=ledger)
    await grants.grant(
        OFFICER, units=["berlin"], audiences=["everyone"], has_login=True, by="bench"
    )
    return held


async def measure(queries: OfficerQueries, rounds: int) -> None:
    """Print how long each question takes, and all of them."""
    taken_ms: list[float] = []
    for number, (said, statement) in examples().items():
        own_ms: list[float] = []
        rows = 0
        for _ in range(rounds):
            began = time.perf_counter()
            found = await queries.run(statement, purpose="bench", most_rows=1_000)
            rows = len(found.rows)
            own_ms.append((time.perf_counter() - began) * 1_000)
        taken_ms += own_ms
        print(f"{number:>2}. p50 {sorted(own_ms)[len(own_ms) // 2]:6.0f} ms, max"
              f" {max(own_ms):6.0f} ms, {rows:>5} rows: {said}")  # fmt: skip
    cut = quantiles(taken_ms, n=100)
    met = "met" if cut[94] <= GOAL_S * 1_000 else "MISSED"
    print(f"all twenty: p50 {cut[49]:.0f} ms, p95 {cut[94]:.0f} ms (goal {GOAL_S:.0f} s: {met}),"
          f" max {max(taken_ms):.0f} ms")  # fmt: skip


async def explain(url: str) -> None:
    """Print the plan of each question, as the officer."""
    engine = engine_for(url, pooled=False)
    for number, (said, statement) in examples().items():
        async with engine.connect() as connection:
            print(f"\n-- {number}. {said}")
            lines = await connection.exec_driver_sql(f"EXPLAIN (ANALYZE, BUFFERS) {statement}")
            print("\n".join(str(line) for line in lines.scalars()))
    await engine.dispose()


async def run(url: str, arguments: argparse.Namespace) -> None:
    """Measure on a database of its own."""
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
    async with open_database(url) as engine:
        records = await prepare(engine, ledger, arguments.records)
        async with engine.connect() as connection:
            size = text("SELECT pg_size_pretty(pg_database_size(current_database()))")
            print(f"{records} records of {DAYS} days, {await connection.scalar(size)}")
    own = make_url(url).set(username=OFFICER).render_as_string(hide_password=False)
    if arguments.plans:
        await explain(own)
    engine = engine_for(own, pooled=False, by_pooler=True)
    await measure(OfficerQueries(OfficerSession(engine, ledger=ledger)), arguments.rounds)
    await engine.dispose()


def main() -> None:
    """Parse the command line, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--home", type=Path, help="keep the database here")
    parser.add_argument("--plans", action="store_true", help="print the plans, too")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        home = arguments.home
        if home is None:
            folder = tempfile.TemporaryDirectory(prefix="citebound-bench-")
            home = Path(stack.enter_context(folder))
        home.mkdir(exist_ok=True)
        home.chmod(0o755)
        url = start_embedded(home, temporary=arguments.home is None)
        stack.callback(stop_embedded, home)
        asyncio.run(run(url, arguments))


if __name__ == "__main__":
    main()
