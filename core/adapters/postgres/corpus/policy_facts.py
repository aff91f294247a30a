"""Facts about the policies themselves, and what the last editions changed."""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any

from sqlalchemy import Row, RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.corpus.coming import coming_texts
from core.adapters.postgres.engine.database import EngineStore, database_store, raises_transient
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.scope import LIVE, scope_parameters
from core.adapters.postgres.engine.transactions import begun_again, reading
from core.adapters.postgres.ontology.fact_index import asked_names
from core.domain.policy import EVERYONE, ComingText
from core.domain.policy_facts import Applies, PolicyExcerpt, PolicyFacts, SectionChanges
from core.domain.question import Scope
from core.language.spans import Span
from core.ontology.fact_words import normal_name
from core.ports.corpus import PolicyChanged
from core.time_zones import day_in

_LATEST = text(
    "WITH changed AS ("
    " SELECT edition_from AS edition, id AS version_id, policy_id, false AS is_withdrawn"
    "  FROM citebound.policy_versions"
    " UNION ALL SELECT w.edition, (SELECT l.id FROM citebound.policy_versions l"
    "   WHERE l.policy_id = w.policy_id AND l.edition_from < w.edition"
    "   ORDER BY l.number DESC LIMIT 1), w.policy_id, true"
    "  FROM citebound.withdrawals w),"
    " latest AS MATERIALIZED (SELECT c.* FROM"
    "   (SELECT * FROM changed ORDER BY edition DESC OFFSET 0) c"
    "  WHERE (SELECT r.of_text && CAST(:groups AS text[]) AND r.of_today && CAST(:groups AS text[])"
    "    AND r.of_source && CAST(:groups AS text[])"
    "   FROM citebound.version_readers r"
    "   WHERE r.policy_id = c.policy_id AND r.version_id = c.version_id)"
    "  LIMIT :limit)"
    " SELECT e.number AS edition, e.published_at, p.key AS policy_key, v.title, v.label, v.url,"
    " CASE WHEN l.is_withdrawn THEN 'withdrawn'"
    "  WHEN EXISTS (SELECT FROM citebound.policy_versions b WHERE b.policy_id = v.policy_id"
    "   AND b.edition_from < v.edition_from) THEN 'revised' ELSE 'added' END AS became"
    " FROM latest l"
    " JOIN citebound.editions e ON e.number = l.edition"
    " JOIN citebound.policy_versions v ON v.id = l.version_id"
    " JOIN citebound.policies p ON p.id = l.policy_id"
    " ORDER BY e.number DESC, v.title, v.id"
)
"""An edition changes one policy. Readers are checked policy by policy, the last changed first,
until there are enough: in a join, the view would be computed again for each row."""


class PostgresPolicyChanges(EngineStore):
    """What the last editions changed."""

    @raises_transient
    @begun_again
    async def latest(self, groups: frozenset[str], /, *, limit: int) -> tuple[PolicyChanged, ...]:
        """Return the latest changes, newest first, to policies that these groups may read."""
        keys = {"groups": sorted(groups | {EVERYONE}), "limit": limit}
        async with self._engine.connect() as connection:
            rows = (await connection.execute(_LATEST, keys)).all()
        return tuple(record(PolicyChanged, row) for row in rows)


