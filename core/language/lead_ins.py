"""What introduces a list item or a table row: without it neither says anything by itself.

- An item is introduced by the sentence before its list, and by the items that it lies under; a row
  by the header of its table, and by the sentence before that.
- A list has one level for each style of marker ("(1)", "(a)", "(i)", "-") or indentation. Where a
  format lost its indentation, the markers tell the levels.
- A paragraph of its own ends a list. What goes on within an item does not.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from core.expressions import expression
from core.language.sentences import ends_sentence, split_sentences
from core.language.spans import Span, TextSpan, VersionId
from core.language.text_cache import cached_by_text, word_pattern

Kind: TypeAlias = Literal["sentence", "item", "header", "row", "heading", "rule"]
"""What a unit is. A header is the first row of a table; a rule is a line without words."""

MARKER = expression(
    r"(?:\(?(?:[a-zA-Z]{1,2}|[ivxIVX]{1,5}|\d{1,3})\)|\d{1,3}(?:\.\d{1,3})*\.|[A-Za-z]\."
    r"|[-*+\u2022\u00b7\u25aa\u25cf\u25e6\u2013])\s+"
)
"""How an item begins."""
_BY_MARKER = r"[^\S\n]{0,80}(?:\(?[a-zA-Z\d]{1,5}[.)]|[-*+\u2022\u00b7\u25aa\u25cf\u25e6\u2013])"
_ITEM_AT_ONCE = expression(_BY_MARKER)
_ITEM_BEHIND = (
    expression(
        r"[\n\r\x0b\x0c\x85\u2028\u2029.!?:;\u2026\u3002][\"')\]\u201d\u2019*_]{0,4}"
        rf"{_BY_MARKER}"
    ),
    expression(rf"(?:and(?<!\wand)|or(?<!\wor))\b{_BY_MARKER}"),
)
"""Where a unit may begin, with the marker of an item. Each pattern begins with what is found soon,
which takes a third of the time that one for all took."""
_HEADING = expression(r"#{1,6}\s")
_RULE = expression(r"[|\s:=_*-]+$")
_ROW = expression(r"\||[^|]*\s\|\s")
_COLON = expression(r"(?:[:\u2014]|\w\s[\u2013-])[\s*_]*$")
_POINTS_AHEAD = word_pattern(r"\b(?:following|below|as follows)\b", words="following below follows")
_NEGATES = expression(
    r"\b(?:not|never|cannot|prohibited|prohibitions?|forbidden|excluded|exclusions?)\b|n['\u2019]ts?\b",
    re.IGNORECASE,
)
_IN_WORDS = expression(
    r"(?!(?:table|figure|annex|appendix)\b)(?:[*_]{0,3}|[(\"\u201c]|\S{1,8}\s)[a-z]", re.IGNORECASE
)
"""No mark of a template ("{{#if}}", "\\pagebreak", "/Table Start"), and no caption."""
_ROMAN = expression(r"[ivx]+$")
_FIRST = frozenset({"1", "a", "i"})
_LEFT = 2
"""So much further left stands what belongs to no list that is open, as where a text is read from
the middle of a list on."""
DEEPEST = 6
"""Lists within each other; a rulebook has four."""
_LONGEST = 400
"""Characters of a unit without a full stop that may introduce a list."""
_TAIL = 12
_TAB = "    "


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadIn:
    """What introduces a list item or table row, as it is stored."""

    span: Span
    """Where it stands, in the same version as what it introduces."""
    text: str
    """The stored text of the span."""
    above: "LeadIn | None" = None
    """What introduces it in turn; None if it stands by itself."""

    @property
    def chain(self) -> tuple["LeadIn", ...]:
        """All that introduces, outermost first, this one last."""
        return (*(self.above.chain if self.above else ()), self)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntroducedUnit:
    """A sentence, list item or table row with the units that introduce it."""

    span: TextSpan
    """Where it stands."""
    kind: Kind
    """What it is."""
    lead_ins: tuple[TextSpan, ...] = ()
    """What introduces it, outermost first; empty for what stands by itself."""


def lead_in_of(version_id: VersionId, chain: Iterable[tuple[int, int, str]]) -> LeadIn | None:
    """Return the innermost of a chain of (start, end, text), outermost first; None of an empty."""
    found: LeadIn | None = None
    for start, end, text in chain:
        span = Span(version_id=version_id, char_start=start, char_end=end)
        found = LeadIn(span=span, text=text, above=found)
    return found


def may_have_lists(text: str) -> bool:
    """Say whether a text may have an item or a row: False tells soon that nothing is introduced."""
    if "|" in text or _ITEM_AT_ONCE.match(text):
        return True
    return any(pattern.search(text) for pattern in _ITEM_BEHIND)


def section_units(
    text: str, *, char_start: int, body_start: int, char_end: int
) -> Iterator[IntroducedUnit]:
    """Yield the units of a section's body; see `core.domain.policy.Section` for the offsets.

    The heading introduces a list right below it if it says what is not ("What we do not pay for").
    """
    heading = text[char_start:body_start].strip()
    at = text.find(heading, char_start) if heading else char_start
    introduces = (
        heading
        and "\n" not in heading
        and (ends_in_colon(heading) or _NEGATES.search(heading) is not None)
    )
    span = TextSpan(char_start=at, char_end=at + len(heading)) if introduces else None
    return introduced_units(text, start=body_start, end=char_end, heading=span)


@cached_by_text(entries=1_024)
def units_of(text: str) -> tuple[IntroducedUnit, ...]:
    """Return the units of a whole text, each with what introduces it."""
    return tuple(introduced_units(text))


def introduced_units(
    text: str, *, start: int = 0, end: int | None = None, heading: TextSpan | None = None
) -> Iterator[IntroducedUnit]:
    """Yield the units of `text` in [start, end), in order, each with what introduces it.

    Args:
        text: Any text.
        start: Where to begin, in code points.
        end: Where to stop; None: at the end of the text.
        heading: A heading that introduces the list right below it; None: it introduces nothing.
    """
    reader = _Reader(text, heading)
    for span in split_sentences(text, start=start, end=end):
        yield reader.read(span)


def ends_in_colon(raw: str) -> bool:
    """Say whether a unit ends as lead-ins do: what it says comes after it."""
    return _COLON.search(raw[-_TAIL:]) is not None


@dataclass(frozen=True, slots=True)
class _Level:
    """A list that is open: what introduces it, and how its items look."""

    lead_in: TextSpan | None
    indent: int
    style: str
    looks_alike: bool = False
    """True if its items look like those around it, as where a format lost the indentation. The next
    item that introduces something ends it."""
    in_line: bool = False
    """True for items within a line ("either (i) ... or (ii) ..."), which end with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marker:
    """How an item begins."""

    styles: tuple[str, ...]
    """What it may be, the likelier first: "(i)" is a letter or a Roman number."""
    is_first: bool
    """True if a list may begin so; always for a bullet."""
    letter: str
    """The letter of a lettered item; else empty."""


