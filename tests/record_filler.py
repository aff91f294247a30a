"""A record of many questions over many days, as a deployment writes it, and what it should say.

Each question is a value, so that a test computes from the values what a query has to find. Records
have the keys and the size of real ones; of their texts the trace and the quotes are left out.
"""

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import psycopg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.ledger import Entry, committed, json_text
from core.audit.canonical import Commitment, canonical, instant, leaf_hash
from core.domain.json_value import Json

EXAMPLES = Path(__file__).parents[1] / "deploy" / "sql" / "examples.sql"
POLICIES = ("gifts", "travel", "records", "speak-up", "infosec")
UNITS = ("berlin", "paris")
ASKERS = 400
KINDS = ("not_found", "policy_silent", "not_sure", "out_of_scope", "conflict")
SLOTS = ("jurisdiction", "role")
FEATURES = ("coverage", "relevance", "lead", "read", "whole")
OFFICERS = ("ada", "grace")
BATCH = 20_000
_RECORDS = "COPY audit.record (canonical, leaf_hash) FROM STDIN (FORMAT binary)"
_CONTENTS = "COPY audit.content (record_id, field, salt, body) FROM STDIN (FORMAT binary)"
_INDEXES = text("""
SELECT indexname, indexdef FROM pg_indexes
 WHERE schemaname = 'audit' AND tablename IN ('record', 'citation', 'content')
   AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname)
""")
_CLOCK = "ALTER TABLE audit.record {} TRIGGER check_clock"
_CITATIONS = "ALTER TABLE audit.record {} TRIGGER derive_citations"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question and all that came of it."""

    number: int
    """From 0; what everything about it is named after."""
    at: datetime
    """When it was answered."""
    unit: str
    asker: str
    outcome: str
    policy: str
    """Cited, or nearest."""
    section: str
    badge: str | None
    calibrated: float | None
    features: dict[str, float]
    kind: str | None
    """Of the refusal."""
    slot: str | None
    """What was asked back."""
    slot_value: str | None
    """What the asker said it is, in the question after it; None: never."""
    rating: str | None
    """Of the asker; None: no feedback."""
    comment: str
    verdict_by: str | None
    """Officer who judged it wrong."""
    owner: str | None
    """Officer of its case; None: nobody, or no case."""
    has_case: bool
    answered_after: timedelta | None
    """From the case's opening to an officer's answer."""
    reply: str
    """State of the reply: posted, withheld or abandoned."""

    def uuid(self, what: int) -> str:
        """Return the id of a record or a thing of it: ordered by time, as UUIDv7 is."""
        stamp = int(self.at.timestamp() * 1_000) + what
        return str(UUID(int=(stamp << 80) | (7 << 76) | (2 << 62) | (self.number << 8) | what))

    @property
    def record_id(self) -> str:
        """The outcome's record."""
        return self.uuid(2)

    @property
    def question(self) -> str:
        """As typed."""
        return f"Question {self.number}: may I do this with {self.policy}?"

    @property
    def answer(self) -> str:
        """As shown."""
        return f"Answer {self.number}, from {self.policy} {self.section}."

    @property
    def due_at(self) -> datetime:
        """Of its case."""
        return self.at + timedelta(days=7)


def questions(count: int, *, days: float, now: datetime, seed: int = 1) -> list[Asked]:
    """Return questions spread evenly over the days before `now`, the oldest first."""
    chance = random.Random(seed)  # noqa: S311  # no secret
    step = timedelta(days=days) / count
    return [_asked(chance, number, now - step * (count - number)) for number in range(count)]


def _asked(chance: random.Random, number: int, at: datetime) -> Asked:
    outcome = chance.choices(
        ("answered", "refused", "clarification", "escalated"), (70, 20, 7, 3)
    )[0]  # fmt: skip
    answered = outcome == "answered"
    calibrated = round(chance.uniform(0.4, 1), 3) if answered else None
    badge = None if calibrated is None else ("high" if calibrated > 0.85 else "medium")
    slot = chance.choice(SLOTS) if outcome == "clarification" else None
    rated = answered and chance.random() < 0.1
    has_case = outcome == "escalated" or (outcome == "refused" and chance.random() < 0.1)
    claimed = has_case and chance.random() < 0.7
    done = claimed and chance.random() < 0.7
    return Asked(
        number=number,
        at=at,
        unit=chance.choice(UNITS),
        asker=f"p-{chance.randrange(ASKERS)}",
        outcome=outcome,
        policy=chance.choice(POLICIES),
        section=f"{chance.randint(1, 9)}.{chance.randint(1, 9)}",
        badge=badge,
        calibrated=calibrated,
        features={name: round(chance.random(), 4) for name in FEATURES},
        kind=chance.choice(KINDS) if outcome == "refused" else None,
        slot=slot,
        slot_value=chance.choice(("Germany", None)) if slot else None,
        rating=chance.choice(("positive", "negative")) if rated else None,
        comment=f"Comment {number}" if rated and chance.random() < 0.5 else "",
        verdict_by=chance.choice(OFFICERS) if answered and chance.random() < 0.03 else None,
        owner=chance.choice(OFFICERS) if claimed else None,
        has_case=has_case,
        answered_after=timedelta(hours=chance.randint(1, 90)) if done else None,
        reply=chance.choices(("posted", "withheld", "abandoned"), (97, 2, 1))[0],
    )


