"""Read a file of labels: JSON lines, each checked where it stands."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from core.domain.errors import UsageError

Label = TypeVar("Label")


def labelled_lines(path: Path, read: Callable[[Any, int], Label], *, named: str) -> list[Label]:
    """Return what is read of each line that is not blank, in order.

    Args:
        path: The file, UTF-8.
        read: Takes a line's JSON and its number, from 1; raises ValueError, KeyError or TypeError
            for what is no label.
        named: What a line should be, for the message.

    Raises:
        UsageError: The file can't be read, or a line is something else.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    found: list[Label] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(read(json.loads(line.decode()), number))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UsageError(f"{path}:{number}: not {named} ({error!r})") from error
    return found
