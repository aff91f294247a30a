"""A snapshot of the ontology as an immutable graph, and its export to GraphML and HTML."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO

from core.domain.json_value import Json
from core.domain.ontology import (
    Entity,
    EntityType,
    Relation,
    RelationType,
    SectionRef,
    Snapshot,
)
from core.expressions import expression
from core.language.spans import Span
from core.ports.knowledge import Direction


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An entity related to another."""

    entity: Entity
    """The other end."""
    relation: Relation
    """Their relation."""
    is_outgoing: bool
    """True if the relation starts at the entity that was asked about."""


class OntologyGraph:
    """A snapshot with its indexes. Build it with `build_graph`."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._entities: dict[str, Entity] = {entity.key: entity for entity in snapshot.entities}
        self._by_type: defaultdict[EntityType, list[Entity]] = defaultdict(list)
        self._from: defaultdict[str, list[Relation]] = defaultdict(list)
        self._to: defaultdict[str, list[Relation]] = defaultdict(list)
        for entity in snapshot.entities:
            self._by_type[entity.type].append(entity)
        for relation in snapshot.relations:
            self._from[relation.source].append(relation)
            self._to[relation.target].append(relation)

    @property
    def entities(self) -> Mapping[str, Entity]:
        """All entities by key."""
        return self._entities

    @property
    def counts(self) -> Mapping[EntityType, int]:
        """Number of entities of each type present."""
        return {type_: len(found) for type_, found in self._by_type.items()}

    def get(self, key: str) -> Entity | None:
        """Return an entity by its key."""
        return self._entities.get(key)

    def of_type(self, type_: EntityType) -> tuple[Entity, ...]:
        """Return the entities of a type, in the snapshot's order."""
        return tuple(self._by_type.get(type_, ()))

    def neighbours(
        self,
        key: str,
        direction: Direction = "both",
        relations: Iterable[RelationType] = (),
    ) -> tuple[Neighbour, ...]:
        """Return the neighbours of an entity, outgoing relations first, in the snapshot's order."""
        wanted = frozenset(relations)
        outgoing = self._from.get(key, ()) if direction != "in" else ()
        incoming = self._to.get(key, ()) if direction != "out" else ()
        found = [(one.target, one, True) for one in outgoing]
        found += [(one.source, one, False) for one in incoming]
        return tuple(
            Neighbour(entity=self._entities[end], relation=relation, is_outgoing=is_outgoing)
            for end, relation, is_outgoing in found
            if end in self._entities and (not wanted or relation.type in wanted)
        )

    def quote(self, span: Span) -> str:
        """Return the stored text of a span of this snapshot; empty if it has none."""
        return self.snapshot.quotes.get(span, "")

    def place(self, span: Span) -> SectionRef | None:
        """Return the section of a span of this snapshot."""
        return self.snapshot.places.get(span)


def build_graph(snapshot: Snapshot) -> OntologyGraph:
    """Return the graph of a snapshot."""
    return OntologyGraph(snapshot)


_TEMPLATE = "graph.html"
_DATA = "__GRAPH_DATA__"
_MOST_QUOTES = 5
_NOT_XML = expression("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_graphml(graph: OntologyGraph) -> str:
    """Return the graph as GraphML: names, types and first quotes, in valid XML."""
    import networkx as nx  # noqa: PLC0415  # 0.2 s that most starts need not pay

    plain: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for entity in graph.snapshot.entities:
        quote = graph.quote(entity.spans[0]) if entity.spans else ""
        plain.add_node(
            _xml(entity.key), type=entity.type.value, name=_xml(entity.name), quote=_xml(quote)
        )
    for relation in graph.snapshot.relations:
        plain.add_edge(_xml(relation.source), _xml(relation.target), type=relation.type.value)
    written = BytesIO()
    nx.write_graphml(plain, written)
    return written.getvalue().decode()


def to_html(graph: OntologyGraph, *, title: str = "Policies") -> str:
    """Return one page that shows the graph, with search, filters and quotes on a click."""
    template = files("core.ontology").joinpath(_TEMPLATE).read_text(encoding="utf-8")
    numbers = {entity.key: place for place, entity in enumerate(graph.snapshot.entities)}
    data: dict[str, Json] = {
        "title": title,
        "edition": graph.snapshot.edition,
        "nodes": [_node(graph, entity) for entity in graph.snapshot.entities],
        "links": [
            [numbers[relation.source], numbers[relation.target], relation.type.value]
            for relation in graph.snapshot.relations
        ],
    }
    return template.replace(_DATA, script_json(data))


def script_json(value: Json) -> str:
    """Return JSON that cannot leave the script element it is written into."""
    written = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _node(graph: OntologyGraph, entity: Entity) -> Mapping[str, Json]:
    quotes: list[Json] = []
    for span in entity.spans[:_MOST_QUOTES]:
        place = graph.place(span)
        where = ""
        if place is not None:
            section = " ".join(filter(None, (place.number, place.title)))
            where = f"{place.policy_title}, {section}" if section else place.policy_title
        quotes.append({"text": graph.quote(span), "where": where})
    return {
        "key": entity.key,
        "type": entity.type.value,
        "name": entity.name,
        "aliases": ", ".join(entity.aliases),
        "quotes": quotes,
        "spans": len(entity.spans),
    }


def _xml(text: str) -> str:
    """Return `text` without the characters that XML 1.0 cannot hold (section 2.2)."""
    return _NOT_XML.sub("", text)