HEADING = 300
"""Characters of a heading; of a text that begins without one, of its beginning."""
# A version whose facts were extracted again has the text of the one before: it is no change.
_FACTS = text(f"""
WITH live AS (
  SELECT v.* FROM {LIVE} live JOIN citebound.policy_versions v ON v.id = live.version_id
    JOIN citebound.policies p ON p.id = v.policy_id WHERE p.key = ANY(:keys)),
told AS (
  SELECT l.*, (
      SELECT e.published_at FROM citebound.policy_versions s
        JOIN citebound.editions e ON e.number = s.edition_from
       WHERE s.policy_id = l.policy_id AND s.sha256 = l.sha256
       ORDER BY s.number LIMIT 1) AS changed_at, (
      SELECT b.id FROM citebound.policy_versions b
        JOIN citebound.version_readers r ON r.version_id = b.id
       WHERE b.policy_id = l.policy_id AND b.number < l.number AND b.sha256 <> l.sha256
         AND r.of_text && CAST(:scope_groups AS text[])
         AND r.of_today && CAST(:scope_groups AS text[])
         AND r.of_source && CAST(:scope_groups AS text[])
       ORDER BY b.number DESC LIMIT 1) AS before_id
    FROM live l)
SELECT t.id AS version_id, p.key, t.title, t.label, t.owner, t.jurisdiction,
       citebound.audience_now(t.audience, t.policy_id) AS audience, t.tags,
       t.effective_from, t.effective_until, t.upload_id, t.source_name, t.changed_at,
       v.url, v.sensitivity, v.review_by, v.verified_by,
       t.before_id, coalesce(b.label, CAST(b.number AS text)) AS before,
       s.char_start, s.char_start + greatest(1, length(rtrim(left(substr(
         v.text, s.char_start + 1,
         CASE WHEN s.body_start > s.char_start THEN s.body_start ELSE s.char_end END
           - s.char_start), {HEADING}), E' \\n\\t'))) AS char_end
  FROM told t JOIN citebound.policy_versions v ON v.id = t.id
  JOIN citebound.policies p ON p.id = t.policy_id
  LEFT JOIN citebound.policy_versions b ON b.id = t.before_id
  JOIN LATERAL (SELECT * FROM citebound.sections s WHERE s.version_id = t.id
                 ORDER BY s.ordinal LIMIT 1) s ON true
 ORDER BY p.key""")  # noqa: S608  # constants

_SECTIONS = text("""
SELECT version_id, ordinal, title, trim(concat_ws(' ', number, title)) AS name, body_start, char_end
  FROM citebound.sections WHERE version_id = ANY(:versions) ORDER BY version_id, ordinal""")
_TEXT = text("SELECT text FROM citebound.policy_versions WHERE id = :version")

_APPLYING = text(f"""
SELECT DISTINCT ON (is_whole, p.key) p.key AS policy_key, v.title,
       source.type = 'Policy' AS is_whole, pr.version_id, pr.char_start, pr.char_end
  FROM {LIVE} live JOIN citebound.policy_versions v ON v.id = live.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  JOIN citebound.entity_words w ON w.version_id = v.id AND w.type = 'Role'
   AND w.words && CAST(:names AS text[])
  JOIN citebound.relations r ON r.target_id = w.entity_id AND r.type = 'applies_to'
  JOIN citebound.provenance pr ON pr.relation_id = r.id AND pr.version_id = v.id
  JOIN citebound.entities source ON source.id = r.source_id
 ORDER BY is_whole DESC, p.key, pr.char_start""")  # noqa: S608  # constants

EXCERPTS = 200
"""Sections of a policy that are excerpted, at most."""
EXCERPT = 1_500
"""Characters of a section's body from its beginning, which has its first rule."""
_EXCERPTS = text(f"""
SELECT s.number, s.title, s.path, v.id AS version_id, s.body_start AS char_start,
       least(s.char_end, s.body_start + {EXCERPT}) AS char_end,
       substr(v.text, s.body_start + 1, least(s.char_end - s.body_start, {EXCERPT})) AS text
  FROM {LIVE} live JOIN citebound.policy_versions v ON v.id = live.version_id
  JOIN citebound.policies p ON p.id = v.policy_id AND p.key = :key
  JOIN citebound.sections s ON s.version_id = v.id AND s.body_start < s.char_end
 ORDER BY v.id, s.ordinal LIMIT {EXCERPTS}""")  # noqa: S608  # constants


