"""Tools that follow relations: neighbours and paths."""

from collections.abc import Mapping
from typing import cast

from core.domain.ontology import RelationType
from core.domain.run import Json
from core.ontology.tools.lookup import entity_of
from core.ontology.tools.registry import Arguments, Parameter, Tool
from core.ontology.tools.tool_results import MOST_ITEMS, Shown, answer, relation_json
from core.ports.knowledge import Direction, Lookup

_RELATIONS = tuple(type_.value for type_ in RelationType)
_MOST_HOPS = 6


async def _neighbours(ontology: Lookup, arguments: Arguments) -> Mapping[str, Json]:
    own = await entity_of(ontology, str(arguments["id"]))
    wanted = str(arguments["relation"])
    found = await ontology.neighbours(
        own.key,
        direction=cast("Direction", arguments["direction"]),
        type_=RelationType(wanted) if wanted else None,
        limit=MOST_ITEMS,
    )
    return answer(
        Shown(
            part=found.part,
            entities=found.part.entities[1:],
            relations=found.part.relations,
            entities_in_all=found.entities,
            relations_in_all=found.relations,
        ),
        {"id": own.key},
    )


async def _paths(ontology: Lookup, arguments: Arguments) -> Mapping[str, Json]:
    source = await entity_of(ontology, str(arguments["source"]), argument="source")
    target = await entity_of(ontology, str(arguments["target"]), argument="target")
    found = await ontology.paths(source.key, target.key, max_hops=int(arguments["max_hops"]))
    paths: list[Json] = [
        [relation_json(found.part, *step) for step in chain] for chain in found.chains
    ]
    return answer(Shown(part=found.part, relations=found.part.relations), {"paths": paths})


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
