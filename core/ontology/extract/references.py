"""Cross-references as written: "section 4.2 of the Gifts Policy", "GEN 3.3.31", "Rules 4.1 to 4.3".

- Lists and ranges give one reference for each number, with the same span.
- "Of that policy", and a bare section number that the document does not have, refer to the policy
  named before.
- References are resolved in `policy_index`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.domain.ontology import CrossReference
from core.domain.policy import Section
from core.language.spans import TextSpan
from core.ontology.extract.policy_names import (
    FULL_NAME,
    KIND,
    NAME,
    SHORT_NAME,
    ancestors,
    is_self,
    number_key,
    readings,
    without_article,
)

_GAP = r"[\s\u200e\u200f\u00a0*]{1,4}"
_PARENS = r"(?:\.?[\s\u200e]?\([0-9A-Za-z]{1,5}\))"
_NUMBER = rf"(?:[A-Z]{{0,2}}\d+[A-Z]{{0,2}}(?:\.[A-Z]?\d+[A-Z]{{0,2}})*{_PARENS}*)"
_LETTER = r"(?:[IVX]+\b|[A-Z]\b)"
_PLACE = (
    r"(?i:rules?|(?:sub)?sections?|secs?\.|\u00a7{1,2}|clauses?|paragraphs?|paras?\.?|articles?"
    r"|arts?\.|regulations?"
    r"|requirements?|procedures?|steps?)"
)
_HOLDER = r"(?i:chapters?|parts?|annex(?:es)?|appendix|appendices|app\.?|schedules?)"
_COUNTED = (
    r"(?!\d|\.\d|\s?(?:[%\u20ac$\u00a3]|(?:business |working |calendar )?"
    r"(?i:hours?|days?|weeks?|months?|years?|per\s?cent|percent)\b))"
)
_JOIN = (
    r"(?:\s?,\s?(?:and\s|or\s)?|\s(?:and|or|to|through|&)\s|\s?[\u2013\u2014/-]\s?|\s?,?\sand/or\s)"
)
_MORE = rf"(?:{_JOIN}\u200e?(?:{_NUMBER}{_COUNTED}|\([0-9A-Za-z]{{1,5}}\)))"
_NUMBERS = rf"\u200e?{_NUMBER}{_COUNTED}{_MORE}*"
_HOLDER_NUMBERS = rf"(?:{_NUMBERS}|{_LETTER}(?:{_JOIN}{_LETTER})*)"
_ENCLOSING = rf"(?:\s(?:of|in|to)\s(?:the\s)?(?P<holder>{_HOLDER}\s?(?:\d+[A-Z]?|{_LETTER})))?"
_OF = (
    rf"(?:,?\s(?:of|in|to|under)\s(?:the\s)?(?P<after>{NAME}"
    r"|(?:that|the same|this)\s(?i:policy|rulebook|regulation|act|code)))?"
)
_BEFORE = (
    rf"(?:(?=[A-Z(])(?P<before>(?<![A-Za-z0-9-]){NAME}|\({SHORT_NAME}\))[ \u00a0\u200e*]{{1,4}})?"
)

_BEGINS = r"(?=[A-Z(\u00a7]|(?<!\w)[rscpa\u017f][acehlnprtuACEHLNPRTU])"
"""How a name or one of the words above begins: else both are tried at each letter."""
_REFERENCE = re.compile(
    rf"{_BEGINS}{_BEFORE}(?:\b(?P<place>{_PLACE})(?:{_GAP}|(?<=\u00a7)|(?<=\.))(?P<numbers>{_NUMBERS})"
    rf"|\b(?P<named>{_HOLDER})\s?(?P<holder_numbers>{_HOLDER_NUMBERS}))"
    rf"{_ENCLOSING}{_OF}(?P<abbreviation>\s{SHORT_NAME}\b(?!\s(?i:rules?|section|\d)))?"
)
_SHORT = re.compile(
    rf"\b(?P<policy>{SHORT_NAME})[ \u00a0](?P<numbers>\d+(?:\.\d+[A-Z]?)+{_PARENS}*{_MORE}*)"
)
_BARE = re.compile(
    r"\b(?i:see|subject to|under|in accordance with|pursuant to|purposes? of)\s\u200e?"
    rf"(?P<numbers>\d+(?:\.\d+)+{_PARENS}*{_COUNTED}{_MORE}*)(?!\s?[A-Za-z]*\u20ac)"
)
_WHOLE = re.compile(rf"(?<![\w-])(?P<name>{FULL_NAME})(?![\w-])")
_PARAGRAPH = "\n\n"
_PATTERNS: tuple[tuple[re.Pattern[str], tuple[re.Pattern[str], ...]], ...] = (
    (_REFERENCE, ()),
    (_SHORT, (re.compile(r"[A-Z]{3}[ \u00a0]\d"),)),
    (_BARE, (re.compile(r"\d\.\d"),)),
    (_WHOLE, (re.compile(KIND), re.compile(r"[A-Z]-\d"))),
)
"""Each kind of reference in order of precedence, and of what it contains at least one, where a
search for that is quicker and saves most paragraphs the slow one."""
_PIECE = re.compile(
    rf"(?P<join>{_JOIN})?\u200e?(?P<number>{_NUMBER}|{_LETTER}|\([0-9A-Za-z]{{1,5}}\))"
)
_RANGE = re.compile(r"to|through|[\u2013\u2014-]")
_RANGE_LIMIT = 40
_LAST_DIGITS = re.compile(r"(.*?)(\d{1,9})(\)?)")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class _Mention:
    """A reference before its policy is determined."""

    span: TextSpan
    place: str
    policy: str | None
    numbers: tuple[str, ...]


def reference_numbers(text: str) -> list[str]:
    """Return the section numbers that a text names ("Rules 4.1 to 4.3": three), in order."""
    return [number for mention in _mentions(text) for number in mention.numbers]


def find_references(text: str, sections: Sequence[Section]) -> tuple[CrossReference, ...]:
    """Return the references of `text`, in text order.

    Args:
        text: The whole text of one document.
        sections: Its sections; headings are not searched. May be empty.
    """
    starts = [section.char_start for section in sections]
    own = {key for section in sections for key in readings(number_key(section.number or ""))}
    named_before: str | None = None
    section_law: str | None = None
    found: list[CrossReference] = []
    for mention in _mentions(text):
        ordinal = max(0, bisect_right(starts, mention.span.char_start) - 1)
        if sections and _is_heading(sections[ordinal], mention.span):
            continue
        policy = mention.policy
        if policy is not None and is_self(policy):
            policy = named_before if policy.startswith(("that", "the same")) else None
        elif policy is not None:
            named_before = policy
            section_law = policy if mention.place == "section" else section_law
        for number in mention.numbers or (None,):
            target = policy
            if policy is None and number and mention.place == "section" and own:
                target = None if _is_own(number, own) else section_law
            if target is not None or number is not None:
                found.append(
                    CrossReference(
                        span=mention.span,
                        section_ordinal=sections[ordinal].ordinal if sections else 0,
                        policy=target,
                        number=number,
                    )
                )
    return tuple(found)


def _is_heading(section: Section, span: TextSpan) -> bool:
    """Return whether a span is in the section's heading line."""
    has_heading = section.body_start > section.char_start
    return has_heading and span.char_start < section.body_start <= section.char_end


