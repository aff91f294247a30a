"""What is quoted or stated of a policy as a whole: facts, lists and summaries as claims. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.agent.reply.text_blocks import BULLET
from core.domain.answer import Citation, Claim, ShownClaim
from core.domain.policy_facts import FactKind, PolicyExcerpt, PolicyFacts, statements
from core.expressions import expression
from core.language.lead_ins import introduced_units
from core.language.modality import Modality, modality
from core.language.people import addressees
from core.language.spans import Span

RULES = 6
"""Rules that a summary quotes at most."""
_RULE = range(25, 400)
"""Characters of a sentence that is quoted in a summary."""
_PURPOSE = expression(r"\b(?:purpose|introduction|overview|objectives?|aims?)\b", re.IGNORECASE)
"""Headings of what a policy is for."""
_OPENING = 5
"""Sections among which a sentence that says it is looked for, where no heading promises one."""
_BESIDE = expression(
    r"\b(?:definitions?|glossary|references?|related|revision|history|contents|contacts?|owner"
    r"|review|version|approv\w+ of this|appendix|annex|questions)\b",
    re.IGNORECASE,
)
"""Headings of what is not among a policy's rules."""
_SETS_OUT = expression(
    r"\b(?:polic(?:y|ies)|code|guidelines?|standard|procedure|document|handbook)\b.{0,60}?"
    r"\b(?:set(?:s)? out|describes?|appl(?:y|ies)|explains?|covers?|defines?|aims?|purpose"
    r"|establish\w*|outlines?|provides?|is (?:intended|meant|designed)|governs?)\b"
    r"|\bpurpose of th(?:is|e)\b|\bthis (?:policy|code|document|standard|procedure)\b",
    re.IGNORECASE,
)
_LEANING = expression(
    r"(?:they|these|this(?! (?:policy|code|document|standard))|it|he|she|such|those|that|however"
    r"|therefore|otherwise|(?:in|above|below|within|beyond|over|under|for|to|of|after|before|during)"
    r" (?:this|that|such|these|those)(?! (?:policy|code|document|standard))"
    r"|the same|also|but|and|then|here|there)\b",
    re.IGNORECASE,
)
"""How a sentence begins that points to the one before it."""
_CONDITIONAL = expression(r"(?:if|where|when|unless|except\w*|after|before)\b", re.IGNORECASE)
"""How a rule begins that holds in some cases alone."""
_STRICT = frozenset({Modality.MUST, Modality.MUST_NOT})


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryExcerpt:
    """What a summary quotes of a policy."""

    claims: tuple[tuple[Span, str], ...]
    """The sentence that says what the policy is for, if there is one, and first rules of its
    sections, in text order; each as it is stored."""
    sections: int
    """Sections of the policy that have rules."""
    quoted: int
    """Those of them of which one is quoted."""


def fact_claims(
    kinds: Sequence[FactKind], facts: PolicyFacts, key: str, heading: str
) -> Iterator[tuple[FactKind, Claim]]:
    """Yield what is asked of a policy as claims that cite its heading, each sentence once."""
    citation = Citation(key=key, span=facts.heading, quote=heading)
    said = statements(facts)
    seen: set[str] = set()
    for kind in kinds:
        for sentence in said.get(kind, ()):
            if sentence not in seen:
                seen.add(sentence)
                yield kind, Claim(text=sentence, citations=(citation,))


def excerpt_of(sections: Sequence[PolicyExcerpt]) -> SummaryExcerpt:
    """Choose what a policy is for, and the first rule of each of its main sections.

    Of more sections than can be quoted, some are taken in even steps through the text: none of
    them is known to be the most important.
    """
    purpose = _purpose_of(sections)
    rules: dict[str, tuple[Span, str]] = {}
    for section in sections:
        chapter = section.path[min(1, len(section.path) - 1)] if section.path else section.title
        if chapter in rules or _BESIDE.search(section.title) or _BESIDE.search(chapter):
            continue
        found = _first_rule(section, but=purpose)
        if found is not None:
            rules[chapter] = found
    chosen = _spread(list(rules.values()), RULES - 1 if purpose else RULES)
    return SummaryExcerpt(
        claims=(*([purpose] if purpose else []), *chosen), sections=len(rules), quoted=len(chosen)
    )


def list_text(first: str, shown: Sequence[ShownClaim], *, labels: Sequence[str] = ()) -> str:
    """Return claims as a list, each with its marks, and a label before it where there is one."""
    lines = [first]
    for place, claim in enumerate(shown):
        label = f"{labels[place]}: " if labels and labels[place] else ""
        marks = "".join(f"[{number}]" for number in claim.numbers)
        lines.append(f"{BULLET}{label}{' '.join(claim.text.split())} {marks}")
    return "\n".join(lines)


def _purpose_of(sections: Sequence[PolicyExcerpt]) -> tuple[Span, str] | None:
    headed = [section for section in sections if _PURPOSE.search(section.title)]
    for section in (*headed, *sections[:_OPENING]):
        for span, said in _sentences(section):
            if _SETS_OUT.search(said):
                return span, said
    return next((one for section in headed for one in _sentences(section)), None)


def _first_rule(section: PolicyExcerpt, *, but: tuple[Span, str] | None) -> tuple[Span, str] | None:
    """Return a section's first rule: for everybody before one group's, a duty before a right."""
    rules = [
        (
            bool(addressees(said) or _CONDITIONAL.match(said)),
            modality(said) not in _STRICT,
            place,
            (span, said),
        )
        for place, (span, said) in enumerate(_sentences(section))
        if (span, said) != but and modality(said) is not Modality.NONE
    ]
    return min(rules, key=lambda one: one[:3])[3] if rules else None


def _sentences(section: PolicyExcerpt) -> Iterator[tuple[Span, str]]:
    """Yield the sentences of a section that stand by themselves, where they are whole."""
    end = len(section.text)
    for unit in introduced_units(section.text):
        said = unit.span.of(section.text)
        stands = unit.kind == "sentence" and not unit.lead_ins and not said.rstrip().endswith(":")
        is_whole = unit.span.char_end < end or said.rstrip().endswith((".", "!"))
        if stands and is_whole and len(said) in _RULE and _is_alone(said):
            start = section.span.char_start
            yield (
                Span(
                    version_id=section.span.version_id,
                    char_start=start + unit.span.char_start,
                    char_end=start + unit.span.char_end,
                ),
                said,
            )


def _is_alone(said: str) -> bool:
    """Say whether a sentence can be understood without the one before it."""
    return said[:1].isupper() and _LEANING.match(said) is None


def _spread(rules: Sequence[tuple[Span, str]], most: int) -> list[tuple[Span, str]]:
    if len(rules) <= most:
        return list(rules)
    return [rules[place * len(rules) // most] for place in range(most)]
