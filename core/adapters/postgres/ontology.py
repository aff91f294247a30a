"""The ontology of one edition as one scope may see it, read in a handful of statements."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.database import raises_transient
from core.adapters.postgres.places import section_ref
from core.adapters.postgres.scope import LIVE, scope_parameters
from core.domain.errors import EmptyCorpusError
from core.domain.ontology import (
    Entity,
    EntityKey,
    EntityType,
    Relation,
    RelationType,
    SectionRef,
    Snapshot,
)
from core.domain.policy import Span, VersionId
from core.domain.question import Scope

_VERSIONS = f"""
SELECT v.id, p.key, v.title, v.label, v.jurisdiction, v.page_starts, v.text
  FROM {LIVE} live JOIN citebound.policy_versions v ON v.id = live.version_id
  JOIN citebound.policies p ON p.id = v.policy_id"""  # noqa: S608  # constants

_SECTIONS = """
SELECT id, version_id, eid, number, title, path FROM citebound.sections WHERE version_id =
ANY(:versions)"""

_ENTITIES = """
SELECT e.id, e.key, e.type, e.name, e.aliases, e.description, e.attributes,
       pr.version_id, pr.section_id, pr.char_start, pr.char_end
  FROM citebound.provenance pr JOIN citebound.entities e ON e.id = pr.entity_id
 WHERE pr.version_id = ANY(:versions) ORDER BY e.id, pr.version_id, pr.char_start"""

_RELATIONS = """
SELECT r.id, r.source_id, r.type, r.target_id, r.attributes,
       pr.version_id, pr.section_id, pr.char_start, pr.char_end
  FROM citebound.provenance pr JOIN citebound.relations r ON r.id = pr.relation_id
 WHERE pr.version_id = ANY(:versions) ORDER BY r.id, pr.version_id, pr.char_start"""

_REFERENCES = """
SELECT x.version_id, x.section_id, x.char_start, x.char_end,
       'section:' || p.key || ':' || s.eid AS source,
       CASE WHEN x.target_eid IS NULL THEN 'policy:' || t.key
            ELSE 'section:' || t.key || ':' || x.target_eid END AS target
  FROM citebound.cross_references x
  JOIN citebound.sections s ON s.id = x.section_id
  JOIN citebound.policy_versions v ON v.id = x.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  JOIN citebound.policies t ON t.id = x.target_policy_id
 WHERE x.version_id = ANY(:versions) ORDER BY x.id"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Texts and sections of the versions in scope."""

    versions: dict[int, RowMapping]
    sections: dict[int, RowMapping]

    def span(self, row: RowMapping) -> Span:
        return Span(
            version_id=VersionId(row["version_id"]),
            char_start=row["char_start"],
            char_end=row["char_end"],
        )

    def quote(self, span: Span) -> str:
        content: str = self.versions[span.version_id]["text"]
        return content[span.char_start : span.char_end]

    def place(self, row: RowMapping) -> SectionRef:
        version, section = self.versions[row["version_id"]], self.sections[row["section_id"]]
        named = {"section_title": section["title"], "title": version["title"]}
        return section_ref({**version, **section, **named, "char_start": row["char_start"]})


