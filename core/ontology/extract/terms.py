"""Defined terms, in sentences, tables, labelled lists and brackets; named systems and records."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.domain.ontology import EntityType
from core.language.text_cache import WordPattern, word_pattern
from core.ontology.extract.statements import Statement

_CAPITALISED = r"(?:[A-Z][\w/&-]*+\s(?:and\s(?=[A-Z]))?){1,4}"
_NOT_FIRST = r"(?!(?:The|This|That|All|Each|Any|A|An|If|When|No|Our|Your|Via|In|Of|To|And)\b)"
_PATTERNS: tuple[tuple[EntityType, WordPattern], ...] = (
    (
        EntityType.SYSTEM,
        word_pattern(
            rf"(?<![\w-]){_NOT_FIRST}{_CAPITALISED}(?:System|Platform|Portal|Tool|Database"
            rf"|Hotline|Application)\b"
            r"|\bConcur\b|\b(?:expense|document|learning|case|records|travel) management system\b"
            r"|\b(?:ethics|speak[- ]up|whistleblow(?:er|ing)) (?:hotline|line|portal|channel)\b",
            words="system platform portal tool database hotline application concur line channel",
            flags=re.NOFLAG,
        ),
    ),
    (
        EntityType.RECORD,
        word_pattern(
            rf"(?<![\w-]){_NOT_FIRST}{_CAPITALISED}(?:Form|Register|Log|Report|Certificate"
            rf"|Notice|Schedule|Statement)\b"
            r"|\b(?:(?<![a-z-])[a-z-]++ )?(?:register|logbook|audit trail)\b",
            words="form register log report certificate notice schedule statement logbook trail",
            flags=re.NOFLAG,
        ),
    ),
    (
        EntityType.RISK,
        word_pattern(
            r"\brisks? of (?:[a-z-]+(?:,? (?:and |or )?[a-z-]+){0,3})|\b[a-z]+ risks?\b",
            words="risk risks",
            flags=re.NOFLAG,
        ),
    ),
)
"""For each type what a mention looks like."""
_EMPTY_FIRST = re.compile(
    r"^(?:the|a|an|this|that|each|any|every|such|of|in|its|our|same|and|or|no|to|at|is|all|high"
    r"|low|their)\s",
    re.IGNORECASE,
)
_TOO_GENERAL = re.compile(r"(?:register|risks?|system|report|form|notice|log)$", re.IGNORECASE)
PROCESS_TITLE = re.compile(
    r"\b(?:process|procedure|workflow|how to|steps|reporting|approval)\b", re.IGNORECASE
)
"""A section under such a heading describes a process."""
_QUOTES = "\"\u201c\u201d\u201e\u2018\u2019'"
_VERB = r"(?:means?|shall mean|refers? to|is defined as|are defined as|has the meaning|denotes?)"
_DEFINES = "means mean refer refers defined meaning denote denotes"
_QUOTED = word_pattern(
    rf"^(?:In this policy,? |For the purposes? of [^,]+, |The term"
    rf" )?[{_QUOTES}](?P<term>[^{_QUOTES}]{{2,60}})[{_QUOTES}]"
    rf"(?:\s*\([^)]*\))?,?\s+{_VERB}\s+(?P<meaning>.{{3,}})",
    words=_DEFINES,
)
_UNQUOTED = word_pattern(
    r"^(?:an?\s|the\s)?(?P<term>[A-Z][\w/&' -]{1,50}?(?:\s\([A-Z]{2,6}\))?)"
    rf"\s+{_VERB}\s+(?P<meaning>.{{3,}})",
    words=_DEFINES,
)
_IS_A = re.compile(
    r"^(?:An?|The)?\s?(?P<term>[A-Za-z][\w/-]*(?:\s[\w/-]+){0,3}?)\s+(?:is"
    r"|are)\s+(?P<meaning>(?:an?|any|all|the)\s.{10,})"
)
_NOT_A_TERM = re.compile(
    r"\b(?:this|that|these|it|there|which|who|policy|purpose|following|aim|goal|approval"
    r"|decision|we|you|they"
    r"|not|must|shall|may|one|each|such|he|she|period|limit|deadline|address|objective|status"
    r"|result|list|also|only|simply|please|can|should|will)\b|\bto$",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"^(?P<term>[A-Z][\w/&'() -]{1,50}?)\s*(?::|\s[\u2013\u2014-])\s+(?P<meaning>.{8,})"
)
_DEFINING_TITLE = re.compile(
    r"\b(?:definitions?|glossary|interpretation|defined terms|key terms)\b", re.IGNORECASE
)
_DEFINING_HEADER = re.compile(r"\b(?:definitions?|meaning|description|explanation)\b")
_TERM_HEADER = re.compile(r"\b(?:terms?|word|expression|concept|abbreviation|acronym)\b")
_SHORT_FORM = re.compile(
    rf"(?<![A-Za-z0-9&.'-])(?P<meaning>(?:[A-Z][\w&.'-]{{0,40}}+|of|and|the|for|on)"
    rf"(?:\s(?:[A-Z][\w&.'-]{{0,40}}+|of|and|the|for|on|\d{{4}})){{0,8}})\s{{0,9}}"
    rf"\((?:the |each,? an? |together,? the |hereinafter,?"
    rf" )?[{_QUOTES}](?P<term>[A-Z][\w &-]{{1,40}})[{_QUOTES}]\)"
)
_SHORTEST_MEANING = 3
_LEGAL_FORMS = frozenset({"Limited", "Inc.", "Incorporated", "Ltd", "Ltd.", "LLC", "GmbH", "Corp."})


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A term and its meaning."""

    term: str
    """As defined, without quotes."""
    aliases: tuple[str, ...]
    """An abbreviation given with it."""
    meaning: str
    """Its meaning, in the text's words."""


