"""Who may read policies, as their sources say: kept in a source's words, applied by edition.

A policy's readers are a history (`policy_readers`); the newest row holds at once, for whatever
edition or day is asked. Nothing but what a source said, and what an operator called its groups,
ever writes one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.corpus.publication_events import corpus_event, record_edition
from core.adapters.postgres.corpus.publishing import open_edition
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.transactions import wait_for_publishing
from core.domain.audit import Tag
from core.domain.json_value import Json
from core.sources.access import audience_of
from core.sources.connector import ItemReaders, Readers

_SAID = text(
    "INSERT INTO citebound.source_readers AS known (source_id, item_id, groups, problem, read_at)"
    " VALUES (:source, :item, :groups, NULL, :at) ON CONFLICT (source_id, item_id) DO UPDATE"
    " SET groups = EXCLUDED.groups, problem = NULL, read_at = EXCLUDED.read_at"
    " WHERE known.read_at <= EXCLUDED.read_at"
)
_UNREAD = text(
    "INSERT INTO citebound.source_readers AS known (source_id, item_id, groups, problem, read_at)"
    " VALUES (:source, :item, '{}', :problem, :at) ON CONFLICT (source_id, item_id) DO UPDATE"
    " SET problem = EXCLUDED.problem, read_at = EXCLUDED.read_at"
    " WHERE known.read_at <= EXCLUDED.read_at"
)
"""The groups of before stay."""
_SAYING = """
SELECT DISTINCT ON (i.policy) i.policy, p.id, r.groups, now.audience, v.id AS version_id
  FROM citebound.source_items i
  JOIN citebound.source_readers r USING (source_id, item_id)
  JOIN citebound.policies p ON p.key = i.policy
  LEFT JOIN citebound.policy_readers now ON now.policy_id = p.id AND now.edition_until IS NULL
  LEFT JOIN LATERAL (SELECT id FROM citebound.policy_versions
                      WHERE policy_id = p.id ORDER BY number DESC LIMIT 1) v ON true
 WHERE i.source_id = :source AND i.state <> 'withdrawn'"""
_NEWEST_FIRST = " ORDER BY i.policy, i.state IN ('stored', 'failed') DESC, i.changed_at DESC"
_ALL = text(f"{_SAYING} {_NEWEST_FIRST}")
_SOME = text(
    f"{_SAYING} AND i.policy = ANY(SELECT policy FROM citebound.source_items"  # noqa: S608
    f" WHERE source_id = :source AND item_id = ANY(:items)) {_NEWEST_FIRST}"
)
_END = text(
    "UPDATE citebound.policy_readers SET edition_until = :edition"
    " WHERE policy_id = :policy AND edition_until IS NULL"
)
_BEGIN = text(
    "INSERT INTO citebound.policy_readers (policy_id, edition_from, audience, source)"
    " VALUES (:policy, :edition, :audience, :source)"
)
_NOW = text(
    "SELECT p.id, citebound.audience_now(v.audience, p.id) AS audience FROM citebound.policies p"
    " JOIN LATERAL (SELECT audience FROM citebound.policy_versions WHERE policy_id = p.id"
    "  ORDER BY number DESC LIMIT 1) v ON true WHERE p.id = ANY(:policies)"
)
_LAST_WORDS = text("""
SELECT p.id, p.key AS policy, r.source, r.audience, v.id AS version_id, v.title,
       v.audience AS of_text,
       EXISTS (SELECT FROM citebound.source_items i
                 JOIN citebound.source_readers said USING (source_id, item_id)
                WHERE i.policy = p.key AND i.state <> 'withdrawn') AS is_followed
  FROM citebound.policy_readers r JOIN citebound.policies p ON p.id = r.policy_id
  JOIN LATERAL (SELECT id, title, audience FROM citebound.policy_versions
                 WHERE policy_id = p.id ORDER BY number DESC LIMIT 1) v ON true
 WHERE r.edition_until IS NULL ORDER BY p.key""")
_GROUPS = text(
    "SELECT one AS id, count(*) AS documents FROM citebound.source_readers r, unnest(r.groups) one"
    " JOIN LATERAL (SELECT 1) always ON true"
    " WHERE r.source_id = :source AND EXISTS (SELECT FROM citebound.source_items i"
    "  WHERE i.source_id = r.source_id AND i.item_id = r.item_id)"
    " GROUP BY one ORDER BY documents DESC, one"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceGroup:
    """A group that a source names as a reader."""

    group_id: str
    """As the source has it."""
    documents: int
    """That it may read."""
    audience: frozenset[str]
    """Audience groups that it is; empty: none, so that nobody reads anything for being of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastWord:
    """What a source said last of who may read a policy."""

    policy: str
    """Its key."""
    title: str
    """Of its newest version."""
    source: str
    """Name of the source."""
    audience: frozenset[str]
    """Groups that it lets read; empty: nobody."""
    of_text: frozenset[str]
    """Groups that may read without it."""
    is_followed: bool
    """True: it still says so, each time that it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReaders:
    """Who may read a document."""

    audience: frozenset[str]
    """Audience groups; empty: nobody."""
    problem: str | None
    """Why it can't be read; None: it can."""


