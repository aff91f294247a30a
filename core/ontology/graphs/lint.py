"""Lint the policies: conflicts, dangling references, duplicates, isolated facts."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations

from core.domain.ontology import CrossReference, Entity, EntityType
from core.ontology.extract.policy_index import PolicyIndex
from core.ontology.extract.policy_names import is_self
from core.ontology.fact_words import normal_name
from core.ontology.graphs.conflicts import Conflict, find_conflicts
from core.ontology.graphs.graph import OntologyGraph

_NAMED = (EntityType.ROLE, EntityType.SYSTEM, EntityType.RECORD)
_NEAR = 0.92
_INTERNAL = re.compile(r"\bPolicy\b|^[A-Z]{2,5}-\d{2,4}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundReference:
    """A cross-reference with the policy and the words it was found in."""

    policy_key: str
    """The policy that contains it."""
    words: str
    """As written."""
    reference: CrossReference
    """The reference itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DanglingReference:
    """A reference to a policy or section that does not exist."""

    found: FoundReference
    """The reference."""
    reason: str
    """What is missing, in one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """Two entities of one type that may be the same."""

    first: Entity
    """One."""
    second: Entity
    """The other."""
    reason: str
    """Why they look alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What lint found."""

    counts: Mapping[EntityType, int]
    """Entities of each type."""
    conflicts: tuple[Conflict, ...]
    """Rules that contradict each other."""
    dangling: tuple[DanglingReference, ...]
    """References to policies or sections that do not exist."""
    duplicates: tuple[Duplicate, ...]
    """Entities that may be the same."""
    isolated: tuple[Entity, ...]
    """Entities without relations."""


def lint(
    graph: OntologyGraph, references: Sequence[FoundReference], policies: PolicyIndex
) -> Report:
    """Check a snapshot.

    Args:
        graph: The snapshot's graph.
        references: All cross-references of the snapshot's policies.
        policies: The snapshot's policies.
    """
    return Report(
        counts=graph.counts,
        conflicts=find_conflicts(graph),
        dangling=tuple(_dangling(references, policies)),
        duplicates=tuple(_duplicates(graph)),
        isolated=tuple(e for e in graph.snapshot.entities if not graph.neighbours(e.key)),
    )


def _dangling(
    references: Sequence[FoundReference], policies: PolicyIndex
) -> list[DanglingReference]:
    """Return the references to missing policies or sections; a missing law is no mistake."""
    found: list[DanglingReference] = []
    for each in references:
        named, number = each.reference.policy, each.reference.number
        key = each.policy_key if named is None else policies.policy_named(named)
        if key is None:
            if named and _INTERNAL.search(named) and not is_self(named):
                found.append(DanglingReference(found=each, reason=f"no policy is called {named!r}"))
        elif number is not None and policies.section_numbered(key, number) is None:
            reason = f"{policies.policies[key].title!r} has no section {number!r}"
            found.append(DanglingReference(found=each, reason=reason))
    return found


def _duplicates(graph: OntologyGraph) -> list[Duplicate]:
    """Return entities of nearly the same name, and terms that policies define differently."""
    found: list[Duplicate] = []
    for type_ in _NAMED:
        for first, second in combinations(graph.of_type(type_), 2):
            names = normal_name(first.name), normal_name(second.name)
            if _are_near(*names):
                reason = "the same name" if names[0] == names[1] else "nearly the same name"
                found.append(Duplicate(first=first, second=second, reason=reason))
    terms: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in graph.of_type(EntityType.DEFINITION):
        if not is_self(entity.name):
            terms[normal_name(entity.name)].append(entity)
    for entities in terms.values():
        for first, second in combinations(entities, 2):
            if first.attributes.get("meaning") != second.attributes.get("meaning"):
                reason = "one term, two meanings"
                found.append(Duplicate(first=first, second=second, reason=reason))
    return found


def _are_near(first: str, second: str) -> bool:
    """Return whether two names differ only in spelling."""
    if first == second:
        return True
    if abs(len(first) - len(second)) > 2 or first.split()[:1] != second.split()[:1]:  # noqa: PLR2004
        return False
    return SequenceMatcher(None, first, second).ratio() >= _NEAR
