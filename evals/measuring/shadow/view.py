"""A shadow run as it is read at the terminal, and its figures. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from bot.console.views.terminal import Row, one_line, safe
from evals.measuring.shadow.comparing import Compared, Told
from evals.measuring.shadow.outcome_change import AnswerChange

_LONGEST = 300
_WORDS: Mapping[AnswerChange, str] = {
    AnswerChange.CONTRADICTS: "contradicts what was told",
    AnswerChange.NOW_SILENT: "answered then, refused now",
    AnswerChange.NOW_ANSWERED: "refused then, answered now",
    AnswerChange.OTHER_OUTCOME: "another question back or reason",
    AnswerChange.OTHER_QUOTES: "other quotes",
    AnswerChange.OTHER_WORDS: "other words, the same quotes",
    AnswerChange.BADGE: "another badge alone",
    AnswerChange.SAME: "the same",
}
_STYLES: Mapping[AnswerChange, str] = {
    AnswerChange.CONTRADICTS: "bold red",
    AnswerChange.NOW_SILENT: "red",
    AnswerChange.NOW_ANSWERED: "green",
}


def figures_of(found: Sequence[Compared]) -> dict[str, Any]:
    """Return the counts of a run."""
    changes = Counter(one.change for one in found if one.change)
    alone = Counter(one.change for one in found if one.change and one.counts)
    known = [one.cost_usd for one in found if one.cost_usd is not None]
    return {
        "compared": sum(changes.values()),
        "changes": {change.value: changes[change] for change in AnswerChange},
        "otherwise": {
            change.value: alone[change]
            for change in AnswerChange
            if change is not AnswerChange.SAME
        },
        "badges_moved": sum(one.badge_moved for one in found),
        "left_out": dict(Counter(one.skipped.value for one in found if one.skipped)),
        "cost_usd": round(sum(known), 4),
    }


def shadow_rows(found: Sequence[Compared], figures: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Yield what to print: the questions that differ, the gravest first, and the counts."""
    order = list(AnswerChange)
    differing = [one for one in found if one.change not in {None, AnswerChange.SAME}]
    for one in sorted(differing, key=lambda one: order.index(one.change or AnswerChange.SAME)):
        yield from _question(one)
    for change in AnswerChange:
        count = figures["changes"][change.value]
        by_switch = figures["otherwise"].get(change.value, 0)
        if count:
            words = f"{count:>6}  {_WORDS[change]}"
            if change is not AnswerChange.SAME and by_switch < count:
                words += f"; {count - by_switch} of them are answered so today as well"
            yield Text(words, style=_STYLES.get(change, ""))
    if figures["badges_moved"]:
        yield Text(f"{figures['badges_moved']:>6}  with another badge, changed otherwise or not")
    for why, count in figures["left_out"].items():
        yield Text(f"{count:>6}  left out: {why.replace('_', ' ')}", style="dim")
    if not found:
        yield Text("No questions were asked in that period.")
    if figures["cost_usd"]:
        yield Text(f"It cost USD {figures['cost_usd']:.4f}.", style="dim")


def _question(one: Compared) -> Iterator[RenderableType]:
    change = one.change or AnswerChange.SAME
    mark = " (as today)" if one.already else ""
    head = Text(f"{_WORDS[change]}{mark}", style=_STYLES.get(change, "yellow"))
    yield Row(heads=(head,), lines=(safe(one_line(one.question, limit=_LONGEST)),))
    if one.contradiction is not None:
        found = one.contradiction
        yield _indented(
            f"{found.policy}: {found.kind} {one_line(found.then, limit=_LONGEST)} / "
            f"{one_line(found.now, limit=_LONGEST)}",
            style="red",
        )
    yield from _told("-", one.then)
    yield from _told("+", one.now)
    yield _indented(f"record {one.record_id}", style="dim")


def _told(mark: str, told: Told | None) -> Iterator[RenderableType]:
    if told is None:
        return
    style = "red" if mark == "-" else "green"
    facts = ", ".join(filter(None, (told.outcome, told.refusal, told.badge)))
    yield _indented(f"{mark} {facts}: {one_line(told.text, limit=_LONGEST)}", style=style)
    for policy, section, quote in told.quotes:
        words = one_line(quote, limit=_LONGEST)
        yield _indented(f"{mark} {policy} {section}: {words}", style=style)


def _indented(text: str, *, style: str) -> RenderableType:
    return Padding(safe(text, style=style), (0, 0, 0, 4))
