"""The corpus in Postgres: what is in a scope, read."""

from collections.abc import Mapping, Sequence

from sqlalchemy import func, select, text

from core.adapters.postgres.engine.database import EngineStore, database_store
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.scope import LIVE, scope_parameters, section_ref, span_arrays
from core.adapters.postgres.engine.tables import editions
from core.adapters.postgres.engine.transactions import reading
from core.domain.ontology import SectionRef
from core.domain.policy import PolicyVersion
from core.domain.question import Scope
from core.language.spans import Span, VersionId

_VERSIONS = f"""
SELECT v.id AS version_id, v.edition_from AS edition, v.source_name, v.title, v.label,
       v.owner, v.jurisdiction, v.audience, v.tags, v.effective_from, v.effective_until,
       v.upload_id, v.url, v.sensitivity, v.review_by, v.verified_by, p.key, (
         SELECT e.published_at FROM citebound.editions e WHERE e.number = v.edition_from
            AND EXISTS (SELECT FROM citebound.policy_versions b
                         WHERE b.policy_id = v.policy_id AND b.number < v.number
                           AND b.label = v.label AND b.text <> v.text)) AS relabelled_at
  FROM {LIVE} live JOIN citebound.policy_versions v ON v.id = live.version_id
  JOIN citebound.policies p ON p.id = v.policy_id ORDER BY p.key"""  # noqa: S608  # constants


@database_store
class PostgresCorpusReader(EngineStore):
    """See `core.ports.CorpusReader`."""

    async def versions(self, scope: Scope, /) -> list[PolicyVersion]:
        """See `CorpusReader.versions`."""
        async with reading(self._engine) as connection:
            rows = (await connection.execute(text(_VERSIONS), scope_parameters(scope))).mappings()
            return [record(PolicyVersion, row) for row in rows]

    async def current_edition(self) -> int | None:
        """See `CorpusReader.current_edition`."""
        async with reading(self._engine) as connection:
            return await connection.scalar(select(func.max(editions.c.number)))

    async def read_spans(self, spans: Sequence[Span], scope: Scope, /) -> dict[Span, str]:
        """See `CorpusReader.read_spans`."""
        query = text(
            "SELECT w.version_id, w.char_start, w.char_end,"  # noqa: S608
            " substr(v.text, w.char_start + 1, w.char_end - w.char_start) AS quote"
            " FROM unnest(CAST(:ids AS bigint[]), CAST(:starts AS int[]), CAST(:ends AS int[]))"
            "   AS w (version_id, char_start, char_end)"
            f" JOIN {LIVE} live ON live.version_id = w.version_id"
            " JOIN citebound.policy_versions v ON v.id = w.version_id"
            " WHERE 0 <= w.char_start AND w.char_start < w.char_end AND w.char_end <="
            " length(v.text)"
        )
        parameters = scope_parameters(scope) | span_arrays(spans)
        async with reading(self._engine) as connection:
            rows = (await connection.execute(query, parameters)).mappings().all()
        return {record(Span, row): row["quote"] for row in rows}

    async def altered(self, quotes: Mapping[Span, str], /) -> frozenset[VersionId]:
        """See `CorpusReader.altered`."""
        # A list of policies compares no hashes.
        from core.adapters.postgres.engine.published_texts import altered_quotes  # noqa: PLC0415

        async with reading(self._engine) as connection:
            return await connection.run_sync(altered_quotes, quotes)

    async def has_chunks(self, scope: Scope, /) -> bool:
        """See `CorpusReader.has_chunks`."""
        query = text(
            f"SELECT EXISTS (SELECT FROM {LIVE} live JOIN citebound.chunks c USING (version_id))"  # noqa: S608
        )
        async with reading(self._engine) as connection:
            return bool(await connection.scalar(query, scope_parameters(scope)))

    async def places(self, spans: Sequence[Span], /) -> dict[Span, SectionRef]:
        """See `CorpusReader.places`."""
        query = text(
            "SELECT w.version_id, w.char_start, w.char_end, p.key, v.title, v.label,"
            " v.jurisdiction,"
            " s.eid, s.number, s.title AS section_title, s.path, s.page AS section_page,"
            " v.page_starts"
            " FROM unnest(CAST(:ids AS bigint[]), CAST(:starts AS int[]), CAST(:ends AS int[]))"
            "   AS w (version_id, char_start, char_end)"
            " JOIN citebound.policy_versions v ON v.id = w.version_id"
            " JOIN citebound.policies p ON p.id = v.policy_id"
            " JOIN citebound.sections s ON s.version_id = v.id"
            "   AND s.char_start <= w.char_start AND w.char_start < s.char_end"
        )
        async with reading(self._engine) as connection:
            rows = (await connection.execute(query, span_arrays(spans))).mappings().all()
        return {record(Span, row): section_ref(row) for row in rows}
