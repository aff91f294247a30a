"""Tools that follow relations: neighbours and paths."""

from collections.abc import Mapping
from typing import cast

from core.domain.ontology import RelationType
from core.domain.run import Json
from core.ontology.answers import answer, relation_json
from core.ontology.graph import Direction, OntologyGraph
from core.ontology.lookup import entity_of
from core.ontology.registry import Arguments, Parameter, Tool

_RELATIONS = tuple(type_.value for type_ in RelationType)
_MOST_HOPS = 6


def _neighbours(graph: OntologyGraph, arguments: Arguments) -> Mapping[str, Json]:
    entity = entity_of(graph, str(arguments["id"]))
    wanted = str(arguments["relation"])
    found = graph.neighbours(
        entity.key,
        cast("Direction", arguments["direction"]),
        (RelationType(wanted),) if wanted else (),
    )
    return answer(
        graph,
        entities=list({found.entity.key: found.entity for found in found}.values()),
        relations=[neighbour.relation for neighbour in found],
        items={"id": entity.key},
    )


def _paths(graph: OntologyGraph, arguments: Arguments) -> Mapping[str, Json]:
    source = entity_of(graph, str(arguments["source"]), argument="source")
    target = entity_of(graph, str(arguments["target"]), argument="target")
    found = graph.paths(source.key, target.key, max_hops=int(arguments["max_hops"]))
    paths: list[Json] = [[relation_json(graph, step) for step in path] for path in found]
    steps = list(dict.fromkeys((r.source, r.type, r.target) for path in found for r in path))
    by_ends = {(r.source, r.type, r.target): r for path in found for r in path}
    return answer(graph, relations=[by_ends[step] for step in steps], items={"paths": paths})


GET_NEIGHBORS = Tool(
    name="get_neighbors",
    capability="neighbourhood",
    description=(
        "What is joined to an entity: for a norm its actor, thresholds, deadlines, approvers and"
        " exceptions; for a role what it must, must not and may do."
    ),
    parameters=(
        Parameter(name="id", description="Its id."),
        Parameter(
            name="direction",
            description="Relations that start (out) or end (in) at it, or both.",
            default="both",
            choices=("out", "in", "both"),
        ),
        Parameter(
            name="relation",
            description="Only this relation; leave out for all.",
            default="",
            choices=_RELATIONS,
        ),
    ),
    run=_neighbours,
)
FIND_PATHS = Tool(
    name="find_paths",
    capability="neighbourhood",
    description="How two entities are connected: the shortest chains of relations between them.",
    parameters=(
        Parameter(name="source", description="Id of one entity."),
        Parameter(name="target", description="Id of the other."),
        Parameter(
            name="max_hops",
            description="Longest chain.",
            type="integer",
            default=3,
            most=_MOST_HOPS,
        ),
    ),
    run=_paths,
)
