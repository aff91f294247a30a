"""Tools over documents: two topics side by side, and what a policy or section says."""

from collections.abc import Iterable, Mapping

from core.domain.content_words import content_words
from core.domain.ontology import NORMS, Entity, EntityType
from core.domain.run import Json
from core.ontology.answers import answer, entity_json
from core.ontology.graph import OntologyGraph
from core.ontology.registry import ArgumentError, Arguments, Parameter, Tool

_TOLD = frozenset(
    {*NORMS, EntityType.DEFINITION, EntityType.THRESHOLD, EntityType.DEADLINE, EntityType.PROCESS}
)
_EACH = 10
_LEAST_SCORE = 0.34


def _compare(graph: OntologyGraph, arguments: Arguments) -> Mapping[str, Json]:
    names = (str(arguments["topic_a"]), str(arguments["topic_b"]))
    first, second = (content_words(name) for name in names)
    shared = first & second
    sides = {name: _about(graph, name, content_words(name) - shared) for name in names}
    topics: dict[str, Json] = {
        name: [entity_json(entity) for entity in found] for name, found in sides.items()
    }
    missing: list[Json] = [name for name, found in sides.items() if not found]
    both = list({e.key: e for found in sides.values() for e in found}.values())
    told = answer(graph, entities=both, items={"topics": topics, "without_facts": missing})
    return {name: value for name, value in told.items() if name != "entities"}


def _about(graph: OntologyGraph, topic: str, own_words: frozenset[str]) -> list[Entity]:
    """Return the facts on a topic that have a word of its own, best first."""
    found: list[Entity] = []
    for scored in graph.search(topic, _TOLD, limit=4 * _EACH):
        said = content_words(f"{scored.entity.name} {scored.entity.description}")
        places = (graph.place(span) for span in scored.entity.spans)
        titles = content_words(" ".join(f"{p.title} {p.policy_title}" for p in places if p))
        if scored.score >= _LEAST_SCORE and (not own_words or own_words & (said | titles)):
            found.append(scored.entity)
    return found[:_EACH]


def _summarize(graph: OntologyGraph, arguments: Arguments) -> Mapping[str, Json]:
    policy, section = str(arguments["policy"]), str(arguments["section"]).strip()
    titles = _policies(graph, policy)
    if not titles:
        known = ", ".join(entity.name for entity in graph.of_type(EntityType.POLICY)[:20])
        raise ArgumentError(f"no policy is called {policy!r:.80}; there are: {known}")
    told = [
        entity
        for entity in graph.snapshot.entities
        if entity.type in _TOLD and _lies_in(graph, entity, titles, section)
    ]
    if section and not told:
        numbers = ", ".join(_sections(graph, titles)[:40])
        raise ArgumentError(f"nothing is known of section {section!r:.40}; sections: {numbers}")
    kinds: dict[str, Json] = {}
    for entity in told:
        count = kinds.get(entity.type.value, 0)
        kinds[entity.type.value] = (count if isinstance(count, int) else 0) + 1
    items: dict[str, Json] = {"policies": [*sorted(titles)], "section": section, "types": kinds}
    return answer(graph, entities=sorted(told, key=_text_order), items=items)


def _policies(graph: OntologyGraph, name: str) -> frozenset[str]:
    """Return the keys of the policies a name or key means."""
    keys = {place.policy_key: place.policy_title for place in graph.snapshot.places.values()}
    wanted = name.removeprefix("policy:")
    if wanted in keys:
        return frozenset({wanted})
    named = {e.key.removeprefix("policy:") for e in graph.named(name, EntityType.POLICY)}
    asked = content_words(name) - content_words("policy")
    by_words = {key for key, title in keys.items() if asked and asked <= content_words(title)}
    return frozenset((named & set(keys)) or by_words)


def _lies_in(graph: OntologyGraph, entity: Entity, policies: frozenset[str], section: str) -> bool:
    places = (graph.place(span) for span in entity.spans)
    wanted = section.casefold().removeprefix("section").strip()
    return any(
        place is not None
        and place.policy_key in policies
        and (
            not wanted
            or (place.number or "").casefold() == wanted
            or (place.number or "").casefold().startswith(f"{wanted}.")
            or place.title.casefold() == wanted
        )
        for place in places
    )


def _sections(graph: OntologyGraph, policies: frozenset[str]) -> list[str]:
    found: Iterable[str] = (
        place.number
        for place in graph.snapshot.places.values()
        if place.policy_key in policies and place.number
    )
    return list(dict.fromkeys(found))


def _text_order(entity: Entity) -> tuple[int, int]:
    first = min(entity.spans)
    return (first.version_id, first.char_start)


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
