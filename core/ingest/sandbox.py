"""Parse files in a child process that the kernel limits, so that a hostile file harms nothing else.

One child reads many files; it starts with the first. When it takes too long, dies or replies with
nonsense, the file is refused and the next one gets a new child. Types and offsets of its replies
are validated.
"""

import asyncio
import os
import signal
import sys
from asyncio import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TypeVar

from pydantic import ValidationError

from core.domain.errors import DocumentError
from core.ingest.prepare import NOTHING_GIVEN, Content, Overrides, Prepared, prepared_from
from core.ingest.sandbox_process import (
    EXIT_MEMORY,
    LENGTH_BYTES,
    REPLY,
    REQUEST,
    ParserReply,
    ParserRequest,
)

_MEGABYTE = 1024 * 1024
_CHILD = "core.ingest.sandbox_process"
_SIMPLER = "split it, or save it again in a simpler form"
_ENDS_WITHIN_S = 5.0

_Pipe = TypeVar("_Pipe")


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxLimits:
    """What one file may take."""

    processor_s: int = 30
    """Processor time of any file, in seconds."""
    processor_s_a_mb: int = 10
    """Added for each megabyte."""
    wait_ratio: int = 10
    """The longest wait, as a multiple of the processor time: other programs run too."""
    memory_bytes: int = 2048 * _MEGABYTE
    """Address space of the child, of which some 200 MB are the program itself."""
    reply_bytes: int = 256 * _MEGABYTE
    """What the child may send for a file."""

    def processor_s_of(self, size: int) -> int:
        """Return the processor time for a file of `size` bytes, in seconds."""
        return self.processor_s + size * self.processor_s_a_mb // _MEGABYTE


class SandboxedReader:
    """Reads files one at a time in a child process; opened by `open_sandbox`."""

    def __init__(self, limits: SandboxLimits) -> None:
        self._limits = limits
        self._child: subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def prepare(
        self,
        data: bytes,
        *,
        source_name: str,
        given: Overrides = NOTHING_GIVEN,
        with_chunks: bool = True,
    ) -> Prepared:
        """Read a policy file; see `core.ingest.prepare.prepare`.

        Raises:
            DocumentError: The file can't be read, or not within the limits.
        """
        request = ParserRequest(
            source_name=PurePath(source_name).name,
            with_chunks=with_chunks,
            processor_s=self._limits.processor_s_of(len(data)),
            memory_bytes=self._limits.memory_bytes,
        )
        async with self._turn:
            reply = await self._reply_to(request, data)
        content = await asyncio.to_thread(checked_content, reply)
        return prepared_from(content, data, source_name=source_name, given=given)

    async def close(self) -> None:
        """Kill the child, whatever it is doing; the next file starts another."""
        child, self._child = self._child, None
        if child is not None and child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()

    async def _reply_to(self, request: ParserRequest, data: bytes) -> ParserReply:
        """Have the child parse the file; unless it may serve the next one, end it."""
        is_fit = False
        try:
            reply = await self._ask(request, data)
            is_fit = not reply.must_restart
        finally:
            if not is_fit:
                await self.close()
        return reply

    async def _ask(self, request: ParserRequest, data: bytes) -> ParserReply:
        child = await self._running()
        waits_s = self._limits.wait_ratio * request.processor_s
        try:
            async with asyncio.timeout(waits_s):
                await _send(child, REQUEST.dump_json(request), data)
                message = await _receive(child, most=self._limits.reply_bytes)
        except TimeoutError as exc:
            raise DocumentError(f"reading it took more than {waits_s} s: {_SIMPLER}") from exc
        except (ConnectionError, asyncio.IncompleteReadError) as exc:
            raise DocumentError(_cause(await _status_of(child), request)) from exc
        try:
            return await asyncio.to_thread(REPLY.validate_json, message, strict=True)
        except ValidationError as exc:
            raise DocumentError(f"reading it gave nothing sensible: {_SIMPLER}") from exc

    async def _running(self) -> subprocess.Process:
        """Return the child, started if there is none or the last one died."""
        if self._child is None or self._child.returncode is not None:
            self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-P", "-B", "-m", _CHILD, str(os.getpid())),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)},
                start_new_session=True,  # Ctrl-C is for the parent, which then ends the child
            )
        return self._child


