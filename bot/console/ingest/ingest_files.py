"""Files into the corpus one after the other, with one line a file: shared by `ingest` and `demo`.

All files are read before the first is stored: two of them that would be one policy are refused.
A file that can't be read is named with cause and cure, and the others go on. Each file is stored
whole or not at all, so whatever was done before an interruption stays.
"""

import asyncio
import gc
import hashlib
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Protocol

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from bot.console.views.terminal import Row, Terminal, one_line
from core.domain.errors import ContractError, DocumentError
from core.ingest.compare import KeyClaim, claim_of, find_key_conflicts
from core.ingest.folder_listing import Skipped, SourceToIngest, other_kinds, read_file
from core.ingest.prepare import Prepared
from core.ingest.publish import Ingested, Ingestor
from core.ports import Published
from core.ports.extraction import ReadingReport

UNREAD_SHOWN = 10
"""Sections of a file that are named if they were not read."""
KEPT_CHARACTERS = 20_000_000
"""Text of files that is kept between reading and storing them, in all; others are read twice."""
_READING, _STORING = 1, 3
"""Shares of the time that a file takes: facts are read while it is stored."""
_A_FILE = 2_000
"""What a file takes beside its text, as so many bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A file that was left out."""

    reason: str
    """Cause and cure, one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What became of one file."""

    path: Path
    """The file."""
    result: Ingested | Failed
    """As stored, or why not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """A file that was read, and whose policy is its own in this run."""

    source: SourceToIngest
    """The file."""
    claim: KeyClaim
    """Its policy, and from when on it holds."""
    prepared: Prepared | None
    """As read; None: it is read once more, as so much is kept already."""


class Ticks(Protocol):
    """Sections that are done, for a bar."""

    total: int
    """Sections expected."""
    watch: Callable[[int, str], None] | None
    """Told how many are done, and the heading of the last one."""


class FileWatch(Protocol):
    """Is told which of several files is worked on, by its place among them."""

    def reads(self, place: int, /) -> None:
        """Learn that a file is being read."""
        ...

    def stores(self, place: int, /) -> None:
        """Learn that a file is being stored; all are read by then."""
        ...


async def read_all(
    ingestor: Ingestor,
    sources: Sequence[SourceToIngest],
    *,
    with_chunks: bool,
    watch: FileWatch | None = None,
) -> list[ReadFile | Failed]:
    """Read all files, in order, and refuse those that would be one policy. Stores nothing.

    Args:
        ingestor: reads them.
        sources: the files.
        with_chunks: False for facts alone.
        watch: told how far it is; None: nobody is.
    """
    found: list[ReadFile | Failed] = []
    claims: list[KeyClaim] = []
    claimed: list[int] = []
    kept = 0
    for place, source in enumerate(sources):
        if watch is not None:
            watch.reads(place)
        try:
            data = await asyncio.to_thread(read_file, source.path)
            prepared = await _prepare(ingestor, source, data, with_chunks=with_chunks)
        except ContractError as error:
            found.append(Failed(reason=str(error)))
            continue
        claim = claim_of(prepared, name=str(source.path), given=source.given)
        claims.append(claim)
        claimed.append(len(found))
        kept += len(prepared.document.text)
        is_kept = kept <= KEPT_CHARACTERS
        found.append(ReadFile(source=source, claim=claim, prepared=prepared if is_kept else None))
    for place, reason in find_key_conflicts(claims).items():
        found[claimed[place]] = Failed(reason=reason)
    return found


async def prepared_again(
    ingestor: Ingestor, read: ReadFile, data: bytes, *, with_chunks: bool
) -> Prepared:
    """Return what was read, or read it again.

    Raises:
        DocumentError: The file changed meanwhile.
    """
    prepared = read.prepared
    if prepared is None or hashlib.sha256(data).digest() != read.claim.sha256:
        prepared = await _prepare(ingestor, read.source, data, with_chunks=with_chunks)
    if prepared.sha256 != read.claim.sha256:
        raise DocumentError("it changed while it was read: ingest it again")
    return prepared


async def _prepare(
    ingestor: Ingestor, source: SourceToIngest, data: bytes, *, with_chunks: bool
) -> Prepared:
    return await ingestor.prepare(
        data, source_name=source.path.name, given=source.given, with_chunks=with_chunks
    )


async def ingest_all(
    ingestor: Ingestor,
    sources: Sequence[SourceToIngest],
    *,
    with_chunks: bool,
    watch: FileWatch | None = None,
) -> AsyncGenerator[FileResult]:
    """Ingest each file in order and yield what became of it; for `watch` see `read_all`.

    Raises:
        TransientError: The database failed; files yielded before are stored.
    """
    all_read = deque(await read_all(ingestor, sources, with_chunks=with_chunks, watch=watch))
    for place, source in enumerate(sources):
        if watch is not None:
            watch.stores(place)
        read = all_read.popleft()
        if isinstance(read, Failed):
            yield FileResult(path=source.path, result=read)
            continue
        try:
            data = await asyncio.to_thread(read_file, source.path)
            done = await ingestor.ingest(
                data,
                source_name=source.path.name,
                given=source.given,
                with_chunks=with_chunks,
                file=source.file,
                prepared=await prepared_again(ingestor, read, data, with_chunks=with_chunks),
            )
        except ContractError as error:
            yield FileResult(path=source.path, result=Failed(reason=str(error)))
            continue
        to_come = [later.claim for later in all_read if isinstance(later, ReadFile)]
        yield FileResult(path=source.path, result=done.before(to_come))


_COLLECTED_AFTER = (50_000, 20, 20)
"""Objects, and collections of the younger generation, until garbage is collected: Python's own 700
objects take a tenth of an ingestion, and find next to nothing."""


async def ingest_with_progress(
    terminal: Terminal,
    ingestor: Ingestor,
    sources: Sequence[SourceToIngest],
    results: list[FileResult],
    *,
    with_chunks: bool,
    is_quiet: bool = False,
    ticks: Ticks | None = None,
) -> None:
    """Ingest all files; print a line a file, and a progress bar at a terminal.

    Args:
        terminal: where to print.
        ingestor: stores them.
        sources: the files.
        results: what became of each is added here at once: it is known after an interruption.
        with_chunks: False for facts alone.
        is_quiet: True prints no lines (for `--json`).
        ticks: tells of sections that a model read, for a bar of their own; None: no model does.
    """
    gc.set_threshold(*_COLLECTED_AFTER)  # for the rest of the command, which ends soon
    # On one screen, bar and lines share a console, which keeps the bar below the lines.
    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeRemainingColumn(),
        console=terminal.out if terminal.out.is_terminal else terminal.err,
        transient=True,
        disable=not terminal.err.is_terminal,
    )
    with progress:
        meter = _Meter(progress, [source.path for source in sources])
        if ticks is not None and ticks.total:
            _watch(progress, ticks)
        ingestor.watch_embedding = _embedding(progress)
        async for result in ingest_all(ingestor, sources, with_chunks=with_chunks, watch=meter):
            results.append(result)
            if not is_quiet:
                terminal.show(file_row(result))


def file_row(result: FileResult) -> Row:
    """Return what became of one file, with its notes."""
    name, done = one_line(result.path.name), result.result
    if isinstance(done, Failed):
        line = Text(f"{name}: {one_line(done.reason)}")
        return Row(heads=(Text(f"{'failed':<9}", style="red"),), lines=(line,))
    status = status_of(done)
    label = f" {one_line(done.metadata.label)}" if done.metadata.label else ""
    lines = [Text(f"{name}: {one_line(done.metadata.title)}{label}")]
    if isinstance(done.result, Published):
        lines.append(Text(_counts(done, done.result), style="dim"))
    if done.reading:
        lines += _reading(done.reading)
    lines += [Text(f"note: {one_line(note)}", style="dim") for note in done.notes]
    return Row(heads=(Text(f"{status.word:<9}", style=status.colour),), lines=tuple(lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStatus:
    """The word for what became of a file."""

    word: str
    """`added`, `revised`, `reread` or `unchanged`."""
    colour: str
    """Its colour."""


def status_of(done: Ingested) -> FileStatus:
    """Say what became of a file."""
    if not isinstance(done.result, Published):
        return FileStatus(word="unchanged", colour="dim")
    if done.result.is_reread:
        return FileStatus(word="reread", colour="green")
    return FileStatus(word="added" if done.result.is_first else "revised", colour="green")


def skipped_row(skipped: Skipped) -> Row:
    """Return what was left out, and why."""
    line = Text(f"{one_line(str(skipped.path))}: {one_line(skipped.reason)}")
    return Row(heads=(Text(f"{'skipped':<9}", style="yellow"),), lines=(line,))


def summary_line(results: Sequence[FileResult], *, skipped: int = 0, others: int = 0) -> Text:
    """Return how many files were added, revised, left alone, and left out for what reason."""
    counts = counts_of(results) | ({"skipped": skipped} if skipped else {})
    said = [f"{number} {word}" for word, number in counts.items()]
    return Text(", ".join([*said, other_kinds(others)] if others else said))


def counts_of(results: Sequence[FileResult]) -> dict[str, int]:
    """Count the files by what became of them."""
    counts = {"added": 0, "revised": 0, "unchanged": 0, "failed": 0}
    for result in results:
        done = result.result
        word = "failed" if isinstance(done, Failed) else status_of(done).word
        counts[word] = counts.get(word, 0) + 1
    return counts


def keys_of(results: Sequence[FileResult]) -> list[str | None]:
    """Return the policy of each file; None for one that failed."""
    return [
        None if isinstance(item.result, Failed) else item.result.metadata.key for item in results
    ]


def _counts(done: Ingested, result: Published) -> str:
    return (
        f"{done.sections} sections, {result.chunks} chunks ({result.chunks_embedded} embedded),"
        f" {result.entities} entities, {result.relations} relations"
    )


def _reading(report: ReadingReport) -> list[Text]:
    """Return what a model read of a file, and which sections it did not."""
    said = f"Claude read {report.read} sections"
    if report.kept:
        said += f" ({report.kept} were read before)"
    found = f"{report.entities} entities and {report.relations} relations beyond the rules"
    lines = [Text(f"{said}: {found}, {sum(report.dropped.values())} dropped", style="dim")]
    lines += [
        Text(
            f"not read: {one_line(left.heading, limit=60)}: {one_line(left.reason)}", style="yellow"
        )
        for left in report.unread[:UNREAD_SHOWN]
    ]
    if len(report.unread) > UNREAD_SHOWN:
        lines.append(Text(f"not read: {len(report.unread) - UNREAD_SHOWN} more", style="yellow"))
    return lines


class _Meter:
    """The bar of all files. It goes by their sizes, as the time that is left does.

    All files are read before the first is stored, so each counts twice.
    """

    def __init__(self, progress: Progress, paths: Sequence[Path]) -> None:
        self._progress = progress
        self._paths = paths
        self._before = [0, *accumulate(map(_size, paths))]
        self._task = progress.add_task(
            "", total=(_READING + _STORING) * self._before[-1], count=f"0/{len(paths)}"
        )

    def reads(self, place: int, /) -> None:
        """Show that the file at a place is being read."""
        self._show("reading", place, done=_READING * self._before[place], count=place)

    def stores(self, place: int, /) -> None:
        """Show that the file at a place is being stored."""
        done = _READING * self._before[-1] + _STORING * self._before[place]
        self._show("storing", place, done=done, count=place)

    def _show(self, what: str, place: int, *, done: int, count: int) -> None:
        self._progress.update(
            self._task,
            description=f"{what} {_name(self._paths[place])}",
            completed=done,
            count=f"{count}/{len(self._paths)}",
        )


def _size(path: Path) -> int:
    """Return a file's size and something for the file itself; it may be gone."""
    try:
        return path.stat().st_size + _A_FILE
    except OSError:
        return _A_FILE


def _watch(progress: Progress, ticks: Ticks) -> None:
    """Add a bar of sections."""
    task = progress.add_task("sections", total=ticks.total, count=f"0/{ticks.total}")

    def watch(done: int, heading: str) -> None:
        progress.update(
            task,
            completed=done,
            description=one_line(heading, limit=40),
            count=f"{done}/{ticks.total}",
        )

    ticks.watch = watch


def _embedding(progress: Progress) -> Callable[[int, int], None]:
    """Return what shows how far a large file is embedded; its bar comes and goes with the file."""
    task = progress.add_task("embedding", total=None, visible=False, count="")

    def watch(done: int, of: int) -> None:
        if done == 0:
            progress.reset(task, total=of)  # the time that is left is this file's
        progress.update(task, completed=done, visible=done < of, count=f"{done:,}/{of:,} chunks")

    return watch


def _name(path: Path) -> str:
    return one_line(path.name, limit=40)