class _Reader:
    """Reads the units of one text in order."""

    def __init__(self, text: str, heading: TextSpan | None) -> None:
        self._text = text
        self._levels: list[_Level] = []
        self._opener = heading
        self._is_own = heading is not None
        self._header: TextSpan | None = None
        self._before: IntroducedUnit | None = None
        self._marker: _Marker | None = None
        self._indent = 0

    def read(self, span: TextSpan) -> IntroducedUnit:
        raw = span.of(self._text)
        unit = self._unit(span, raw)
        if unit.kind not in {"row", "header", "rule"}:
            self._header = None
        self._before = unit
        return unit

    def _unit(self, span: TextSpan, raw: str) -> IntroducedUnit:
        if _RULE.match(raw):
            return IntroducedUnit(span=span, kind="rule")
        if "|" in raw and _ROW.match(raw):
            return self._row(span)
        if _HEADING.match(raw):
            self._levels, self._opener = [], None
            return IntroducedUnit(span=span, kind="heading")
        marked = MARKER.match(raw)
        return self._item(span, raw, marked[0]) if marked else self._sentence(span, raw)

    def _row(self, span: TextSpan) -> IntroducedUnit:
        if self._header is None:
            self._header = span
            return IntroducedUnit(span=span, kind="header", lead_ins=self._introduction())
        return IntroducedUnit(span=span, kind="row", lead_ins=(*self._introduction(), self._header))

    def _introduction(self) -> tuple[TextSpan, ...]:
        """Return what introduces a table: a sentence that ends in a colon."""
        opener = self._opener
        return (opener,) if opener and ends_in_colon(opener.of(self._text)) else ()

    def _sentence(self, span: TextSpan, raw: str) -> IntroducedUnit:
        gap, indent = self._gap(span)
        goes_on = bool(self._levels) and ("\n" not in gap or indent > self._indent)
        if goes_on and "\n" not in gap and self._still_opens() and not _opens(raw):
            return IntroducedUnit(span=span, kind="sentence")
        if not goes_on:
            self._levels = []
        elif "\n" in gap:
            self._levels = [one for one in self._levels if one.indent < indent and not one.in_line]
        self._opener, self._is_own = (span if _opens(raw) else None), not goes_on
        return IntroducedUnit(span=span, kind="sentence")

    def _still_opens(self) -> bool:
        """Say whether an item points ahead to its list, whatever follows within it."""
        opener = self._opener.of(self._text) if self._opener else ""
        return _POINTS_AHEAD.search(opener) is not None

    def _item(self, span: TextSpan, raw: str, marked: str) -> IntroducedUnit:
        gap, indent = self._gap(span)
        in_line = "\n" not in gap and self._before is not None
        if in_line:
            indent = self._indent
        else:
            self._levels = [one for one in self._levels if not one.in_line]
        marker = _marker_of(marked)
        self._place(marker, indent, opens=ends_in_colon(raw))
        if in_line and len(self._levels) > 1:
            self._levels[-1] = replace(self._levels[-1], in_line=True)
        self._marker, self._indent = marker, indent
        self._opener, self._is_own = (span if _opens(raw) else None), False
        leads = tuple(level.lead_in for level in self._levels if level.lead_in is not None)
        return IntroducedUnit(span=span, kind="item", lead_ins=leads)

    def _place(self, marker: _Marker, indent: int, *, opens: bool) -> None:
        """Open or go back to the list that an item belongs to; it is the last level then."""
        opener, is_own, self._opener = self._opener, self._is_own, None
        style = marker.styles[0]
        if not self._levels or (opener is not None and is_own):
            self._levels = [_Level(opener if is_own else None, indent, style)]
            return
        if self._is_beside_the_first(marker, indent, opener):
            self._levels = [replace(self._levels[0], indent=indent)]
            return
        top = self._levels[-1]
        looks_alike = (top.style, top.indent) == (style, indent)
        is_nested = self._is_nested(marker, indent, opener, opens=opens)
        if looks_alike and top.looks_alike and (is_nested or opens):
            self._levels.pop()
        if is_nested:
            self._levels.append(_Level(opener, indent, style, looks_alike))
            return
        fitting = [
            number
            for number, level in enumerate(self._levels)
            if level.style in marker.styles and level.indent <= indent
        ] or [
            number
            for number, level in enumerate(self._levels)
            if level.style in marker.styles and level.indent < indent + _LEFT
        ]
        if fitting:
            del self._levels[fitting[-1] + 1 :]
            self._levels[-1] = replace(self._levels[-1], indent=indent)
        else:
            self._levels = [level for level in self._levels if level.indent < indent]
            self._levels.append(_Level(None, indent, style))

    def _is_beside_the_first(self, marker: _Marker, indent: int, opener: TextSpan | None) -> bool:
        """Say whether an item stands beside one with which the text begins.

        Where a text begins in the middle of a list, the indentation of its first item is not there.
        """
        (top, *more), before = self._levels, self._before
        return (
            not more
            and before is not None
            and before.kind == "item"
            and before.span.char_start == 0
            and indent > top.indent
            and top.style in marker.styles
            and not (opener is not None and ends_in_colon(opener.of(self._text)))
        )

    def _is_nested(
        self, marker: _Marker, indent: int, opener: TextSpan | None, *, opens: bool
    ) -> bool:
        """Say whether an item lies under the one before it."""
        top = self._levels[-1]
        if indent > top.indent or len(self._levels) >= DEEPEST:
            return len(self._levels) < DEEPEST
        if opener is None:
            return False
        in_colon = ends_in_colon(opener.of(self._text))
        if self._before and self._before.kind == "sentence":
            return in_colon
        if indent < top.indent:
            return False
        if all(level.style not in marker.styles for level in self._levels):
            return True
        is_next = self._follows(marker) if marker.letter else opens
        return in_colon and marker.is_first and not is_next

    def _follows(self, marker: _Marker) -> bool:
        """Say whether a letter is the next one after that of the item before."""
        before = self._marker.letter if self._marker else ""
        return len(before) == 1 and ord(before) + 1 == ord(marker.letter[0])

    def _gap(self, span: TextSpan) -> tuple[str, int]:
        """Return what stands between a unit and the one before it, and its indentation."""
        start = self._before.span.char_end if self._before else max(0, span.char_start - _LONGEST)
        gap = self._text[start : span.char_start]
        line = gap.rpartition("\n")[2]
        indent = len(line.replace("\t", _TAB)) if line.isspace() or not line else 0
        return gap, indent


