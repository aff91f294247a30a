"""What `ingest` is told about a policy, as values: within the limits that hold for documents, too.

Nothing in quotes (`--owner=`) takes a value away, where that can be: see `NOTHING`. Errors are
`ArgumentTypeError`, one line with the cause, and never repeat a long word.
"""

import argparse
from collections.abc import Callable
from datetime import date
from typing import Literal

from bot.console.options import day
from core.ingest.metadata import A_LINK, NOTHING, is_link, length_problem, shown


def text_of(field: str, *, may_be_none: bool = False) -> Callable[[str], str]:
    """Return what reads a text of a field of `Overrides`.

    Args:
        field: its name, which decides how long it may be.
        may_be_none: True: an empty word is read as `NOTHING`; else it is refused.
    """

    def read(word: str) -> str:
        text = word.strip()
        if not text and not may_be_none:
            raise argparse.ArgumentTypeError("expected a text, got nothing")
        if problem := length_problem(field, text):
            raise argparse.ArgumentTypeError(f"{problem}, got {shown(text)}")
        return text or NOTHING

    return read


def link(word: str) -> str:
    """Read an address of the web; an empty word is `NOTHING`."""
    text = text_of("url", may_be_none=True)(word)
    if text and not is_link(text):
        raise argparse.ArgumentTypeError(f"expected {A_LINK}, got {shown(text)}")
    return text


def review_day(word: str) -> date | Literal[""]:
    """Read the day of a review; an empty word is `NOTHING`."""
    return day(word) if word.strip() else NOTHING
