"""Plots of a run as geometry: a template draws them, and a table has the same numbers. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.console.views.terminal import one_line
from evals.measuring import figures
from evals.measuring.figures import Share
from evals.measuring.probabilities import Scored, bins_of
from evals.measuring.results import QuestionResult

WIDTH, HEIGHT = 640, 310
LEFT, RIGHT, TOP, BOTTOM = 56, 28, 26, 62
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
IN_BIN = 10
"""Drafts of a dot in the reliability diagram, at least."""
MOST_BINS = 8
FILLED = 0.7
"""Part of its place that a bar takes."""
TIMES = 12
"""Bars of the times."""
_BESIDE = 5
"""Names that stand beside one another."""
_NAME_LENGTH = 18
"""Characters of a name below a bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotBar:
    """A bar, or a part of one."""

    kind: str
    """Names its colour: `good`, `bad` or `plain`."""
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotDot:
    """A dot with its interval."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotTick:
    """A value of an axis, where it stands."""

    text: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """One plot with the words beside it."""

    title: str
    words: str
    """What it means, for people who read no plots."""
    x_title: str
    y_title: str
    x_ticks: tuple[PlotTick, ...]
    y_ticks: tuple[PlotTick, ...]
    heads: tuple[str, ...]
    """Of the table with the same numbers."""
    rows: tuple[tuple[str, ...], ...]
    bars: tuple[PlotBar, ...] = ()
    dots: tuple[PlotDot, ...] = ()
    has_long_ticks: bool = False
    """True if the names below have to be slanted to stand beside one another."""
    line: str = ""
    """Points of a line; empty for none."""
    reference: str = ""
    """Points of a line to compare with; empty for none."""


def reliability(results: Sequence[QuestionResult]) -> Plot | None:
    """Return what a stated confidence is worth; None without drafts."""
    known = [Scored(probability=value, is_right=ok) for value, ok in _scored(results)]
    if not known:
        return None
    dots: list[PlotDot] = []
    rows: list[tuple[str, ...]] = []
    for part in bins_of(known, bins=max(1, min(MOST_BINS, len(known) // IN_BIN))):
        right = Share(count=round(part.right * part.labels), of=part.labels)
        if (found := right.interval) is not None:
            x = _x(part.expected)
            dots.append(PlotDot(x=x, y=_y(found.value), low=_y(found.low), high=_y(found.high)))
            count = f"{right.count} of {right.of}"
            rows.append((f"{part.expected:.0%}", count, f"{found.value:.0%}"))
    return Plot(
        title="Is the confidence to be trusted?",
        words="Each dot is a group of answers, or of closest passages, with about the same stated"
        " confidence. On the dashed line as many are right as the confidence says. Above it, the"
        " assistant is better than it says; below it, it claims more than it keeps. The vertical"
        " lines show how far chance may have moved a dot.",
        x_title="stated confidence",
        y_title="right",
        x_ticks=_shares(_x),
        y_ticks=_shares(_y),
        heads=("stated confidence", "right", "share"),
        rows=tuple(rows),
        dots=tuple(dots),
        reference=_points([(0, 0), (1, 1)]),
    )


def risk_coverage(results: Sequence[QuestionResult]) -> Plot | None:
    """Return what share of answers would be wrong if fewer were given; None without drafts."""
    known = sorted(_scored(results), reverse=True)
    if not known:
        return None
    asked = sum(one.was_asked for one in results)
    wrong, curve = 0, list[tuple[float, float]]()
    for given, (_, ok) in enumerate(known, start=1):
        wrong += not ok
        curve.append((given / asked, wrong / given))
    most = max(0.1, *(risk for _, risk in curve))
    top = next(edge for edge in (0.1, 0.25, 0.5, 1.0) if edge >= most)
    rows = [
        (f"{budget:.0%}", f"{max((at for at, risk in curve if risk <= budget), default=0.0):.0%}")
        for budget in (0.02, 0.05, 0.1, 0.2)
    ]
    return Plot(
        title="How much could be answered, at what price?",
        words="If only the surest drafts were posted, few would be wrong, and few questions"
        " answered. From left to right more are posted, the surest first; the line says what share"
        " of them is wrong. A line that stays low for long is good: the assistant knows what it"
        " does not know. Questions that nothing answers count as wrong where they are answered.",
        x_title="share of all questions that are answered",
        y_title="wrong",
        x_ticks=_shares(_x),
        y_ticks=tuple(PlotTick(text=f"{share * top:.1%}", at=_y(share)) for share in QUARTERS),
        heads=("at most wrong", "could be answered"),
        rows=tuple(rows),
        line=_points([(at, risk / top) for at, risk in curve]),
    )


def confidence_histogram(results: Sequence[QuestionResult]) -> Plot | None:
    """Return how many drafts there are of each confidence; None without drafts."""
    bins = figures.confidence(results, lambda one: one.calibrated).histogram
    groups = [(f"{one.low:g} to {one.high:g}", one.passed) for one in bins]
    return _stacked(
        groups,
        title="How sure is it?",
        words="Drafts by their stated confidence, in the bounds of the badges: High from 0.85,"
        " Medium from 0.5. What lies below is never posted as an answer. The blue part of a bar"
        " is right.",
        x_title="stated confidence",
    )


def passed_by(results: Sequence[QuestionResult], label: str) -> Plot | None:
    """Return how many questions of each kind or difficulty passed; None if none is labelled."""
    groups = figures.grouped(results, lambda one: getattr(one, label))
    if set(groups) <= {figures.UNLABELLED}:
        return None
    return _stacked(
        [(name, figures.passed(group)) for name, group in groups.items()],
        title=f"What is easy, what is hard: by {label}",
        words="Questions that passed are the blue part of each bar: answered rightly and quoted"
        " in full, or rightly not answered.",
        x_title=label,
    )


def times(results: Sequence[QuestionResult]) -> Plot | None:
    """Return how long answers took; None if none was asked."""
    took_s = sorted(one.ms / 1_000 for one in results if one.was_asked)
    if not took_s:
        return None
    width = max(took_s[-1], 0.001) / TIMES
    counts = [0] * TIMES
    for took in took_s:
        counts[min(TIMES - 1, int(took / width))] += 1
    most = max(counts)
    bars = [_bar("plain", place, TIMES, 0, count / most) for place, count in enumerate(counts)]
    return Plot(
        title="How long does one wait?",
        words="The time from a question to its answer, without the platform. It depends on the"
        " machine that it was measured on.",
        x_title="seconds",
        y_title="questions",
        x_ticks=tuple(
            PlotTick(text=f"{share * took_s[-1]:.2g}", at=_x(share)) for share in QUARTERS
        ),
        y_ticks=(PlotTick(text="0", at=_y(0)), PlotTick(text=str(most), at=_y(1))),
        heads=("up to, seconds", "questions"),
        rows=tuple((f"{width * (at + 1):.2f}", str(count)) for at, count in enumerate(counts)),
        bars=tuple(bars),
    )


def _stacked(
    groups: Sequence[tuple[str, Share]], *, title: str, words: str, x_title: str
) -> Plot | None:
    most = max((share.of for _, share in groups), default=0)
    if not most:
        return None
    bars: list[PlotBar] = []
    for place, (_, share) in enumerate(groups):
        bars.append(_bar("good", place, len(groups), 0, share.count / most))
        bars.append(_bar("bad", place, len(groups), share.count / most, share.of / most))
    return Plot(
        title=title,
        words=words,
        x_title=x_title,
        y_title="questions",
        x_ticks=tuple(
            PlotTick(text=one_line(name, limit=_NAME_LENGTH), at=_x((place + 0.5) / len(groups)))
            for place, (name, _) in enumerate(groups)
        ),
        y_ticks=(PlotTick(text="0", at=_y(0)), PlotTick(text=str(most), at=_y(1))),
        has_long_ticks=len(groups) > _BESIDE,
        heads=(x_title, "passed", "of"),
        rows=tuple((name, str(share.count), str(share.of)) for name, share in groups),
        bars=tuple(bars),
    )


def _scored(results: Sequence[QuestionResult]) -> list[tuple[float, bool]]:
    return [
        (one.calibrated, right)
        for one, right in figures.drafts(results)
        if one.calibrated is not None
    ]


def _bar(kind: str, place: int, places: int, low: float, high: float) -> PlotBar:
    slot = (WIDTH - LEFT - RIGHT) / places
    return PlotBar(
        kind=kind,
        x=round(LEFT + slot * (place + (1 - FILLED) / 2), 1),
        y=_y(high),
        width=round(slot * FILLED, 1),
        height=round(_y(low) - _y(high), 1),
    )


def _x(share: float) -> float:
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def _y(share: float) -> float:
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_x(x)},{_y(y)}" for x, y in points)


def _shares(place: Callable[[float], float]) -> tuple[PlotTick, ...]:
    return tuple(PlotTick(text=f"{share:.0%}", at=place(share)) for share in QUARTERS)
