"""Which version of each policy is live: the function in SQL against the rule in Python."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.scope import LIVE, scope_parameters
from core.domain.question import Scope

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
    is_later: bool
    audience: frozenset[str]
    jurisdiction: str | None
    tags: frozenset[str]
    sha256: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A withdrawal as the rule sees it."""

    edition: int
    policy: int
    since: date


Sources = dict[int, frozenset[str]]
"""What a policy's source says last of who may read it."""


def live(rows: list[Row], gone: list[Gone], sources: Sources, scope: Scope) -> set[int]:
    """Of each policy the version that began last, unless it is over; then who may read it now."""
    found: set[int] = set()
    for policy in {row.policy for row in rows}:
        own = [row for row in rows if row.policy == policy]
        begun = [row for row in own if _has_begun(row, gone, scope)]
        if not begun:
            continue
        row = max(begun, key=_begins)
        if (
            (row.effective_until is None or scope.as_of < row.effective_until)
            and all(audience & scope.groups for audience in _audiences(row, own))
            and (policy not in sources or sources[policy] & scope.groups)
            and (scope.jurisdiction is None or row.jurisdiction in {None, scope.jurisdiction})
            and (not scope.tags or row.tags & scope.tags)
        ):
            found.add(row.version_id)
    return found


def _begins(row: Row) -> tuple[date, int]:
    return (row.effective_from or date.min, row.number)


def _has_begun(row: Row, gone: list[Gone], scope: Scope) -> bool:
    edition = scope.edition
    if edition is None:
        is_known = row.edition_until is None
    else:
        is_known = row.edition_from <= edition and (
            row.edition_until is None or edition < row.edition_until
        )
    return (
        is_known
        and (row.effective_from is None or row.effective_from <= scope.as_of)
        and not any(
            each.policy == row.policy
            and each.edition > row.edition_from
            and (edition is None or each.edition <= edition)
            and each.since <= scope.as_of
            for each in gone
        )
    )


def _audiences(row: Row, own: list[Row]) -> list[frozenset[str]]:
    """What was said last of the same file, and what is said of the policy today."""
    same = [each for each in own if each.sha256 == row.sha256]
    of_text = max(same, key=lambda each: (not each.is_later, each.number))
    of_today = max(
        own, key=lambda each: (each.edition_until is None, not each.is_later, _begins(each))
    )
    return [of_text.audience, of_today.audience]


def some(random: Random, items: tuple[str, ...], *, least: int = 0) -> frozenset[str]:
    return frozenset(random.sample(items, random.randint(least, len(items))))


async def fill_readers(connection: AsyncConnection, random: Random) -> Sources:
    """Let sources say of some policies who may read them, before and now."""
    sources: Sources = {}
    for policy in random.sample(range(1, 26), 10):
        said = [some(random, GROUPS), some(random, GROUPS)]
        for edition, audience, until in ((1, said[0], 2), (2, said[1], None)):
            await connection.execute(
                text(
                    "INSERT INTO citebound.policy_readers"
                    " VALUES (:policy, :edition, :until, :audience, 'house')"
                ),
                {
                    "policy": policy,
                    "edition": edition,
                    "until": until,
                    "audience": sorted(audience),
                },
            )
        sources[policy] = said[1]
    return sources


def around(today: date) -> list[date]:
    return [today + timedelta(days=n) for n in range(-3, 3)]


async def fill(
    connection: AsyncConnection, random: Random, *, today: date
) -> tuple[list[Row], list[Gone]]:
    """Store 25 policies of up to five versions, some withdrawn, in random order of publication."""
    queue = [policy for policy in range(1, 26) for _ in range(random.randint(1, 5))]
    random.shuffle(queue)
    rows: list[Row] = []
    gone: list[Gone] = []
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
        effective_from = random.choice([None, *around(today)])
        row = Row(
            version_id=edition,
            policy=policy,
            number=1 + sum(each.policy == policy for each in rows),
            edition_from=edition,
            edition_until=None,
            effective_from=effective_from,
            effective_until=random.choice([None, None, None, *around(today)]),
            is_later=effective_from is not None and effective_from > today,
            audience=some(random, GROUPS, least=1),
            jurisdiction=random.choice(JURISDICTIONS),
            tags=some(random, TAGS),
            sha256=random.choice([b"1", b"2"]),
        )
        if row.number > 1 and random.random() < 0.2:
            gone.append(Gone(edition=edition, policy=policy, since=random.choice(around(today))))
        else:
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
                " :effective_until, '', '', :sha256, '', '', '{}', '{}')"
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
                "sha256": row.sha256,
            },
        )
    for each in gone:
        await connection.execute(
            text(
                "INSERT INTO citebound.withdrawals"
                " VALUES (:edition, :policy, :since, false, 'no longer ours')"
            ),
            {"edition": each.edition, "policy": each.policy, "since": each.since},
        )
    return rows, gone


def _ended(row: Row, random: Random, *, newest: int) -> Row:
    if row.edition_from == newest or random.random() > 0.2:
        return row
    return replace(row, edition_until=random.randint(row.edition_from + 1, newest))


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_the_function_is_the_rule(engine: AsyncEngine, seed: int) -> None:
    """Editions, days, withdrawals, audiences, jurisdictions and tags, in any mixture."""
    random = Random(seed)  # noqa: S311  # repeatable
    seen: set[int] = set()
    async with engine.begin() as connection:
        # The function asks the server for the day: midnight may pass, but not in a transaction.
        today = await connection.scalar(text("SELECT (now() AT TIME ZONE 'UTC')::date"))
        assert isinstance(today, date)
        rows, gone = await fill(connection, random, today=today)
        sources = await fill_readers(connection, random)
        for _ in range(SCOPES):
            scope = Scope(
                as_of=random.choice(
                    [
                        date(2025, 1, 1),
                        *around(today),
                        today + timedelta(days=365),
                    ]
                ),
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
            assert set(found) == live(rows, gone, sources, scope), scope
            seen.update(found)
            whoever = await connection.scalars(
                text("SELECT * FROM citebound.versions_in_force(:edition, :day)"),
                {"edition": scope.edition, "day": scope.as_of},
            )
            assert set(found) <= set(whoever)
    assert len(seen) > len(rows) / 3
