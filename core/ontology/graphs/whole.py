"""A whole snapshot in memory, with the interface of the database: for evaluation and tests."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from core.domain.ontology import (
    NAMES,
    POLICIES,
    Entity,
    EntityKey,
    EntityList,
    EntityMatches,
    EntityType,
    Extent,
    Neighbourhood,
    Outline,
    Paths,
    Relation,
    RelationType,
    SectionPassage,
    SectionRef,
    Snapshot,
    SoughtWord,
    Stated,
    StatedFact,
)
from core.language.spans import Span
from core.ontology.fact_words import (
    STATED,
    FactWords,
    beginning,
    entity_words,
    is_of_one_policy,
    names_of,
    names_within,
    normal_name,
    pairs_of,
    read_with,
    section_words,
    stated_at,
    stems_of,
)
from core.ontology.graphs.conflicts import gives_way
from core.ontology.graphs.graph import build_graph
from core.ontology.graphs.ranking import (
    MOST_DEFINITIONS,
    best_of,
    chains,
    is_in_section,
    is_named,
    policies_of,
    rarities,
    titles_match,
)
from core.ports.knowledge import Direction


class WholeOntology:
    """See `core.ports.Knowledge` and `core.ports.Lookup`. Indexes are built when first used.

    A snapshot has no texts of sections; `texts` gives them.
    """

    def __init__(self, snapshot: Snapshot, texts: Sequence[SectionPassage] = ()) -> None:
        self.snapshot = snapshot
        self._texts = texts
        self._graph = build_graph(snapshot)

    @property
    def lookup(self) -> "WholeOntology":
        """See `Knowledge.lookup`."""
        return self

    @property
    def extent(self) -> Extent:
        """See `Knowledge.extent`."""
        return self._extent

    @cached_property
    def _extent(self) -> Extent:
        return Extent(
            edition=self.snapshot.edition,
            facts=sum(map(policies_of, self.snapshot.entities)),
            sections=len(self._sections),
            countries=frozenset(place.jurisdiction for place in self.snapshot.places.values()),
        )

    async def usage(self, stems: Collection[str], /) -> Mapping[str, int]:
        """See `Knowledge.usage`."""
        return {stem: self._usage[stem] for stem in stems if self._usage[stem]}

    async def facts(self, sought: Sequence[SoughtWord], /, *, limit: int) -> tuple[StatedFact, ...]:
        """See `Knowledge.facts`."""
        hits: Counter[int] = Counter()
        for word in sought:
            asked = {*word.words, f"{word.beginning}*" if word.beginning else ""}
            for number in {one for each in asked for one in self._postings.get(each, ())}:
                hits[number] += word.weight
        nearest = sorted(hits, key=lambda number: (-hits[number], number))[:limit]
        return tuple(self._facts[number] for number in nearest)

    async def definitions(self, pairs: Collection[str], /) -> Snapshot:
        """See `Knowledge.definitions`."""
        found = [
            entity
            for entity in self._graph.of_type(EntityType.DEFINITION)
            if not pairs_of(" ".join(self._quotes_of(entity))).isdisjoint(pairs)
        ]
        return self._part(found[:MOST_DEFINITIONS])

    async def entities(
        self,
        keys: Collection[EntityKey],
        /,
        *,
        at: Collection[Span] = (),
        ends: Collection[EntityType] = (),
    ) -> Snapshot:
        """See `Knowledge.entities`."""
        del at
        return self._with_ends({key for key in keys if key in self._graph.entities}, ends)

    async def touching(
        self,
        spans: Collection[Span],
        types: Collection[EntityType],
        /,
        *,
        ends: Collection[EntityType] = (),
    ) -> Snapshot:
        """See `Knowledge.touching`."""
        found = {
            entity.key
            for entity in self.snapshot.entities
            if entity.type in types
            and any(_touch(own, one) for own in entity.spans for one in spans)
        }
        return self._with_ends(found, ends)

    async def sections_at(self, spans: Collection[Span], /) -> tuple[SectionPassage, ...]:
        """See `Knowledge.sections_at`."""
        return tuple(one for one in self._texts if any(map(one.holds, spans)))

    async def role_names(self, text: str, /) -> tuple[str, ...]:
        """See `Knowledge.role_names`."""
        within = names_within(text)
        roles = self._graph.of_type(EntityType.ROLE)
        named = [role for role in roles if not names_of(role).isdisjoint(within)]
        return tuple(sorted({name for role in named for name in (role.name, *role.aliases)}))

    async def giving_way(self, policies: Collection[str], /) -> frozenset[str]:
        """See `Knowledge.giving_way`."""
        return frozenset(
            place.policy_key
            for span, place in self.snapshot.places.items()
            if place.policy_key in policies and gives_way(self._graph.quote(span), place)
        )

    async def outline(self) -> Outline:
        """See `Lookup.outline`."""
        places = self.snapshot.places.values()
        policies = sorted({(place.policy_title, place.jurisdiction or "") for place in places})
        return Outline(
            edition=self.snapshot.edition,
            policies=tuple(policies[:POLICIES]),
            policies_in_all=len(policies),
            counts=self._graph.counts,
            names={
                type_: tuple(sorted({one.name for one in self._graph.of_type(type_)})[:NAMES])
                for type_ in (EntityType.DEFINITION, EntityType.ROLE, EntityType.JURISDICTION)
            },
        )

    async def relation_counts(self) -> Mapping[RelationType, int]:
        """See `Lookup.relation_counts`."""
        return Counter(relation.type for relation in self.snapshot.relations)

    async def entity(self, key: str, /) -> Snapshot:
        """See `Lookup.entity`."""
        found = self._graph.get(key)
        return self._part([found] if found else [])

    async def listed(
        self, type_: EntityType | None, /, *, name: str = "", is_part: bool = False, limit: int
    ) -> EntityList:
        """See `Lookup.listed`."""
        wanted = normal_name(name)
        found = [
            entity
            for entity in self.snapshot.entities
            if (type_ is None or entity.type is type_)
            and (not name or (wanted and is_named(entity, wanted, is_part=is_part)))
        ]
        if is_part:
            found.sort(key=lambda entity: (len(entity.name), entity.key))
        return EntityList(part=self._part(found[:limit]), count=len(found))

    async def search(
        self, query: str, types: Collection[EntityType] = (), /, *, limit: int
    ) -> EntityMatches:
        """See `Lookup.search`."""
        wanted = stems_of(query)
        own = {word: self._frequency[word] for word in wanted}
        rarity = rarities(wanted, own, among=sum(map(_is_own, self.snapshot.entities)))
        keys = {key for word in wanted for key in self._by_word.get(word, ())}
        among = [
            entity
            for entity in self.snapshot.entities
            if entity.key in keys and (not types or entity.type in types)
        ]
        return best_of(self._part(among), rarity, limit=limit)

    async def neighbours(
        self,
        key: EntityKey,
        /,
        *,
        direction: Direction = "both",
        type_: RelationType | None = None,
        limit: int,
    ) -> Neighbourhood:
        """See `Lookup.neighbours`."""
        found = self._graph.neighbours(key, direction, (type_,) if type_ else ())
        ends = {one.entity.key: one.entity for one in found}
        shown = {one.key: one for one in [*self._of((key,)), *list(ends.values())[:limit]]}
        relations = [one.relation for one in found][:limit]
        ends_of = [end for one in relations for end in (one.source, one.target)]
        shown |= {one.key: one for one in self._of(ends_of)}
        part = self._part(list(shown.values()), relations)
        return Neighbourhood(part=part, entities=len(ends), relations=len(found))

    async def paths(self, source: EntityKey, target: EntityKey, /, *, max_hops: int) -> Paths:
        """See `Lookup.paths`."""
        adjacent: defaultdict[str, set[str]] = defaultdict(set)
        joining: dict[tuple[str, str], Relation] = {}
        for one in self.snapshot.relations:
            adjacent[one.source].add(one.target)
            adjacent[one.target].add(one.source)
            joining.setdefault((one.source, one.target), one)
        found = chains(adjacent, source, target, max_hops=max_hops)
        steps = [
            [joining.get(ends) or joining[ends[1], ends[0]] for ends in pairwise(path)]
            for path in found
        ]
        part = self._part(
            self._of(dict.fromkeys(EntityKey(key) for path in found for key in path)),
            list({(s.source, s.type, s.target): s for path in steps for s in path}.values()),
        )
        return Paths(
            part=part,
            chains=tuple(tuple((s.source, s.type, s.target) for s in path) for path in steps),
        )

    async def policies_named(self, name: str, /) -> tuple[str, ...]:
        """See `Lookup.policies_named`."""
        titles = {place.policy_key: place.policy_title for place in self.snapshot.places.values()}
        wanted = name.removeprefix("policy:")
        if wanted in titles:
            return (wanted,)
        named = await self.listed(EntityType.POLICY, name=name, limit=len(titles))
        keys = {one.key.removeprefix("policy:") for one in named.part.entities} & set(titles)
        return tuple(sorted(keys or {key for key in titles if titles_match(name, titles[key])}))

    async def stated(
        self, policies: Collection[str], section: str, types: Collection[EntityType], /, limit: int
    ) -> Stated:
        """See `Lookup.stated`."""
        first: dict[EntityKey, Span] = {}
        for entity in self.snapshot.entities:
            if entity.type in types:
                within = [
                    span
                    for span in entity.spans
                    if is_in_section(self.snapshot.places[span], policies, section)
                ]
                if within:
                    first[entity.key] = min(within)
        keys = sorted(first, key=lambda key: (first[key].version_id, first[key].char_start, key))
        counts = Counter(entity.type for entity in self._of(keys))
        return Stated(part=self._part(self._of(keys[:limit])), counts=counts)

    async def section_numbers(self, policies: Collection[str], /, *, limit: int) -> tuple[str, ...]:
        """See `Lookup.section_numbers`."""
        found: dict[str, None] = {}
        for _, place in sorted(self.snapshot.places.items(), key=lambda item: item[0]):
            if place.policy_key in policies and place.number:
                found[place.number] = None
        return tuple(found)[:limit]

    def _of(self, keys: Iterable[str]) -> list[Entity]:
        return [one for key in keys if (one := self._graph.get(key)) is not None]

    def _quotes_of(self, entity: Entity) -> list[str]:
        return [self._graph.quote(span) for span in entity.spans]

    def _places_of(self, entity: Entity) -> list[SectionRef]:
        return [self.snapshot.places[span] for span in entity.spans if span in self.snapshot.places]

    def _part(self, entities: Sequence[Entity], relations: Sequence[Relation] = ()) -> Snapshot:
        said = dict.fromkeys(span for one in (*entities, *relations) for span in one.spans)
        return replace(
            self.snapshot,
            entities=tuple(entities),
            relations=tuple(relations),
            quotes={span: self.snapshot.quotes[span] for span in said},
            places={span: self.snapshot.places[span] for span in said},
            lead_ins={span: one for span, one in self.snapshot.lead_ins.items() if span in said},
        )

    def _with_ends(self, keys: Collection[str], ends: Collection[EntityType]) -> Snapshot:
        entities = dict.fromkeys(one.key for one in self.snapshot.entities if one.key in keys)
        relations: list[Relation] = []
        for one in self.snapshot.relations if ends else ():
            for own, other in ((one.source, one.target), (one.target, one.source)):
                if own in keys and self._graph.entities[other].type in ends:
                    relations.append(one)
                    entities[other] = None
                    break
        return self._part(self._of(entities), relations)

    @cached_property
    def _sections(self) -> Mapping[tuple[str, str], frozenset[str]]:
        texts: dict[tuple[str, str], frozenset[str]] = {}
        # Where a reference leads may change with each publication; what a section says does not.
        stated = (one for one in self.snapshot.relations if one.type is not RelationType.REFERENCES)
        said = {span for one in (*self.snapshot.entities, *stated) for span in one.spans}
        for span, place in self.snapshot.places.items():
            if span not in said:
                continue
            known = texts.get((place.policy_key, place.eid), frozenset())
            lead_in = self.snapshot.lead_ins.get(span)
            words = stems_of(read_with(lead_in, self._graph.quote(span)))
            texts[place.policy_key, place.eid] = known | words | section_words(place)
        return texts

    @cached_property
    def _usage(self) -> Counter[str]:
        return Counter(word for words in self._sections.values() for word in words)

    @cached_property
    def _facts(self) -> Sequence[StatedFact]:
        known = self.snapshot
        return [
            StatedFact(
                entity=entity.key,
                span=span,
                sentence=said.sentence,
                heading=said.heading,
                title=said.title,
            )
            for entity in known.entities
            if entity.type in STATED
            for span in stated_at(entity.spans, known.quotes, known.lead_ins)
            for said in [
                FactWords.of(known.quotes[span], known.places[span], known.lead_ins.get(span))
            ]
        ]

    @cached_property
    def _postings(self) -> Mapping[str, Sequence[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, fact in enumerate(self._facts):
            words = fact.sentence | fact.heading | fact.title
            for word in words | {f"{beginning(word)}*" for word in words if beginning(word)}:
                found[word].append(number)
        return found

    @cached_property
    def _by_word(self) -> Mapping[str, Sequence[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for entity in self.snapshot.entities:
            for word in entity_words(entity, self._places_of(entity)):
                found[word].append(entity.key)
        return found

    @cached_property
    def _frequency(self) -> Counter[str]:
        return Counter(
            {word: sum(map(is_of_one_policy, keys)) for word, keys in self._by_word.items()}
        )


def _is_own(entity: Entity) -> bool:
    return is_of_one_policy(entity.key)


def _touch(one: Span, other: Span) -> bool:
    return (
        one.version_id == other.version_id
        and one.char_start < other.char_end
        and other.char_start < one.char_end
    )
