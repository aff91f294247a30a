"""A report on the corpus for its administrators: counts, audiences, and cross-references."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import EngineStore
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.scope import LIVE, scope_parameters
from core.adapters.postgres.engine.transactions import connected
from core.domain.question import Scope
from core.language.spans import VersionId
from core.ontology.extract.policy_index import IndexedPolicy, IndexedSection, PolicyIndex
from core.ontology.graphs.lint import FoundReference

_COUNTS = f"""
WITH live AS (SELECT version_id FROM {LIVE} AS l)
SELECT (SELECT count(*) FROM live) AS policies,
       (SELECT count(*) FROM live JOIN citebound.sections USING (version_id)) AS sections,
       (SELECT count(*) FROM live JOIN citebound.chunks USING (version_id)) AS chunks,
       (SELECT count(*) FROM live
          JOIN citebound.cross_references USING (version_id)) AS "references",
       (SELECT coalesce(sum(length(v.text)), 0) FROM live
          JOIN citebound.policy_versions v ON v.id = live.version_id) AS characters"""  # noqa: S608

_REFERENCES = f"""
SELECT p.key AS policy_key, x.char_start, x.char_end, x.policy, x.number,
       s.ordinal AS section_ordinal,
       substr(v.text, x.char_start + 1, x.char_end - x.char_start) AS words
  FROM {LIVE} live
  JOIN citebound.cross_references x ON x.version_id = live.version_id
  JOIN citebound.sections s ON s.id = x.section_id
  JOIN citebound.policy_versions v ON v.id = x.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
 ORDER BY p.key, x.char_start"""  # noqa: S608

# Of all policies, whoever may read them: a target outside the scope is not dangling.
_NEWEST = """
SELECT DISTINCT ON (v.policy_id) v.id, p.key, v.title,
       coalesce((SELECT e.aliases FROM citebound.entities e
                   JOIN citebound.provenance pr ON pr.entity_id = e.id AND pr.version_id = v.id
                  WHERE e.key = 'policy:' || p.key LIMIT 1), '{}') AS aliases
  FROM citebound.policy_versions v JOIN citebound.policies p ON p.id = v.policy_id
 WHERE v.edition_until IS NULL ORDER BY v.policy_id, v.number DESC"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusCounts:
    """Counts of a scope."""

    policies: int
    """Policy versions in force."""
    sections: int
    """Their sections."""
    chunks: int
    """Their chunks; 0 if they were ingested without."""
    references: int
    """Cross-references in them."""
    characters: int
    """Characters of their text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceList:
    """All references in a scope, and the policies to which they may resolve."""

    found: tuple[FoundReference, ...]
    """In text order, by policy."""
    policies: PolicyIndex
    """Every policy of the corpus, in its newest version."""


class PostgresCorpusReport(EngineStore):
    """Reads a corpus for its administrators."""

    async def groups(self) -> frozenset[str]:
        """Return every group in the audience of a policy."""
        query = (
            "SELECT unnest(audience) FROM citebound.policy_versions"
            " UNION SELECT unnest(audience) FROM citebound.policy_readers"
            " WHERE edition_until IS NULL"
        )
        async with self._engine.connect() as connection:
            return frozenset(await connection.scalars(text(query)))

    async def altered(self) -> list[str]:
        """Say what of the stored versions is not what was published."""
        # A list of policies compares no hashes.
        from core.adapters.postgres.engine.published_texts import altered_versions  # noqa: PLC0415

        async with connected(self._engine, "REPEATABLE READ") as connection:
            return await connection.run_sync(altered_versions)

    async def file_hashes(self) -> frozenset[bytes]:
        """Return the SHA-256 of each file that was ever published."""
        async with self._engine.connect() as connection:
            found = await connection.execute(
                text("SELECT DISTINCT sha256 FROM citebound.policy_versions")
            )
            return frozenset(map(bytes, found.scalars()))

    async def beginnings(
        self, versions: Collection[VersionId], *, characters: int
    ) -> dict[VersionId, str]:
        """Return the first characters of the text of each version."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                text(
                    "SELECT id, left(text, :characters) AS begun FROM citebound.policy_versions"
                    " WHERE id = ANY(:versions)"
                ),
                {"versions": list(versions), "characters": characters},
            )
            return {VersionId(row.id): row.begun for row in rows}

    async def counts(self, scope: Scope) -> CorpusCounts:
        """Count what is in the scope."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(text(_COUNTS), scope_parameters(scope))).one()
        return record(CorpusCounts, row)

    async def references(self, scope: Scope) -> ReferenceList:
        """Return the references of the versions in the scope."""
        async with self._engine.connect() as connection:
            rows = (await connection.execute(text(_REFERENCES), scope_parameters(scope))).all()
            policies = await _policies(connection)
        found = tuple(record(FoundReference, row) for row in rows)
        return ReferenceList(found=found, policies=policies)


async def _policies(connection: AsyncConnection) -> PolicyIndex:
    newest = (await connection.execute(text(_NEWEST))).all()
    rows = await connection.execute(
        text(
            "SELECT version_id, eid, number FROM citebound.sections"
            " WHERE version_id = ANY(:versions) ORDER BY version_id, ordinal"
        ),
        {"versions": [row.id for row in newest]},
    )
    sections: defaultdict[int, list[IndexedSection]] = defaultdict(list)
    for row in rows:
        sections[row.version_id].append(record(IndexedSection, row))
    return PolicyIndex.of(
        record(IndexedPolicy, row, sections=tuple(sections[row.id])) for row in newest
    )
