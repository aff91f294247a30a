"""The ontology's tools: overview, lookup, neighbourhood, comparison and summary."""

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import cast

from core.domain.json_value import Json
from core.domain.ontology import (
    NORMS,
    Entity,
    EntityKey,
    EntityList,
    EntityType,
    RelationType,
    Snapshot,
)
from core.language.content_words import content_words
from core.ontology.tools.registry import (
    MOST_ITEMS,
    ArgumentError,
    Arguments,
    Parameter,
    Tool,
    ToolResult,
    answer,
    entity_json,
    listed,
    relation_json,
)
from core.ports.knowledge import Direction, Lookup

_TOLD = frozenset(
    {*NORMS, EntityType.DEFINITION, EntityType.THRESHOLD, EntityType.DEADLINE, EntityType.PROCESS}
)
_EACH = 10
_POLICIES = 20
_SECTIONS = 40
_LEAST_SCORE = 0.34
TYPE_NAMES = tuple(type_.value for type_ in EntityType)
"""Names of entity types, as tools take them."""
FOUND = 10
"""Facts that a search gives at most."""
NEAR_BEST = 0.5
"""Share of the best score that a fact needs: with half as many matching words it is about something
else."""
_EXAMPLES = 3
_NEAR = 3
_OTHERS = 5
_TYPE = Parameter(
    name="type", description="Entity type; leave out for all.", default="", choices=TYPE_NAMES
)
_RELATIONS = tuple(type_.value for type_ in RelationType)
_MOST_HOPS = 6


async def _compare(ontology: Lookup, arguments: Arguments) -> Mapping[str, Json]:
    names = (str(arguments["topic_a"]), str(arguments["topic_b"]))
    first, second = (content_words(name) for name in names)
    sides = {
        name: await _about(ontology, name, content_words(name) - (first & second))
        for name in dict.fromkeys(names)
    }
    topics: dict[str, Json] = {
        name: [entity_json(entity) for entity in part.entities] for name, part in sides.items()
    }
    missing: list[Json] = [name for name, part in sides.items() if not part.entities]
    parts = list(sides.values())
    both = list({entity.key: entity for part in parts for entity in part.entities}.values())
    joined = replace(
        parts[0],
        quotes={span: text for part in parts for span, text in part.quotes.items()},
        places={span: place for part in parts for span, place in part.places.items()},
        lead_ins={span: one for part in parts for span, one in part.lead_ins.items()},
    )
    items: dict[str, Json] = {"topics": topics, "without_facts": missing}
    told = answer(ToolResult(part=joined, entities=both), items)
    return {name: value for name, value in told.items() if name != "entities"}


async def _about(ontology: Lookup, topic: str, own_words: frozenset[str]) -> Snapshot:
    """Return the facts on a topic that have a word which the other topic lacks, best first."""
    found = await ontology.search(topic, _TOLD, limit=4 * _EACH)
    kept: list[Entity] = []
    for entity in found.part.entities:
        said = content_words(f"{entity.name} {entity.description}")
        places = (found.part.places.get(span) for span in entity.spans)
        titles = content_words(" ".join(f"{p.title} {p.policy_title}" for p in places if p))
        is_near = found.scores[entity.key] >= _LEAST_SCORE
        if is_near and (not own_words or own_words & (said | titles)):
            kept.append(entity)
    return replace(found.part, entities=tuple(kept[:_EACH]))


async def _summarize(ontology: Lookup, arguments: Arguments) -> Mapping[str, Json]:
    policy, section = str(arguments["policy"]), str(arguments["section"]).strip()
    policies = await ontology.policies_named(policy)
    if not policies:
        others = await ontology.listed(EntityType.POLICY, limit=_POLICIES)
        known = ", ".join(entity.name for entity in others.part.entities)
        raise ArgumentError(f"no policy is called {policy!r:.80}; there are: {known}")
    told = await ontology.stated(policies, section, _TOLD, MOST_ITEMS)
    if section and not told.counts:
        numbers = ", ".join(await ontology.section_numbers(policies, limit=_SECTIONS))
        raise ArgumentError(f"nothing is known of section {section!r:.40}; sections: {numbers}")
    kinds: dict[str, Json] = {type_.value: count for type_, count in told.counts.items()}
    items: dict[str, Json] = {"policies": [*policies], "section": section, "types": kinds}
    return listed(EntityList(part=told.part, count=sum(told.counts.values())), items)


COMPARE = Tool(
    name="compare",
    capability="documents",
    description="Facts on two topics side by side (two roles, two places, two kinds of gift).",
    parameters=(
        Parameter(name="topic_a", description="The first topic, in the policies' words."),
        Parameter(name="topic_b", description="The second."),
    ),
    run=_compare,
)


SUMMARIZE = Tool(
    name="summarize",
    capability="documents",
    description="The norms, limits, deadlines and definitions of a policy or one of its sections.",
    parameters=(
        Parameter(name="policy", description="Title or key of the policy."),
        Parameter(name="section", description='Number or title ("4.2"); empty: all.', default=""),
    ),
    run=_summarize,
)


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


async def _named(ontology: Lookup, name: str, type_: EntityType | None) -> EntityList:
    """Return the entities of a name, else those whose names contain it."""
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
    return answer(ToolResult(part=found.part, entities=near), {"scores": scores})


async def entity_of(ontology: Lookup, key: str, *, argument: str = "id") -> Entity:
    """Return the entity of a key, or the only one of a name.

    Raises:
        ArgumentError: there is none; the message has the nearest keys.
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
        ToolResult(
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
    return answer(ToolResult(part=others.part, entities=others.part.entities), items)


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


async def _neighbours(ontology: Lookup, arguments: Arguments) -> Mapping[str, Json]:
    named, wanted = str(arguments["id"]), str(arguments["relation"])
    look = partial(
        ontology.neighbours,
        direction=cast("Direction", arguments["direction"]),
        type_=RelationType(wanted) if wanted else None,
        limit=MOST_ITEMS,
    )
    found = await look(EntityKey(named))
    if not (found.part.entities and found.part.entities[0].key == named):
        # Mostly a key is given: only what is none is looked up by its name first.
        found = await look((await entity_of(ontology, named)).key)
    own = found.part.entities[0]
    return answer(
        ToolResult(
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
    return answer(ToolResult(part=found.part, relations=found.part.relations), {"paths": paths})


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