def _is_own(number: str, own: set[tuple[str, ...]]) -> bool:
    """Return whether the document has a section of this number."""
    key = number_key(number)
    return any(candidate in own for candidate in (key, *ancestors(key)))


def _mentions(text: str) -> Iterator[_Mention]:
    """Yield the references of `text` as they are written, in order, none inside another.

    It is read paragraph by paragraph, since no reference goes on in the next one.
    """
    start = 0
    while start < len(text):
        end = text.find(_PARAGRAPH, start)
        end = len(text) if end < 0 else end + len(_PARAGRAPH)
        yield from _mentions_between(text, start, end)
        start = end


def _mentions_between(text: str, start: int, end: int) -> Iterator[_Mention]:
    """Yield the references between two offsets, in order."""
    found: list[_Mention] = []
    open_text = text[start:end]
    for pattern, needs in _PATTERNS:
        if needs and not any(one.search(open_text) for one in needs):
            continue
        pieces: list[str] = []
        position = 0
        for match in pattern.finditer(open_text):
            mention = _mention(match)
            if mention is not None:
                at = mention.span
                span = TextSpan(char_start=start + at.char_start, char_end=start + at.char_end)
                found.append(_Mention(span, mention.place, mention.policy, mention.numbers))
                pieces += (open_text[position : match.start()], "~" * len(match[0]))
                position = match.end()
        if pieces:
            open_text = "".join((*pieces, open_text[position:]))
    yield from sorted(found, key=lambda mention: mention.span)