class PostgresOntologyStore:
    """See `core.ports.OntologyStore`."""

    def __init__(self, engine: AsyncEngine) -> None:
        """Use a migrated database."""
        self._engine = engine

    @raises_transient
    async def snapshot(self, scope: Scope, /) -> Snapshot:
        """See `OntologyStore.snapshot`.

        Read in one transaction, so that no publication falls in between.

        Raises:
            EmptyCorpusError: Nothing was ever published.
        """
        async with self._engine.connect() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ")
            edition = scope.edition
            if edition is None:
                edition = await connection.scalar(
                    text("SELECT max(number) FROM citebound.editions")
                )
            if edition is None:
                raise EmptyCorpusError
            versions = await _rows(connection, _VERSIONS, scope_parameters(scope))
            wanted = {"versions": [row["id"] for row in versions]}
            source = _Source(
                versions={row["id"]: row for row in versions},
                sections={row["id"]: row for row in await _rows(connection, _SECTIONS, wanted)},
            )
            entity_rows = await _rows(connection, _ENTITIES, wanted)
            relation_rows = await _rows(connection, _RELATIONS, wanted)
            reference_rows = await _rows(connection, _REFERENCES, wanted)
        entities = _entities(entity_rows, source)
        keys = {row["id"]: EntityKey(row["key"]) for row in entity_rows}
        relations = _relations(relation_rows, keys, source)
        relations += _references(reference_rows, {entity.key for entity in entities}, source)
        places = {
            source.span(row): source.place(row)
            for rows in (entity_rows, relation_rows, reference_rows)
            for row in rows
        }
        return Snapshot(
            edition=edition,
            entities=tuple(entities),
            relations=tuple(relations),
            quotes={span: source.quote(span) for span in places},
            places=places,
        )


async def _rows(
    connection: AsyncConnection, query: str, parameters: Mapping[str, object]
) -> Sequence[RowMapping]:
    return (await connection.execute(text(query), parameters)).mappings().all()


def _entities(rows: Sequence[RowMapping], source: _Source) -> list[Entity]:
    """Join what the versions in scope say of each key; the row that was stored first names it."""
    spans: dict[str, list[Span]] = defaultdict(list)
    said: dict[str, dict[int, RowMapping]] = defaultdict(dict)
    for row in rows:
        said[row["key"]].setdefault(row["id"], row)
        spans[row["key"]].append(source.span(row))
    return [
        _entity(list(by_id.values()), tuple(dict.fromkeys(spans[key])))
        for key, by_id in said.items()
    ]


def _entity(rows: Sequence[RowMapping], spans: tuple[Span, ...]) -> Entity:
    name: str = rows[0]["name"]
    aliases = dict.fromkeys(alias for row in rows for alias in (row["name"], *row["aliases"]))
    attributes: dict[str, str] = {}
    for row in rows:
        attributes = row["attributes"] | attributes
    return Entity(
        key=EntityKey(rows[0]["key"]),
        type=EntityType(rows[0]["type"]),
        name=name,
        aliases=tuple(alias for alias in aliases if alias != name),
        description=next((row["description"] for row in rows if row["description"]), ""),
        attributes=attributes,
        spans=spans,
    )


def _relations(
    rows: Sequence[RowMapping], keys: dict[int, EntityKey], source: _Source
) -> list[Relation]:
    spans: dict[tuple[EntityKey, str, EntityKey], list[Span]] = defaultdict(list)
    first: dict[tuple[EntityKey, str, EntityKey], RowMapping] = {}
    for row in rows:
        if row["source_id"] in keys and row["target_id"] in keys:
            ends = keys[row["source_id"]], row["type"], keys[row["target_id"]]
            first.setdefault(ends, row)
            spans[ends].append(source.span(row))
    return [
        Relation(
            source=ends[0],
            type=RelationType(ends[1]),
            target=ends[2],
            attributes=row["attributes"],
            spans=tuple(dict.fromkeys(spans[ends])),
        )
        for ends, row in first.items()
    ]


def _references(
    rows: Sequence[RowMapping], known: set[EntityKey], source: _Source
) -> list[Relation]:
    spans: dict[tuple[EntityKey, EntityKey], list[Span]] = defaultdict(list)
    for row in rows:
        ends = EntityKey(row["source"]), EntityKey(row["target"])
        if ends[0] in known and ends[1] in known:
            spans[ends].append(source.span(row))
    return [
        Relation(
            source=ends[0],
            type=RelationType.REFERENCES,
            target=ends[1],
            attributes={},
            spans=tuple(dict.fromkeys(found)),
        )
        for ends, found in spans.items()
    ]
