"""The regression gate: figures held to those that were last accepted.

`accepted.json` beside this file has each acceptance: a figure may fall short of the last one by its
tolerance, a quarter of its 95 % bootstrap interval, which is about one standard error. The same
questions are asked each time, so what falls further is the code's doing, or was worth a look. The
table of docs/quality.md is made from that file.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter
from rich.text import Text

from bot.console.views.terminal import Terminal, open_terminal
from core.adapters.system import SystemClock
from core.config.settings import Settings
from core.domain.errors import ConfigError, UsageError
from core.models import NoReader, find_guard
from evals.measuring.commands.evaluate import RunOptions, measured
from evals.measuring.comparison import rate_of
from evals.measuring.conditions import commit
from evals.measuring.estimates import Interval, proportion
from evals.measuring.figures import RATES
from evals.statements import StatementsReport, evaluate_statements, guard_supports, load_statements

ROOT = Path(__file__).parents[1]
ACCEPTED = Path(__file__).parent / "accepted.json"
PAGE = ROOT / "docs" / "quality.md"
BEGIN, END = "<!-- trend -->\n", "<!-- /trend -->"
SUPPORT = "statements"
HEADLINES = 5
"""Figures of a set that the table shows."""
_QUARTER = 4
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsToHold:
    """A question set that is held to its figures."""

    name: str
    """In `accepted.json`."""
    questions: Path
    """The set."""
    folder: Path | None
    """What it is asked of; None: beside it."""
    is_alone: bool
    """True: a database for each document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a set."""

    set: str
    """The set's name."""
    figure: str
    """Its own name."""
    value: float
    """A share, in [0, 1]."""
    tolerance: float
    """By how much a later one may be worse."""
    is_better_higher: bool
    """False for what should not happen."""

    def falls_short_of(self, accepted: "Figure") -> bool:
        """Say whether it is worse than the accepted one by more than that one's tolerance."""
        worse = accepted.value - self.value
        return (worse if self.is_better_higher else -worse) > accepted.tolerance + _ROUNDING


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """Figures that somebody accepted."""

    date: str
    """ISO 8601."""
    commit: str | None
    """What was measured."""
    figures: tuple[Figure, ...]
    """Of the sets that were there."""


def gate(*, data: Path, sets: Sequence[str], accepts: bool, as_json: bool) -> int:
    """Measure, compare with what was accepted, and accept if asked; 1 if a figure falls short."""
    terminal = open_terminal()
    figures = list(_figures(terminal, data, sets))
    if not figures:
        raise UsageError("nothing was measured: --set names none of the sets, or none is there")
    history = read_history()
    known = last_accepted(history)
    faults = list(faults_of(figures, known))
    if as_json:
        terminal.show_json([asdict(one) for one in figures])
    else:
        terminal.show(*(Text(line) for line in gate_lines(figures, known)))
    if accepts:
        today = SystemClock().now().date().isoformat()
        accept(Acceptance(date=today, commit=commit(), figures=tuple(figures)), history)
        return 0
    for fault in faults:
        terminal.remark_unwrapped(fault)
    return 1 if faults else 0


def faults_of(figures: Sequence[Figure], known: Mapping[tuple[str, str], Figure]) -> Iterator[str]:
    """Yield a line for each figure that falls short, was never accepted, or is no longer there."""
    for one in figures:
        accepted = known.get(_key(one))
        name = f"{one.set}, {one.figure}"
        if accepted is None:
            yield f"NOT ACCEPTED YET: {name} {one.value:.1%}: make evals ACCEPT=1"
        elif one.falls_short_of(accepted):
            yield f"FALLS SHORT: {name} {one.value:.1%}, accepted {accepted.value:.1%}"
    measured_sets = {one.set for one in figures}
    for key in known.keys() - {_key(one) for one in figures}:
        if key[0] in measured_sets:
            yield f"GONE: {key[0]}, {key[1]} has no value any more"


def sets_in(data: Path) -> Sequence[QuestionsToHold]:
    """Return the question sets, those of the repository first."""
    samples, published = ROOT / "samples" / "questions", ROOT / "tests" / "evals"
    return [
        QuestionsToHold(name=name, questions=path, folder=folder, is_alone=folder is not None)
        for name, path, folder in (
            ("samples", samples / "test.jsonl", None),
            ("dialogues", samples / "dialogues.jsonl", None),
            ("policies", published / "policies_questions.jsonl", data / "policies"),
            ("workplace", data / "workplace/questions/heldout.jsonl", data / "workplace"),
        )
    ]


def read_history() -> list[Acceptance]:
    """Return what was accepted, the oldest first."""
    return TypeAdapter(list[Acceptance]).validate_json(ACCEPTED.read_bytes())


