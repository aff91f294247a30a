"""The lines of a PDF page as pdfium finds them, each with its position, size and weight.

Coordinates are points from the lower left corner of the page, rotated so that most of its text is
horizontal. Text in other directions (watermarks, stamps in a margin) is left out.
"""

import ctypes
import itertools
import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

HYPHEN = "\x02"
"""pdfium's character for a hyphen at a line end; it replaces the line end."""

_LINE_END = 0x0A
_LINE_ENDS = frozenset({_LINE_END, 0x0D, ord(HYPHEN)})
_CELL_GAP = 1.8
"""Times the font size; justified text stays below, columns of a table are further apart."""
_MISSING_SPACE = 0.1
"""Of the font size: some producers write a space as a mere shift; letters of a word are closer."""
_VISIBLE = 0.41
"""Of that gap: what is narrower is none, also where letters usually overlap."""
_OPENING = "\u201c\u2018("
_STOPS = ".,;:"
_BOLD_NAME = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_BOLD_WEIGHT = 600
_MAX_FONT_NAME = 128
_QUARTER = math.pi / 2
_DIAGONAL = math.radians(10)
"""Text at a greater angle to both axes than this is a watermark."""
_BULLETS = "•●○■▪◦➢✓*\u2013\u2014-"
_LABEL = re.compile(rf"[{_BULLETS}]|\(?(?:[A-Za-z]|[ivxIVX]{{2,5}}|\d{{1,3}})[.)]|\d[\d.]*")
_ODD = {
    ord("\t"): " ",
    0xA0: " ",
    **str.maketrans(
        {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
    ),
}
"""What stands for some characters: spaces, and the letters of ligatures."""


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

    @property
    def top(self) -> float:
        """Upper edge, about."""
        return self.baseline + 0.8 * self.size

    @property
    def bottom(self) -> float:
        """Lower edge, about."""
        return self.baseline - 0.2 * self.size

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


class _Char(NamedTuple):
    """A character; a tuple, since a page has thousands."""

    at: int
    text: str
    left: float
    right: float
    is_space: bool


def read_lines(page: pdfium.PdfPage) -> PageLines:
    """Return the lines of a page."""
    text_page: Any = page.get_textpage()
    try:
        return _PageReader(text_page).read()
    finally:
        text_page.close()


def is_label(text: str) -> bool:
    """Return whether `text` is nothing but a bullet or an item's number."""
    return _LABEL.fullmatch(text.strip()) is not None


class _PageReader:
    """Reads one page, rotated so that most of its text is horizontal."""

    def __init__(self, text_page: Any) -> None:
        self._text = text_page.raw
        read: Callable[[Any, int], int] = pdfium_c.FPDFText_GetUnicode
        self._codes = [read(self._text, index) for index in range(int(text_page.count_chars()))]
        self._quarter = 0
        """Quarter turns, counter-clockwise, by which the page's text is rotated."""

    def read(self) -> PageLines:
        """Return the lines in the direction of most of the page's text."""
        found = [(start, end, self._direction(start, end)) for start, end in self._stretches()]
        sizes: Counter[int] = Counter()
        for start, end, quarter in found:
            if quarter is not None:
                sizes[quarter] += end - start
        self._quarter = sizes.most_common(1)[0][0] if sizes else 0
        lines: list[Line] = []
        for start, end, quarter in found:
            if quarter == self._quarter:
                lines += self._parts(start, end)
        turned = sum(1 for *_, quarter in found if quarter not in {None, self._quarter})
        return PageLines(lines=tuple(lines), turned=turned)

    def _stretches(self) -> Iterator[tuple[int, int]]:
        """Yield start and end of each line that pdfium finds."""
        start = 0
        for index, code in enumerate((*self._codes, _LINE_END)):
            if code in _LINE_ENDS:
                end = index + 1 if code == ord(HYPHEN) else index
                if end > start:
                    yield start, end
                start = index + 1

    def _direction(self, start: int, end: int) -> int | None:
        """Return the quarter turns of a line; None for white space and diagonal text.

        Slanted letters (an artificial italic) do not count as diagonal.
        """
        first = next(
            (index for index in range(start, end) if not chr(self._codes[index]).isspace()), None
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

    def _chars(self, start: int, end: int) -> list[_Char]:
        """Read the characters of one line; a surrogate pair is one character."""
        chars: list[_Char] = []
        high: int | None = None
        box = pdfium_c.FS_RECTF()
        place = ctypes.byref(box)
        read: Callable[[Any, int, Any], int] = pdfium_c.FPDFText_GetLooseCharBox
        for index in range(start, end):
            code = self._codes[index]
            if 0xD800 <= code < 0xDC00:  # noqa: PLR2004 - high surrogates
                high = code
                continue
            if high is not None and 0xDC00 <= code < 0xE000:  # noqa: PLR2004 - low surrogates
                code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)
            high = None
            if not read(self._text, index, place):
                continue
            sides = box.left, box.right
            if self._quarter:
                sides = self._turned(box.left, box.bottom)[0], self._turned(box.right, box.top)[0]
            left, right = sides if sides[0] <= sides[1] else (sides[1], sides[0])
            text = _ODD.get(code) or chr(code)
            chars.append(_Char(index, text, left, right, text.isspace()))
        return chars

    def _parts(self, start: int, end: int) -> Iterator[Line]:
        """Split a line at gaps that are as wide as those between table columns."""
        chars = self._chars(start, end)
        visible = [char for char in chars if not char.is_space]
        if not visible:
            return
        size = _font_size(self._text, visible[0].at)
        part: list[_Char] = []
        last: _Char | None = None
        for char in chars:
            if not char.is_space:
                if last is not None and char.left - last.right > _CELL_GAP * size:
                    text = "".join(piece.text for piece in part).strip()
                    if not is_label(text):
                        yield self._line(part, size=size)
                        part = []
                last = char
            part.append(char)
        yield self._line(part, size=size)

    def _line(self, chars: Sequence[_Char], *, size: float) -> Line:
        visible = [char for char in chars if not char.is_space]
        first, last = visible[0], visible[-1]
        text = "".join(_spaced(chars, gap=_MISSING_SPACE * size)).strip(" ")
        word = visible[: max(1, len(text.split(" ", 1)[0]))]
        return Line(
            text=text,
            left=first.left,
            right=last.right,
            baseline=self._turned(*_origin(self._text, first.at))[1],
            size=size,
            is_bold=_is_bold(self._text, first.at) and _is_bold(self._text, last.at),
            first_word_width=word[-1].right - first.left,
        )


def _spaced(chars: Sequence[_Char], *, gap: float) -> Iterator[str]:
    """Yield the characters, and a space where letters are further apart than usual."""
    letters = [char.text.isalpha() for char in chars]
    gaps = [
        after.left - before.right
        if (letters[place] and (letters[place + 1] or after.text in _OPENING))
        or (before.text in _STOPS and letters[place + 1])
        else None
        for place, (before, after) in enumerate(itertools.pairwise(chars))
    ]
    known = [gap for gap in gaps if gap is not None]
    usual = statistics.median_low(known) if known else 0.0
    widest = max(gap + usual, _VISIBLE * gap)
    for char, behind in zip(chars, gaps, strict=False):
        yield char.text
        if behind is not None and behind > widest:
            yield " "
    yield chars[-1].text


def _font_size(text_page: Any, index: int) -> float:
    """Return the size on the page: producers hide scaling in the text matrix."""
    matrix = pdfium_c.FS_MATRIX()
    nominal = float(pdfium_c.FPDFText_GetFontSize(text_page, index))
    if not pdfium_c.FPDFText_GetMatrix(text_page, index, ctypes.byref(matrix)):
        return nominal or 1.0
    return nominal * math.hypot(matrix.b, matrix.d) or 1.0


def _origin(text_page: Any, index: int) -> tuple[float, float]:
    """Return the origin of a character on its baseline."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium_c.FPDFText_GetCharOrigin(text_page, index, ctypes.byref(x), ctypes.byref(y))
    return x.value, y.value


def _is_bold(text_page: Any, index: int) -> bool:
    name = ctypes.create_string_buffer(_MAX_FONT_NAME)
    flags = ctypes.c_int()
    pdfium_c.FPDFText_GetFontInfo(text_page, index, name, _MAX_FONT_NAME, ctypes.byref(flags))
    if _BOLD_NAME.search(name.value.decode("utf-8", errors="replace")):
        return True
    return int(pdfium_c.FPDFText_GetFontWeight(text_page, index)) >= _BOLD_WEIGHT
