"""Printed numbers of sections: "4.2.1(3)", "9.3.1B.Guidance.5.", "Article 4", "A.2", "IV.", "B.".

A label is what is printed at the beginning of a line; whether the line is a heading is decided in
`heading_candidates`.
"""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

LabelKind: TypeAlias = Literal["dotted", "keyword", "roman", "letter"]

OrderKey: TypeAlias = tuple[tuple[int, str], ...]

_DOTTED = re.compile(
    r"(?P<number>\d{1,3}[A-Z]{0,2}"
    r"(?:\.(?:\d{1,3}[A-Z]{0,2}|Guidance|Notes?|Examples?|Commentary|\([0-9A-Za-z]{1,4}\))"
    r"|\([0-9A-Za-z]{1,4}\))*)"
    r"(?P<close>[.:]?(?:\s*[\u2013\u2014](?=\s*[A-Z]))?)(?:\s+|$|(?<=[\u2013\u2014]))"
)
"""Rulebooks number guidance as part of a rule: "9.3.1B.Guidance.5."."""

ATTACHMENTS = frozenset(
    ["annex", "annexure", "appendix", "schedule", "exhibit", "anhang", "anlage"]
)
"""Keywords that begin after the body, at its outermost level."""
KEYWORD_RANKS = {
    **dict.fromkeys(("part", "teil"), 0),
    "title": 1,
    **dict.fromkeys(("chapter", "kapitel"), 2),
    **dict.fromkeys(("section", "abschnitt"), 3),
    **dict.fromkeys(("article", "artikel", "rule", "§"), 4),
    "clause": 5,
}
"""Which keyword contains which: a chapter is within a part."""

_KEYWORDS = "|".join(sorted((ATTACHMENTS | KEYWORD_RANKS.keys()) - {"§"}, reverse=True))
_KEYWORD = re.compile(
    rf"(?P<number>(?P<word>{_KEYWORDS})\s+"
    r"(?:\d{1,3}[A-Z]?(?:\.\d{1,3})*|[A-Z]|[IVXLC]{1,7}))\b"
    r"(?P<close>\s*[.:\u2013\u2014-]?)(?:\s+|$)",
    re.IGNORECASE,
)
_PARAGRAPH_SIGN = re.compile(r"(?P<number>§\s*\d{1,4}[a-z]?)(?P<close>[.:]?)(?:\s+|$)")
_ROMAN = re.compile(
    r"(?P<number>[IVX]{1,6}|[LC][IVXLC]{1,6})(?P<close>\.|\s+[\u2013\u2014-](?=\s+[A-Z]))(?:\s+|$)"
)
_LETTER = re.compile(r"(?P<number>[A-Z])(?P<close>\.)(?:\s+|$)")
_ANNEXED = re.compile(r"(?P<number>[A-Z](?:\.\d{1,2}){1,4})(?P<close>[.:]?)(?:\s+|$)")
"""The number of a section of Annex A: "A.1", "A.1.2"."""
_TOKEN = re.compile(r"(\d+)([A-Z]*)|([A-Za-z]+)")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """The number at the beginning of a line."""

    number: str
    """As printed, without a trailing dot."""
    kind: LabelKind
    """How it is written."""
    word: str
    """The keyword in lower case; empty for other kinds."""
    parts: tuple[str, ...]
    """Its steps from the outermost: ("4", "2", "1", "3")."""
    is_closed: bool
    """True if a dot, colon or dash ends it."""
    length: int
    """Characters of the line up to the title, white space included."""

    @property
    def depth(self) -> int:
        """Number of steps, from 1."""
        return len(self.parts)

    @property
    def value(self) -> int | None:
        """The last step as a number: 3 for "C", 4 for "IV", 2 for "4.2"; None for a word."""
        last = self.parts[-1]
        if self.kind == "roman":
            return roman_value(last)
        if self.kind == "letter" or (len(last) == 1 and last.isalpha()):
            return ord(last.upper()) - ord("A") + 1
        digits = re.match(r"\d+", last)
        return int(digits.group()) if digits else None

    @property
    def order(self) -> OrderKey:
        """Sort key of the numeric steps before the first word; rises through a document."""
        key: list[tuple[int, str]] = []
        for part in self.parts:
            match = re.match(r"(\d+)([A-Z]*)", part)
            if match is None:
                break
            key.append((int(match[1]), match[2]))
        return tuple(key)

    def extends(self, other: "Label") -> bool:
        """Return whether this number lies below `other`: "4.2(1)" below "4.2"."""
        return self.depth > other.depth and self.parts[: other.depth] == other.parts


def parse_label(line: str) -> Label | None:
    """Read the number at the beginning of a line; None if there is none."""
    if not line or not (line[0].isascii() or line[0] == "§") or line[0].islower():
        return None
    if line[0].isdigit():
        match = _DOTTED.match(line)
        return _label(match, "dotted") if match else None
    match = _KEYWORD.match(line) or _PARAGRAPH_SIGN.match(line)
    if match:
        return _label(match, "keyword") if _is_capitalised(match) else None
    match = _ROMAN.match(line)
    if match:
        return _label(match, "roman")
    match = _ANNEXED.match(line)
    if match:
        return _label(match, "dotted")
    match = _LETTER.match(line)
    return _label(match, "letter") if match else None


def as_letter(label: Label) -> Label:
    """Read a roman "I.", "V." or "X." as the letter."""
    return Label(
        number=label.number,
        kind="letter",
        word="",
        parts=label.parts,
        is_closed=label.is_closed,
        length=label.length,
    )


def roman_value(numeral: str) -> int:
    """Return the value of a roman numeral in capitals; not checked for being well formed."""
    total = 0
    highest = 0
    for sign in reversed(numeral):
        value = _ROMAN_VALUES.get(sign, 0)
        total += value if value >= highest else -value
        highest = max(highest, value)
    return total


def _is_capitalised(match: re.Match[str]) -> bool:
    return match.group("number")[0].isupper() or match.group("number").startswith("§")


def _label(match: re.Match[str], kind: LabelKind) -> Label:
    number = " ".join(match.group("number").split())
    word = ""
    steps = number
    if kind == "keyword":
        word, _, steps = number.partition(" ") if " " in number else ("§", "", number[1:])
    return Label(
        number=number,
        kind=kind,
        word=word.lower(),
        parts=_steps(steps, kind),
        is_closed=bool(match.group("close").strip()),
        length=match.end(),
    )


def _steps(number: str, kind: LabelKind) -> tuple[str, ...]:
    if kind in {"roman", "letter"}:
        return (number,)
    return tuple(match.group() for match in _TOKEN.finditer(number))
