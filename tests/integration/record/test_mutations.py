"""Any change of any value or row of the ledger's tables is found, but what is declared below."""
# ruff: noqa: S608  # names of tables and columns from the catalogue

import random
from collections.abc import Callable
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.record.ledger_schema import ComparedSchema
from core.adapters.postgres.record.verification import VerificationBasis, verified
from core.audit.verification import ProblemLog
from tests.integration.record.sealing import DEPLOYMENT, TABLES, UNARMED, SealedLedger

UNCOVERED = {
    ("record", "xid"),  # means nothing once a record is sealed
    ("content", "retain_until"),
    ("content", "hold_id"),
    ("content", "words"),  # changes only with its expression, and the schema is compared
    ("checkpoint", "horizon"),  # where the sequencer goes on; what it passed over is found
    ("checkpoint", "cluster"),
    ("checkpoint", "sealed_at"),  # by the server's clock; the note is dated by the key
}
COLUMNS = text(
    "SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type"
    " FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid"
    " JOIN pg_namespace AS n ON n.oid = c.relnamespace"
    " WHERE n.nspname = 'audit' AND c.relname = ANY(:tables) AND a.attnum > 0"
    " AND NOT a.attisdropped ORDER BY 1, 2"
)
GENERATED = ("doc", "id", "tag", "at", "unit", "actor", "subject", "conversation", "seq", "outcome",
             "badge", "calibrated")  # fmt: skip
Chance = random.Random


def _flipped(place: int, by: int) -> str:
    return f"set_byte({{0}}, {place}, get_byte({{0}}, {place}) # {by})"


CHANGED: dict[str, Callable[[Chance], str]] = {
    "bytea": lambda chance: (
        _flipped(chance.randrange(32), chance.randrange(1, 256))
        if chance.random() < 0.7
        else "{0} || '\\x00'::bytea"
    ),
    "bytea[]": lambda _: "{0} || '\\x00'::bytea",
    "text": lambda chance: chance.choice(("{0} || ' '", "'x' || {0}", "upper({0}) || 'q'")),
    "uuid": lambda chance: f"'{UUID(int=chance.getrandbits(128))}'::uuid",
    "bigint": lambda chance: f"{{0}} + {chance.randrange(1, 99)}",
    "integer": lambda chance: f"{{0}} - {chance.randrange(1, 99)}",
    "numeric": lambda chance: f"{{0}} + {chance.randrange(1, 99)} / 1000.0",
    "jsonb": lambda chance: f"{{0}} || '{{{{\"x\": {chance.randrange(9)}}}}}'",
    "timestamp with time zone": lambda chance: f"{{0}} - interval '{chance.randrange(1, 999)} ms'",
}


@pytest.fixture(autouse=True)
def without_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the disarmed schema looks like is found each time, takes the longest, and tells nothing
    of the rows.
    """

    async def compare(_connection: AsyncConnection, _log: ProblemLog) -> ComparedSchema:
        return ComparedSchema(warnings=(), lacks=())

    monkeypatch.setattr("core.adapters.postgres.record.verification.compare_schema", compare)


async def test_any_mutation_is_found(engine: AsyncEngine) -> None:
    await _mutate(engine, seed=11, times=120)


@pytest.mark.nightly
@pytest.mark.timeout(3_600)
async def test_ten_thousand_mutations_are_found(engine: AsyncEngine) -> None:
    await _mutate(engine, seed=random.SystemRandom().randrange(10**9), times=10_000)


async def _mutate(engine: AsyncEngine, *, seed: int, times: int) -> None:
    ledger = SealedLedger(engine)
    for n in range(3):
        await ledger.append(3, conversation=uuid5(NAMESPACE_URL, str(n)))
        await ledger.seal(until=3 * (n + 1))
    chance = random.Random(seed)  # noqa: S311  # no secret
    missed: list[str] = []
    async with engine.connect() as connection:
        columns = [dict(row) for row in (await _disarmed(connection)).mappings()]
        columns = [one for one in columns if (one["table"], one["column"]) not in UNCOVERED]
        for _ in range(times):
            statement = _mutation(chance, columns)
            attempt = await connection.begin_nested()
            done = await connection.exec_driver_sql(statement)
            if done.rowcount:
                found = await verified(
                    connection,
                    DEPLOYMENT,
                    VerificationBasis(keys=ledger.keys, anchored=ledger.notes),
                )
                if not found.count:
                    missed.append(statement)
            await attempt.rollback()
        await connection.rollback()
    assert not missed, f"seed {seed}: {missed}"


async def _disarmed(connection: AsyncConnection) -> Any:
    """Take away all that guards the tables: each mutation is then made and taken back."""
    for statement in UNARMED:
        await connection.exec_driver_sql(statement)
    for column in GENERATED:
        await connection.exec_driver_sql(
            f"ALTER TABLE audit.record ALTER COLUMN {column} DROP EXPRESSION"
        )
    guards = await connection.exec_driver_sql(
        "SELECT conrelid::regclass::text AS table, conname AS name FROM pg_constraint"
        " WHERE contype <> 'n'"
        " AND connamespace = 'audit'::regnamespace AND conrelid <> 0"
    )
    for guard in guards.mappings():
        await connection.exec_driver_sql(
            f"ALTER TABLE {guard['table']} DROP CONSTRAINT IF EXISTS {guard['name']} CASCADE"
        )
    return await connection.execute(COLUMNS, {"tables": list(TABLES)})


def _mutation(chance: random.Random, columns: list[dict[str, Any]]) -> str:
    table = chance.choice(TABLES)
    place = chance.randrange(3)
    row = f"ctid = (SELECT ctid FROM audit.{table} ORDER BY ctid OFFSET {place} LIMIT 1)"
    if chance.random() < 0.15:
        return f"DELETE FROM audit.{table} WHERE {row}"
    one = chance.choice([one for one in columns if one["table"] == table])
    column, kind = one["column"], one["type"]
    changed = CHANGED[kind](chance).format(f'"{column}"')
    return f'UPDATE audit.{table} SET "{column}" = {changed} WHERE {row} AND "{column}" IS NOT NULL'
