"""Links to where something was asked, as a chat platform told our code.

A question of one platform may be answered on the other, so each shows links to both.
"""

import re

_PLACES = (
    r"[A-Za-z0-9][A-Za-z0-9.\-]*\.slack\.com(?:/[\x21-\x7e]*)?",
    r"(?:teams\.microsoft\.com|teams\.cloud\.microsoft|gov\.teams\.microsoft\.us)/l/[\x21-\x7e]*",
)
_PERMALINK = re.compile(rf"https://(?:{'|'.join(_PLACES)})")
_BREAKING = frozenset("<>\"'`\\")


def is_permalink(url: str) -> bool:
    """Say whether an address leads to a message in Slack or Teams."""
    return _PERMALINK.fullmatch(url) is not None and not _BREAKING & set(url)
