"""How long a search takes on a large corpus, by its indexes and by a scan.

    python -m tests.evals.bench_search [--chunks N] [--versions N] [--questions N]

Fills a database with N chunks (by default 100,000) of random vectors of 384 dimensions and random
words, builds the indexes, and runs both arms of a search for some questions in the whole corpus and
in a quarter of it. In smaller scopes search scans. How much of what a scan finds is found can't be
told by random vectors, which all lie as far apart: `tests/integration/search/test_plan.py` does.
"""

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from random import Random

import psycopg
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.access import open_engine
from core.adapters.postgres.search.search import (
    _set_hnsw,  # pyright: ignore[reportPrivateUsage]
)
from core.config.settings import Settings
from tests.chunk_rows import arm, fill
from tests.evals.platform_bench import postgres

DIMENSIONS = 384
ARMS = ("lexical_arm", "dense_arm")
FOUND = 100
"""Chunks that an arm returns."""


def main() -> int:
    """Fill, ask, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--versions", type=int, default=400)
    parser.add_argument("--questions", type=int, default=40)
    given = parser.parse_args()
    with postgres() as url:
        asyncio.run(measure(url, given.chunks, given.versions, given.questions))
    return 0


async def measure(url: str, chunks: int, versions: int, questions: int) -> None:
    """Print what the searches of a corpus take."""
    settings = Settings.from_environment({"DATABASE_URL": url, "CITEBOUND_MIGRATE": "always"})
    began = time.monotonic()
    async with open_engine(settings) as engine:
        with psycopg.connect(url, autocommit=True) as filling:
            filling.execute("SET maintenance_work_mem = '1GB'")
            filling.execute(fill(chunks, versions=versions, dimensions=DIMENSIONS).encode())
        print(f"{chunks:,} chunks filled and indexed in {time.monotonic() - began:.0f} s")
        random = Random(7)  # noqa: S311  # a sample
        asked: list[Mapping[str, object]] = [
            {
                "embedding": str([random.uniform(-1, 1) for _ in range(DIMENSIONS)]),
                "weights": f"{{{random.randint(1, 97)}:2.5,{random.randint(100, 188)}:1}}/1000000",
                "arm_limit": FOUND,
            }
            for _ in range(questions)
        ]
        for share in (1, 4):
            scope = list(range(1, versions // share + 1))
            async with engine.connect() as connection:
                await _set_hnsw(connection)
                await compare(connection, asked, scope)


async def compare(
    connection: AsyncConnection, asked: Sequence[Mapping[str, object]], scope: Sequence[int]
) -> None:
    """Print both ways of each arm within some versions."""
    for name in ARMS:
        took: dict[bool, list[float]] = {True: [], False: []}
        for question in asked:
            for uses_index, times in took.items():
                statement = arm(name, dimensions=DIMENSIONS, uses_index=uses_index)
                began = time.perf_counter()
                await connection.execute(statement, {**question, "versions": scope})
                times.append((time.perf_counter() - began) * 1_000)
        indexed, scanned = (statistics.quantiles(took[way], n=100) for way in (True, False))
        print(
            f"{name} in {len(scope)} versions, p50 / p99: {indexed[49]:.0f} / {indexed[98]:.0f} ms"
            f" by the index, {scanned[49]:.0f} / {scanned[98]:.0f} ms by a scan"
        )


if __name__ == "__main__":
    sys.exit(main())