def last_accepted(history: Iterable[Acceptance]) -> dict[tuple[str, str], Figure]:
    """Return the last accepted figure of each name; a set that was not measured keeps its own."""
    return {_key(figure): figure for one in history for figure in one.figures}


def accept(acceptance: Acceptance, history: Sequence[Acceptance]) -> None:
    """Write figures into the file and onto the page."""
    whole = [*history, acceptance]
    text = json.dumps([asdict(one) for one in whole], indent=1)
    ACCEPTED.write_text(text + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}{trend_table(whole)}{END}{after}", encoding="utf-8")


def trend_table(history: Iterable[Acceptance]) -> str:
    """Return the table of the page, the newest first."""
    lines = ["| accepted | commit | set | figures |", "|---|---|---|---|"]
    for one in reversed(list(history)):
        for name in dict.fromkeys(figure.set for figure in one.figures):
            figures = [figure for figure in one.figures if figure.set == name][:HEADLINES]
            said = ", ".join(f"{figure.figure} {figure.value:.1%}" for figure in figures)
            lines.append(f"| {one.date} | {one.commit or '-'} | {name} | {said} |")
    return "\n".join(lines) + "\n"


def gate_lines(figures: Iterable[Figure], known: Mapping[tuple[str, str], Figure]) -> Iterator[str]:
    """Yield a line for each figure."""
    yield f"{'set':<11} {'figure':<29} accepted      now"
    for one in figures:
        accepted = known.get(_key(one))
        before = "       -" if accepted is None else f"{accepted.value:>8.1%}"
        verdict = "FALLS SHORT" if accepted and one.falls_short_of(accepted) else ""
        yield f"{one.set:<11} {one.figure:<29} {before} {one.value:>8.1%}  {verdict}".rstrip()


def _figures(terminal: Terminal, data: Path, sets: Sequence[str]) -> Iterator[Figure]:
    for one in sets_in(data):
        if sets and one.name not in sets:
            continue
        if one.questions.exists() and (one.folder is None or one.folder.exists()):
            terminal.remark_unwrapped(f"{one.name}: {one.questions}")
            yield from _of_questions(terminal, one)
        else:
            _skip(terminal, one.name, one.questions)
    pairs = data / "support" / "dev.jsonl"
    if not sets or SUPPORT in sets:
        if pairs.exists():
            yield from _of_statements(pairs)
        else:
            _skip(terminal, SUPPORT, pairs)


def _skip(terminal: Terminal, name: str, missing: Path) -> None:
    terminal.remark_unwrapped(f"NOT MEASURED: {name}. {missing} is not there: DATA=FOLDER")


def _of_questions(terminal: Terminal, one: QuestionsToHold) -> Iterator[Figure]:
    """Yield the figures of a question set, by the rules: no model takes part."""
    options = RunOptions(reasoner="extractive", alone=one.is_alone, calibration="shipped")
    out = Settings.from_environment().home.expanduser() / "eval" / "gate" / f"{one.name}.json"
    run = measured(terminal, one.questions, folder=one.folder, out=out, options=options)
    for rate in RATES:
        found = rate_of(run.results, rate)
        if found is not None:
            yield _figure(one.name, rate.name, found, is_better_higher=rate.is_better_higher)


def _of_statements(pairs: Path) -> Iterator[Figure]:
    """Yield how often the checks drop right statements, and pass wrong ones."""
    report = asyncio.run(_checked(pairs))
    misses = report.misses_by_kind().values()
    dropped = round(report.false_alarms * len(report.supported)), len(report.supported)
    missed = sum(passed for passed, _ in misses), sum(count for _, count in misses)
    for name, (count, of) in (("right ones dropped", dropped), ("wrong ones passed", missed)):
        found = proportion(count, of)
        if found is not None:
            yield _figure(SUPPORT, name, found, is_better_higher=False)


async def _checked(pairs: Path) -> StatementsReport:
    """Check statements by code and by the guard, as answers are checked."""
    labelled = load_statements(pairs)
    guard = await find_guard(Settings.from_environment())
    if isinstance(guard, NoReader):
        raise ConfigError(guard.reason)
    return evaluate_statements(labelled, supports=await guard_supports(labelled, guard))


def _figure(set_name: str, name: str, found: Interval, *, is_better_higher: bool) -> Figure:
    return Figure(
        set=set_name,
        figure=name,
        value=round(found.value, 4),
        tolerance=round((found.high - found.low) / _QUARTER, 4),
        is_better_higher=is_better_higher,
    )


def _key(figure: Figure) -> tuple[str, str]:
    return figure.set, figure.figure
