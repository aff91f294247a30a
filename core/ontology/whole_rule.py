"""A finding's whole rule: the exceptions, conditions and other list items in its section.

A fact alone may state the opposite of its rule ("Gifts up to EUR 50 may be accepted." without
"However, this does not apply to public officials."). The sentences that limit or complete it are
added, in text order, each citable by itself and with its lead-in.
"""

import re
from collections.abc import Sequence
from itertools import dropwhile, islice

from core.domain.evidence import Context, Finding
from core.domain.ontology import SectionPassage, SectionRef
from core.language.lead_ins import (
    IntroducedUnit,
    ends_in_colon,
    introduced_units,
    lead_in_of,
    section_units,
)
from core.language.spans import Span, TextSpan, VersionId
from core.ports.knowledge import Knowledge

MOST_SECTIONS = 6
"""Sections that are read: those of the first findings."""
MOST_CHARACTERS = 1_200
"""Added from one section at most."""
MOST_OF_A_LIST = 600
"""Characters of a list whose other items are added to a finding."""
REACH = 30
"""Units between a finding and what may limit it: a section may be a whole document."""
_CITABLE = frozenset({"sentence", "item", "row"})
_LIMITS = re.compile(
    r"\b(?:however|unless|except(?:ions?|ing)?|exempt(?:ions?|ed)?|notwithstanding|provided that"
    r"|only (?:if|when|where|after|with)|other than|(?:do|does) not apply|this applies only"
    r"|save (?:for|that|where)|in (?:exceptional|special|limited) circumstances"
    r")\b|n['\u2019]t apply\b",
    re.IGNORECASE,
)
"""Words of a sentence that makes an exception or a condition. Of 21 matches beside facts of 171
published documents, 2 were wrong ("however small"). "Subject to" is left out: 3 of 3 were wrong
("subject to disciplinary action")."""


async def context_of(findings: Sequence[Finding], knowledge: Knowledge) -> tuple[Context, ...]:
    """Return the sentences that complete or limit findings in their sections.

    Args:
        findings: The most important first: the first `MOST_SECTIONS` sections are read.
        knowledge: Gives the sections, in scope.
    """
    ranks: dict[tuple[VersionId, str], int] = {}
    for finding in findings:
        ranks.setdefault(_section_of(finding), len(ranks))
    near = [one for one in findings if ranks[_section_of(one)] < MOST_SECTIONS]
    sections = await knowledge.sections_at([one.span for one in near]) if near else ()
    found: dict[Span, Context] = {}
    for section in sorted(sections, key=lambda one: ranks.get((one.version_id, one.eid), 0)):
        own = [one for one in near if _section_of(one) == (section.version_id, section.eid)]
        found |= {one.span: one for one in whole_rule(section, own)}
    return tuple(found.values())


def _section_of(finding: Finding) -> tuple[VersionId, str]:
    return finding.span.version_id, finding.place.eid


def whole_rule(section: SectionPassage, findings: Sequence[Finding]) -> list[Context]:
    """Return the other sentences of a section that belong to its findings' rules, in text order.

    If they are too long, those nearest to a finding are kept.
    """
    units = _units(section)
    own = [
        number
        for number, unit in enumerate(units)
        if any(_touch(_stored(section, unit.span), one.span) for one in findings)
    ]
    wanted = {
        number: min(abs(number - place) for place in own)
        for number in (_limiting(section, units, own) | _listed(section, units, own))
        if number not in own and units[number].kind in _CITABLE
    }
    chosen: list[int] = []
    size = 0
    for number in sorted(wanted, key=lambda number: (wanted[number], number)):
        unit = units[number].span
        if size + unit.char_end - unit.char_start <= MOST_CHARACTERS:
            size += unit.char_end - unit.char_start
            chosen.append(number)
    return [_context(section, units[number], findings[0].place) for number in sorted(chosen)]


def _units(section: SectionPassage) -> list[IntroducedUnit]:
    """Return the complete units of a section, each with its lead-ins."""
    text = section.text
    if section.body_start is not None:
        units = list(
            section_units(text, char_start=0, body_start=section.body_start, char_end=len(text))
        )
    else:
        first = dropwhile(
            lambda unit: unit.kind != "sentence", islice(introduced_units(text), 1, None)
        )
        units = list(first)
    return units[:-1] if section.is_cut else units


def _limiting(
    section: SectionPassage, units: Sequence[IntroducedUnit], own: Sequence[int]
) -> set[int]:
    """Return the units near findings that state, or introduce, an exception or a condition."""
    near = {number for place in own for number in range(place - REACH, place + REACH + 1)}
    return {
        number
        for number, unit in enumerate(units)
        if number in near
        and any(_LIMITS.search(one.of(section.text)) for one in (*unit.lead_ins, unit.span))
        and not ends_in_colon(unit.span.of(section.text))
    }


def _listed(
    section: SectionPassage, units: Sequence[IntroducedUnit], own: Sequence[int]
) -> set[int]:
    """Return the items that findings introduce, and the other items of their lists, if short.

    Rows of a table are about different things, so other rows are not added.
    """
    found: set[int] = set()
    for place in own:
        finding = units[place]
        found |= {number for number, unit in enumerate(units) if finding.span in unit.lead_ins}
        items = [
            number
            for number, unit in enumerate(units)
            if finding.kind == unit.kind == "item"
            and finding.lead_ins
            and unit.lead_ins == finding.lead_ins
            and not ends_in_colon(unit.span.of(section.text))
        ]
        if sum(len(units[number].span.of(section.text)) for number in items) <= MOST_OF_A_LIST:
            found.update(items)
    return found


def _context(section: SectionPassage, unit: IntroducedUnit, place: SectionRef) -> Context:
    chain = [_stored(section, one) for one in unit.lead_ins]
    texts = [one.of(section.text) for one in unit.lead_ins]
    return Context(
        span=_stored(section, unit.span),
        text=unit.span.of(section.text),
        place=place,
        lead_in=lead_in_of(
            section.version_id,
            (
                (span.char_start, span.char_end, text)
                for span, text in zip(chain, texts, strict=True)
            ),
        ),
    )


def _stored(section: SectionPassage, span: TextSpan) -> Span:
    return Span(
        version_id=section.version_id,
        char_start=section.char_start + span.char_start,
        char_end=section.char_start + span.char_end,
    )


def _touch(one: Span, other: Span) -> bool:
    return one.char_start < other.char_end and other.char_start < one.char_end
