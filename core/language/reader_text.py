"""The one way in which a text is shown to a reader, in training and in the product."""

from collections.abc import Sequence

HEADINGS = 2
"""Headings kept of a path, the innermost ones; the policy's title comes before them."""
WINDOW = 170
"""Words of a passage that are read at once."""
STRIDE = 140
"""Words from one window to the next."""
WINDOWS = 3
"""Windows of a passage that are read; the best one counts."""


def heading_of(title: str, path: Sequence[str]) -> str:
    """Return "title > heading > heading", without repetitions."""
    parts: list[str] = []
    for part in (title, *path[-HEADINGS:]):
        folded = " ".join(part.split())
        if folded and folded.casefold() not in {known.casefold() for known in parts}:
            parts.append(folded)
    return " > ".join(parts)


def reader_text(title: str, path: Sequence[str], text: str, *, lead_in: str | None = None) -> str:
    """Return a text under its headings.

    Args:
        title: Of the policy.
        path: Headings from the outermost to the text's own.
        text: A sentence, list item, table row or passage.
        lead_in: The sentence that introduces a list, or the header row of a table.
    """
    heading = heading_of(title, path)
    body = " ".join((f"{lead_in} {text}" if lead_in else text).split())
    return f"{heading}: {body}" if heading else body


def windows(
    text: str, *, size: int = WINDOW, stride: int = STRIDE, most: int = WINDOWS
) -> list[str]:
    """Return a passage in overlapping pieces that a reader takes whole; never empty.

    Args:
        text: The passage.
        size: Words of a piece.
        stride: Words from the beginning of one to that of the next, fewer than `size`.
        most: Pieces; what comes after the last one is not read.
    """
    words = text.split()
    starts = range(0, max(1, len(words) - (size - stride)), stride)
    return [" ".join(words[start : start + size]) for start in starts][:most]
