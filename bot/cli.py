"""From the words of the command line to one command's exit code.

The parser is light: what a command needs (database, parsers, models) is imported once it is chosen.
An error is one line with cause and cure; `--debug` adds the traceback.

Exit codes:
    0: any regular outcome, refusals and clarifications among them.
    1: a file could not be ingested or read whole; `corpus validate`, `audit show` or `audit verify`
        found a problem.
    2: wrong usage.
    3: configuration or database.
    4: nothing has been ingested.
    5: another command does what only one may do at a time; try again later.
    6: `serve` or `work` ended itself, because it stood still; start it again.
    7: `ask`: something broke while answering; that is recorded.
    8: in production, the login of the database may do more than the process needs.
    130: interrupted by Ctrl-C.
    143: told to end (SIGTERM).
    141: whoever read the output stopped reading.
"""

import argparse
import gc
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import cast

from bot.console.command_line import build_parser
from core.domain.errors import (
    CiteboundError,
    EmptyCorpusError,
    OccupiedError,
    PrivilegedLoginError,
    UsageError,
)

EXIT_USAGE = 2
EXIT_BROKEN = 3
EXIT_EMPTY = 4
EXIT_OCCUPIED = 5
EXIT_PRIVILEGED = 8
EXIT_INTERRUPTED = 130
EXIT_PIPE_CLOSED = 141
EXIT_TERMINATED = 143
EXIT_CODES = f"exit codes:{(__doc__ or '').partition('Exit codes:')[2]}".rstrip()
"""As the help says them."""
_GO_ON = ("ingest:ingest", "spaces:embed", "sources:sync", "evaluate:run", "shadow:shadow")
KEPT = {
    "ask:ask": "nothing was kept",
    "ask:chat": "what was answered is in the record",
    "demo:demo": "what was read and answered stays in the demo's database",
    **dict.fromkeys(_GO_ON, "what is finished is kept, and the same command goes on with the rest"),
}
"""What is kept of a command that is interrupted, unless it says so itself."""


def run(words: Sequence[str], parser: argparse.ArgumentParser | None = None) -> int:
    """Run one command and return its exit code; `parser` replaces that of `citebound`."""
    _make_streams_forgiving()
    arguments = vars((parser or build_parser(EXIT_CODES)).parse_args(words))
    is_debug, function = arguments.pop("debug"), arguments.pop("function")
    if not is_debug:
        sys.excepthook = _report_unexpected
    termination = _Termination()
    signal.signal(signal.SIGTERM, termination)
    try:
        code = _imported(function)(**arguments)
        sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        kept = str(interrupt) or KEPT.get(function.rpartition(".")[2])
        how = "told to end" if termination.came else "interrupted"
        _say(f"{how}: {kept}" if kept else how)
        return EXIT_TERMINATED if termination.came else EXIT_INTERRUPTED
    except BrokenPipeError:
        _silence_output()
        return EXIT_PIPE_CLOSED
    except Exception as error:
        known = _first_known(error)
        if known is None:
            raise
        if is_debug:
            traceback.print_exception(error)
        _say(f"error: {_one_line(str(known))}")
        return exit_code(known)
    return code


class _Termination:
    """Ends a command on SIGTERM as Ctrl-C does, so that what it opened is closed.

    `serve` and `work` end in an order of their own and take the signal from it.
    """

    def __init__(self) -> None:
        self.came = False
        """Whether the signal came."""

    def __call__(self, _number: int, frame: FrameType | None) -> None:
        """Do what Ctrl-C does: an event loop cancels its task, anything else is interrupted."""
        self.came = True
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # ignored, as in a shell's background job
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)


def _imported(function: str) -> Callable[..., int]:
    """Import a command; collecting garbage meanwhile would take a fifth longer and find none."""
    gc.disable()
    try:
        module, _, name = function.partition(":")
        return getattr(importlib.import_module(module), name)
    finally:
        gc.freeze()
        gc.enable()


def exit_code(error: CiteboundError) -> int:
    """Return the exit code of an error."""
    if isinstance(error, EmptyCorpusError):
        return EXIT_EMPTY
    if isinstance(error, OccupiedError):
        return EXIT_OCCUPIED
    if isinstance(error, PrivilegedLoginError):
        return EXIT_PRIVILEGED
    return EXIT_USAGE if isinstance(error, UsageError) else EXIT_BROKEN


def _first_known(error: BaseException) -> CiteboundError | None:
    """Look into exception groups, as task groups raise them, and at what the database says."""
    if isinstance(error, CiteboundError):
        return error
    if isinstance(error, BaseExceptionGroup):
        inner = cast("BaseExceptionGroup[BaseException]", error).exceptions
        return next(filter(None, map(_first_known, inner)), None)
    # Whoever has not imported it has no error of it.
    database = sys.modules.get("core.adapters.postgres.engine.database")
    return None if database is None else database.failure_of(error)


def _report_unexpected(
    kind: type[BaseException], error: BaseException, _trace: TracebackType | None
) -> None:
    _say(f"error: unexpected {kind.__name__}: {_one_line(str(error))}; --debug shows where")


def _one_line(text: str) -> str:
    folded = " ".join(text.split())
    return "".join(char for char in folded if char.isprintable())


def _say(text: str) -> None:
    print(f"citebound: {text}", file=sys.stderr)


def _make_streams_forgiving() -> None:
    """Show the code of a character that the terminal lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _silence_output() -> None:
    """Keep the interpreter from flushing into the closed pipe once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
