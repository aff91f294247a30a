"""Snapshots of small policies, without a database."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.ontology import (
    Entity,
    EntityKey,
    Extraction,
    Relation,
    SectionPassage,
    SectionRef,
    Snapshot,
)
from core.domain.policy import Section
from core.language.lead_ins import LeadIn, lead_in_of, section_units
from core.language.spans import Span, TextSpan, VersionId
from core.ontology.extract.rule_extractor import extract
from core.ports.extraction import SourceDocument
from tests.unit.ontology.markdown import sections_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One policy as text."""

    key: str
    title: str
    text: str
    jurisdiction: str | None = None

    def extraction(self) -> Extraction:
        return extract(
            SourceDocument(
                text=self.text,
                sections=sections_of(self.text),
                policy_key=self.key,
                title=self.title,
                jurisdiction=self.jurisdiction,
            )
        )


def snapshot_of(*sources: Source) -> Snapshot:
    """Return what a store would give for these policies."""
    entities: dict[EntityKey, Entity] = {}
    relations: dict[tuple[str, str, str], Relation] = {}
    quotes: dict[Span, str] = {}
    places: dict[Span, SectionRef] = {}
    lead_ins: dict[Span, LeadIn] = {}
    for number, source in enumerate(sources, start=1):
        sections = sections_of(source.text)

        def stored(
            spans: Sequence[TextSpan],
            version: int = number,
            of: Source = source,
            known: Sequence[Section] = sections,
        ) -> tuple[Span, ...]:
            found = [_span(version, span) for span in spans]
            for span, local in zip(found, spans, strict=True):
                quotes[span] = local.of(of.text)
                places[span] = _place(of, known, local)
                introduced = _lead_in(of, known, span)
                lead_ins.update({span: introduced} if introduced else {})
            return tuple(found)

        read = source.extraction()
        for fact in read.entities:
            spans = stored(fact.spans)
            known = entities.get(fact.key)
            entities[fact.key] = (
                replace(known, spans=(*known.spans, *spans))
                if known
                else Entity(
                    key=fact.key,
                    type=fact.type,
                    name=fact.name,
                    aliases=fact.aliases,
                    description=fact.description,
                    attributes=fact.attributes,
                    spans=spans,
                )
            )
        for link in read.relations:
            relations[link.source, link.type, link.target] = Relation(
                source=link.source,
                type=link.type,
                target=link.target,
                attributes=link.attributes,
                spans=stored(link.spans),
            )
    return Snapshot(
        edition=1,
        entities=tuple(entities.values()),
        relations=tuple(relations.values()),
        quotes=quotes,
        places=places,
        lead_ins=lead_ins,
    )


def texts_of(*sources: Source) -> tuple[SectionPassage, ...]:
    """Return the sections' texts that a store would read for these policies."""
    return tuple(
        SectionPassage(
            version_id=VersionId(number),
            eid=section.eid,
            char_start=section.char_start,
            text=source.text[section.char_start : section.char_end],
            body_start=section.body_start - section.char_start,
            is_cut=False,
        )
        for number, source in enumerate(sources, start=1)
        for section in sections_of(source.text)
    )


def _lead_in(source: Source, sections: Sequence[Section], span: Span) -> LeadIn | None:
    for section in sections:
        bounds = section.char_start, section.body_start, section.char_end
        for unit in section_units(
            source.text, char_start=bounds[0], body_start=bounds[1], char_end=bounds[2]
        ):
            if unit.span.char_start <= span.char_start < unit.span.char_end:
                chain = [
                    (one.char_start, one.char_end, one.of(source.text)) for one in unit.lead_ins
                ]
                return lead_in_of(span.version_id, chain)
    return None


def _span(version: int, span: TextSpan) -> Span:
    return Span(version_id=VersionId(version), char_start=span.char_start, char_end=span.char_end)


def _place(source: Source, sections: Sequence[Section], span: TextSpan) -> SectionRef:
    own = [section for section in sections if section.char_start <= span.char_start]
    section = own[-1] if own else None
    return SectionRef(
        policy_key=source.key,
        policy_title=source.title,
        version_label=None,
        jurisdiction=source.jurisdiction,
        eid=section.eid if section else "body",
        number=section.number if section else None,
        title=section.title if section else "",
        page=None,
    )
