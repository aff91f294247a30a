"""The files of a run, which one process alone writes.

`NAME.jsonl` begins with what is run and grows by a line a question; `NAME.json` is written at the
end, with the figures. Who is interrupted starts the same command again. Where questions, documents,
settings or code are others than then, the lines so far are put aside as `NAME.previous.jsonl`, and
all is asked anew.
"""

import fcntl
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, Generic

from bot.console.views.terminal import to_json
from core.domain.errors import OccupiedError, UsageError
from evals.measuring.results import (
    WHOLE,
    Header,
    Line,
    Lines,
    QuestionResult,
    RunHeader,
    line_of,
    read_run,
)

LINES, PREVIOUS = ".jsonl", ".previous.jsonl"
_OWNER = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenLines(Generic[Line]):
    """A run that goes on. Blocks: call it in a thread."""

    file: FileIO
    """Its lines, locked."""
    kept: tuple[Line, ...]
    """What was asked before."""
    put_aside: str | None
    """In a line, why results that were there don't count; None if there were none."""

    def keep(self, line: Line) -> None:
        """Add a line in one write; it stays through a crash of the machine."""
        _append(self.file, line)


@contextmanager
def open_run(path: Path, header: RunHeader) -> Generator[OpenLines[QuestionResult]]:
    """Open the lines of a run of questions; what could not be asked is asked again."""

    def read(path: Path) -> Lines[RunHeader, QuestionResult]:
        run = read_run(path)
        asked = tuple(result for result in run.results if result.was_asked)
        return Lines(header=run.header, lines=asked)

    with open_lines(path, header, read=read) as run:
        yield run


@contextmanager
def open_lines(
    path: Path,
    header: Header,
    *,
    read: Callable[[Path], Lines[Header, Line]],
    is_private: bool = False,
) -> Generator[OpenLines[Line]]:
    """Open the lines of a run, with the results that it already has.

    Args:
        path: The file of lines.
        header: What is about to be run.
        read: Reads the file; raises UsageError for one of something else.
        is_private: True: its owner alone may read it.

    Raises:
        OccupiedError: Another process writes it.
        UsageError: It can't be written, or holds something else.
    """
    with locked(path) as file:
        if is_private:
            path.chmod(_OWNER)
        put_aside: str | None = None
        kept: tuple[Line, ...] = ()
        is_new = not path.stat().st_size
        if not is_new:
            before = read(path)
            if others := header.differences(before.header):
                aside = path.with_suffix(PREVIOUS)
                _write(aside, path.read_bytes(), is_private=is_private)
                named = ", ".join(name.removesuffix("_sha256") for name in others)
                put_aside = f"{named} changed: all is asked anew; earlier results are in {aside}"
                file.truncate(0)
            else:
                kept = before.lines
                file.truncate(path.read_bytes().rindex(b"\n") + 1)
        if put_aside or is_new:
            _append(file, header)
        yield OpenLines(file=file, kept=kept, put_aside=put_aside)


def check_out(out: Path) -> None:
    """Refuse a place where a run would be written over something else, or beside a folder.

    Raises:
        UsageError: It is one.
    """
    check_folder(out)
    whole = out.with_suffix(WHOLE)
    if whole.exists():
        read_run(whole)


def check_folder(out: Path) -> None:
    """Refuse a folder where a file is to be written.

    Raises:
        UsageError: It is one.
    """
    if out.is_dir():
        raise UsageError(f"{out} is a folder: name a file in it")


def write_whole(path: Path, value: Mapping[str, object], *, is_private: bool = False) -> None:
    """Write the JSON of a finished run: all of it, or nothing."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    _write(beside, f"{to_json(value)}\n".encode(), is_private=is_private)
    beside.replace(path)


def write_text(path: Path, text: str) -> None:
    """Write a file that somebody named.

    Raises:
        UsageError: It can't be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from error


def _write(path: Path, data: bytes, *, is_private: bool) -> None:
    if is_private:
        path.touch(mode=_OWNER)
        path.chmod(_OWNER)
    path.write_bytes(data)


@contextmanager
def locked(path: Path) -> Generator[FileIO]:
    """Lend a file to one process at a time, to be read and added to; it is made if needed.

    Raises:
        OccupiedError: Another process writes it.
        UsageError: It can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b", buffering=0)
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise OccupiedError(f"another process is writing {path}") from error
        yield file


def _append(file: FileIO, value: Any) -> None:
    file.write(line_of(value).encode() + b"\n")
    os.fsync(file.fileno())
