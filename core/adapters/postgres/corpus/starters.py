"""Questions that people are offered to begin with: see `core.ports.starters`.

They are chosen once for what everyone may read, whoever does it: a row claims the choice for some
minutes, in which no other process makes it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.scope import LIVE, scope_parameters
from core.adapters.postgres.engine.transactions import reading
from core.domain.policy import EVERYONE
from core.domain.question import Scope
from core.ports import Clock
from core.ports.starters import Starter, StarterSet, StatedRule

CLAIMED_FOR = timedelta(minutes=10)
SETTLED_AFTER = timedelta(seconds=60)
"""Of an edition: while a folder is published, each of its files makes one."""

_STATE = text(f"""
SELECT e.number, e.published_at, (
         SELECT coalesce(string_agg(live.version_id::text, ',' ORDER BY live.version_id), '')
           FROM {LIVE} live) AS versions
  FROM (SELECT max(number) AS newest FROM citebound.editions) n
  LEFT JOIN citebound.editions e ON e.number = n.newest""")  # noqa: S608  # constants
POLICIES, OF_POLICY = 60, 150
"""Policies, and rules of each, that questions are made of: enough for some dozens of questions."""
_RULES = text(f"""
WITH live AS (
  SELECT v.id, v.title AS policy_title, v.jurisdiction, p.key AS policy_key
    FROM {LIVE} l JOIN citebound.policy_versions v ON v.id = l.version_id
    JOIN citebound.policies p ON p.id = v.policy_id
   ORDER BY v.jurisdiction IS NOT NULL, md5(p.key) LIMIT {POLICIES}),
numbered AS (
  SELECT l.policy_key, l.policy_title, l.jurisdiction, pr.entity_id, pr.version_id,
         pr.char_start, pr.char_end, row_number() OVER (PARTITION BY pr.version_id
           ORDER BY e.type IN ('Obligation', 'Section'), pr.char_start, pr.entity_id) AS place
    FROM live l JOIN citebound.provenance pr ON pr.version_id = l.id
    JOIN citebound.entities e ON e.id = pr.entity_id
   WHERE e.type IN ('Permission', 'Prohibition', 'Obligation')
      OR e.type = 'Section' AND e.name LIKE '%?')
SELECT n.*, e.type, e.name, e.attributes, EXISTS (
         SELECT FROM citebound.relations r JOIN citebound.entities t ON t.id = r.target_id
          WHERE r.source_id = n.entity_id AND r.type = 'has_threshold'
            AND t.attributes->>'kind' = 'amount') AS has_amount, coalesce((
         SELECT t.attributes->>'comparison'
           FROM citebound.relations r JOIN citebound.entities t ON t.id = r.target_id
          WHERE r.source_id = n.entity_id AND r.type = 'has_deadline' ORDER BY r.id LIMIT 1), '')
         AS period
  FROM numbered n JOIN citebound.entities e ON e.id = n.entity_id
 WHERE n.place <= {OF_POLICY}
 ORDER BY n.policy_key, n.char_start, n.entity_id""")  # noqa: S608  # constants
_CURRENT = text("""
SELECT (SELECT max(number) FROM citebound.editions) AS edition, coalesce((
         SELECT starters FROM citebound.starter_sets WHERE chosen_at IS NOT NULL
          ORDER BY chosen_at DESC LIMIT 1), '[]') AS starters,
       ARRAY(SELECT p.key FROM citebound.policy_readers r
               JOIN citebound.policies p ON p.id = r.policy_id
              WHERE r.edition_until IS NULL AND NOT 'everyone' = ANY (r.audience)) AS restricted""")
_FIND = text("""
SELECT starters FROM citebound.starter_sets WHERE starters @> CAST(:wanted AS jsonb) LIMIT 1""")
_NEWEST = text("""
SELECT basis FROM citebound.starter_sets WHERE chosen_at IS NOT NULL
 ORDER BY chosen_at DESC LIMIT 1""")
_CLAIM = text("""
INSERT INTO citebound.starter_sets (basis, edition, claimed_until) VALUES (:basis, :edition, :until)
ON CONFLICT (basis) DO UPDATE SET claimed_until = excluded.claimed_until
 WHERE starter_sets.claimed_until < :now OR :is_urgent
RETURNING basis""")
_KEEP = text("""
UPDATE citebound.starter_sets SET starters = CAST(:starters AS jsonb), chosen_at = :now
 WHERE basis = :basis RETURNING edition, starters""")


@database_store
class PostgresStarters:
    """See `core.ports.starters.StarterStore`."""

    def __init__(self, engine: AsyncEngine, *, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def current(self) -> StarterSet:
        """See `StarterStore.current`."""
        async with reading(self._engine) as connection:
            row = (await connection.execute(_CURRENT)).one()
        restricted = frozenset(row.restricted)
        return _set(row.edition, [one for one in row.starters if one["policy"] not in restricted])

    async def find(self, starter_id: str, /) -> Starter | None:
        """See `StarterStore.find`."""
        wanted = json.dumps([{"id": starter_id}])
        async with reading(self._engine) as connection:
            row = (await connection.execute(_FIND, {"wanted": wanted})).one_or_none()
        found = () if row is None else _set(None, row.starters).starters
        return next((one for one in found if one.starter_id == starter_id), None)

    async def rules(self, scope: Scope, /) -> tuple[StatedRule, ...]:
        """See `StarterStore.rules`; of `POLICIES` policies, `OF_POLICY` each."""
        async with reading(self._engine) as connection:
            rows = (await connection.execute(_RULES, scope_parameters(scope))).mappings().all()
        return tuple(record(StatedRule, row) for row in rows)

    async def due(self, wanted: str, /, *, is_urgent: bool = False) -> str | None:
        """See `StarterStore.due`; what is in force now is kept until something differs from it."""
        now = self._clock.now()
        scope = Scope(as_of=self._clock.day_of(now), groups=frozenset({EVERYONE}))
        async with self._engine.begin() as connection:
            state = (await connection.execute(_STATE, scope_parameters(scope))).one()
            is_settled = state.number is None or now - state.published_at >= SETTLED_AFTER
            if not is_settled and not is_urgent:
                return None
            said = json.dumps([state.number, state.versions, wanted])
            basis = hashlib.sha256(said.encode()).hexdigest()
            if (await connection.execute(_NEWEST)).scalar_one_or_none() == basis:
                return None
            claimed = await connection.execute(
                _CLAIM,
                {
                    "basis": basis,
                    "edition": state.number,
                    "until": now + CLAIMED_FOR,
                    "now": now,
                    "is_urgent": is_urgent,
                },
            )
            return claimed.scalar_one_or_none()

    async def keep(self, basis: str, starters: tuple[Starter, ...], /) -> StarterSet:
        """See `StarterStore.keep`."""
        made = [_json(one) for one in starters]
        given = {"basis": basis, "starters": json.dumps(made), "now": self._clock.now()}
        async with self._engine.begin() as connection:
            row = (await connection.execute(_KEEP, given)).one()
        return _set(row.edition, row.starters)


def _json(starter: Starter) -> dict[str, str | None]:
    return {
        "id": starter.starter_id,
        "topic": starter.topic,
        "question": starter.question,
        "policy": starter.policy_key,
        "badge": starter.badge.value if starter.badge else None,
    }


def _set(edition: int | None, stored: Sequence[Mapping[str, Any]]) -> StarterSet:
    return StarterSet(
        edition=edition,
        starters=tuple(
            record(Starter, one, starter_id=one["id"], policy_key=one["policy"]) for one in stored
        ),
    )