class PolicyReaders:
    """Applies what sources say, within a transaction that holds the row of the source.

    `row` is that row, with the columns `source_rows.COLUMNS`.
    """

    def __init__(self, ledger: Ledger, *, operator: str) -> None:
        self._ledger = ledger
        self._operator = operator
        self.directory: Mapping[str, frozenset[str]] = {}
        """See `core.sources.access.audience_of`; the deployment's files have it."""

    async def apply(
        self,
        connection: AsyncConnection,
        row: Row[Any],
        *,
        readers: Sequence[Readers],
        read_at: datetime,
    ) -> tuple[str, ...]:
        """Keep what a source says, and let it hold; return keys of policies that changed hands."""
        said = [
            {
                "source": row.id,
                "item": one.item_id,
                "groups": None if one.groups is None else sorted(one.groups),
                "at": read_at,
            }
            for one in readers
            if isinstance(one, ItemReaders)
        ]
        unread = [
            {"source": row.id, "item": one.item_id, "problem": one.problem, "at": read_at}
            for one in readers
            if not isinstance(one, ItemReaders)
        ]
        if said:
            await connection.execute(_SAID, said)
        if unread:
            await connection.execute(_UNREAD, unread)
        return await self.hold(connection, row, [one.item_id for one in readers])

    async def hold(
        self, connection: AsyncConnection, row: Row[Any], items: Sequence[str] | None
    ) -> tuple[str, ...]:
        """Let what is kept hold for the policies of some documents, or all; return their keys."""
        if items is not None and not items:
            return ()
        changed = await self._differing(connection, row, items)
        if not changed:
            return ()
        await wait_for_publishing(connection)
        changed = await self._differing(connection, row, items)
        if not changed:
            return ()
        policies = [one for one, _ in changed]
        edition, before = await self._end(connection, policies)
        rows = [
            {"policy": one.id, "edition": edition, "audience": audience, "source": row.name}
            for one, audience in changed
        ]
        await connection.execute(_BEGIN, rows)
        await self._record(connection, policies, edition=edition, before=before, source=row.name)
        return tuple(one.policy for one in policies)

    async def last_words(self, connection: AsyncConnection) -> tuple[LastWord, ...]:
        """Return what sources said last of readers, and whether they still say so, by policy."""
        return tuple(record(LastWord, row) for row in await connection.execute(_LAST_WORDS))

    async def lift(self, connection: AsyncConnection, policies: Sequence[str]) -> tuple[str, ...]:
        """Let no source's word hold for policies any more, where none still says who reads them.

        From then on those read them whom their texts name. Return the keys of the policies for
        which it held.
        """
        await wait_for_publishing(connection)
        found = await connection.execute(_LAST_WORDS)
        lifted = [one for one in found if one.policy in policies and not one.is_followed]
        if lifted:
            edition, before = await self._end(connection, lifted)
            await self._record(connection, lifted, edition=edition, before=before, source=None)
        return tuple(one.policy for one in lifted)

    async def _end(
        self, connection: AsyncConnection, policies: Sequence[Row[Any]]
    ) -> tuple[int, dict[int, Sequence[str]]]:
        """End what held so far in a new edition; return that, and who might read before."""
        ids = [one.id for one in policies]
        edition = await open_edition(connection, f"readers of {len(ids)} policies")
        before = await self._now(connection, ids)
        await connection.execute(_END, [{"policy": one, "edition": edition} for one in ids])
        return edition, before

    async def _record(
        self,
        connection: AsyncConnection,
        policies: Sequence[Row[Any]],
        *,
        edition: int,
        before: Mapping[int, Sequence[str]],
        source: str | None,
    ) -> None:
        """Record the edition, and of each policy who might read it and who may now."""
        ids = [one.id for one in policies]
        after = await self._now(connection, ids)
        cause = await record_edition(
            connection,
            self._ledger,
            edition=edition,
            versions=[],
            facts={"opened": 0, "closed": 0},
            operator=self._operator,
        )
        for one in policies:
            says: dict[str, Json] = {
                "policy": one.policy,
                "policy_version": one.version_id,
                "edition": edition,
                "source": source,
                "before": {"audience": [*before.get(one.id, ())]},
                "after": {"audience": [*after.get(one.id, ())]},
            }
            event = corpus_event(
                Tag.ACCESS_CHANGED,
                f"policy:{one.policy}",
                says,
                operator=self._operator,
                cause=cause,
            )
            await self._ledger.event(connection, event, content={})

    async def _differing(
        self, connection: AsyncConnection, row: Row[Any], items: Sequence[str] | None
    ) -> list[tuple[Row[Any], list[str]]]:
        given: dict[str, object] = {"source": row.id}
        if items is not None:
            given["items"] = list(items)
        found = await connection.execute(_ALL if items is None else _SOME, given)
        said = [(one, sorted(self.audience(row, one.groups))) for one in found]
        return [(one, audience) for one, audience in said if audience != one.audience]

    def audience(
        self, row: Row[Any], groups: Sequence[str] | frozenset[str] | None
    ) -> frozenset[str]:
        """Return the audience that groups of the source are."""
        ids = None if groups is None else frozenset(groups)
        return audience_of(ids, named=row.groups, directory=self.directory)

    async def _now(
        self, connection: AsyncConnection, policies: Sequence[int]
    ) -> dict[int, Sequence[str]]:
        rows = await connection.execute(_NOW, {"policies": list(policies)})
        return {row.id: row.audience for row in rows}

    async def groups(self, connection: AsyncConnection, row: Row[Any]) -> tuple[SourceGroup, ...]:
        """Return the groups that the source names as readers, those of most documents first."""
        found = (await connection.execute(_GROUPS, {"source": row.id})).all()
        everywhere = frozenset(one.id for one in found)
        return tuple(
            SourceGroup(
                group_id=one.id,
                documents=one.documents,
                audience=frozenset(
                    {row.groups[one.id]} if one.id in row.groups else set[str]()
                ).union(
                    name
                    for name, ids in self.directory.items()
                    if one.id in ids and ids <= everywhere
                ),
            )
            for one in found
        )