def definitions_of(statement: Statement) -> Iterator[Definition]:
    """Yield the definitions of a statement."""
    if statement.kind == "row":
        yield from _of_row(statement)
        return
    own = _own(statement)
    if own is not None:
        yield own
    if "(" not in statement.words:
        return
    for match in _SHORT_FORM.finditer(statement.words):
        meaning = re.sub(r"^(?:of|and|the|for|on)\s", "", match["meaning"])
        if meaning in _LEGAL_FORMS:
            continue  # the rest of the name is hidden by brackets ("Example (Asia) Limited")
        if len(meaning) >= _SHORTEST_MEANING and meaning != match["term"]:
            yield Definition(term=match["term"], aliases=(), meaning=meaning)


def _own(statement: Statement) -> Definition | None:
    """Return the definition that a statement as a whole gives, if any."""
    is_defining = any(_DEFINING_TITLE.search(heading) for heading in statement.section.path)
    for pattern in (_QUOTED, _UNQUOTED):
        match = pattern.match(statement.words)
        if match and not _NOT_A_TERM.search(match["term"]):
            return _definition(match["term"], match["meaning"])
    match = _LABELLED.match(statement.words) if is_defining else None
    if match:
        return _definition(match["term"], match["meaning"])
    if not (is_defining or statement.words.startswith(("A ", "An "))):
        return None
    match = _IS_A.match(statement.words)
    if match and not _NOT_A_TERM.search(match["term"]):
        return _definition(match["term"], match["meaning"])
    return None


def _of_row(statement: Statement) -> Iterator[Definition]:
    """Yield the definition of a row of a table of terms."""
    if len(statement.cells) < len(("term", "meaning")):
        return
    term, meaning = statement.cells[:2]
    is_table = _TERM_HEADER.search(term.header) and _DEFINING_HEADER.search(meaning.header)
    if is_table and term.text and len(meaning.text) >= _SHORTEST_MEANING:
        yield _definition(term.text, meaning.text)


def _definition(term: str, meaning: str) -> Definition:
    short = re.search(r"(?:(?<!\s)\s++)?\(([A-Z][\w&/-]{1,8})\)", term)
    name = (term[: short.start()] + term[short.end() :] if short else term).strip(" " + _QUOTES)
    return Definition(term=name, aliases=(short[1],) if short else (), meaning=meaning.strip(" .;"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingMention:
    """A system, record or risk named in a text."""

    type: EntityType
    """SYSTEM, RECORD or RISK."""
    name: str
    """As named, without an article."""


def named_things(text: str) -> Iterator[ThingMention]:
    """Yield the systems, records and risks that `text` names."""
    for type_, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            name = match[0].strip()
            while _EMPTY_FIRST.match(name):
                name = _EMPTY_FIRST.sub("", name, count=1)
            if not _TOO_GENERAL.fullmatch(name):
                yield ThingMention(type=type_, name=name)
