"""How fast the officers' console shows its pages.

    python -m tests.evals.bench_console [--records 100000] [--times 20]

Starts an embedded Postgres with its default durability, fills the record with questions of twelve
weeks, about 2 kB each with their texts and citations, serves the console and opens each kind of
page as an officer who is signed in. Times are those of the client, over loopback.
"""

import argparse
import asyncio
import hashlib
import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from statistics import quantiles

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.local.embedder import LocalEmbedder, find_local_embedder
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Entry, Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.record.sequencer import PostgresSequencer
from core.adapters.system import UuidSource
from core.audit.checkpoint import LedgerKey
from core.audit.documents import Event
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.domain.audit import Tag
from core.ingest.prepare import Overrides
from core.ports import Clock
from tests.databases import as_role
from tests.evals.platform_bench import postgres
from tests.officer_console import OFFICERS, ORIGIN, Visitor, grant, served
from tests.ports import free_port
from tests.record_filler import append_all

TAGS = {
    "answered": Tag.QUESTION_ANSWERED,
    "clarification": Tag.CLARIFICATION_ASKED,
    "refused": Tag.QUESTION_REFUSED,
    "escalated": Tag.QUESTION_ESCALATED,
}
SYLLABLES = (
    "ba",
    "co",
    "di",
    "fe",
    "gu",
    "ha",
    "ki",
    "lo",
    "mu",
    "ne",
    "po",
    "ra",
    "si",
    "tu",
    "va",
)
POLICY = "# Gifts\n\n" + "\n\n".join(
    f"## {n} Part {n}\n\n{n}.1 Employees must report item {n} within {n} days."
    for n in range(1, 60)
)


