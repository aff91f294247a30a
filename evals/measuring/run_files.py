"""The files of a run, which one process alone writes.

`NAME.jsonl` grows by a line a question; `NAME.json` is written at the end, with the figures. Who is
interrupted starts the same command again. Where questions, documents, settings or code are others
than then, the results so far are put aside as `NAME.previous.jsonl`, and all is asked anew.
"""

import fcntl
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from bot.console.views.terminal import to_json
from core.domain.errors import OccupiedError, UsageError
from evals.measuring.results import WHOLE, QuestionResult, RunHeader, line_of, read_run

LINES, PREVIOUS = ".jsonl", ".previous.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun:
    """A run that goes on. Blocks: call it in a thread."""

    file: FileIO
    """Its lines, locked."""
    kept: tuple[QuestionResult, ...]
    """What was asked before."""
    put_aside: str | None
    """In a line, why results that were there don't count; None if there were none."""

    def keep(self, result: QuestionResult) -> None:
        """Add a line in one write; it stays through a crash of the machine."""
        _append(self.file, result)


@contextmanager
def open_run(path: Path, header: RunHeader) -> Generator[OpenRun]:
    """Open the lines of a run, with the results that it already has.

    Args:
        path: The file of lines.
        header: What is about to be run.

    Raises:
        OccupiedError: Another process writes it.
        UsageError: It can't be written, or holds something else.
    """
    with locked(path) as file:
        size = file.seek(0, os.SEEK_END)
        put_aside: str | None = None
        kept: tuple[QuestionResult, ...] = ()
        if size:
            before = read_run(path)
            if others := header.differences(before.header):
                aside = path.with_suffix(PREVIOUS)
                aside.write_bytes(path.read_bytes())
                named = ", ".join(name.removesuffix("_sha256") for name in others)
                put_aside = f"{named} changed: all is asked anew; earlier results are in {aside}"
                file.truncate(0)
            else:
                kept = tuple(one for one in before.results if one.was_asked)
                file.truncate(path.read_bytes().rindex(b"\n") + 1)
        if put_aside or not size:
            _append(file, header)
        yield OpenRun(file=file, kept=kept, put_aside=put_aside)


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


def write_whole(path: Path, value: Mapping[str, object]) -> None:
    """Write the JSON of a finished run: all of it, or nothing."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(to_json(value) + "\n", encoding="utf-8")
    beside.replace(path)


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


def _append(file: FileIO, value: RunHeader | QuestionResult) -> None:
    file.write(line_of(value).encode() + b"\n")
    os.fsync(file.fileno())