def entries(asked: Asked) -> Iterator[Entry]:
    """Yield the records of a question, in order."""
    seq = 0

    def entry(  # noqa: PLR0917  # in the order in which it is read below
        what: int,
        tag: str,
        at: datetime,
        actor: tuple[str, str],
        says: dict[str, Json],
        texts: dict[str, str],
    ) -> Entry:
        nonlocal seq
        seq += 1
        contents = committed(texts)
        document: dict[str, Json] = {
            "v": 1,
            "id": asked.uuid(what),
            "tag": tag,
            "at": instant(at),
            "unit": asked.unit,
            "actor": {"kind": actor[0], "ref": actor[1]},
            "conversation": asked.uuid(200),
            "seq": seq,
            "subject": asked.uuid(201),
            "cause": asked.record_id if what > 2 else None,
            "release": "0.1.0",
            "trace_id": asked.uuid(202),
            "content": {part.field: part.digest() for part in contents},
            **says,
        }
        return Entry(record_id=asked.uuid(what), data=canonical(document), contents=contents)

    by_asker, by_system = ("asker", asked.asker), ("system", "delivery")
    yield entry(1, "message:received", asked.at, by_asker, {"kind": "message"}, {"message": "x"})
    tag = "clarification:asked" if asked.slot else f"question:{asked.outcome}"
    yield entry(2, tag, asked.at, by_asker, _run(asked), _texts(asked))
    yield entry(3, f"reply:{asked.reply}", asked.at, by_system, {"outbox": asked.number}, {})
    if asked.slot_value:
        texts = {"question": "Germany.", "answer": "Yes.", "assumptions": _assumed(asked)}
        run = _run(asked) | {"outcome": "answered", "confidence": {"badge": "high"}}
        yield entry(4, "question:answered", asked.at + timedelta(minutes=1), by_asker, run, texts)
    if asked.rating:
        rated: dict[str, Json] = {"rating": asked.rating, "reason": None}
        texts = {"comment": asked.comment} if asked.comment else {}
        yield entry(5, "feedback:given", asked.at + timedelta(minutes=2), by_asker, rated, texts)
    if asked.verdict_by:
        texts = {"reason": f"Wrong {asked.number}"}
        by = ("officer", asked.verdict_by)
        judged = asked.at + timedelta(minutes=3)
        yield entry(6, "answer:reviewed", judged, by, {"verdict": "wrong"}, texts)
    if asked.has_case:
        opened = asked.at + timedelta(minutes=4)
        yield entry(7, "case:opened", opened, by_asker, _case(asked, "open", None), {})
        if asked.owner:
            by = ("officer", asked.owner)
            claimed = opened + timedelta(minutes=1)
            yield entry(8, "case:assigned", claimed, by, _case(asked, "claimed", asked.owner), {})
            if asked.answered_after:
                said = _case(asked, "answered", asked.owner)
                yield entry(9, "case:answered", opened + asked.answered_after, by, said, {})


