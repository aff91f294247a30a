"""Foreign text made harmless for a terminal: no control characters, no markup, no hidden marks.

Policy text, questions and file names are data. They reach the terminal only as `rich.text.Text`,
which interprets neither markup nor emoji codes, and only after everything that a terminal would
obey has been taken out.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence

from rich.text import Text

_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_JOINERS = frozenset("\u200c\u200d")
"""Persian, Indic scripts and emoji need them; they change nothing else."""
_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_UNSAFE_IN_JSON = re.compile(
    "[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def clean(text: str) -> str:
    """Return the text without control, format and unassigned characters; line ends become LF."""
    folded = _LINE_ENDS.sub("\n", text).replace("\t", " ")
    return "".join(
        char
        for char in folded
        if char == "\n" or char in _JOINERS or unicodedata.category(char) not in _UNSAFE_CATEGORIES
    )


def one_line(text: str, *, limit: int | None = None) -> str:
    """Return the cleaned text on one line, shortened with an ellipsis to `limit` characters."""
    folded = " ".join(clean(text).split())
    if limit is None or len(folded) <= limit:
        return folded
    return folded[: limit - 1].rstrip() + "…"


def safe(text: str, style: str = "") -> Text:
    """Return cleaned text for rich; brackets in it stay brackets."""
    return Text(clean(text), style=style)


def to_json(
    value: Mapping[str, object] | Sequence[object],
    *,
    is_unicode: bool = True,
    indent: int | None = 2,
) -> str:
    """Return a value as JSON that is safe to look at in a terminal.

    Args:
        value: what to print.
        is_unicode: False if the output can't carry letters beyond ASCII.
        indent: spaces a level; None: all on one line.
    """
    dumped = json.dumps(value, ensure_ascii=not is_unicode, indent=indent, default=_plain)
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", dumped)


def _plain(value: object) -> object:
    if isinstance(value, (set, frozenset, tuple)):
        return sorted(str(item) for item in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return str(value)
