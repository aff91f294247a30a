"""The code with which the writer of a report comes back, from any account: made, and found in text.

Whoever has it acts for the writer, so it is as hard to guess as a key: 16 of 21 letters and digits,
70 bits. Vowels, and what looks like something else (0 and O, 1 and I, 2 and Z, 5 and S, 8 and B),
are not among them: no word is taken for a code, and none is misread.

What comes close to one, as a code with two slips, is taken for a wrong one: stored as an ordinary
message it would give the right one away.
"""

import re
import secrets
from dataclasses import dataclass

LETTERS = "CDFHJKMNPRTVWXY"
DIGITS = "234679"
ALPHABET = LETTERS + DIGITS
GROUPS, GROUP = 4, 4
_DASH = "\\-\u2010-\u2015\u2212"
_LIKE_CODE = re.compile(
    rf"(?<![\w{_DASH}])(?:\w{{3,5}}(?:[ \t\u00a0]?[ {_DASH}\u00a0][ \t\u00a0]?\w{{3,5}}){{3}}"
    rf"|\w{{15,17}})(?![\w{_DASH}])"
)
"""Linear: what it reads from one place is bounded."""
SLIPS = 2
_LENGTH = GROUPS * GROUP


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedCode:
    """A code as somebody typed it."""

    code: str
    """Without what separates its groups; it may be wrong, and not even of the right length."""
    rest: str
    """What was typed around it, stripped."""


def new_code() -> str:
    """Return a code that nobody can guess, as people read it."""
    while True:
        drawn = "".join(secrets.choice(ALPHABET) for _ in range(_LENGTH))
        digits = sum(char in DIGITS for char in drawn)
        if SLIPS < digits < _LENGTH - SLIPS:  # so that one with slips still looks like a code
            return "-".join(drawn[at : at + GROUP] for at in range(0, _LENGTH, GROUP))


def plain_code(code: str) -> str:
    """Return a code without what separates its groups."""
    return "".join(char for char in code.upper() if char.isalnum())


def code_in(text: str) -> TypedCode | None:
    """Return the code that a text holds, or what was meant to be one; None: neither.

    Of several it is the first, and none is left in the rest.
    """
    codes, rest = _taken_out(text, slips=0)
    others, rest = _taken_out(rest, slips=SLIPS)
    codes += others
    return TypedCode(code=codes[0], rest=rest) if codes else None


def _taken_out(text: str, *, slips: int) -> tuple[list[str], str]:
    codes, around, since, at = list[str](), list[str](), 0, 0
    while like := _LIKE_CODE.search(text, at):
        at = like.start() + 1
        code = plain_code(like[0])
        if _is_meant(code, slips=slips):
            codes.append(code)
            around.append(text[since : like.start()].strip())
            since = at = like.end()
    return codes, " ".join(filter(None, [*around, text[since:].strip()]))


def _is_meant(typed: str, *, slips: int) -> bool:
    """Say whether a word is a code, up to some slips: no word of a language, and no number."""
    is_mixed = not typed.isalpha() and not typed.isdecimal()
    wrong = sum(char not in ALPHABET for char in typed)
    return is_mixed and wrong <= slips and abs(len(typed) - _LENGTH) <= slips
