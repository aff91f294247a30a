"""Tools that say what there is and find entities by type, name, words or key."""

from collections.abc import Mapping
from difflib import get_close_matches

from core.domain.ontology import Entity, EntityType
from core.domain.run import Json
from core.ontology.answers import MOST_ITEMS, answer
from core.ontology.graph import OntologyGraph, normal_name
from core.ontology.registry import ArgumentError, Arguments, Parameter, Tool

TYPE_NAMES = tuple(type_.value for type_ in EntityType)
"""Names of entity types, as tools take them."""


def _summary(graph: OntologyGraph, _: Arguments) -> Mapping[str, Json]:
    policies = graph.of_type(EntityType.POLICY)
    relations: dict[str, int] = {}
    for relation in graph.snapshot.relations:
        relations[relation.type.value] = relations.get(relation.type.value, 0) + 1
    types: dict[str, Json] = {type_.value: count for type_, count in graph.counts.items()}
    items: dict[str, Json] = {
        "edition": graph.snapshot.edition,
        "types": types,
        "relation_types": dict(sorted(relations.items())),
    }
    return answer(graph, entities=policies, items=items)


def _types(graph: OntologyGraph, _: Arguments) -> Mapping[str, Json]:
    types: list[Json] = [
        {"type": type_.value, "count": count, "examples": _examples(graph, type_)}
        for type_, count in sorted(graph.counts.items(), key=lambda item: item[0].value)
    ]
    return answer(graph, items={"types": types})


def _examples(graph: OntologyGraph, type_: EntityType) -> list[Json]:
    return [entity.name[:80] for entity in graph.of_type(type_)[:3]]


def _find(graph: OntologyGraph, arguments: Arguments) -> Mapping[str, Json]:
    wanted, name = str(arguments["type"]), str(arguments["name"])
    type_ = EntityType(wanted) if wanted else None
    if type_ is None and not name:
        raise ArgumentError("give a type, a name, or both")
    if not name:
        return answer(graph, entities=graph.of_type(type_) if type_ else ())
    exact = graph.named(name, type_)
    return answer(graph, entities=exact or _containing(graph, name, type_))


def _containing(graph: OntologyGraph, name: str, type_: EntityType | None) -> tuple[Entity, ...]:
    """Return entities with the name as part of theirs, the shortest names first."""
    wanted = normal_name(name)
    found = [
        entity
        for entity in (graph.of_type(type_) if type_ else graph.snapshot.entities)
        if wanted and any(wanted in normal_name(said) for said in (entity.name, *entity.aliases))
    ]
    return tuple(sorted(found, key=lambda entity: (len(entity.name), entity.key)))


def _search(graph: OntologyGraph, arguments: Arguments) -> Mapping[str, Json]:
    wanted = str(arguments["type"])
    types = (EntityType(wanted),) if wanted else ()
    found = graph.search(str(arguments["query"]), types, limit=MOST_ITEMS)
    scores: dict[str, Json] = {scored.entity.key: round(scored.score, 3) for scored in found}
    return answer(graph, entities=[scored.entity for scored in found], items={"scores": scores})


def entity_of(graph: OntologyGraph, key: str, *, argument: str = "id") -> Entity:
    """Return the entity of a key or, if it is the one so named, of a name.

    Raises:
        ArgumentError: there is none, with the nearest keys.
    """
    entity = graph.get(key)
    if entity is not None:
        return entity
    named = graph.named(key)
    if len(named) == 1:
        return named[0]
    near = [found.key for found in named[:3]] or get_close_matches(key, list(graph.entities), n=3)
    hint = f"did you mean {', '.join(near)}?" if near else "find it with search_entities"
    raise ArgumentError(f"no entity has the {argument} {key!r:.80}; {hint}")


def _get(graph: OntologyGraph, arguments: Arguments) -> Mapping[str, Json]:
    entity = entity_of(graph, str(arguments["id"]))
    joined = [neighbour.relation for neighbour in graph.neighbours(entity.key)]
    return answer(graph, entities=[entity], relations=joined)


def _definition(graph: OntologyGraph, arguments: Arguments) -> Mapping[str, Json]:
    term = str(arguments["term"])
    found = graph.named(term, EntityType.DEFINITION)
    found = found or _containing(graph, term, EntityType.DEFINITION)
    items: dict[str, Json] = {"term": term, "is_defined": bool(found)}
    if not found:
        others = graph.search(term, limit=5)
        return answer(graph, entities=[scored.entity for scored in others], items=items)
    return answer(graph, entities=found, items=items)


_TYPE = Parameter(
    name="type", description="Entity type; leave out for all.", default="", choices=TYPE_NAMES
)

GET_GRAPH_SUMMARY = Tool(
    name="get_graph_summary",
    capability="overview",
    description="What the policies cover: the policies, and how many facts of each type there are.",
    parameters=(),
    run=_summary,
)
LIST_ENTITY_TYPES = Tool(
    name="list_entity_types",
    capability="overview",
    description="The types of facts with counts and examples.",
    parameters=(),
    run=_types,
)
FIND_ENTITIES = Tool(
    name="find_entities",
    capability="lookup",
    description="Entities of a type and/or with a name or alias (plural and case do not matter).",
    parameters=(_TYPE, Parameter(name="name", description="Name or part of one.", default="")),
    run=_find,
)
SEARCH_ENTITIES = Tool(
    name="search_entities",
    capability="lookup",
    description=(
        "Facts that share most words with a query, best first. The usual first step; use the words"
        " a policy would use."
    ),
    parameters=(Parameter(name="query", description="Content words."), _TYPE),
    run=_search,
)
GET_ENTITY = Tool(
    name="get_entity",
    capability="lookup",
    description="One entity with its attributes, relations and quotes.",
    parameters=(Parameter(name="id", description="Its id, as other tools return it."),),
    run=_get,
)
RESOLVE_DEFINITION = Tool(
    name="resolve_definition",
    capability="documents",
    description="What a term means in the policies; one result for each policy that defines it.",
    parameters=(Parameter(name="term", description="The term."),),
    run=_definition,
)
