"""Charts of the console, as geometry: templates draw them as SVG, style sheets colour them.

Each chart stands beside a table with the same numbers, for those who do not see it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log10

from core.adapters.postgres.console.figures import Week

ORDER = ("answered", "clarification", "refused", "escalated", "failed")
"""From the bottom of a bar."""
WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 12, 30
LINES = 4
"""Lines of the scale above zero, at most."""
FILLED = 0.62
"""Part of a week's width that its bar takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A part of a bar."""

    kind: str
    """Names its colour."""
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartLabel:
    """Words in a chart."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart:
    """Stacked bars over a scale."""

    width: int
    height: int
    left: int
    right: int
    boxes: tuple[Box, ...]
    scale: tuple[ChartLabel, ...]
    """With the line at its height."""
    weeks: tuple[ChartLabel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a whole."""

    kind: str
    count: int
    share: float
    """0 to 1."""
    start: float
    """Where it begins, 0 to 1."""


def weekly(weeks: Sequence[Week]) -> BarChart:
    """Return the questions of some weeks."""
    step = _step(max((week.questions for week in weeks), default=0))
    most = step * max(1, ceil(max((week.questions for week in weeks), default=0) / step))
    high, floor = HEIGHT - TOP - BOTTOM, HEIGHT - BOTTOM
    slot = (WIDTH - LEFT - RIGHT) / max(1, len(weeks))
    boxes: list[Box] = []
    labels: list[ChartLabel] = []
    for index, week in enumerate(weeks):
        x, y = LEFT + slot * (index + (1 - FILLED) / 2), float(floor)
        for kind in ORDER:
            height = high * week.outcomes.get(kind, 0) / most
            if height:
                y -= height
                boxes.append(Box(kind=kind, x=x, y=y, width=slot * FILLED, height=height))
        if (len(weeks) - 1 - index) % 2 == 0:
            words = f"{week.begins:%d %b}"
            labels.append(ChartLabel(text=words, x=x + slot * FILLED / 2, y=HEIGHT - 8))
    scale = [
        ChartLabel(text=f"{value:,}", x=LEFT - 8, y=floor - high * value / most)
        for value in range(0, most + 1, step)
    ]
    return BarChart(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        boxes=tuple(boxes),
        scale=tuple(scale),
        weeks=tuple(labels),
    )


def parts(counts: Mapping[str, int], order: Sequence[str]) -> tuple[Part, ...]:
    """Return the parts of a whole in this order; those of nothing are left out."""
    whole, start = sum(counts.get(kind, 0) for kind in order), 0.0
    found: list[Part] = []
    for kind in order:
        if count := counts.get(kind, 0):
            found.append(Part(kind=kind, count=count, share=count / whole, start=start))
            start += count / whole
    return tuple(found)


def _step(most: int) -> int:
    """Return the distance of the scale's lines: 1, 2 or 5 times a power of ten."""
    if most <= LINES:
        return 1
    power = 10 ** int(log10(most / LINES))
    return next(times * power for times in (1, 2, 5, 10) if times * power * LINES >= most)
