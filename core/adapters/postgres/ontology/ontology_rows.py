"""Entities and relations from rows: what the versions in scope say of each key is joined."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import RowMapping

from core.domain.ontology import Entity, EntityKey, EntityType, Relation, RelationType
from core.language.spans import Span, VersionId


def span_of(row: RowMapping) -> Span:
    """Return where a row is said."""
    return Span(
        version_id=VersionId(row["version_id"]),
        char_start=row["char_start"],
        char_end=row["char_end"],
    )


def entities_of(rows: Sequence[RowMapping]) -> list[Entity]:
    """Return the entities of rows, one for each place, in order of `id`, version and place.

    The row that was stored first names a key.
    """
    spans: dict[str, list[Span]] = defaultdict(list)
    said: dict[str, dict[int, RowMapping]] = defaultdict(dict)
    for row in rows:
        said[row["key"]].setdefault(row["id"], row)
        spans[row["key"]].append(span_of(row))
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


def relations_of(rows: Sequence[RowMapping], keys: Mapping[int, EntityKey]) -> list[Relation]:
    """Return the relations of rows, one for each place, in order of `id`.

    Args:
        rows: With `source_id` and `target_id`.
        keys: Of the entities; a relation whose ends are not both among them is left out.
    """
    spans: dict[tuple[EntityKey, str, EntityKey], list[Span]] = defaultdict(list)
    first: dict[tuple[EntityKey, str, EntityKey], RowMapping] = {}
    for row in rows:
        if row["source_id"] in keys and row["target_id"] in keys:
            ends = keys[row["source_id"]], row["type"], keys[row["target_id"]]
            first.setdefault(ends, row)
            spans[ends].append(span_of(row))
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


def references_of(rows: Sequence[RowMapping], known: Collection[EntityKey]) -> list[Relation]:
    """Return cross-references as relations; one whose ends are not both known is left out."""
    spans: dict[tuple[EntityKey, EntityKey], list[Span]] = defaultdict(list)
    for row in rows:
        ends = EntityKey(row["source"]), EntityKey(row["target"])
        if ends[0] in known and ends[1] in known:
            spans[ends].append(span_of(row))
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
