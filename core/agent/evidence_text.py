"""Evidence as the extractive reasoner reads it: a passage a section, cut into quotable units."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.agent.planning.intent import Facets, facets_of
from core.domain.evidence import EvidenceItem
from core.domain.ontology import SectionRef
from core.expressions import expression
from core.grounding.bindings import CandidateText, bindings, is_contradicted, unnamed
from core.language.content_words import content_words
from core.language.lead_ins import units_of
from core.language.sentences import ends_sentence, is_cut_off
from core.language.spans import Span, VersionId

_ITEM = re.compile(r"\s*(?:[-*\u2022\u25aa]|\(?[a-z0-9ivx]{1,4}[.)])\s")
_MARKED = re.compile(r"\s*(?:[^\w\s\"'\u201c\u2018(\[]|[(\[]?\w{1,4}[.)\]])\s")
"""Any list item, remark or heading of Markdown: its end is not that of a sentence."""
_FEWEST_WORDS = 6
"""A shorter unit may be a heading, which ends in any word: "Who to turn to". Of 16,122 units of 186
policies that others wrote, 5 are taken for pieces of sentences, and 4 of them are."""
_FIRST_PERSON = re.compile(r"\b(?:I|my|me)\b")
_CELLS = " | "
_PARAGRAPH = expression(r"\n[^\S\n]*\n")
_ASIDE = expression(
    r"\W*(?:(?:for )?(?:example|beispiel)|case study|specimen)(?: \w{1,4})?\s?:"
    r"|\W*(?:system |hidden )?(?:note|message|instructions?) (?:to|for) (?:the |all |any )?"
    r"(?:ai|llm|language model|chatbot|bot|(?:ai )?assistant)s?\b"
    r"|.{0,40}\b(?:ignore|disregard|forget) (?:all |any |the |your )*"
    r"(?:previous|prior|above|earlier|preceding) (?:instruction|prompt|rule|text)"
    r"|.{0,40}\b(?:answer every question|always (?:answer|reply|respond)) (?:with|that)\b",
    re.IGNORECASE,
)
"""How a paragraph begins that is no rule: an example, or a sentence for machines. Of 169 workplace
policies that others wrote nine lines begin so, all of them examples."""
_PRINTED_QUESTION = expression(r"\W*(?:q(?:uestion)?|f(?:rage)?)\s?\d*\s?[.:)]", re.IGNORECASE)
"""A question of a list of questions and answers: what follows answers it, and nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotableUnit:
    """One quotable sentence, list item or table row."""

    span: Span
    """Where it stands."""
    text: str
    """Its stored text."""
    key: str
    """The evidence item it was read from."""
    words: frozenset[str]
    """Its stems, with those of the sentence or header row that introduces it."""
    lead_in: "QuotableUnit | None" = None
    """The sentence that introduces a list, or the header row of a table, with its own lead-in; None
    if it stands by itself."""
    is_fact: bool = False
    """True if the ontology holds it."""
    introduces: bool = False
    """True for the header row of a table: it says nothing by itself."""
    is_part: bool = False
    """True for a piece of a sentence that the file's layout tore apart: half a rule is none."""
    is_story: bool = False
    """True for what is no rule: what somebody tells before a question ("I have a small business.
    May I ...?"), an example, or a sentence for machines."""

    @property
    def lead_ins(self) -> "tuple[QuotableUnit, ...]":
        """All that introduces it, outermost first."""
        return (*self.lead_in.lead_ins, self.lead_in) if self.lead_in else ()

    @property
    def asks(self) -> bool:
        """True for a question with its story, as policies print them with answers."""
        return self.is_story or self.text.rstrip(' "\u201d)').endswith("?")

    @property
    def is_row(self) -> bool:
        """True for a table row."""
        return _CELLS in self.text

    @property
    def is_item(self) -> bool:
        """True for a list item."""
        return _ITEM.match(self.text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePassage:
    """The evidence from one section."""

    version_id: VersionId
    """The version."""
    place: SectionRef
    """The section."""
    units: tuple[QuotableUnit, ...]
    """In text order, without the heading."""
    heading: frozenset[str]
    """Stems of the section's heading."""
    above: frozenset[str]
    """Stems of the headings above the section's own."""
    title: frozenset[str]
    """Stems of the policy's title."""
    words: frozenset[str]
    """Stems of all units."""
    facets: Facets
    """Country and employment that the policy or the heading names."""
    relevance: float
    """Calibrated relevance of its best chunk, 0 for a passage of findings alone."""
    lexical_score: float
    """BM25 share of its best chunk, 0 for a passage of findings alone."""
    dense_score: float
    """Cosine of its best chunk, 0 for a passage of findings alone."""


def candidate_of(passage: EvidencePassage, unit: QuotableUnit) -> CandidateText:
    """Return a unit as it is held against what a question binds."""
    header = unit.lead_in if unit.is_row and unit.lead_in and unit.lead_in.is_row else None
    place = passage.place
    return CandidateText(
        text=unit.text,
        lead_in=" ".join(lead.text for lead in unit.lead_ins if lead is not header),
        header=header.text if header else "",
        around="\n".join((place.policy_title, *place.path, place.title)),
        table=(passage.version_id, header.span) if header else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Applying:
    """The evidence, and what of it is the rule of something else than is asked."""

    passages: tuple[EvidencePassage, ...]
    """What is left, by section."""
    others: frozenset[Span]
    """Where what is left out stands."""
    unnamed: tuple[str, ...]
    """What the question names where texts name others of its kind, and none names it."""


def applying(asked: str, items: Sequence[EvidenceItem]) -> Applying:
    """Leave out the rule of another plant, amount or row than a question is about."""
    passages = passages_of(items)
    pairs = [(passage, unit) for passage in passages for unit in passage.units]
    read = bindings(asked, [candidate_of(*pair) for pair in pairs])
    others = frozenset(
        unit.span for (_, unit), found in zip(pairs, read, strict=True) if is_contradicted(found)
    )
    kept = (
        replace(passage, units=tuple(unit for unit in passage.units if unit.span not in others))
        for passage in passages
    )
    return Applying(passages=tuple(kept), others=others, unnamed=unnamed(read))


def passages_of(items: Sequence[EvidenceItem]) -> list[EvidencePassage]:
    """Group evidence by section, best-ranked section first."""
    groups: dict[tuple[VersionId, str], list[EvidenceItem]] = {}
    for item in items:
        groups.setdefault(section_of(item), []).append(item)
    return [_passage(group) for group in groups.values()]


def section_of(item: EvidenceItem) -> tuple[VersionId, str]:
    """Return which section of which version a piece of evidence is from."""
    return item.span.version_id, item.place.eid


def _passage(items: list[EvidenceItem]) -> EvidencePassage:
    place = items[0].place
    units = _merged([unit for item in items for unit in _units(item)])
    heading = f"{place.number or ''} {place.title}"
    named = facets_of(" ".join((*place.path[-2:], place.title)))
    return EvidencePassage(
        version_id=items[0].span.version_id,
        place=place,
        units=units,
        heading=content_words(heading),
        above=content_words(" ".join(place.path[:-1])),
        title=content_words(place.policy_title),
        words=frozenset[str]().union(*(unit.words for unit in units)),
        facets=Facets(
            jurisdictions=named.jurisdictions
            or (frozenset({place.jurisdiction}) if place.jurisdiction else frozenset()),
            employments=named.employments,
        ),
        relevance=max(item.relevance or 0.0 for item in items),
        lexical_score=max(item.lexical_score or 0.0 for item in items),
        dense_score=max(item.dense_score or 0.0 for item in items),
    )


def _units(item: EvidenceItem) -> list[QuotableUnit]:
    units: list[QuotableUnit] = []
    above = _above(item)
    question: QuotableUnit | None = None
    is_aside, end = False, 0
    for read in units_of(item.text):
        start, text = read.span.char_start, read.span.of(item.text)
        is_aside &= not _PARAGRAPH.search(item.text, end, start)
        is_aside |= _ASIDE.match(text) is not None
        end = read.span.char_end
        skipped = _printed_number(text, item.place) if item.kind == "chunk" else 0
        start, text = start + skipped, text[skipped:]
        if not text.strip() or read.kind == "rule" or _is_heading(text, item.place):
            continue
        unit = replace(_unit(item, start, text), is_story=is_aside)
        if _PRINTED_QUESTION.match(text):
            question = unit if unit.asks else None
        if above and units and not (unit.is_row or read.kind == "item"):
            above = []
        if above and unit.is_row and above[-1].is_row:
            leads = above
        elif read.kind == "header":
            unit, leads = replace(unit, introduces=True), list[QuotableUnit]()
        else:
            own = [_unit(item, lead.char_start, lead.of(item.text)) for lead in read.lead_ins]
            leads = above + own
        if question is not None and question is not unit and not leads:
            leads = [question]
        units.append(_introduced(unit, leads))
    return _with_parts(units)


def _unit(item: EvidenceItem, start: int, text: str) -> QuotableUnit:
    return QuotableUnit(
        span=Span(
            version_id=item.span.version_id,
            char_start=item.span.char_start + start,
            char_end=item.span.char_start + start + len(text),
        ),
        text=text,
        key=item.key,
        words=content_words(text),
        is_fact=item.kind == "finding",
    )


def _introduced(unit: QuotableUnit, leads: Sequence[QuotableUnit]) -> QuotableUnit:
    """Return a unit with what introduces it, outermost first, and the words of all of it."""
    lead_in: QuotableUnit | None = None
    for lead in leads:
        lead_in = replace(lead, lead_in=lead_in)
    words = frozenset[str]().union(unit.words, *(lead.words for lead in leads))
    return replace(unit, lead_in=lead_in, words=words)


def _above(item: EvidenceItem) -> list[QuotableUnit]:
    """Return what introduces a list item or table row with which a piece of evidence begins."""
    chain = item.lead_in.chain if item.lead_in else ()
    return [
        QuotableUnit(
            span=one.span,
            text=one.text,
            key=item.key,
            words=content_words(one.text),
            introduces=True,
        )
        for one in chain
    ]


def _with_parts(units: Sequence[QuotableUnit]) -> list[QuotableUnit]:
    """Mark fragments of sentences, and what is told before a printed question."""
    torn = [False] * len(units)
    for place, unit in enumerate(units):
        following = units[place + 1] if place + 1 < len(units) else None
        if _is_plain(unit) and _goes_on(unit, following):
            torn[place] = True
            if following is not None and _is_plain(following):
                torn[place + 1] = True
    parted = [replace(unit, is_part=is_torn) for unit, is_torn in zip(units, torn, strict=True)]
    for place in range(len(parted) - 2, -1, -1):
        if parted[place + 1].asks and _FIRST_PERSON.search(parted[place].text):
            parted[place] = replace(parted[place], is_story=True)
    return parted


def _is_plain(unit: QuotableUnit) -> bool:
    return not unit.is_row and _MARKED.match(unit.text) is None


def _goes_on(unit: QuotableUnit, following: QuotableUnit | None) -> bool:
    """Say whether a sentence stops here without its end."""
    if ends_sentence(unit.text) or (following is not None and not _is_plain(following)):
        return False
    is_continued = following is not None and following.text[0].islower()
    return is_continued or (is_cut_off(unit.text) and len(unit.text.split()) >= _FEWEST_WORDS)


def _printed_number(text: str, place: SectionRef) -> int:
    """Return how many characters at the beginning are the section's own number."""
    if place.number is None or place.title:
        return 0
    found = re.match(rf"\s*{re.escape(place.number)}[.)]?\s+", text)
    return found.end() if found else 0


def _is_heading(text: str, place: SectionRef) -> bool:
    folded = " ".join(text.split()).casefold().strip(".: ")
    title = " ".join(place.title.split()).casefold().strip(".: ")
    number = (place.number or "").casefold()
    return (
        bool(title) and folded in {title, f"{number} {title}", f"{number}. {title}"}
    ) or folded == number


def _merged(units: list[QuotableUnit]) -> tuple[QuotableUnit, ...]:
    """Keep each stretch once, in text order.

    A longer unit before a part of it, a stated fact marked as such.
    """
    kept: list[QuotableUnit] = []
    for unit in sorted(
        units, key=lambda one: (one.span.char_start, -one.span.char_end, one.is_fact)
    ):
        last = kept[-1] if kept else None
        if last is not None and unit.span.char_end <= last.span.char_end:
            if unit.span == last.span and last.lead_in is None:
                # A passage may begin amid a list, the ontology knows what introduces it.
                last = replace(last, lead_in=unit.lead_in, words=last.words | unit.words)
            kept[-1] = replace(last, is_fact=last.is_fact or unit.is_fact)
            continue
        if last is not None and unit.span.char_start < last.span.char_end:
            continue
        kept.append(unit)
    return tuple(kept)
