"""Tools that say what there is and find entities by type, name, words or key."""

import re
from collections.abc import Mapping
from difflib import get_close_matches

from core.domain.knowledge import Listed
from core.domain.ontology import Entity, EntityType
from core.domain.run import Json
from core.ontology.tools.registry import ArgumentError, Arguments, Parameter, Tool
from core.ontology.tools.tool_results import MOST_ITEMS, Shown, answer, listed
from core.ports.knowledge import Lookup

TYPE_NAMES = tuple(type_.value for type_ in EntityType)
"""Names of entity types, as tools take them."""
FOUND = 10
"""Facts that a search gives at most."""
NEAR_BEST = 0.5
"""Share of the best score that a fact needs: what shares half as many telling words as the best
one is about something else."""
_EXAMPLES = 3
_NEAR = 3
_OTHERS = 5


async def _summary(ontology: Lookup, _: Arguments) -> Mapping[str, Json]:
    outline, relations = await ontology.outline(), await ontology.relation_counts()
    policies = await ontology.listed(EntityType.POLICY, limit=MOST_ITEMS)
    types: dict[str, Json] = {type_.value: count for type_, count in outline.counts.items()}
    joined = sorted((type_.value, count) for type_, count in relations.items())
    items: dict[str, Json] = {
        "edition": outline.edition,
        "types": types,
        "relation_types": dict(joined),
    }
    return listed(policies, items)


async def _types(ontology: Lookup, _: Arguments) -> Mapping[str, Json]:
    outline = await ontology.outline()
    types: list[Json] = []
    for type_, count in sorted(outline.counts.items(), key=lambda item: item[0].value):
        found = await ontology.listed(type_, limit=_EXAMPLES)
        examples: list[Json] = [entity.name[:80] for entity in found.part.entities]
        types.append({"type": type_.value, "count": count, "examples": examples})
    return answer(items={"types": types})


async def _find(ontology: Lookup, arguments: Arguments) -> Mapping[str, Json]:
    wanted, name = str(arguments["type"]), str(arguments["name"])
    type_ = EntityType(wanted) if wanted else None
    if type_ is None and not name:
        raise ArgumentError("give a type, a name, or both")
    return listed(await _named(ontology, name, type_))


async def _named(ontology: Lookup, name: str, type_: EntityType | None) -> Listed:
    """Return the entities of a name, else those with the name as part of theirs."""
    exact = await ontology.listed(type_, name=name, limit=MOST_ITEMS)
    if exact.count or not name:
        return exact
    return await ontology.listed(type_, name=name, is_part=True, limit=MOST_ITEMS)


async def _search(ontology: Lookup, arguments: Arguments) -> Mapping[str, Json]:
    wanted = str(arguments["type"])
    types = (EntityType(wanted),) if wanted else ()
    found = await ontology.search(str(arguments["query"]), types, limit=FOUND)
    least = NEAR_BEST * max(found.scores.values(), default=0.0)
    near = [one for one in found.part.entities if found.scores[one.key] >= least]
    scores: dict[str, Json] = {one.key: round(found.scores[one.key], 3) for one in near}
    return answer(Shown(part=found.part, entities=near), {"scores": scores})


async def entity_of(ontology: Lookup, key: str, *, argument: str = "id") -> Entity:
    """Return the entity of a key or, if it is the one so named, of a name.

    Raises:
        ArgumentError: there is none, with the nearest keys.
    """
    part = await ontology.entity(key)
    if part.entities:
        return part.entities[0]
    named = await ontology.listed(None, name=key, limit=_NEAR)
    if named.count == 1:
        return named.part.entities[0]
    near = [found.key for found in named.part.entities]
    if not near:
        words = re.sub(r"\W+", " ", key.partition(":")[2] or key)
        alike = await ontology.search(words, limit=MOST_ITEMS)
        near = get_close_matches(key, [found.key for found in alike.part.entities], n=_NEAR)
    hint = f"did you mean {', '.join(near)}?" if near else "find it with search_entities"
    raise ArgumentError(f"no entity has the {argument} {key!r:.80}; {hint}")


async def _get(ontology: Lookup, arguments: Arguments) -> Mapping[str, Json]:
    own = await entity_of(ontology, str(arguments["id"]))
    joined = await ontology.neighbours(own.key, limit=MOST_ITEMS)
    return answer(
        Shown(
            part=joined.part,
            entities=joined.part.entities[:1],
            relations=joined.part.relations,
            relations_in_all=joined.relations,
        )
    )


async def _definition(ontology: Lookup, arguments: Arguments) -> Mapping[str, Json]:
    term = str(arguments["term"])
    found = await _named(ontology, term, EntityType.DEFINITION)
    items: dict[str, Json] = {"term": term, "is_defined": bool(found.count)}
    if found.count:
        return listed(found, items)
    others = await ontology.search(term, limit=_OTHERS)
    return answer(Shown(part=others.part, entities=others.part.entities), items)


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
