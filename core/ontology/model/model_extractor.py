"""Extract facts by rules and by a model, which reads section by section.

- A section is read once: the model's proposals are stored, and the next run reads the rest.
- Stored proposals are checked against the text again each time, by the current checks.
- A section that can't be read is left to the rules and reported. After several failures in a row no
  more sections are sent: the cause is not in the sections.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Final

from core.domain.errors import TransientError
from core.domain.ontology import (
    EntityKey,
    EntityType,
    ExtractedEntity,
    Extraction,
)
from core.domain.proposals import ProposedFacts
from core.domain.run import total_cost, total_tokens
from core.ontology.extract.entities import Collector, slug
from core.ontology.extract.roles import abbreviations
from core.ontology.extract.rule_extractor import extract
from core.ontology.extract.statements import clean
from core.ontology.model.proposals import CheckedFacts, check, fits
from core.ontology.model.quotes import SectionPart, parts_of
from core.ports.extraction import (
    Extracted,
    ExtractedSections,
    NotRead,
    ReadingPlan,
    ReadingReport,
    ReadingUse,
    SectionInput,
    SectionReader,
    SectionReading,
    SourceDocument,
    UnreadSection,
)

_NAMED_TYPES = frozenset(
    {
        EntityType.POLICY,
        EntityType.ROLE,
        EntityType.PROCESS,
        EntityType.JURISDICTION,
        EntityType.RECORD,
        EntityType.SYSTEM,
        EntityType.RISK,
    }
)
"""Types whose entities are identified by name. Not definitions: a role may also be defined."""
FAILURES_IN_A_ROW: Final = 5
"""After this many failures in a row the rest of the sections is not sent."""


def _ignore(_heading: str) -> None:
    """Ignore the heading of a section that is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    """A document, and its parts as the model reads them."""

    source: SourceDocument
    parts: tuple[SectionPart, ...]
    texts: tuple[SectionInput, ...]
    known_roles: Mapping[str, str]

    def check(self, place: int, proposed: ProposedFacts) -> CheckedFacts:
        return check(
            proposed,
            self.source.text,
            self.parts[place],
            policy_key=self.source.policy_key,
            abbreviations=self.known_roles,
        )


@dataclass(slots=True, eq=False)
class ModelExtractor:
    """See `core.ports.extraction.Extractor`. One for a run, whose use it counts.

    At most `in_flight` sections are read at a time, from 1; `on_section` is called with the heading
    of each section that is done.
    """

    rereads = True

    reader: SectionReader
    sections: ExtractedSections
    _: KW_ONLY
    in_flight: int
    on_section: Callable[[str], None] = _ignore
    _failures: int = field(default=0, init=False)
    _use: ReadingUse = field(default_factory=ReadingUse, init=False)

    @property
    def use(self) -> ReadingUse:
        """Sections, tokens and costs so far."""
        return self._use

    async def plan(self, document: SourceDocument, /) -> ReadingPlan:
        """Return what reading would take, without calling the model."""
        opened = await asyncio.to_thread(_opened, document)
        missing = _missing(opened, await self._kept(opened))
        tokens = [self.reader.estimate(opened.texts[place]) for place in missing]
        costs = [self.reader.price(one) for one in tokens]
        return ReadingPlan(
            parts=len(opened.parts),
            to_read=len(missing),
            tokens=total_tokens(tokens),
            cost_usd=total_cost(costs),
        )

    async def extract(self, document: SourceDocument, /) -> Extracted:
        """See `Extractor.extract`.

        Raises:
            TransientError: What was read can't be stored; earlier sections are.
        """
        opened = await asyncio.to_thread(_opened, document)
        kept = await self._kept(opened)
        missing = _missing(opened, kept)
        unread = await self._read_all(opened, missing, kept)
        rules = await asyncio.to_thread(extract, document)
        return await asyncio.to_thread(
            self._finish, opened, rules, kept, read=len(missing) - len(unread), unread=unread
        )

    async def _kept(self, opened: _Document) -> dict[bytes, ProposedFacts]:
        keys = list(dict.fromkeys(text.sha256 for text in opened.texts))
        return await self.sections.find(keys, model=self.reader.model, prompt=self.reader.prompt)

    async def _read_all(
        self, opened: _Document, missing: Sequence[int], kept: dict[bytes, ProposedFacts]
    ) -> dict[bytes, str]:
        """Read what is missing into `kept`; return why parts were not read, by their hash."""
        unread: dict[bytes, str] = {}
        open_places = iter(missing)

        async def work(places: Iterator[int]) -> None:
            for place in places:
                text = opened.texts[place]
                found = await self._read(opened, place)
                if isinstance(found, str):
                    unread[text.sha256] = found
                else:
                    kept[text.sha256] = found
                self.on_section(opened.parts[place].heading)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.in_flight, len(missing))):
                    group.create_task(work(open_places))
        except ExceptionGroup as errors:
            first = errors.exceptions[0]
            raise (first if isinstance(first, TransientError) else errors) from errors
        return unread

    async def _read(self, opened: _Document, place: int) -> ProposedFacts | str:
        """Read one part, and store the proposals at once; else return why it was not read."""
        if self._failures >= FAILURES_IN_A_ROW:
            return f"not asked for, after {FAILURES_IN_A_ROW} failures in a row"
        text = opened.texts[place]
        reading = await self.reader.read(text)
        self._count(reading)
        if isinstance(reading, NotRead):
            self._failures += 1
            return reading.reason
        self._failures = 0
        checked = await asyncio.to_thread(opened.check, place, reading.proposals)
        await self.sections.put(
            text.sha256,
            reading,
            model=self.reader.model,
            prompt=self.reader.prompt,
            dropped=checked.dropped,
        )
        return reading.proposals

    def _count(self, reading: SectionReading | NotRead) -> None:
        use = self._use
        self._use = replace(
            use,
            read=use.read + isinstance(reading, SectionReading),
            refused=use.refused + reading.refused,
            tokens=total_tokens([use.tokens, reading.tokens]),
            cost_usd=total_cost([use.cost_usd, reading.cost_usd]),
        )

    def _finish(
        self,
        opened: _Document,
        rules: Extraction,
        kept: Mapping[bytes, ProposedFacts],
        *,
        read: int,
        unread: Mapping[bytes, str],
    ) -> Extracted:
        """Merge the facts of all parts, in text order."""
        checked = [
            opened.check(place, kept[text.sha256])
            for place, text in enumerate(opened.texts)
            if text.sha256 in kept
        ]
        both = merge_facts(rules, checked)
        dropped: Counter[str] = Counter()
        for one in checked:
            dropped.update(one.dropped)
        left = [
            UnreadSection(heading=part.heading, reason=unread[text.sha256])
            for part, text in zip(opened.parts, opened.texts, strict=True)
            if text.sha256 in unread
        ]
        return Extracted(
            extraction=both,
            by=f"{self.reader.model} {self.reader.prompt}",
            report=ReadingReport(
                parts=len(opened.parts),
                read=read,
                kept=len(opened.parts) - read - len(left),
                unread=tuple(left),
                entities=len(both.entities) - len(rules.entities),
                relations=len(both.relations) - len(rules.relations),
                dropped=dict(sorted(dropped.items())),
            ),
        )


