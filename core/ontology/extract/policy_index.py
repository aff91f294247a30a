"""Resolve cross-references: policies by their names, sections by their numbers.

A number is matched exactly, then in its other readings, then to the section that contains the
paragraph; never to a sibling. An ambiguous name resolves to no policy.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from core.domain.ontology import CrossReference
from core.language.text_cache import cached_by_text
from core.ontology.extract.policy_names import (
    NumberKey,
    ancestors,
    name_forms,
    number_key,
    readings,
)

_LONGEST_NAME = 300
_LEAST_SHARE = 0.7
_LEAST_LEAD = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedSection:
    """A section as references may refer to it."""

    eid: str
    """Identity within its version."""
    number: str | None
    """As printed; None if unnumbered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPolicy:
    """A policy as references may refer to it."""

    key: str
    """Its identity."""
    title: str
    """As shown to people."""
    aliases: tuple[str, ...] = ()
    """Other names: identifier ("FIN-003"), abbreviation ("GEN"), what the document calls itself."""
    sections: tuple[IndexedSection, ...] = ()
    """Its sections, by their ordinal."""


class ReferenceTarget(NamedTuple):
    """What a reference resolves to."""

    policy_key: str
    """The policy."""
    eid: str | None
    """The section; None: the policy as a whole."""


@dataclass(frozen=True, slots=True)
class PolicyIndex:
    """All policies that references may resolve to. Build it with `PolicyIndex.of`."""

    policies: Mapping[str, IndexedPolicy]
    """By key."""
    names: Mapping[str, frozenset[str]]
    """Form of a name to the keys of policies that have it."""
    numbers: Mapping[str, Mapping[NumberKey, str]]
    """Policy key to the eid of each reading of a section number."""

    @classmethod
    def of(cls, policies: Iterable[IndexedPolicy]) -> "PolicyIndex":
        """Build the index."""
        by_key = {policy.key: policy for policy in policies}
        names: defaultdict[str, set[str]] = defaultdict(set)
        for policy in by_key.values():
            for name in (policy.key, policy.title, *policy.aliases):
                for form in name_forms(name):
                    names[form].add(policy.key)
        return cls(
            policies=by_key,
            names={form: frozenset(keys) for form, keys in names.items()},
            numbers={key: _numbers(policy.sections) for key, policy in by_key.items()},
        )

    def policy_named(self, name: str) -> str | None:
        """Return the key of the one policy that has this name, in full or in part; else None."""
        for form in name_forms(name):
            keys = self.names.get(form, frozenset())
            if len(keys) == 1:
                return next(iter(keys))
        wanted = _core_words(name)
        if not wanted or name.isupper():
            return None
        partial = {
            policy.key: len(have)
            for policy in self.policies.values()
            if wanted <= (have := _core_words(policy.title))
        }
        least = min(partial.values(), default=0)
        nearest = [key for key, size in partial.items() if size == least]
        return nearest[0] if len(nearest) == 1 else None

    def with_sections(self, sections: Mapping[str, tuple[IndexedSection, ...]]) -> "PolicyIndex":
        """Return the index with the sections of some of its policies, by their keys."""
        own = {key: replace(self.policies[key], sections=given) for key, given in sections.items()}
        return replace(
            self,
            policies={**self.policies, **own},
            numbers={**self.numbers, **{key: _numbers(one.sections) for key, one in own.items()}},
        )

    def section_numbered(self, policy_key: str, number: str) -> str | None:
        """Return the eid of the section with a number in a policy, or None."""
        return _lookup(self.numbers.get(policy_key, {}), number_key(number))


class NameMatcher:
    """Tells which names may mean one policy, in full or in part, whatever others are called."""

    def __init__(self, *, names: Iterable[str], titles: Iterable[str]) -> None:
        self._forms = {form for name in names for form in name_forms(name)}
        self._titles = {_core_words(title) for title in titles}

    def may_mean(self, name: str) -> bool:
        """Return False if the policy makes no difference to `PolicyIndex.policy_named`."""
        words = _core_words(name)
        return not self._forms.isdisjoint(name_forms(name)) or (
            bool(words) and any(words <= have for have in self._titles)
        )


