"""The process that parses files: `python -m core.ingest.sandbox_process`, started by `sandbox`.

A parser given a hostile file may loop forever, exhaust memory or crash; here it does no harm:
- Requests come on standard input, one reply to each goes to standard output; the process ends with
  its input.
- The kernel limits the processor time of each file, and the address space.
- It is given no environment, writes no file, and is killed when its parent dies.
- Its replies are JSON, which the parent validates.

A message is its length (`LENGTH_BYTES`, big endian) and its bytes. A request is two messages, a
`ParserRequest` in JSON and the file; a reply is one, a `ParserReply` in JSON.
"""

import ctypes
import math
import os
import resource
import signal
import sys
import traceback
from dataclasses import dataclass
from pathlib import PurePath
from typing import BinaryIO

import psutil
from pydantic import TypeAdapter

from core.domain.errors import DocumentError
from core.ingest.prepare import Content, read_content

LENGTH_BYTES = 8
EXIT_MEMORY = 75
"""Exit status when memory ran out."""

_SET_DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG`, prctl(2)."""
_WORN = 0.25
"""Of the memory limit. A process that holds this much after a file is replaced: its free memory may
be too fragmented for the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserRequest:
    """What is sent along with a file."""

    source_name: str
    """The file's name."""
    with_chunks: bool
    """False if chunks are not wanted."""
    processor_s: int
    """Processor time for this file, in seconds."""
    memory_bytes: int
    """Address space of the process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserReply:
    """The result of parsing a file; one of the first three is set."""

    content: Content | None = None
    """Its text, sections and chunks."""
    refused: str | None = None
    """Why it can't be read: message of a `DocumentError`."""
    failed: str | None = None
    """Type and place of an unexpected error; no text of the file."""
    must_restart: bool = False
    """True if the process should be replaced before the next file."""


REQUEST = TypeAdapter(ParserRequest)
REPLY = TypeAdapter(ParserReply)


def serve(incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """ParserReply to requests until the input ends."""
    while (header := _receive(incoming)) is not None:
        data = _receive(incoming)
        if data is None:
            return
        request = REQUEST.validate_json(header)
        _limit(request)
        reply = REPLY.dump_json(_read(data, request))
        outgoing.write(len(reply).to_bytes(LENGTH_BYTES, "big") + reply)
        outgoing.flush()


def _receive(incoming: BinaryIO) -> bytes | None:
    """Return the next message; None at the end of the input, even within a message."""
    length = incoming.read(LENGTH_BYTES)
    size = int.from_bytes(length, "big")
    message = incoming.read(size)
    return message if len(length) == LENGTH_BYTES and len(message) == size else None


def _read(data: bytes, request: ParserRequest) -> ParserReply:
    try:
        content = read_content(
            data, source_name=request.source_name, with_chunks=request.with_chunks
        )
    except DocumentError as refusal:
        return ParserReply(refused=str(refusal), must_restart=_must_restart(request))
    except MemoryError:
        raise
    except Exception as error:  # the parent must be told, whatever it is
        return ParserReply(failed=_place_of(error), must_restart=True)
    return ParserReply(content=content, must_restart=_must_restart(request))


def _place_of(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {PurePath(frame.filename).name}, line {frame.lineno}"


def _limit(request: ParserRequest) -> None:
    """Limit the next file; what earlier files used does not count."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = math.ceil(used.ru_utime + used.ru_stime) + request.processor_s
    _lower(resource.RLIMIT_CPU, until)
    if sys.platform == "linux":  # elsewhere the kernel refuses or ignores it
        _lower(resource.RLIMIT_AS, request.memory_bytes)


def _lower(kind: int, soft: int) -> None:
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _must_restart(request: ParserRequest) -> bool:
    return psutil.Process().memory_info().rss > _WORN * request.memory_bytes


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent dies, however that happens."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it died before that
        os._exit(0)


def main() -> None:
    """Serve the process that started this one; what libraries print is discarded."""
    _die_with(int(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    try:
        serve(sys.stdin.buffer, outgoing)
    except MemoryError:
        os._exit(EXIT_MEMORY)


if __name__ == "__main__":
    main()
