"""Log lines: one JSON object each, without what people wrote or who they are.

Our own messages hold ids and words of code. Of a library's message the words that stand in its code
are kept, and what it filled in is not: that may be a row, a payload or a token. An error is named
by its type and the line that raised it, and so are its causes.
"""

import json
import logging
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType
from typing import cast

from bot.traces import current_question, current_trace
from core.domain.errors import raised_at

OURS = ("bot.", "core.")
LEFT_OUT = "…"
"""Stands for what a library filled into its message."""
CALLERS = 3
"""Functions whose constants are looked at: the one that logs, which may be a library's own wrapper,
and those that called it."""
MOST_CAUSES = 4
"""Causes of an error that are named."""


class JsonLines(logging.Formatter):
    """One object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        is_ours = record.name.startswith(OURS)
        told = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage() if is_ours else _literal_words(record),
        }
        if record.exc_info and record.exc_info[1] is not None:
            told["error"] = _error_text(record.exc_info[1])
        about = {"question": current_question(), "trace_id": current_trace()}
        told |= {name: value for name, value in about.items() if value is not None}
        return json.dumps(told, ensure_ascii=False)


def log_to_stderr() -> None:
    """Send all logs to standard error, libraries' only from warnings on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in OURS:
        logging.getLogger(name.rstrip(".")).setLevel(logging.INFO)
    logging.captureWarnings(capture=True)
    if sys.excepthook is not sys.__excepthook__:  # as with `--debug`
        sys.excepthook = _log_uncaught


def _log_uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Log what ends the process: Python's own report would show the error's message."""
    told = (kind, error, trace)
    logging.getLogger(f"{OURS[0]}app").critical(
        "the process exits because of an error", exc_info=told
    )


def _literal_words(record: logging.LogRecord) -> str:
    """Return the beginning of a library's message that is a constant of its code."""
    message = str(record.msg)
    words = max(filter(message.startswith, _constants(record)), key=len, default="")
    return words if words == message else f"{words}{LEFT_OUT}"


def _constants(record: logging.LogRecord) -> Iterator[str]:
    """Return the strings that stand in the function that logs this record, and in its callers."""
    frame = sys._getframe()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    place = (record.pathname, record.funcName)
    while frame is not None and place != (frame.f_code.co_filename, frame.f_code.co_name):
        frame = frame.f_back
    for _ in range(CALLERS):
        if frame is not None:
            yield from (one for one in frame.f_code.co_consts if isinstance(one, str))
            frame = frame.f_back


def _error_text(error: BaseException) -> str:
    """Return the type and place of an error and of its causes, the last one first."""
    named: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(named) <= MOST_CAUSES:
        named.append(f"{type(cause).__name__} at {raised_at(cause)}")
        cause = _cause(cause)
    return ", caused by ".join(named)


def _cause(error: BaseException) -> BaseException | None:
    """Return what an error came from; of a group its first."""
    if isinstance(error, BaseExceptionGroup):
        return cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)
