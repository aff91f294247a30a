"""A replay as an officer reads it at the terminal. Pure: values in, renderables out."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from bot.console.views.terminal import one_line, safe
from core.replay.comparison import Difference
from core.replay.replay import Replay
from core.replay.today import AnswerChanges, Clause, FactChange

_STYLES = {"-": "red", "+": "green", " ": "default"}
_NAMES = {
    "outcome": "Outcome",
    "refusal": "Reason",
    "badge": "Badge",
    "assumptions": "Assumes",
    "notes": "Notes",
    "text": "Answer",
}
_NOTHING = "none"


def replay_view(replay: Replay) -> Iterator[RenderableType]:
    """Return what to print of a question that was answered as it was then."""
    yield safe(f"record  {replay.question.record_id}", style="dim")
    if replay.difference is None:
        yield Text("Identical: evidence, answer and reply match byte for byte.", "green")
    else:
        yield from _difference(replay.difference)
    if replay.moved_searches:
        yield Text(
            f"Note: {replay.moved_searches} of its searches find other chunks today, because"
            " words have become more common or rarer. The replay uses the recorded results.",
            style="dim",
        )


def today_view(changes: AnswerChanges) -> Iterator[RenderableType]:
    """Return what to print of a question that was answered anew."""
    if changes.is_same:
        yield Text("Today's answer is the same, from the same clauses.", "green")
    else:
        yield Text("Today's answer is different.", style="bold yellow")
    for change in changes.changes:
        yield from _change(change)
    for claim in changes.dropped:
        yield _indented(safe(f"- {claim}", style="red"))
    for claim in changes.added:
        yield _indented(safe(f"+ {claim}", style="green"))
    for clause in changes.clauses:
        yield Text()
        yield safe(f"{clause.policy}, {clause.section}", style="cyan")
        yield _indented(_words(clause))
    for then, now in changes.moved:
        yield safe(f"moved: {then} is now {now}", style="dim")


def _difference(found: Difference) -> Iterator[RenderableType]:
    yield Text("Differs", style="bold red").append_text(
        safe(f" first at {found.stage} (- recorded, + replayed):", style="not bold default")
    )
    for line in found.lines:
        yield _indented(safe(line, style=_STYLES.get(line[:1], "default")))


def _change(change: FactChange) -> Iterator[RenderableType]:
    name = _NAMES[change.what]
    if change.what == "text":
        yield Text()
        yield Text("Then", style="bold")
        yield _indented(safe(change.then))
        yield Text("Today", style="bold")
        yield _indented(safe(change.now))
        return
    then, now = one_line(change.then) or _NOTHING, one_line(change.now) or _NOTHING
    yield safe(f"{name}: {then} → {now}")


def _words(clause: Clause) -> Text:
    """Return a clause with what was taken away and what was added; marked without colours, too."""
    runs = [
        safe(words if mark == " " else f"[{mark}{words}{mark}]", style=_STYLES[mark])
        for mark, words in clause.words
    ]
    return Text(" ").join(runs)


def _indented(content: Text) -> Padding:
    return Padding(content, (0, 0, 0, 2), expand=False)
