"""Logs as JSON lines, from an allow-list of keys: none is for text, names or addresses.

Our own messages hold ids alone. What libraries say may hold anything, bodies of messages among it:
of theirs only the name and the level are told. Of an exception: its kind and where it was raised.
"""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

OURS = ("bot.", "core.")


class JsonLines(logging.Formatter):
    """One object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        is_ours = record.name.startswith(OURS)
        told = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage() if is_ours else "(a library's own words are not kept)",
        }
        if record.exc_info and record.exc_info[1] is not None:
            told["error"] = _told(record.exc_info[1])
        return json.dumps(told)


def log_to_stderr() -> None:
    """Send all logs to standard error, libraries' only from warnings on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in OURS:
        logging.getLogger(name.rstrip(".")).setLevel(logging.INFO)


def _told(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"
    return f"{type(error).__name__} at {where}"
