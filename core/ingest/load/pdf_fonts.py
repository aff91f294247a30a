"""How a character of a PDF is set: size, weight, slope, typeface and colour."""

import ctypes
import math
import re
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium_c

_BOLD_NAME = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_PLAIN_NAME = re.compile(r"[-, ](?:regular|roman|book|light|thin|italic|oblique)\b", re.IGNORECASE)
"""Some producers state a stem so wide that the plain face of a family seems to be bold."""
_ITALIC_NAME = re.compile(r"italic|oblique|slanted", re.IGNORECASE)
_ITALIC_FLAG = 1 << 6
"""ISO 32000-1, table 123."""
_BOLD_WEIGHT = 600
_MAX_NAME = 128
_FAR = 96
"""Of 255, in one of red, green and blue: colours as near as this look alike."""
_SUBSET = re.compile(r"^[A-Z]{6}\+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """The typeface of a character."""

    name: str
    """As the font calls itself, without the mark of a subset."""
    is_bold: bool
    """By its name, else by its weight."""
    is_italic: bool
    """By its name, else by its flags."""


def read_face(text_page: Any, index: int) -> Face:
    """Return the typeface of a character."""
    buffer = ctypes.create_string_buffer(_MAX_NAME)
    flags = ctypes.c_int()
    pdfium_c.FPDFText_GetFontInfo(text_page, index, buffer, _MAX_NAME, ctypes.byref(flags))
    name = _SUBSET.sub("", buffer.value.decode("utf-8", errors="replace"))
    is_bold = _BOLD_NAME.search(name) is not None or (
        _PLAIN_NAME.search(name) is None
        and int(pdfium_c.FPDFText_GetFontWeight(text_page, index)) >= _BOLD_WEIGHT
    )
    is_italic = _ITALIC_NAME.search(name) is not None or bool(flags.value & _ITALIC_FLAG)
    return Face(name=name, is_bold=is_bold, is_italic=is_italic)


def read_colour(text_page: Any, index: int) -> int:
    """Return the colour of a character as 0xRRGGBB; black where none is told."""
    parts = [ctypes.c_uint() for _ in range(4)]
    if not pdfium_c.FPDFText_GetFillColor(text_page, index, *map(ctypes.byref, parts)):
        return 0
    red, green, blue = (part.value for part in parts[:3])
    return red << 16 | green << 8 | blue


def read_size(text_page: Any, index: int) -> float:
    """Return the size on the page: producers hide scaling in the text matrix."""
    matrix = pdfium_c.FS_MATRIX()
    nominal = float(pdfium_c.FPDFText_GetFontSize(text_page, index))
    if not pdfium_c.FPDFText_GetMatrix(text_page, index, ctypes.byref(matrix)):
        return nominal or 1.0
    return nominal * math.hypot(matrix.b, matrix.d) or 1.0


def read_origin(text_page: Any, index: int) -> tuple[float, float]:
    """Return the origin of a character on its baseline."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium_c.FPDFText_GetCharOrigin(text_page, index, ctypes.byref(x), ctypes.byref(y))
    return x.value, y.value


def is_far(colour: int, other: int) -> bool:
    """Return whether two colours look different."""
    return any(abs((colour >> at & 255) - (other >> at & 255)) > _FAR for at in (0, 8, 16))
