"""How entities that were found are ordered and told apart: the same wherever they are read from."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from math import log

from core.domain.knowledge import Found
from core.domain.ontology import Entity, SectionRef, Snapshot
from core.language.content_words import content_words
from core.ontology.fact_words import entity_words, names_of

MOST_DEFINITIONS = 100
"""Definitions in which a question's words stand side by side: more would explain nothing."""


def rarities(
    words: Iterable[str], frequency: Mapping[str, int], *, among: int
) -> Mapping[str, float]:
    """Return the inverse document frequency of each word, smoothed, above 0.

    Args:
        words: The words looked for.
        frequency: Entities of single policies that have each.
        among: Entities of single policies.
    """
    return {
        word: log(1.0 + (1 + among) / (1.0 + frequency.get(word, 0))) for word in sorted(set(words))
    }


def best_of(part: Snapshot, rarity: Mapping[str, float], *, limit: int) -> Found:
    """Return the entities of a part that have most of the words, best first."""
    best = sum(rarity.values())
    scores = {entity.key: score(entity, part, rarity) / best for entity in part.entities if best}
    ranked = sorted(
        (entity for entity in part.entities if scores.get(entity.key)),
        key=lambda entity: (-scores[entity.key], entity.key),
    )[:limit]
    kept = {span for entity in ranked for span in entity.spans}
    return Found(
        part=replace(
            part,
            entities=tuple(ranked),
            relations=(),
            quotes={span: text for span, text in part.quotes.items() if span in kept},
            places={span: place for span, place in part.places.items() if span in kept},
            lead_ins={span: one for span, one in part.lead_ins.items() if span in kept},
        ),
        scores={entity.key: min(1.0, scores[entity.key]) for entity in ranked},
    )


def score(entity: Entity, part: Snapshot, rarity: Mapping[str, float]) -> float:
    """Return what the words looked for count in an entity, by their rarity."""
    places = [part.places[span] for span in entity.spans if span in part.places]
    weights = entity_words(entity, places)
    return sum(weights[word] * worth for word, worth in rarity.items() if word in weights)


def titles_match(name: str, title: str) -> bool:
    """Say whether words of a title mean a policy; "policy" itself tells nothing."""
    asked = content_words(name) - content_words("policy")
    return bool(asked) and asked <= content_words(title)


def is_in_section(place: SectionRef, policies: Collection[str], section: str) -> bool:
    """Say whether a place lies in a section, named by its number or heading, of any of policies."""
    wanted = named_section(section)
    number = (place.number or "").casefold()
    return place.policy_key in policies and (
        not wanted
        or number == wanted
        or number.startswith(f"{wanted}.")
        or place.title.casefold() == wanted
    )


def named_section(section: str) -> str:
    """Return a section's number or heading as it is compared."""
    return section.casefold().removeprefix("section").strip()


def is_named(entity: Entity, wanted: str, *, is_part: bool) -> bool:
    """Say whether an entity has a normal name, or one with a part that is wanted."""
    names = names_of(entity)
    return any(wanted in name for name in names) if is_part else wanted in names


def policies_of(entity: Entity) -> int:
    """Return how many versions of policies state an entity."""
    return len({span.version_id for span in entity.spans})
