"""Tools over documents: two topics side by side, and what a policy or section says."""

from collections.abc import Mapping
from dataclasses import replace

from core.domain.knowledge import Listed
from core.domain.ontology import NORMS, Entity, EntityType, Snapshot
from core.domain.run import Json
from core.language.content_words import content_words
from core.ontology.tools.registry import ArgumentError, Arguments, Parameter, Tool
from core.ontology.tools.tool_results import MOST_ITEMS, Shown, answer, entity_json, listed
from core.ports.knowledge import Lookup

_TOLD = frozenset(
    {*NORMS, EntityType.DEFINITION, EntityType.THRESHOLD, EntityType.DEADLINE, EntityType.PROCESS}
)
_EACH = 10
_POLICIES = 20
_SECTIONS = 40
_LEAST_SCORE = 0.34


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
    told = answer(Shown(part=joined, entities=both), items)
    return {name: value for name, value in told.items() if name != "entities"}


async def _about(ontology: Lookup, topic: str, own_words: frozenset[str]) -> Snapshot:
    """Return the facts on a topic that have a word of its own, best first."""
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
    return listed(Listed(part=told.part, count=sum(told.counts.values())), items)


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