@asynccontextmanager
async def open_sandbox(limits: SandboxLimits | None = None) -> AsyncGenerator[SandboxedReader]:
    """Open a reader of files; its child is started with the first file and ended with the block."""
    reader = SandboxedReader(limits or SandboxLimits())
    try:
        yield reader
    finally:
        await reader.close()


async def _send(child: subprocess.Process, *messages: bytes) -> None:
    stdin = _pipe(child.stdin)
    for message in messages:
        stdin.write(len(message).to_bytes(LENGTH_BYTES, "big"))
        stdin.write(message)
        await stdin.drain()


async def _receive(child: subprocess.Process, *, most: int) -> bytes:
    stdout = _pipe(child.stdout)
    length = int.from_bytes(await stdout.readexactly(LENGTH_BYTES), "big")
    if length > most:
        raise DocumentError("it holds more text than one file may: split it")
    return await stdout.readexactly(length)


def _pipe(end: _Pipe | None) -> _Pipe:
    if end is None:
        raise RuntimeError("expected a child with pipes")
    return end


async def _status_of(child: subprocess.Process) -> int:
    """Return the exit status of a child that has closed its output, and so should be ending."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_ENDS_WITHIN_S):
            return await child.wait()
    return 0


def _cause(status: int, request: ParserRequest) -> str:
    """Say why the child ended, and what to do."""
    if status == -signal.SIGXCPU:
        return f"reading it took more than {request.processor_s} s of processor time: {_SIMPLER}"
    if status == EXIT_MEMORY:
        return f"reading it took more than {request.memory_bytes // _MEGABYTE} MB: {_SIMPLER}"
    if status == -signal.SIGKILL:
        return f"the process that read it was killed, perhaps for lack of memory: {_SIMPLER}"
    if status < 0:
        return f"reading it ended in a crash ({_signal_name(-status)}): {_SIMPLER}"
    return f"the process that read it ended (exit status {status}): {_SIMPLER}"


def _signal_name(number: int) -> str:
    known = {member.value: member.name for member in signal.Signals}
    return known.get(number, f"signal {number}")


def checked_content(reply: ParserReply) -> Content:
    """Return what the file holds.

    Raises:
        DocumentError: The child refused the file, failed on it, or its offsets are not those of
            its text.
    """
    if reply.refused is not None:
        raise DocumentError(" ".join(reply.refused.split()))
    if reply.content is None:
        where = " ".join((reply.failed or "no reason given").split())
        raise DocumentError(f"reading it failed unexpectedly ({where}): {_SIMPLER}")
    if not _fits(reply.content):
        raise DocumentError(f"reading it gave offsets beyond its text: {_SIMPLER}")
    return reply.content


def _fits(content: Content) -> bool:
    """Return whether all spans lie in the text, sections cover it and chunks are slices of it."""
    document, sections = content.document, content.sections
    spans = [*(heading.span for heading in document.headings), *document.tables]
    starts = [section.char_start for section in sections]
    ends = [section.char_end for section in sections]
    return (
        all(0 <= span.char_start < span.char_end <= len(document.text) for span in spans)
        and [*starts, len(document.text)] == [0, *ends]
        and all(one.char_start <= one.body_start <= one.char_end for one in sections)
        and all(section.ordinal == place for place, section in enumerate(sections))
        and all(
            chunk.text == document.text[chunk.char_start : chunk.char_end]
            and chunk.text
            and 0 <= chunk.section_ordinal < len(sections)
            for chunk in content.chunks
        )
    )
