"""The graph for other programs and for people: GraphML, and one interactive page.

The page is a single file without any network access. Every text in it comes from documents, so it
is written as JSON inside a script element with `<`, `>` and `&` escaped, and shown as text alone.
"""

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from io import BytesIO

import networkx as nx

from core.domain.ontology import Entity
from core.domain.run import Json
from core.ontology.graphs.graph import OntologyGraph

_TEMPLATE = "graph.html"
_DATA = "__GRAPH_DATA__"
_MOST_QUOTES = 5
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_graphml(graph: OntologyGraph) -> str:
    """Return the graph as GraphML: names, types and first quotes, characters that XML has alone."""
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
