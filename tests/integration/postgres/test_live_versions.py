"""Which version of each policy is live: the function in SQL against the rule in Python."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.scope import LIVE, scope_parameters
from core.domain.question import Scope

DAYS = [date(2026, 1, 1) + timedelta(days=n) for n in range(6)]
GROUPS = ("everyone", "board", "legal")
JURISDICTIONS = (None, "DE", "US")
TAGS = ("travel", "gifts")
SCOPES = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A version as the rule sees it."""

    version_id: int
    policy: int
    number: int
    edition_from: int
    edition_until: int | None
    effective_from: date | None
    effective_until: date | None
    audience: frozenset[str]
    jurisdiction: str | None
    tags: frozenset[str]


def live(rows: list[Row], scope: Scope) -> set[int]:
    """Of each policy the version that began last, of those in force; then who may read it."""
    found: set[int] = set()
    for policy in {row.policy for row in rows}:
        in_force = [row for row in rows if row.policy == policy and _in_force(row, scope)]
        if not in_force:
            continue
        row = max(in_force, key=lambda each: (each.effective_from or date.min, each.number))
        if (
            row.audience & scope.groups
            and (scope.jurisdiction is None or row.jurisdiction in {None, scope.jurisdiction})
            and (not scope.tags or row.tags & scope.tags)
        ):
            found.add(row.version_id)
    return found


def _in_force(row: Row, scope: Scope) -> bool:
    if scope.edition is None:
        is_known = row.edition_until is None
    else:
        is_known = row.edition_from <= scope.edition and (
            row.edition_until is None or scope.edition < row.edition_until
        )
    return (
        is_known
        and (row.effective_from is None or row.effective_from <= scope.as_of)
        and (row.effective_until is None or scope.as_of < row.effective_until)
    )


def some(random: Random, items: tuple[str, ...], *, least: int = 0) -> frozenset[str]:
    return frozenset(random.sample(items, random.randint(least, len(items))))


async def fill(connection: AsyncConnection, random: Random) -> list[Row]:
    """Store 25 policies of up to five versions, in random order of publication."""
    queue = [policy for policy in range(1, 26) for _ in range(random.randint(1, 5))]
    random.shuffle(queue)
    rows: list[Row] = []
    for edition, policy in enumerate(queue, start=1):
        await connection.execute(
            text("INSERT INTO citebound.editions VALUES (:number, now(), '')"), {"number": edition}
        )
        if policy not in {row.policy for row in rows}:
            await connection.execute(
                text(
                    "INSERT INTO citebound.policies (id, key) OVERRIDING SYSTEM VALUE"
                    " VALUES (:id, :key)"
                ),
                {"id": policy, "key": f"policy-{policy}"},
            )
        row = Row(
            version_id=edition,
            policy=policy,
            number=1 + sum(each.policy == policy for each in rows),
            edition_from=edition,
            edition_until=None,
            effective_from=random.choice([None, *DAYS]),
            effective_until=random.choice([None, None, None, *DAYS]),
            audience=some(random, GROUPS, least=1),
            jurisdiction=random.choice(JURISDICTIONS),
            tags=some(random, TAGS),
        )
        rows.append(row)
    rows = [_ended(row, random, newest=len(queue)) for row in rows]
    for row in rows:
        await connection.execute(
            text(
                "INSERT INTO citebound.policy_versions (id, policy_id, number, edition_from,"
                " edition_until, title, audience, jurisdiction, tags, effective_from,"
                " effective_until, source_name, media_type, sha256, original, text, page_starts,"
                " notes) OVERRIDING SYSTEM VALUE VALUES (:id, :policy, :number, :edition_from,"
                " :edition_until, '', :audience, :jurisdiction, :tags, :effective_from,"
                " :effective_until, '', '', '', '', '', '{}', '{}')"
            ),
            {
                "id": row.version_id,
                "policy": row.policy,
                "number": row.number,
                "edition_from": row.edition_from,
                "edition_until": row.edition_until,
                "audience": sorted(row.audience),
                "jurisdiction": row.jurisdiction,
                "tags": sorted(row.tags),
                "effective_from": row.effective_from,
                "effective_until": row.effective_until,
            },
        )
    return rows


def _ended(row: Row, random: Random, *, newest: int) -> Row:
    if row.edition_from == newest or random.random() > 0.2:
        return row
    return replace(row, edition_until=random.randint(row.edition_from + 1, newest))


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_the_function_is_the_rule(engine: AsyncEngine, seed: int) -> None:
    """Editions, days, audiences, jurisdictions and tags, in any mixture."""
    random = Random(seed)  # noqa: S311  # repeatable
    seen: set[int] = set()
    async with engine.begin() as connection:
        rows = await fill(connection, random)
        for _ in range(SCOPES):
            scope = Scope(
                as_of=random.choice([date(2025, 1, 1), *DAYS, date(2027, 1, 1)]),
                edition=random.choice([None, random.randint(1, len(rows))]),
                groups=some(random, GROUPS),
                jurisdiction=random.choice(JURISDICTIONS),
                tags=some(random, TAGS),
            )
            found = list(
                await connection.scalars(
                    text(f"SELECT version_id FROM {LIVE}"),  # noqa: S608  # a constant
                    scope_parameters(scope),
                )
            )
            assert len(found) == len(set(found))
            assert set(found) == live(rows, scope), scope
            seen.update(found)
    assert len(seen) > len(rows) / 2