class _At(Clock):
    """A clock that stands still."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        return self._at

    def monotonic_s(self) -> float:
        return 0.0


@cache
def word(rank: int) -> str:
    """Return one word; the lower its rank, the more often it is used."""
    chance = random.Random(rank)  # noqa: S311  # no secret
    return "".join(chance.choice(SYLLABLES) for _ in range(2 + rank % 3))


def words(chance: random.Random, count: int) -> str:
    """Return words as texts have them: a few everywhere, most of them rare."""
    return " ".join(word(int(chance.paretovariate(0.7))) for _ in range(count))


def events(chance: random.Random, count: int, now: datetime) -> Iterator[tuple[datetime, Event]]:
    """Yield questions of twelve weeks, in order."""
    for number in range(count):
        outcome = chance.choices([*TAGS], [60, 15, 20, 5])[0]
        badge = chance.choice(("high", "high", "medium", "low")) if outcome == "answered" else None
        cited = [
            {
                "n": n,
                "policy": f"policy-{int(chance.paretovariate(1.0)) % 40}",
                "version": "1",
                "section": f"{chance.randrange(1, 20)}.{n}",
                "char_start": 0,
                "char_end": 10,
                "quote_hash": hashlib.sha256(b"x").hexdigest(),
            }
            for n in range(1, 3)
        ]
        near = [{"policy": f"policy-{chance.randrange(40)}", "section": str(chance.randrange(9))}]
        yield (
            now - timedelta(days=84) * (1 - number / count),
            Event(
                tag=TAGS[outcome],
                actor=f"p-{int(chance.paretovariate(0.9)) % 3_000}",
                actor_kind="asker",
                conversation=UuidSource().new(),
                seq=1,
                subject=None,
                cause=None,
                trace_id=None,
                says={
                    "outcome": outcome,
                    "confidence": {"badge": badge, "calibrated": 0.8 if badge else None},
                    "refusal": {"kind": None, "nearest_sections": near},
                    "citations": cited if badge else [],
                    "filler": "x" * 900,
                },
            ),
        )


async def fill(engine: AsyncEngine, records: int) -> None:
    """Append the records, seal them, and let Postgres know what it has."""
    now = datetime.now(UTC)  # noqa: TID251  # of a measurement
    await append_all(engine, entries(records, now))
    key = LedgerKey.generate("bench")
    sequencer = PostgresSequencer(engine, key=key, deployment="bench")
    while (await sequencer.seal()).is_behind:
        pass
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        for table in ("record", "content", "citation", "leaf"):
            await connection.execute(text(f"VACUUM ANALYZE audit.{table}"))


def entries(records: int, now: datetime) -> Iterator[Entry]:
    """Yield the records."""
    chance, ids = random.Random(5), UuidSource()  # noqa: S311  # no secret
    for at, event in events(chance, records, now):
        ledger = Ledger(clock=_At(at), ids=ids, unit=chance.choice(("berlin", "munich")))
        texts = {"question": words(chance, 14), "answer": words(chance, 60)}
        yield ledger.entry(event, at=at, content=texts)


async def pages(engine: AsyncEngine) -> dict[str, str]:
    """Return the pages to be opened: name and address."""
    chance = random.Random(9)  # noqa: S311  # no secret
    async with engine.connect() as connection:
        rows = await connection.execute(
            text(
                "SELECT r.id, r.actor, q.body FROM audit.record r"
                " JOIN audit.content q ON q.record_id = r.id AND q.field = 'question'"
                " WHERE r.outcome = 'answered' ORDER BY r.at LIMIT 1 OFFSET 300"
            )
        )
        record, asker, question = rows.one()
    common, rarer = words(chance, 40).split(), str(question).split()
    often = max(set(common), key=common.count)
    rare = max(rarer, key=lambda word: (len(word), word))
    at = max(0, rarer.index(rare) - 1)
    search = "/officer/records?"
    return {
        "overview": "/officer",
        "search: everything": search,
        "search: a common word": f"{search}words={often}",
        "search: a rare word": f"{search}words={rare}",
        "search: a phrase": f"{search}words=%22{'+'.join(rarer[at : at + 2])}%22",
        "search: a phrase, common words": f"{search}words=%22{often}+{often}%22",
        "search: no such word": f"{search}words=nowhere",
        "search: a pseudonym": f"{search}asker={asker}",
        "search: a policy": f"{search}policy=policy-1",
        "search: a rare section": f"{search}policy=policy-37&section=19.2",
        "search: outcome and badge": f"{search}outcome=answered&badge=low",
        "search: old days": f"{search}until=2020-01-01",
        "search: word, badge and policy": f"{search}words={often}&badge=low&policy=policy-3",
        "a record": f"/officer/records/{record}",
        "policies": "/officer/policies",
        "a policy": "/officer/policies/policy-1",
        "cases": "/officer/cases",
        "closed cases": "/officer/closed-cases",
        "affected answers": "/officer/affected",
        "access log": "/officer/access",
    }


async def measure(url: str, arguments: argparse.Namespace) -> None:
    """Fill, serve and print the figures."""
    port = free_port()
    settings = Settings(
        database_url=url,
        unit="berlin",
        officers=OFFICERS,
        console_url=f"{ORIGIN}:{port}",
        record_url=as_role(url, DatabaseRole.CONSOLE),
    )
    embedder = find_local_embedder(None)
    assert isinstance(embedder, LocalEmbedder)
    async with bootstrap(settings, embedder=embedder) as service:
        for number in range(40):
            await service.ingestor.ingest(
                f"{POLICY}\n\nOf policy {number}.".encode(),
                source_name=f"policy-{number}.md",
                given=Overrides(),
                with_chunks=False,
            )
        engine = engine_for(url)
        began = time.monotonic()
        await fill(engine, arguments.records)
        print(f"{arguments.records} questions in {time.monotonic() - began:.0f} s")
        grant(url, "ada", units="{*}")
        grant(url, "grace", units="{berlin}")
        async with served(service, port) as console:
            ada = await console.signed_in()
            for name, path in (await pages(engine)).items():
                print(await opened(ada, name, path, arguments.times))
        await engine.dispose()


async def opened(visitor: Visitor, name: str, path: str, times: int) -> str:
    """Open a page several times, and return how long that took."""
    took_ms: list[float] = []
    for _ in range(times + 1):
        began = time.perf_counter()
        status, page = await visitor.get(path)
        took_ms.append((time.perf_counter() - began) * 1_000)
        assert status == 200, page
    parts = quantiles(took_ms[1:], n=20, method="inclusive")
    return f"{name:<34} p50 {parts[9]:6.0f} ms   p95 {parts[18]:6.0f} ms"


def main() -> None:
    """Parse the command line, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=20)
    arguments = parser.parse_args()
    with postgres() as url:
        asyncio.run(measure(url, arguments))


if __name__ == "__main__":
    main()