def _marker_of(raw: str) -> _Marker:
    """Read an item's marker."""
    shown = raw.strip()
    inner = shown.strip("().").casefold()
    if not inner[:1].isalnum():
        return _Marker(styles=(shown,), is_first=True, letter="")
    around = shown[: len(shown) - len(shown.lstrip("("))] + shown[len(shown.rstrip(").")) :]
    if inner[0].isdigit():
        depth = inner.count(".")
        return _Marker(styles=(f"{around}1{depth}",), is_first=inner == "1", letter="")
    case = "A" if shown.strip("().").isupper() else "a"
    roman, letter = f"{around}{case}i", f"{around}{case}"
    styles = (letter,)
    if _ROMAN.match(inner):
        styles = (roman, letter) if inner == "i" or len(inner) > 1 else (letter, roman)
    return _Marker(styles=styles, is_first=inner in _FIRST, letter=inner)


def _opens(raw: str) -> bool:
    """Say whether a unit may introduce the list that follows it."""
    if ends_in_colon(raw):
        return True
    if len(raw) > _LONGEST:
        return False
    while marker := MARKER.match(raw):
        raw = raw[marker.end() :]
    if not _IN_WORDS.match(raw):
        return False
    return not ends_sentence(raw) or _POINTS_AHEAD.search(raw) is not None
