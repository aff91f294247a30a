"""How long a message takes to be stored: `accept()` at a steady rate.

    python -m tests.evals.bench_intake [--rate 200] [--seconds 15] [--copies 2] [--url postgresql://...]

Without a URL it starts an embedded Postgres with its default durability (fsync on). Arrivals do not
wait for answers, as a platform does not: where the rate is more than the machine can do, the
figures grow without bound. No worker runs beside it.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from statistics import quantiles

from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded
from core.adapters.postgres.engine.schema import open_database
from core.domain.message import Accepted
from tests.life import Deployment, deploy, message

CONVERSATIONS = 500


async def measure(deployment: Deployment, *, rate: float, seconds: float, copies: int) -> None:
    """Accept messages at a rate, and print what it took."""
    took_ms: list[float] = []
    stored = 0

    async def accept(words: str, thread: str) -> None:
        nonlocal stored
        began = time.perf_counter()
        result = await deployment.intake.accept(message(words, key=words, thread=thread))
        took_ms.append((time.perf_counter() - began) * 1_000)
        stored += isinstance(result, Accepted)

    for n in range(8):
        await accept(f"warm {n}", "warm")
    took_ms.clear()
    stored = 0
    began = time.perf_counter()
    count = int(rate * seconds)
    async with asyncio.TaskGroup() as group:
        for n in range(count):
            wait = began + n / rate - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            group.create_task(accept(f"m{n // copies}", str(n // copies % CONVERSATIONS)))
    elapsed = time.perf_counter() - began
    cuts = quantiles(took_ms, n=100)
    print(  # its purpose
        f"accept() at {rate:.0f}/s for {seconds:.0f} s, each message {copies} times:"
        f" p50 {cuts[49]:.1f} ms, p95 {cuts[94]:.1f} ms, p99 {cuts[98]:.1f} ms,"
        f" max {max(took_ms):.1f} ms; {count} deliveries, {stored} stored,"
        f" {count / elapsed:.0f}/s achieved"
    )


async def run(url: str, *, rate: float, seconds: float, copies: int) -> None:
    """Measure on a database that is migrated and otherwise left as it is."""
    async with open_database(url) as engine:
        await measure(deploy(engine), rate=rate, seconds=seconds, copies=copies)


def main() -> None:
    """Read the words and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--copies", type=int, default=2)
    parser.add_argument("--url")
    given = parser.parse_args()
    if given.url:
        asyncio.run(run(given.url, rate=given.rate, seconds=given.seconds, copies=given.copies))
        return
    with tempfile.TemporaryDirectory(prefix="citebound-bench-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        url = start_embedded(home, temporary=True)
        try:
            asyncio.run(run(url, rate=given.rate, seconds=given.seconds, copies=given.copies))
        finally:
            stop_embedded(home)


if __name__ == "__main__":
    main()