def resolve(
    reference: CrossReference, *, source_policy_key: str, policies: PolicyIndex
) -> ReferenceTarget | None:
    """Return the target of a reference; None if it is unknown, or the section that it is in.

    Args:
        reference: As found in the source.
        source_policy_key: The policy that contains it.
        policies: All policies, the source among them.
    """
    key = source_policy_key
    if reference.policy is not None:
        named = policies.policy_named(reference.policy)
        if named is None:
            return None
        key = named
    if reference.number is None:
        return None if key == source_policy_key else ReferenceTarget(key, None)
    eid = policies.section_numbered(key, reference.number)
    if eid is None:
        return None
    if key == source_policy_key:
        sections = policies.policies[key].sections
        own = (
            sections[reference.section_ordinal]
            if reference.section_ordinal < len(sections)
            else None
        )
        if own is not None and own.eid == eid:
            return None
    return ReferenceTarget(key, eid)


def with_inferred_names(
    index: PolicyIndex, mentions: Iterable[CrossReference], *, least_mentions: int = 4
) -> PolicyIndex:
    """Assign an unknown name to the one policy that has nearly all numbers mentioned with it.

    "COBS 17.8" and "COBS 22.10.1" refer to the policy with sections 17.8 and 22.10.1, although no
    document says what COBS is.
    """
    numbers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for mention in mentions:
        if mention.policy and mention.number and index.policy_named(mention.policy) is None:
            numbers[mention.policy][mention.number] += 1
    free = {
        key for key, policy in index.policies.items() if not any(map(_is_short, policy.aliases))
    }
    found: dict[str, str] = {}
    for name, counts in sorted(numbers.items(), key=lambda item: (-len(item[1]), item[0])):
        owner = _owner(index, free, list(counts)) if len(counts) >= least_mentions else None
        if owner is not None:
            found[owner] = name
            free.discard(owner)
    return PolicyIndex.of(
        replace(policy, aliases=(*policy.aliases, found[policy.key]))
        if policy.key in found
        else policy
        for policy in index.policies.values()
    )


@cached_by_text(longest=_LONGEST_NAME)
def _core_words(name: str) -> frozenset[str]:
    """Return the stems of a name without those words that many names share."""
    forms = name_forms(name)
    return frozenset(forms[-1].split()) if forms else frozenset()


def _is_short(alias: str) -> bool:
    """Return whether a name is an abbreviation; a policy has only one."""
    return alias.isupper() and alias.isalpha()


def _owner(index: PolicyIndex, free: Collection[str], numbers: Sequence[str]) -> str | None:
    """Return the one policy that has most of these numbers."""
    shares = sorted(
        (
            sum(index.section_numbered(key, number) is not None for number in numbers)
            / len(numbers),
            key,
        )
        for key in free
    )
    best = shares[-1] if shares else (0.0, "")
    second = shares[-2][0] if len(shares) > 1 else 0.0
    return best[1] if best[0] >= _LEAST_SHARE and best[0] - second >= _LEAST_LEAD else None


def _numbers(sections: Sequence[IndexedSection]) -> dict[NumberKey, str]:
    """Return the eid of each reading: full readings first, then earlier sections."""
    keys = [(section, readings(number_key(section.number or ""))) for section in sections]
    found: dict[NumberKey, str] = {}
    for depth in range(max((len(forms) for _, forms in keys), default=0)):
        for section, forms in keys:
            if depth < len(forms) and forms[depth]:
                found.setdefault(forms[depth], section.eid)
    return found


def _lookup(numbers: Mapping[NumberKey, str], key: NumberKey) -> str | None:
    """Return the eid of a key, of another reading, or of the section that contains it.

    A section may be indexed by its paragraphs alone; then the first of them counts.
    """
    for candidate in (key, (*key, "(1)"), *ancestors(key)):
        for reading in readings(candidate):
            if reading in numbers:
                return numbers[reading]
    return None
