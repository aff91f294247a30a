"""Ranking, matching and paths of entities: the same for the database and for a whole snapshot."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from math import log

from core.domain.ontology import Entity, EntityMatches, SectionRef, Snapshot
from core.language.content_words import content_words
from core.ontology.fact_words import entity_words, names_of

MOST = 10
"""Chains returned at most."""
STEPS = 20_000
"""Steps after which the search ends with what it has, so that a dense graph can't block it."""
MOST_DEFINITIONS = 100
"""Definitions with a question's words side by side: more would explain nothing."""


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


def best_of(part: Snapshot, rarity: Mapping[str, float], *, limit: int) -> EntityMatches:
    """Return the entities of a snapshot that have most of the words, best first."""
    best = sum(rarity.values())
    scores = {entity.key: score(entity, part, rarity) / best for entity in part.entities if best}
    ranked = sorted(
        (entity for entity in part.entities if scores.get(entity.key)),
        key=lambda entity: (-scores[entity.key], entity.key),
    )[:limit]
    kept = {span for entity in ranked for span in entity.spans}
    return EntityMatches(
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
    """Return the score of an entity: the weights of the words that it has, by their rarity."""
    places = [part.places[span] for span in entity.spans if span in part.places]
    weights = entity_words(entity, places)
    return sum(weights[word] * worth for word, worth in rarity.items() if word in weights)


def titles_match(name: str, title: str) -> bool:
    """Return whether a name consists of words of a policy's title; "policy" itself is ignored."""
    asked = content_words(name) - content_words("policy")
    return bool(asked) and asked <= content_words(title)


def is_in_section(place: SectionRef, policies: Collection[str], section: str) -> bool:
    """Return whether a place is in a section of one of the policies, by its number or heading."""
    wanted = named_section(section)
    number = (place.number or "").casefold()
    return place.policy_key in policies and (
        not wanted
        or number == wanted
        or number.startswith(f"{wanted}.")
        or place.title.casefold() == wanted
    )


def named_section(section: str) -> str:
    """Return a section's number or heading in comparable form."""
    return section.casefold().removeprefix("section").strip()


def is_named(entity: Entity, wanted: str, *, is_part: bool) -> bool:
    """Return whether an entity has a normal name; with `is_part`, one that contains it."""
    names = names_of(entity)
    return any(wanted in name for name in names) if is_part else wanted in names


def policies_of(entity: Entity) -> int:
    """Return how many versions of policies state an entity."""
    return len({span.version_id for span in entity.spans})


def chains(
    adjacent: Mapping[str, Collection[str]], source: str, target: str, *, max_hops: int
) -> list[tuple[str, ...]]:
    """Return at most `MOST` simple paths, the shortest first, then by their names.

    Args:
        adjacent: What is joined to each entity, in either direction.
        source: The first.
        target: The last.
        max_hops: Longest path, in relations.
    """
    if source == target or source not in adjacent or target not in adjacent:
        return []
    search = _Search(adjacent, target, max_hops)
    found: list[tuple[str, ...]] = []
    for length in range(1, max_hops + 1):
        found += islice(search.paths((source,), length), MOST - len(found))
    return found


class _Search:
    """Looks for paths to one target, through entities that are close enough to it."""

    def __init__(self, adjacent: Mapping[str, Collection[str]], target: str, max_hops: int) -> None:
        self._adjacent = adjacent
        self._target = target
        self._left = STEPS
        self._away = {target: 0}
        reached = [target]
        for hops in range(1, max_hops + 1):
            ends = {end for one in reached for end in adjacent.get(one, ())}
            reached = sorted(ends - set(self._away))
            self._away |= dict.fromkeys(reached, hops)

    def paths(self, path: tuple[str, ...], length: int) -> Iterator[tuple[str, ...]]:
        """Yield the paths that extend one by exactly this many relations, in order."""
        if not length:
            yield path
            return
        for end in sorted(self._adjacent.get(path[-1], ())):
            is_last = end == self._target
            if end in path or is_last != (length == 1) or self._away.get(end, length) >= length:
                continue
            self._left -= 1
            if self._left < 0:
                return
            yield from self.paths((*path, end), length - 1)
