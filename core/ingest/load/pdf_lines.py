"""The lines of a PDF page as pdfium finds them, each with its position, size and weight.

Coordinates are points from the lower left corner of the page, rotated so that most of its text is
horizontal. Text in other directions (watermarks, stamps in a margin) is left out.
"""

import ctypes
import itertools
import math
import operator
import re
import statistics
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from core.ingest.load.pdf_columns import column_edges
from core.ingest.load.pdf_fonts import read_colour, read_face, read_origin, read_size
from core.ingest.load.pdf_tags import ContentTag, read_tags, tag_at

HYPHEN = "\x02"
"""pdfium's character for a hyphen at a line end; it replaces the line end."""

_STRETCH = re.compile(rf"[^\n\r{HYPHEN}]++{HYPHEN}?|{HYPHEN}")
"""A line, as pdfium finds it."""
_CELL_GAP = 1.8
"""Times the font size; justified text stays below, columns of a table are further apart."""
_JUMP_BACK = 4.0
"""Times the font size: another column, drawn at the same height, begins as far to the left."""
_GUTTER = 0.6
"""Times the font size: more than between words; what follows begins at the edge of a column."""
_AT_EDGE = 2.0
"""Points."""
_MISSING_SPACE = 0.1
"""Of the font size: some producers write a space as a mere shift; letters of a word are closer."""
_VISIBLE = 0.41
"""Of that gap: what is narrower is none, also where letters usually overlap."""
_MIN_SPACED = 4
_SPACED_SHARE = 0.75
"""Of the words of a letter-spaced line: single letters."""
_STRETCHED, _TOO_WIDE, _EVEN, _MIN_STRETCHED = 0.6, 3.0, 1.05, 3
"""The gaps of a line that is justified: times the font size from and to, times each other, and how
many. Of a heading they were 2.2 times and alike to 1 %; between columns, 4 to 9 times, to 30 %."""
_WORD_GAP = 1.6
"""Times the usual gap between its letters: the gap between its words."""
_OPENING = "\u201c\u2018("
_STOPS = ".,;:"
_QUARTER = math.pi / 2
_DIAGONAL = math.radians(10)
"""Text at a greater angle to both axes than this is a watermark."""
_BULLETS = "•●○■▪◦➢✓*\u2013\u2014-"
_LABEL = re.compile(rf"[{_BULLETS}]|\(?(?:[A-Za-z]|[ivxIVX]{{2,5}}|\d{{1,3}})[.)]|\d[\d.]*")
_ODD = {
    "\t": " ", "\u00a0": " ",
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
}  # fmt: skip
"""What stands for some characters: spaces, and the letters of ligatures."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_CHARACTER = re.compile("\ufffe")
"""What pdfium writes for `HYPHEN` where it is asked for a whole text."""
_SIDES = 4
_LEFT, _TOP, _RIGHT, _BOTTOM = range(_SIDES)
"""The order of edges in its boxes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of one page, or the part of it that lies in one column of a table."""

    text: str
    """Its words; ends in `HYPHEN` if a word continues on the next line."""
    left: float
    """Left edge of the first character, in points."""
    right: float
    """Right edge of the last character, in points."""
    baseline: float
    """Height above the page's lower edge, in points."""
    size: float
    """Font size, in points, after scaling."""
    is_bold: bool
    """True if the first and the last character are bold."""
    first_word_width: float
    """Width of its first word, in points."""
    is_italic: bool = False
    """True if the first and the last character are italic."""
    face: str = ""
    """Name of the typeface; empty if the last character has another one than the first."""
    colour: int = 0
    """As 0xRRGGBB; that of the first character."""
    tag: ContentTag | None = None
    """What the document says it is; None where it says nothing."""

    @property
    def top(self) -> float:
        """Upper edge, about."""
        return self.baseline + 0.8 * self.size

    @property
    def bottom(self) -> float:
        """Lower edge, about."""
        return self.baseline - 0.2 * self.size

    @property
    def heading(self) -> ContentTag | None:
        """Its tag, if it is tagged as a heading."""
        return self.tag if self.tag is not None and self.tag.level else None

    def starts_with_label(self) -> bool:
        """Return whether it begins as a list item does."""
        return self.text[0] in _BULLETS or is_label(self.text.split(" ", 1)[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLines:
    """What is read of one page."""

    lines: tuple[Line, ...]
    """Its lines in the order in which they are drawn."""
    turned: int
    """Lines left out because they are in another direction than most."""


class _Chars(NamedTuple):
    """The characters of a line or of a part of it, in columns, since a page has thousands."""

    at: Sequence[int]
    """Index of each on its page."""
    texts: list[str]
    """What each stands for: of a ligature, several letters."""
    visible: list[int]
    """Places in these lists of those that are no white space."""
    left: list[float]
    """Left edges of the visible ones."""
    right: list[float]
    """Right edges of the visible ones."""

    def part(self, first: int, last: int) -> "_Chars":
        """Return what lies between two visible ones, both included, and the white space after."""
        begin = self.visible[first] if first else 0
        end = self.visible[last + 1] if last + 1 < len(self.visible) else len(self.texts)
        return _Chars(
            self.at[begin:end],
            self.texts[begin:end],
            [place - begin for place in self.visible[first : last + 1]],
            self.left[first : last + 1],
            self.right[first : last + 1],
        )


def read_lines(page: pdfium.PdfPage) -> PageLines:
    """Return the lines of a page."""
    text_page: Any = page.get_textpage()
    try:
        return _PageReader(text_page, read_tags(page.raw)).read()
    finally:
        text_page.close()


def is_label(text: str) -> bool:
    """Return whether `text` is nothing but a bullet or an item's number."""
    return _LABEL.fullmatch(text.strip()) is not None


class _PageReader:
    """Reads one page, rotated so that most of its text is horizontal."""

    def __init__(self, text_page: Any, tags: Mapping[int, ContentTag]) -> None:
        self._text = text_page.raw
        self._tags = tags
        self._codes = _codes(self._text, int(text_page.count_chars()))
        self._quarter = 0
        """Quarter turns, counter-clockwise, by which the page's text is rotated."""
        self._edges: tuple[float, ...] = ()
        """Left edges of columns that are drawn in turns; empty until they are known."""

    def read(self) -> PageLines:
        """Return the lines in the direction of most of the page's text."""
        stretches = (match.span() for match in _STRETCH.finditer(self._codes))
        found = [(start, end, self._direction(start, end)) for start, end in stretches]
        sizes: Counter[int] = Counter()
        for start, end, quarter in found:
            if quarter is not None:
                sizes[quarter] += end - start
        self._quarter = sizes.most_common(1)[0][0] if sizes else 0
        upright = [(start, end) for start, end, quarter in found if quarter == self._quarter]
        lines = [line for start, end in upright for line in self._parts(start, end)]
        self._edges = column_edges(lines)
        if self._edges:
            lines = [line for start, end in upright for line in self._parts(start, end)]
        turned = sum(1 for *_, quarter in found if quarter not in {None, self._quarter})
        return PageLines(lines=tuple(lines), turned=turned)

    def _direction(self, start: int, end: int) -> int | None:
        """Return the quarter turns of a line; None for white space and diagonal text.

        Slanted letters (an artificial italic) do not count as diagonal.
        """
        first = next(
            (index for index in range(start, end) if not self._codes[index].isspace()), None
        )
        matrix = pdfium_c.FS_MATRIX()
        if first is None:
            return None
        if not pdfium_c.FPDFText_GetMatrix(self._text, first, ctypes.byref(matrix)):
            return 0
        angle = math.atan2(matrix.b, matrix.a)
        quarter = round(angle / _QUARTER)
        return quarter % 4 if abs(angle - quarter * _QUARTER) <= _DIAGONAL else None

    def _turned(self, x: float, y: float) -> tuple[float, float]:
        """Return the coordinates of a point on the rotated page."""
        return ((x, y), (y, -x), (-x, -y), (-y, x))[self._quarter]

    def _chars(self, start: int, end: int) -> _Chars:
        """Read the characters of one line; a surrogate pair is one character."""
        at: Sequence[int] = range(start, end)
        codes = self._codes[start:end]
        texts = [_ODD.get(code, code) for code in codes]
        if _SURROGATE.search(codes):
            at = [index for index in at if not _is_high(self._codes[index])]
            texts = [_paired(self._codes[max(start, index - 1) : index + 1]) for index in at]
        visible = [place for place, text in enumerate(texts) if not text.isspace()]
        boxes = (pdfium_c.FS_RECTF * len(visible))()
        read: Callable[[Any, int, Any], int] = pdfium_c.FPDFText_GetLooseCharBox
        for _ in map(read, itertools.repeat(self._text), [at[place] for place in visible], boxes):
            pass  # it fails for no character that the page has
        edges = array("f", bytes(boxes)).tolist()
        left, right = edges[_LEFT::_SIDES], edges[_RIGHT::_SIDES]
        if self._quarter:
            bottom, top = edges[_BOTTOM::_SIDES], edges[_TOP::_SIDES]
            left = [self._turned(x, y)[0] for x, y in zip(left, bottom, strict=True)]
            right = [self._turned(x, y)[0] for x, y in zip(right, top, strict=True)]
        if any(map(operator.gt, left, right)):
            left, right = list(map(min, left, right)), list(map(max, left, right))
        return _Chars(at, texts, visible, left, right)

    def _parts(self, start: int, end: int) -> Iterator[Line]:
        """Split a line at gaps that are as wide as those between table columns.

        It is split too where it goes back to the left of its beginning, into another column, and
        at the known edges of columns.
        """
        chars = self._chars(start, end)
        if not chars.visible:
            return
        size = read_size(self._text, chars.at[chars.visible[0]])
        first = 0
        gaps = map(operator.sub, chars.left[1:], chars.right)
        for place, gap in () if _is_stretched(chars, size) else enumerate(gaps):
            is_apart = gap > _CELL_GAP * size or (
                gap > _GUTTER * size and _is_at(chars.left[place + 1], self._edges)
            )
            if not is_apart and gap > -_JUMP_BACK * size:
                continue
            part = chars.part(first, place)
            is_whole = (
                not is_label("".join(part.texts).strip())
                or (
                    _is_at(chars.left[first], self._edges) and _is_across(chars, place, self._edges)
                )
                if is_apart
                else _goes_back(chars, first, place, distance=_JUMP_BACK * size)
            )
            if is_whole:
                yield self._line(part)
                first = place + 1
        yield self._line(chars.part(first, len(chars.visible) - 1) if first else chars)

    def _typical(self, chars: _Chars) -> int:
        """Return a character of the size of a line: in columns, a bullet has one of its own."""
        has_bullet = len(chars.visible) > 1 and chars.texts[chars.visible[0]] in _BULLETS
        return chars.at[chars.visible[int(has_bullet and bool(self._edges))]]

    def _line(self, chars: _Chars) -> Line:
        first, last = chars.at[chars.visible[0]], chars.at[chars.visible[-1]]
        size = read_size(self._text, self._typical(chars))
        text = _spaced(chars, gap=_MISSING_SPACE * size).strip(" ")
        if _is_letter_spaced(text):
            text = _closed_up(chars)
        word = chars.right[: max(1, len(text.split(" ", 1)[0]))]
        begin, end = read_face(self._text, first), read_face(self._text, last)
        return Line(
            text=text,
            left=chars.left[0],
            right=chars.right[-1],
            baseline=self._turned(*read_origin(self._text, first))[1],
            size=size,
            is_bold=begin.is_bold and end.is_bold,
            first_word_width=word[-1] - chars.left[0],
            is_italic=begin.is_italic and end.is_italic,
            face=begin.name if begin.name == end.name else "",
            colour=read_colour(self._text, first),
            tag=tag_at(self._text, first, self._tags) if self._tags else None,
        )


def _is_stretched(chars: _Chars, size: float) -> bool:
    """Return whether a line of words is justified, so that all its gaps are alike, and wide."""
    gaps = map(operator.sub, chars.left[1:], chars.right)
    wide = sorted(gap for gap in gaps if gap > _STRETCHED * size)
    text = "".join(chars.texts)
    is_even = len(wide) >= _MIN_STRETCHED and wide[-1] <= min(_EVEN * wide[0], _TOO_WIDE * size)
    return is_even and not any(map(str.isdigit, text))


def _is_at(left: float, edges: Sequence[float]) -> bool:
    """Return whether something begins at the edge of a column."""
    return any(abs(left - edge) <= _AT_EDGE for edge in edges)


def _is_across(chars: _Chars, place: int, edges: Sequence[float]) -> bool:
    """Return whether the next character is in another column."""
    return any(chars.right[place] < edge <= chars.left[place + 1] + _AT_EDGE for edge in edges)


def _goes_back(chars: _Chars, first: int, place: int, *, distance: float) -> bool:
    """Return whether the next character is far to the left, of the part's beginning too."""
    following = chars.right[place + 1]
    return following < chars.left[first] and chars.left[place] - following > distance


def _codes(text_page: Any, count: int) -> str:
    """Return the characters of a page, one for each that pdfium counts.

    It gives all at once, but then leaves out control characters and has another one for the
    hyphen: each is asked for alone where some are missing.
    """
    if count <= 0:
        return ""
    read: Callable[[Any, int], int] = pdfium_c.FPDFText_GetUnicode
    buffer = (ctypes.c_ushort * (count + 1))()
    units = int(pdfium_c.FPDFText_GetText(text_page, 0, count, buffer)) - 1
    codes = bytes(buffer)[: 2 * units].decode("utf-16-le", errors="surrogatepass")
    if len(codes) != count:
        return "".join(chr(read(text_page, index)) for index in range(count))
    return _NO_CHARACTER.sub(lambda found: chr(read(text_page, found.start())), codes)


def _is_high(code: str) -> bool:
    return "\ud800" <= code < "\udc00"


def _paired(codes: str) -> str:
    """Return what the last of two characters stands for, as the second of a pair where it is."""
    if len(codes) > 1 and _is_high(codes[0]) and "\udc00" <= codes[1] < "\ue000":
        return codes.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    return _ODD.get(codes[-1], codes[-1])


def _spaced(chars: _Chars, *, gap: float) -> str:
    """Return the text, with a space where letters are further apart than usual."""
    texts, visible, narrowest = chars.texts, chars.visible, _VISIBLE * gap
    gaps = list(map(operator.sub, chars.left[1:], chars.right))
    if not any(
        width > narrowest and visible[place + 1] == visible[place] + 1
        for place, width in enumerate(gaps)
    ):
        return "".join(texts)
    known = {
        place: width
        for place, following, width in zip(visible, visible[1:], gaps, strict=False)
        if following == place + 1 and _may_miss_space(texts[place], texts[following])
    }
    usual = statistics.median_low(known.values()) if known else 0.0
    widest = max(gap + usual, narrowest)
    return "".join(
        f"{text} " if known.get(place, 0.0) > widest else text for place, text in enumerate(texts)
    )


def _may_miss_space(before: str, after: str) -> bool:
    """Return whether a space may be missing between two characters."""
    if after.isalpha():
        return before.isalpha() or before in _STOPS
    return before.isalpha() and after in _OPENING


def _is_letter_spaced(text: str) -> bool:
    """Return whether most words are single letters: "P O L I C Y"."""
    words = text.split()
    single = sum(1 for word in words if len(word) == 1 and word.isalpha())
    return single >= _MIN_SPACED and single >= _SPACED_SHARE * len(words)


def _closed_up(chars: _Chars) -> str:
    """Return letter-spaced words without the space between their letters."""
    gaps = list(map(operator.sub, chars.left[1:], chars.right))
    usual = max(statistics.median_low(gaps), 0.0)
    letters = [chars.texts[place] for place in chars.visible]
    return letters[0] + "".join(
        f" {letter}" if gap > _WORD_GAP * usual else letter
        for letter, gap in zip(letters[1:], gaps, strict=True)
    )
