"""Policies as officers look at them: their versions, their sections, and what rests on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

_LIST = text("""
SELECT p.key, v.title, v.label, v.number, v.owner, v.effective_from, e.published_at,
       v.edition_until IS NOT NULL AS is_withdrawn,
       (SELECT count(*) FROM citebound.policy_versions a WHERE a.policy_id = p.id) AS versions,
       coalesce(c.answers, 0) AS answers
  FROM citebound.policies p
  JOIN LATERAL (SELECT * FROM citebound.policy_versions n WHERE n.policy_id = p.id
                 ORDER BY n.number DESC LIMIT 1) v ON true
  JOIN citebound.editions e ON e.number = v.edition_from
  LEFT JOIN (SELECT policy, count(DISTINCT record_id) AS answers FROM audit.citation
              GROUP BY policy) c ON c.policy = p.key
 ORDER BY v.title, p.key""")
_VERSIONS = text("""
SELECT v.id, v.number, v.label, v.title, v.owner, v.jurisdiction,
       citebound.audience_now(v.audience, v.policy_id) AS audience, v.effective_from,
       v.effective_until - 1 AS last_day, v.edition_from, v.edition_until, e.published_at,
       v.source_name
  FROM citebound.policy_versions v JOIN citebound.policies p ON p.id = v.policy_id
  JOIN citebound.editions e ON e.number = v.edition_from
 WHERE p.key = :key ORDER BY v.number DESC""")
_TEXT = text("SELECT text FROM citebound.policy_versions WHERE id = :id")
_SECTIONS = text("""
SELECT c.section, c.version, count(DISTINCT c.record_id) AS answers, max(r.at) AS last_at
  FROM audit.citation c JOIN audit.record r ON r.id = c.record_id
 WHERE c.policy = :key GROUP BY c.section, c.version
 ORDER BY answers DESC, c.section LIMIT 200""")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPolicy:
    """A policy in its newest version."""

    key: str
    title: str
    label: str | None
    number: int
    """Of the version, from 1."""
    owner: str | None
    effective_from: date | None
    published_at: datetime
    is_withdrawn: bool
    versions: int
    answers: int
    """That cite it, in any version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedVersion:
    """One version of a policy."""

    id: int
    number: int
    label: str | None
    title: str
    owner: str | None
    jurisdiction: str | None
    audience: Sequence[str]
    effective_from: date | None
    last_day: date | None
    edition_from: int
    edition_until: int | None
    """None: it is the newest."""
    published_at: datetime
    source_name: str | None

    @property
    def name(self) -> str:
        """By which people call it."""
        return self.label or str(self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSection:
    """A section that answers cite."""

    section: str | None
    version: str | None
    answers: int
    last_at: datetime


async def read_policies(connection: AsyncConnection) -> Sequence[ListedPolicy]:
    """Return all policies, by title."""
    rows = (await connection.execute(_LIST)).mappings()
    return [ListedPolicy(**row) for row in rows]


async def read_versions(connection: AsyncConnection, key: str) -> Sequence[ListedVersion]:
    """Return the versions of a policy, newest first; empty: there is no such policy."""
    rows = (await connection.execute(_VERSIONS, {"key": key})).mappings()
    return [ListedVersion(**row) for row in rows]


async def read_text(connection: AsyncConnection, version: ListedVersion) -> str:
    """Return the text of a version."""
    return str(await connection.scalar(_TEXT, {"id": version.id}) or "")


async def read_cited_sections(connection: AsyncConnection, key: str) -> Sequence[CitedSection]:
    """Return the sections of a policy that answers cite, the most cited first."""
    rows = (await connection.execute(_SECTIONS, {"key": key})).mappings()
    return [CitedSection(**row) for row in rows]