def _run(asked: Asked) -> dict[str, Json]:
    """Return what an outcome says beside what each record says, by the keys of a real one."""
    span: dict[str, Json] = {"char_start": asked.number, "char_end": asked.number + 120}
    citation: dict[str, Json] = {
        "key": "c1",
        "policy": asked.policy,
        "version": "2.0",
        "section": asked.section,
        "page": 1,
        "quote_hash": f"{asked.number:064x}",
        **span,
    }
    cites = asked.outcome == "answered" or asked.kind in {"conflict", "not_sure"}
    near: list[Json] = [{"policy": asked.policy, "section": asked.section}]
    return {
        "question": {
            "id": asked.uuid(202),
            "platform": "slack",
            "mode": "thread",
            "entities": [],
            "groups": ["everyone"],
            "tags": [],
            "jurisdiction": None,
            "as_of": asked.at.date().isoformat(),
        },
        "run": {
            "attempts": 1,
            "reasoner": "extractive/2",
            "edition": 14,
            "used_rag": True,
            "budget": {"steps": 1, "tool_calls": 3, "retrieval_rounds": 1},
            "retrieving_ms": 46.2,
            "generating_ms": 0,
            "total_ms": 900.5,
            "versions": [1, 2, 3],
            "warnings": [],
        },
        "model_calls": [],
        "retrieved": {
            "chunks": [f"{asked.policy}_chunk_{number:04}" for number in range(30)],
            "findings": [{"version": number, **span} for number in range(10)],
        },
        "claims": [{"claim": 0, "citations": [1]}],
        "citations": [{"n": n, **citation} for n in (1, 2)] if cites else [],
        "verdicts": [
            {"claim": claim, "check": check, "passed": (claim, check) != (2, "names"), "reason": ""}
            for claim in range(3)
            for check in ("cited", "quote", "numbers", "modality", "names", "place", "support")
        ],
        "critique": {"refine": False, "issues": []},
        "judgement": None,
        "decisions": [{"attempt": 1, "decision": "FINAL", "reason": "verified"}],
        "outcome": asked.outcome,
        "refusal": {"kind": asked.kind, "nearest_sections": near},
        "thresholds": {"gate": 0.85},
        "confidence": {
            "reported": 0.5,
            "calibrated": asked.calibrated,
            "badge": asked.badge,
            "features": dict(asked.features),
        },
        "assumptions": [],
    }


def _texts(asked: Asked) -> dict[str, str]:
    told = {"question": asked.question, "answer": asked.answer}
    return told | ({"answer_json": json_text({"slot": asked.slot})} if asked.slot else {})


def _assumed(asked: Asked) -> str:
    return json_text({asked.slot or "": asked.slot_value})


def _case(asked: Asked, state: str, owner: str | None) -> dict[str, Json]:
    return {
        "case": asked.uuid(203),
        "number": asked.number,
        "state": state,
        "owner": owner,
        "due_at": instant(asked.due_at),
        "urgency": "week",
        "opener": "asker",
        "why": asked.outcome,
    }


async def fill(engine: AsyncEngine, asked: Iterable[Asked]) -> int:
    """Append the records of questions, as of their own times; return how many there are."""
    return await append_all(engine, (entry for one in asked for entry in entries(one)))


async def append_all(engine: AsyncEngine, made: Iterable[Entry]) -> int:
    """Append many records as a superuser, of any time; return how many there are.

    They are copied, keys are not looked up, and what only readers need of indexes is built at the
    end.
    """
    async with engine.begin() as connection:
        await connection.execute(text(_CLOCK.format("DISABLE")))
        await connection.execute(text(_CITATIONS.format("ENABLE ALWAYS")))
        indexes = (await connection.execute(_INDEXES)).all()
        for index in indexes:
            await connection.execute(text(f"DROP INDEX audit.{index.indexname}"))
    written, waiting = 0, iter(made)
    while copied := await _copy(engine, islice(waiting, BATCH)):
        written += copied
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL maintenance_work_mem = '512MB'"))
        for index in indexes:
            await connection.execute(text(index.indexdef))
        await connection.execute(text(_CITATIONS.format("ENABLE")))
        await connection.execute(text(_CLOCK.format("ENABLE ALWAYS")))
    return written


async def _copy(engine: AsyncEngine, batch: Iterable[Entry]) -> int:
    """Copy a batch while it is made, and return how many records it has."""
    copied, contents = 0, list[tuple[UUID, Commitment]]()
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL session_replication_role = replica"))
        raw = (await connection.get_raw_connection()).driver_connection
        async with cast("psycopg.AsyncConnection[Any]", raw).cursor() as cursor:
            async with cursor.copy(_RECORDS) as copy:
                copy.set_types(["bytea", "bytea"])
                for entry in batch:
                    copied += 1
                    await copy.write_row((entry.data, leaf_hash(entry.data)))
                    contents += [(UUID(entry.record_id), part) for part in entry.contents]
            async with cursor.copy(_CONTENTS) as copy:
                copy.set_types(["uuid", "text", "bytea", "text"])
                for record_id, part in contents:
                    await copy.write_row((record_id, part.field, part.salt, part.body))
    return copied


def at_midnight(now: datetime) -> datetime:
    """Return the beginning of the day, UTC."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def examples() -> dict[int, tuple[str, str]]:
    """Return each question of `deploy/sql/examples.sql` with its statement, by number."""
    found = re.findall(
        r"^-- (\d+)\. ([^\n]+)\n((?:[^;]|;(?!\n))+);\n", EXAMPLES.read_text(), re.MULTILINE
    )
    return {int(number): (said, statement) for number, said, statement in found}