def _mention(match: re.Match[str]) -> _Mention | None:
    """Return the reference of a match, or None if it is only a word."""
    groups = match.groupdict()
    policy = groups.get("before") or groups.get("after") or groups.get("abbreviation")
    policy = policy or groups.get("policy") or groups.get("name")
    policy = without_article(" ".join(policy.strip(" *").split())) if policy else None
    policy = policy.strip("()") if policy and "(" not in policy[1:] else policy
    place = (groups.get("place") or "").casefold().rstrip("s.")
    place = (
        "section" if place in {"section", "subsection", "sec", "\u00a7", "\u00a7\u00a7"} else place
    )
    numbers = _numbers(groups.get("numbers") or groups.get("holder_numbers") or "")
    named = groups.get("named")
    if named:
        word = {"annexes": "Annex", "appendices": "Appendix"}.get(named.casefold())
        word = word or named.rstrip("s.").capitalize()
        numbers = tuple(f"{word} {number}" for number in numbers)
    elif place in {"article", "art"}:
        numbers = tuple(f"Article {number}" for number in numbers)
    if groups.get("holder"):
        numbers = tuple(f"{groups['holder']}.{number}" for number in numbers)
    if place == "regulation" and all(_YEAR.fullmatch(number) for number in numbers):
        return None
    if not numbers and (policy is None or is_self(policy)):
        return None
    span = TextSpan(char_start=match.start(), char_end=match.end())
    return _Mention(_trimmed(match.string, span), place, policy, numbers)


def _trimmed(text: str, span: TextSpan) -> TextSpan:
    """Return the span without white space at its ends."""
    raw = span.of(text)
    start = span.char_start + len(raw) - len(raw.lstrip())
    return TextSpan(char_start=start, char_end=start + len(raw.strip()))


def _numbers(raw: str) -> tuple[str, ...]:
    """Return each number of a list; expand ranges, and complete "(ii)" from the one before."""
    found: list[str] = []
    for piece in _PIECE.finditer(raw):
        number = re.sub(r"[\s\u200e]", "", piece["number"])
        if number.startswith("(") and found:
            number = re.sub(r"\([^()]*\)$", "", found[-1]) + number
        if found and _RANGE.search(piece["join"] or ""):
            found.extend(_between(found[-1], number))
        found.append(number)
    return tuple(dict.fromkeys(found))


def _between(first: str, last: str) -> list[str]:
    """Return the numbers strictly between two that differ only in their last digits."""
    low, high = _LAST_DIGITS.fullmatch(first), _LAST_DIGITS.fullmatch(last)
    if low is None or high is None or (low[1], low[3]) != (high[1], high[3]):
        return []
    values = range(int(low[2]) + 1, int(high[2]))
    return [f"{low[1]}{value}{low[3]}" for value in values] if len(values) < _RANGE_LIMIT else []
