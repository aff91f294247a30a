"""The icons of the Teams app, drawn here: a page with lines of text, one of them cited.

Teams wants a colour icon of 192 x 192 pixels and an outline of 32 x 32, white on nothing. Shapes
are rectangles with round corners on a grid of 32; each pixel is the mean of 16 samples.
"""

import struct
import zlib
from dataclasses import dataclass
from functools import cache

COLOUR, OUTLINE = 192, 32
"""Pixels of a side."""
GRID = 32
_SAMPLES = 4
_BLUE, _WHITE, _MARK = (0x1D, 0x35, 0x57), (0xFF, 0xFF, 0xFF), (0xE6, 0xA2, 0x3C)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Box:
    """A rectangle with round corners, on the grid."""

    left: float
    top: float
    right: float
    bottom: float
    corner: float
    colour: tuple[int, int, int] | None
    """None: a hole."""

    def holds(self, x: float, y: float) -> bool:
        """Say whether a point lies in it."""
        if not (self.left <= x <= self.right and self.top <= y <= self.bottom):
            return False
        nearest_x = min(max(x, self.left + self.corner), self.right - self.corner)
        nearest_y = min(max(y, self.top + self.corner), self.bottom - self.corner)
        return (x - nearest_x) ** 2 + (y - nearest_y) ** 2 <= self.corner**2


def _box(
    edges: tuple[float, float, float, float], corner: float, colour: tuple[int, int, int] | None
) -> _Box:
    left, top, right, bottom = edges
    return _Box(left=left, top=top, right=right, bottom=bottom, corner=corner, colour=colour)


_PICTURE = (
    _box((0, 0, 32, 32), 0, _BLUE),
    _box((8, 5, 24, 27), 2, _WHITE),
    _box((11, 9, 21, 10.5), 0.7, _BLUE),
    _box((11, 13, 21, 14.5), 0.7, _BLUE),
    _box((11, 17, 16, 18.5), 0.7, _BLUE),
    _box((17.5, 16, 21, 19.5), 1, _MARK),
    _box((11, 21.5, 19, 23), 0.7, _BLUE),
)
_CONTOUR = (
    _box((6, 2, 26, 30), 3, _WHITE),
    _box((8, 4, 24, 28), 1.5, None),
    _box((11, 9, 21, 11), 0.5, _WHITE),
    _box((11, 14, 21, 16), 0.5, _WHITE),
    _box((11, 19, 15, 21), 0.5, _WHITE),
    _box((17, 18, 21, 22), 1, _WHITE),
)


@cache
def colour_icon() -> bytes:
    """Return the colour icon, PNG."""
    return _png(_PICTURE, COLOUR)


@cache
def outline_icon() -> bytes:
    """Return the outline, PNG: white where it is not transparent, as Teams wants it."""
    return _png(_CONTOUR, OUTLINE)


def _png(boxes: tuple[_Box, ...], side: int) -> bytes:
    rows = b"".join(
        b"\x00" + b"".join(_pixel(boxes, x, y, side) for x in range(side)) for y in range(side)
    )
    header = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _pixel(boxes: tuple[_Box, ...], x: int, y: int, side: int) -> bytes:
    """Return red, green, blue and opacity: the mean of what stands at points of the pixel."""
    step = GRID / side / _SAMPLES
    found = [
        _at(boxes, (x * _SAMPLES + i + 0.5) * step, (y * _SAMPLES + j + 0.5) * step)
        for i in range(_SAMPLES)
        for j in range(_SAMPLES)
    ]
    shown = [one for one in found if one is not None]
    if not shown:
        return bytes(4)
    mean = (sum(one[band] for one in shown) // len(shown) for band in range(3))
    return bytes((*mean, 255 * len(shown) // len(found)))


def _at(boxes: tuple[_Box, ...], x: float, y: float) -> tuple[int, int, int] | None:
    colour = None
    for box in boxes:
        colour = box.colour if box.holds(x, y) else colour
    return colour


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
