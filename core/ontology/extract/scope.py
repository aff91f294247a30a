"""What a policy covers: whom and where it applies to, what it replaces, and its header."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.language.jurisdictions import NAMES, WRITTEN
from core.language.text_cache import word_pattern
from core.ontology.extract.policy_names import self_names
from core.ontology.extract.statements import Statement, clean

_WITHIN: Mapping[str, str] = {
    "EU": "European Union", "US-CA": "California", "US-NY": "New York", "US-TX": "Texas",
    "US-FL": "Florida", "US-IL": "Illinois", "US-WA": "Washington State", "US-MA": "Massachusetts",
    "US-NJ": "New Jersey", "US-CO": "Colorado", "US-VA": "Virginia", "US-DE": "Delaware",
}  # fmt: skip
"""Jurisdictions other than countries: ISO 3166-2 codes, and "EU", reserved there for the Union."""
_JURISDICTIONS: Mapping[str, str] = {**NAMES, **_WITHIN}
_ALIASES: Mapping[str, str] = {
    **{written: code for code, names in WRITTEN.items() for written in names},
    "EU": "EU",
    "E.U.": "EU",
    "EEA": "EU",
}
_CODES = {**{name: code for code, name in _JURISDICTIONS.items()}, **_ALIASES}
_NAMED = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(sorted(map(re.escape, _CODES), key=len, reverse=True))
    + r")(?![\w-])"
)
_IN_A_NAME = re.compile(
    r"\s(?:[A-Z][\w-]+\s){0,5}(?:Act|Code|Law|Convention|Directive|Regulation"
    r"|Senate|Congress|House|Treasury|Department)\b"
)
_NO_PLACE = re.compile(
    r"\s(?:or other\b|(?:federal |state )?(?:government|officials?|agenc(?:y|ies))\b)"
    r"|(?:,\s[^()]{1,40})?\)",
    re.IGNORECASE,
)
"""After a name that says whose somebody is, or whose list: a rule does not apply there."""
_IN = re.compile(
    r"(?<!traveling )(?<!travelling )(?<!travel )(?<!trips )\b(?:in|within|across|throughout|inside"
    r"|for)\s(?:the\s)?\Z|\A\W*\Z",
    re.IGNORECASE,
)
"""Before the place where a rule applies ("in Canada", "for Germany", "Spain: ...")."""
_OF_PEOPLE = re.compile(
    r"[\s-](?:based|employees?|staff|team\s?mates?|team members?|workers?|residents?|citizens?"
    r"|contractors?|interns?|offices?|entit(?:y|ies)|subsidiar(?:y|ies)|personnel|only)\b",
    re.IGNORECASE,
)
_OWNER = re.compile(
    r"^[^\w\n]*+(?:policy |document )?owner\W{0,30}[|:]\W{0,30}(?P<owner>[^|\n]{3,60})",
    re.IGNORECASE | re.MULTILINE,
)
_HEADER_CHARACTERS = 4_000
_REACH = 36
_APPLIES = word_pattern(
    r"\b(?:policy|supplement|(?:these|this|following) rules?|rulebook|code|guidelines?|standard"
    r"|procedure)\b[^.]{0,40}\b(?:applies"
    r"|is binding|is mandatory|extends|covers|is applicable)\b(?!\s+not\b)",
    words="applies binding mandatory extends covers applicable",
)
_NOT = word_pattern(
    r"\bdoes not (?:apply|cover|extend)\b|\bnot apply\b", words="apply cover extend"
)
_REPLACES = word_pattern(
    r"\b(?:replaces?|supersedes?|superseding|replacing)\s+(?:the\s+|all\s+)?"
    r"(?:(?P<title>(?:[A-Z][\w&-]*\s)(?:[\w&-]+\s){0,6}?(?:Policy|Procedure|Code|Rulebook"
    r"|Guidelines?))\s*,?\s*)?"
    r"(?:\(?(?:version|v\.?|edition)\s*(?P<version>\d+(?:\.\d+)*))?",
    words="replace replaces replacing supersede supersedes superseding",
    flags=re.NOFLAG,
)


_OF_ANOTHER = re.compile(r",\s(?:which|that) appl(?:y|ies)\b", re.IGNORECASE)
"""Where another policy is said to apply ("the Group's code, which applies to")."""


def applies_to(statement: Statement) -> bool:
    """Return whether a statement, or the list it is in, says whom the policy applies to."""
    if _NOT.search(statement.sentence) or _OF_ANOTHER.search(statement.sentence):
        return False
    return _APPLIES.search(statement.sentence) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersession:
    """What a policy replaces."""

    title: str
    """Title of another policy; empty for an earlier version of the same."""
    version: str
    """Label of the version; empty if not stated."""


def supersession_in(statement: Statement) -> Supersession | None:
    """Return what the policy replaces according to a statement, or None."""
    match = _REPLACES.search(statement.words)
    if match is None or not (match["title"] or match["version"]):
        return None
    return Supersession(title=match["title"] or "", version=match["version"] or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderFacts:
    """What the header states."""

    owner: str
    """The role that owns the policy; empty if not stated."""
    aliases: tuple[str, ...]
    """Identifier and short names of the policy."""


def header_facts(text: str) -> HeaderFacts:
    """Read the header of a document."""
    owner = _OWNER.search(clean_lines(text[:_HEADER_CHARACTERS]))
    return HeaderFacts(owner=owner["owner"].strip() if owner else "", aliases=self_names(text))


def clean_lines(text: str) -> str:
    """Return `text` without markup, line by line."""
    return "\n".join(clean(line) for line in text.split("\n"))


def jurisdictions(text: str) -> tuple[str, ...]:
    """Return the codes of the jurisdictions named in `text`, but not those in names of laws."""
    return tuple(dict.fromkeys(_CODES[match[0]] for match in _named(text)))


def where_bound(text: str) -> tuple[str, ...]:
    """Return the codes of the jurisdictions in which a rule applies, as its words say.

    That of a company, a currency or a time of day ("U.S. business hours") limits no rule.
    """
    found = [
        _CODES[match[0]]
        for match in _named(text)
        if _IN.search(text, max(0, match.start() - _REACH), match.start())
        or _OF_PEOPLE.match(text, match.end())
    ]
    return tuple(dict.fromkeys(found))


def _named(text: str) -> Iterator[re.Match[str]]:
    """Yield where jurisdictions are named."""
    for match in _NAMED.finditer(text):
        if not _IN_A_NAME.match(text, match.end()) and not _NO_PLACE.match(text, match.end()):
            yield match


def jurisdiction_name(code: str) -> str:
    """Return the name of a jurisdiction; the code itself if it is not known."""
    return _JURISDICTIONS.get(code.upper(), code.upper())


def jurisdiction_aliases(code: str) -> tuple[str, ...]:
    """Return other names of a jurisdiction."""
    return (code, *(alias for alias, of in _ALIASES.items() if of == code and alias != code))