def _missing(opened: _Document, kept: Mapping[bytes, ProposedFacts]) -> list[int]:
    """Return the parts to be read; of equal parts the first."""
    first: dict[bytes, int] = {}
    for place, text in enumerate(opened.texts):
        if text.sha256 not in kept:
            first.setdefault(text.sha256, place)
    return list(first.values())


def _opened(source: SourceDocument) -> _Document:
    parts = parts_of(source.text, source.sections)
    return _Document(
        source=source,
        parts=parts,
        texts=tuple(
            SectionInput(title=source.title, path=part.section.path, text=part.span.of(source.text))
            for part in parts
        ),
        known_roles=abbreviations(clean(source.text)),
    )


def merge_facts(rules: Extraction, readings: Iterable[CheckedFacts]) -> Extraction:
    """Return the facts of the rules with those of a model, whose sections are in text order."""
    collector = Collector()
    names: dict[str, ExtractedEntity] = {}
    types: dict[EntityKey, EntityType] = {}
    for entity in rules.entities:
        _collect(collector, entity)
        types[entity.key] = entity.type
        if entity.type in _NAMED_TYPES:
            for name in (entity.name, *entity.aliases):
                names.setdefault(slug(name, singular=True), entity)
    known = frozenset(types)
    for relation in rules.relations:
        collector.relation(relation.source, relation.type, relation.target, relation.spans)
    for reading in readings:
        moved: dict[EntityKey, EntityKey] = {}
        for entity in reading.entities:
            same = _same(entity, names, types)
            moved[entity.key] = same.key
            _collect(collector, replace(entity, key=same.key, type=same.type))
            types.setdefault(same.key, same.type)
        new = [entity for entity in reading.entities if moved[entity.key] not in known]
        added = [relation for entity in new for relation in reading.default_relations[entity.key]]
        for relation in (*reading.relations, *added):
            source = moved.get(relation.source, relation.source)
            target = moved.get(relation.target, relation.target)
            if {source, target} <= types.keys() and fits(
                relation.type, types[source], types[target]
            ):
                collector.relation(source, relation.type, target, relation.spans)
    return Extraction(
        entities=collector.entities(),
        relations=collector.relations(),
        references=rules.references,
    )


def _same(
    entity: ExtractedEntity,
    names: dict[str, ExtractedEntity],
    types: dict[EntityKey, EntityType],
) -> ExtractedEntity:
    """Return the known entity of the same key or name, else the entity itself."""
    if entity.type not in _NAMED_TYPES or entity.key in types:
        return entity
    return names.setdefault(slug(entity.name, singular=True), entity)


def _collect(collector: Collector, entity: ExtractedEntity) -> None:
    collector.entity(
        entity.key,
        entity.type,
        entity.name,
        entity.spans,
        aliases=entity.aliases,
        description=entity.description,
        attributes=entity.attributes,
    )
