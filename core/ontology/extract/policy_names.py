"""How texts refer to policies and sections: titles, identifiers, abbreviations, numbers."""

import re
from typing import TypeAlias

from core.expressions import expression
from core.language.content_words import stem, words
from core.language.text_cache import cached_by_text

NumberKey: TypeAlias = tuple[str, ...]
"""The atoms of a section number; empty if there are none."""
_INVISIBLE = expression("[\u200e\u200f\u200b\u00ad*]")
_NAMED = expression(
    r"(annex|appendix|app|schedule|article|part|chapter)\.?\s*([A-Z]?\d+[A-Z]?|[IVXLC]+\b|[A-Z]\b)",
    re.IGNORECASE,
)
_PLAIN = expression(
    r"^(?:the\s+)?(?:sections?|secs?\.?|\u00a7+|rules?|clauses?|paragraphs?|paras?\.?|regulations?"
    r"|requirements?|steps?|guidance(?=\s+\d))\s*",
    re.IGNORECASE,
)
_ATOM = expression(r"\(([^()\s]{1,6})\)|([^\s.()]+)(\))?")
_STRUCTURE = ("part", "chapter")
_SPELLING = {"app": "annex", "appendix": "annex"}
SHORT_NAME = (
    r"(?!(?:EUR|USD|GBP|CHF|AED|JPY|INR|CAD|AUD|ISO|IEC|RULE|RULES|PART|THE|AND|FOR|VP|HR|IT|ID"
    r"|NO)\b)"
    r"[A-Z][A-Z]{2,6}"
)
"""An abbreviation that may stand for a policy ("GEN", "FSMR")."""
_IDENTIFIER = r"(?:[A-Z]{2,5}-\d{2,4})"
KIND = (
    r"(?:Policy|Policies|Rulebook|Rules|Regulations?|Act"
    r"|Code(?:\s[Oo]f\s(?:Business\s)?(?:Conduct|Ethics))?"
    r"|Guidelines?|Procedures?|Standards?|Manual|Directive|Handbook|Law|Supplement|Convention)"
)
"""The last word of a policy's title."""
_TITLE_WORD = r"(?:[A-Z][\w'\u2019&/-]{0,60}+)"
_NOT_FIRST = (
    r"(?!(?:See|The|This|That|Under|In|All|Any|Each|Our|If|When|Where|With|And|Of|Both|Such|These"
    r"|Other|Per|By|For|To|A|An)\b)"
)
_TITLE = (
    rf"(?:{_NOT_FIRST}{_TITLE_WORD}(?:,?\s(?:and|of|the|for|on|in|to|&)(?=\s)|,?\s{_TITLE_WORD}"
    rf"|\s?\(\d{{4}}\)){{0,8}}?"
    rf"\s{KIND}\b(?!\s(?:ID|Owner|Title|Number|Statement)\b)(?:\s(?:19|20)\d\d)?)"
)
FULL_NAME = (
    rf"(?:(?:Policy\s)?{_IDENTIFIER}(?:\s?\({_TITLE}\)|:\s{_TITLE})?|{_TITLE}(?:\s\({_IDENTIFIER}\))?"
    rf"|{_IDENTIFIER})"
)
"""A policy's title or identifier in running text; to be compiled case-sensitively."""
NAME = rf"(?:{FULL_NAME}|{SHORT_NAME})"
"""The same, or an abbreviation."""
_SELF = expression(
    r"(?:(?:.*\b(?:of|under|to|interprets)\s)?"
    r"(?:this|that|our|such|the|these|those|the same|each|any|all|see|under|to|of|final)\s+)?"
    r"(?:policy|policies|rulebook|rules?|regulations?|act|code|procedures?|guidelines?"
    r"|standards?|manual"
    r"|handbook|law|supplement|guidance)",
    re.IGNORECASE,
)
_ARTICLE = expression(
    r"^(?:The|the|This|Under|See|In|All|Any|Each|Our|Group's|Company's|If|When|Where|With|And|Of"
    r"|Subject to|Both|Such|These|Other|Per|By|For|To)\s+(?=[A-Z])"
)
_EMPTY = frozenset(
    ("the", "of", "and", "on", "for", "a", "in", "to", "policy", "rulebook", "rules")
)
_IDENTIFIED = expression(rf"(?:Policy\s)?({_IDENTIFIER})(?:\s?\(|:\s)?({_TITLE})?\)?$")
_QUOTED = r"[\"\u201c\u2018']([^\"\u201d\u2019'\n]{2,40})[\"\u201d\u2019']"
_SAID = (
    expression(
        r"(?i:this) (?:[A-Z]\w+ ){0,3}(?:Rulebook|Policy|Code|Manual|Document|Guide)"
        rf"\s*\(\s*(?:the\s)?{_QUOTED}\s*\)"
    ),
    expression(
        r"(?i:this document is called|these (?:rules|regulations) may be cited as) the "
        rf"([A-Z][\w ,&-]{{3,80}}?)(?: \({_QUOTED}\))?(?:\.|,| and)"
    ),
    expression(r"(?i:policy (?:id|number|no\.?|code))[\s*|:]{1,12}([A-Z]{2,6}-\d{1,4})\b"),
    expression(rf"(?:purpose of|This is) the ([A-Z][\w ]{{3,60}}?) \({_QUOTED}\)"),
)
_SAID_WITHIN = 6_000
_NAMES_KEPT = 16_384
_LONGEST_NAME = 300


