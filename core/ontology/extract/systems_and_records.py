"""Systems, records, processes and risks that a text names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.domain.ontology import EntityType

_CAPITALISED = r"(?:[A-Z][\w/&-]*+\s(?:and\s(?=[A-Z]))?){1,4}"
_NOT_FIRST = r"(?!(?:The|This|That|All|Each|Any|A|An|If|When|No|Our|Your|Via|In|Of|To|And)\b)"
_PATTERNS: tuple[tuple[EntityType, re.Pattern[str]], ...] = (
    (
        EntityType.SYSTEM,
        re.compile(
            rf"(?<![\w-]){_NOT_FIRST}{_CAPITALISED}(?:System|Platform|Portal|Tool|Database"
            rf"|Hotline|Application)\b"
            r"|\bConcur\b|\b(?:expense|document|learning|case|records|travel) management system\b"
            r"|\b(?:ethics|speak[- ]up|whistleblow(?:er|ing)) (?:hotline|line|portal|channel)\b",
        ),
    ),
    (
        EntityType.RECORD,
        re.compile(
            rf"(?<![\w-]){_NOT_FIRST}{_CAPITALISED}(?:Form|Register|Log|Report|Certificate"
            rf"|Notice|Schedule|Statement)\b"
            r"|\b(?:(?<![a-z-])[a-z-]++ )?(?:register|logbook|audit trail)\b",
        ),
    ),
    (
        EntityType.RISK,
        re.compile(r"\brisks? of (?:[a-z-]+(?:,? (?:and |or )?[a-z-]+){0,3})|\b[a-z]+ risks?\b"),
    ),
)
_EMPTY_FIRST = re.compile(
    r"^(?:the|a|an|this|that|each|any|every|such|of|in|its|our|same|and|or|no|to|at|is|all|high"
    r"|low|their)\s",
    re.IGNORECASE,
)
_TOO_GENERAL = re.compile(r"(?:register|risks?|system|report|form|notice|log)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """A thing named in a text."""

    type: EntityType
    """SYSTEM, RECORD or RISK."""
    name: str
    """As named, without an article."""


def things(text: str) -> Iterator[Thing]:
    """Yield the systems, records and risks that `text` names."""
    for type_, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            name = match[0].strip()
            while _EMPTY_FIRST.match(name):
                name = _EMPTY_FIRST.sub("", name, count=1)
            if not _TOO_GENERAL.fullmatch(name):
                yield Thing(type=type_, name=name)


PROCESS_TITLE = re.compile(
    r"\b(?:process|procedure|workflow|how to|steps|reporting|approval)\b", re.IGNORECASE
)
"""A section under such a heading describes a process."""
