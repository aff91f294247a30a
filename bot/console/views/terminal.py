"""Standard output and standard error as the commands use them.

Results go to standard output; progress, traces and errors go to standard error, so that a pipe
carries results alone. Colour only on a terminal, and never where `NO_COLOR` is set (no-color.org;
rich keeps to it).

Policy text, questions and file names are data. They reach the terminal only as `rich.text.Text`,
which interprets neither markup nor emoji codes, and only without the characters that a terminal
obeys.
"""

import json
import re
import sys
import unicodedata
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, TypeVar

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from core.config.settings import Settings

_Value = TypeVar("_Value")

_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_JOINERS = frozenset("\u200c\u200d")
"""Persian, Indic scripts and emoji need them; they change nothing else."""
_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_UNSAFE_IN_JSON = re.compile(
    "[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def clean(text: str) -> str:
    """Return the text without control, format and unassigned characters; line ends become LF."""
    folded = _LINE_ENDS.sub("\n", text).replace("\t", " ")
    return "".join(
        char
        for char in folded
        if char == "\n" or char in _JOINERS or unicodedata.category(char) not in _UNSAFE_CATEGORIES
    )


def one_line(text: str, *, limit: int | None = None) -> str:
    """Return the cleaned text on one line, shortened with an ellipsis to `limit` characters."""
    folded = " ".join(clean(text).split())
    if limit is None or len(folded) <= limit:
        return folded
    return folded[: limit - 1].rstrip() + "…"


def local(value: _Value) -> _Value:
    """Return a dataclass with its instants as clocks show them where the deployment is."""
    zone = Settings.from_environment().zones.home
    stored: Any = value
    instants = {
        field.name: at.astimezone(zone)
        for field in fields(stored)
        if isinstance(at := getattr(stored, field.name), datetime)
    }
    found: _Value = replace(stored, **instants)
    return found


def safe(text: str, style: str = "") -> Text:
    """Return cleaned text for rich; brackets in it stay brackets."""
    return Text(clean(text), style=style)


def to_json(
    value: Mapping[str, object] | Sequence[object],
    *,
    is_unicode: bool = True,
    indent: int | None = 2,
) -> str:
    """Return a value as JSON that is safe to look at in a terminal.

    Args:
        value: what to print.
        is_unicode: False if the output can't carry letters beyond ASCII.
        indent: spaces a level; None: all on one line.
    """
    dumped = json.dumps(value, ensure_ascii=not is_unicode, indent=indent, default=_plain)
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", dumped)


def _plain(value: object) -> object:
    if isinstance(value, (set, frozenset, tuple)):
        return sorted(str(item) for item in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return str(value)


_TRAILING = re.compile(r"(?<! ) ++$", re.MULTILINE)
"""What rich pads with; where output is piped nobody wants it."""
MAX_WIDTH = 100
"""Columns used at most: longer lines are hard to read."""


class _PipeAwareConsole(Console):
    """Leaves a closed pipe to the caller, where rich would exit with code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Short heads with lines beside them; piped, all of it is one line, for `grep`."""

    heads: tuple[Text, ...]
    """The columns to the left, padded by whoever makes them."""
    lines: tuple[Text, ...]
    """What stands in the last column, and at a terminal is wrapped within it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield a grid, or one line."""
        if not console.is_terminal:
            joined = Text("; ").join(self.lines)
            yield Text(" ", no_wrap=True, overflow="ignore").join([*self.heads, joined])
            return
        grid = Table.grid(padding=(0, 1))
        for head in self.heads:
            grid.add_column(no_wrap=True, width=len(head))
        grid.add_column(overflow="fold")
        grid.add_row(*self.heads, Text("\n").join(self.lines))
        yield grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """Where a command writes."""

    out: Console
    """Standard output: results."""
    err: Console
    """Standard error: progress, traces, errors."""
    is_interactive: bool
    """True if a person sits at both ends: standard input and output are terminals."""

    def show(self, *renderables: RenderableType) -> None:
        """Print to standard output."""
        _print(self.out, renderables)

    def show_unwrapped(self, text: str) -> None:
        """Print a line to standard output that can be copied as one, however long it is."""
        self.out.print(safe(text), soft_wrap=True)

    def remark(self, *renderables: RenderableType) -> None:
        """Print to standard error."""
        _print(self.err, renderables)

    def remark_unwrapped(self, text: str) -> None:
        """Print a line to standard error that stays one, however long it is."""
        self.err.print(safe(one_line(text)), soft_wrap=True)

    @contextmanager
    def busy(self, words: str) -> Generator[Callable[[str], None]]:
        """Show what is being done while it is being done, at a terminal; say nothing elsewhere.

        Yields:
            A function that changes the words.
        """
        if not self.err.is_terminal:
            yield _ignore
            return
        with self.err.status(safe(words)) as status:
            yield lambda changed: status.update(safe(changed))

    @contextmanager
    def progress(self, words: str, *, total: int, done: int = 0) -> Generator[Callable[[], None]]:
        """Show a bar at a terminal while some things are done; say nothing elsewhere.

        Yields:
            A function that counts one more as done.
        """
        if not self.err.is_terminal:
            yield _nothing
            return
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeRemainingColumn(), console=self.err, transient=True) as bar:
            task = bar.add_task(one_line(words), total=total, completed=done)
            yield lambda: bar.advance(task)

    def show_json(self, value: Mapping[str, object] | Sequence[object]) -> None:
        """Print one JSON value, and nothing else, to standard output."""
        encoding = (self.out.encoding or "ascii").lower().replace("-", "")
        self.out.file.write(to_json(value, is_unicode=encoding.startswith("utf")) + "\n")
        self.out.file.flush()


def open_terminal() -> Terminal:
    """Return the process's own terminal."""
    return Terminal(
        out=_console(is_stderr=False),
        err=_console(is_stderr=True),
        is_interactive=sys.stdin.isatty() and sys.stdout.isatty(),
    )


def _print(console: Console, renderables: Sequence[RenderableType]) -> None:
    for renderable in renderables:
        # What a text says of its wrapping gets lost where rich joins what it prints.
        is_one_piece = isinstance(renderable, Text) and bool(renderable.no_wrap)
        if console.is_terminal:
            console.print(renderable, crop=False, soft_wrap=is_one_piece)
            continue
        with console.capture() as captured:
            console.print(renderable, crop=False, soft_wrap=is_one_piece)
        console.file.write(_TRAILING.sub("", captured.get()))


def _ignore(_words: str) -> None:
    """Nobody is watching."""


def _nothing() -> None:
    """Nobody is watching."""


def _console(*, is_stderr: bool) -> Console:
    console = _PipeAwareConsole(stderr=is_stderr, highlight=False, markup=False, emoji=False)
    console.width = min(console.width, MAX_WIDTH)
    return console