def number_key(number: str) -> NumberKey:
    """Return the comparable key of a section number, as printed or as referred to."""
    text = _PLAIN.sub("", _INVISIBLE.sub("", number).strip())
    atoms: list[str] = []
    position = 0
    while position < len(text):
        named = _NAMED.match(text, position)
        if named and (position == 0 or not text[position - 1].isalnum()):
            word = named[1].casefold()
            atoms.append(f"{_SPELLING.get(word, word)} {named[2].casefold()}")
            position = named.end()
            continue
        atom = _ATOM.match(text, position)
        if atom is None:
            position += 1
            continue
        if atom[1]:
            atoms.append(f"({atom[1].casefold()})")
        else:
            closed = bool(atom[3]) and bool(atoms)
            atoms.append(f"({atom[2].casefold()})" if closed else atom[2].casefold())
        position = atom.end()
    return tuple(atoms)


def readings(key: NumberKey) -> tuple[NumberKey, ...]:
    """Return the keys by which a section may be referred to, the fullest first.

    Parts and chapters only group sections with continuous numbers; an annex may be left out too if
    its items carry its number ("App 4", "A4.3.2").
    """
    found = [key]
    if key and len(key) > 1:
        through = tuple(atom for atom in key[:-1] if not atom.startswith(_STRUCTURE)) + key[-1:]
        found.append(through)
        if through[0].startswith("annex ") and through[1] == "a" + through[0].split()[1]:
            found.append(through[1:])
        if through[0].startswith("article "):
            found.append((through[0].split()[1], *through[1:]))
    elif key and key[0].startswith(("article ", "chapter ", "part ")):
        found.append((key[0].split()[1],))
    return tuple(dict.fromkeys(found))


def ancestors(key: NumberKey) -> list[NumberKey]:
    """Return the keys of the sections that contain a paragraph, innermost first."""
    found: list[NumberKey] = []
    while len(key) > 1 and key[-1].startswith("("):
        key = key[:-1]
        found.append(key)
    return found


def is_self(name: str) -> bool:
    """Return whether a name refers to the text that it is in ("this Policy")."""
    return _SELF.fullmatch(name.strip()) is not None


def without_article(name: str) -> str:
    """Return the name without an article or another word at the beginning of its sentence."""
    while True:
        match = _ARTICLE.match(name)
        if match is None:
            return name
        name = name[match.end() :]


@cached_by_text(entries=_NAMES_KEPT, longest=_LONGEST_NAME)
def name_forms(name: str) -> tuple[str, ...]:
    """Return the comparable forms of a policy's name, the fullest first."""
    identified = _IDENTIFIED.fullmatch(name.strip())
    forms = [" ".join(words(name))]
    if identified:
        forms = [
            identified[1].casefold(),
            *([" ".join(words(identified[2]))] if identified[2] else []),
        ]
    short = [" ".join(stem(word) for word in form.split() if word not in _EMPTY) for form in forms]
    return tuple(dict.fromkeys(form for form in (*forms, *short) if form))


def self_names(text: str) -> tuple[str, ...]:
    """Return the names that a document gives itself near its beginning: identifier, title."""
    opening = text[:_SAID_WITHIN]
    found = [
        group.strip()
        for pattern in _SAID
        for match in pattern.finditer(opening)
        for group in match.groups()
        if group and not is_self(group)
    ]
    return tuple(dict.fromkeys(found))