@database_store
class PostgresAboutPolicies:
    """See `core.ports.corpus.AboutPolicies`; days are those of a time zone."""

    def __init__(self, engine: AsyncEngine, *, zone: tzinfo = UTC) -> None:
        self._engine = engine
        self._zone = zone

    async def facts(self, keys: Collection[str], scope: Scope, /) -> tuple[PolicyFacts, ...]:
        """See `AboutPolicies.facts`."""
        async with reading(self._engine) as connection:
            found = await connection.execute(_FACTS, scope_parameters(scope) | {"keys": list(keys)})
            rows = found.mappings().all()
            versions = [row["version_id"] for row in rows if row["before_id"] is not None]
            versions += [row["before_id"] for row in rows if row["before_id"] is not None]
            sections = await read_sections(connection, versions, compared=versions)
        return tuple(_facts(row, sections, self._zone) for row in rows)

    async def applying_to(self, role: str, scope: Scope, /) -> tuple[Applies, ...]:
        """See `AboutPolicies.applying_to`."""
        name = normal_name(role)
        if not name:
            return ()
        given = scope_parameters(scope) | {"names": asked_names([name])}
        async with reading(self._engine) as connection:
            rows = (await connection.execute(_APPLYING, given)).mappings().all()
        first: dict[str, RowMapping] = {}
        for row in rows:
            first.setdefault(row["policy_key"], row)
        return tuple(record(Applies, row) for row in first.values())

    async def excerpts(self, key: str, scope: Scope, /) -> tuple[PolicyExcerpt, ...]:
        """See `AboutPolicies.excerpts`; at most `EXCERPTS`, of `EXCERPT` characters each."""
        given = scope_parameters(scope) | {"key": key}
        async with reading(self._engine) as connection:
            rows = (await connection.execute(_EXCERPTS, given)).mappings().all()
        return tuple(record(PolicyExcerpt, row) for row in rows if row["text"].strip())

    @raises_transient
    async def coming(self, spans: Sequence[Span], scope: Scope, /) -> list[ComingText]:
        """See `AboutPolicies.coming`."""
        async with reading(self._engine) as connection:
            return await coming_texts(connection, spans, scope)


@dataclass(frozen=True, slots=True)
class ComparedSection:
    """A section of a version, to be compared with one of the same name."""

    name: str
    """Number and title."""
    words: bytes
    """Hash of its words, or of its title if it has no others; empty: it is not compared."""


async def read_sections(
    connection: AsyncConnection, versions: Sequence[int], *, compared: Collection[int]
) -> dict[int, list[ComparedSection]]:
    """Return the sections of versions, in their order, with hashes for those to be compared.

    A text is read whole: the database would decompress it anew for each section.
    """
    sections: defaultdict[int, list[Row[Any]]] = defaultdict(list)
    for row in await connection.execute(_SECTIONS, {"versions": list(versions)}):
        sections[row.version_id].append(row)
    found: dict[int, list[ComparedSection]] = {}
    for version, rows in sections.items():
        if version in compared:
            content = await connection.scalar(_TEXT, {"version": version}) or ""
            found[version] = await asyncio.to_thread(_hashed, content, rows)
        else:
            found[version] = [ComparedSection(row.name, b"") for row in rows]
    return found


def _hashed(content: str, rows: Sequence[Row[Any]]) -> list[ComparedSection]:
    bodies = (" ".join(content[row.body_start : row.char_end].split()) for row in rows)
    return [
        ComparedSection(row.name, hashlib.sha256((body or row.title).encode()).digest())
        for row, body in zip(rows, bodies, strict=True)
    ]


def _facts(
    row: RowMapping, sections: Mapping[int, Sequence[ComparedSection]], zone: tzinfo
) -> PolicyFacts:
    changes = None
    if row["before_id"] is not None:
        now, before = sections.get(row["version_id"], ()), sections.get(row["before_id"], ())
        changes = section_changes(now, before)
    return record(
        PolicyFacts,
        row,
        changes=changes,
        changed_on=day_in(row["changed_at"], zone),
    )


def section_changes(
    now: Sequence[ComparedSection], before: Sequence[ComparedSection]
) -> SectionChanges:
    """Compare the sections of two versions; without one before, all are added."""
    new, old = _by_name(now), _by_name(before)
    gone = {words: name for name, words in old.items() if name not in new}
    moved: dict[str, str] = {}
    for name, words in new.items():
        if name not in old and words in gone:
            moved[gone.pop(words)] = name
    added = {name for name in new if name not in old} - {*moved.values()}
    return SectionChanges(
        added=tuple(name for name in new if name in added),
        changed=tuple(name for name in new if name in old and new[name] != old[name]),
        removed=tuple(name for name in old if name not in new and name not in moved),
        moved=tuple(moved.items()),
    )


def _by_name(sections: Sequence[ComparedSection]) -> dict[str, tuple[bytes, ...]]:
    """Return the hashes of sections by their names, which need not be unique."""
    found: defaultdict[str, list[bytes]] = defaultdict(list)
    for section in sections:
        found[section.name].append(section.words)
    return {name: tuple(words) for name, words in found.items() if name}
