"""The closing lines of an answer: what it says of itself, in a form that is strict or ignored.

They stand in the text, and not in a tool call, because the last turn has no tools, and because some
models return what they write before a tool call as a note to themselves.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.adapters.anthropic.dialogue.tools import askable, usable_options
from core.domain.answer import Branch

MISSING = 300
"""Characters kept of what is missing."""
_SLOT = 80
_CHOICE = 2
_LINE = re.compile(r"CONFLICT|MISSING: *(?P<missing>\S.*)|ASK: *(?P<ask>\S.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """What an answer says of itself."""

    length: int
    """Characters of the answer before its closing lines."""
    is_present: bool = False
    """True if there is a closing line."""
    is_conflict: bool = False
    """See `Draft.is_conflict`."""
    missing: str | None = None
    """See `Draft.missing`."""
    branch: Branch | None = None
    """See `Draft.branch`; None also where what is asked may not be shown."""


def closing_of(text: str, *, known: Sequence[str]) -> Closing:
    """Read the closing lines from the end of a text; the first other line ends them.

    Args:
        text: A whole answer.
        known: What was said so far: a question back may name no figure that is not in it.
    """
    end = len(text.rstrip())
    missing: str | None = None
    branch: Branch | None = None
    is_conflict = is_present = False
    while end:
        start = text.rfind("\n", 0, end) + 1
        found = _LINE.fullmatch(text[start:end].strip())
        if found is None:
            break
        is_present = True
        if found["missing"]:
            missing = found["missing"][:MISSING]
        elif found["ask"]:
            branch = _branch(found["ask"], known)
        else:
            is_conflict = True
        end = len(text[:start].rstrip())
    return Closing(
        length=end,
        is_present=is_present,
        is_conflict=is_conflict,
        missing=missing,
        branch=branch,
    )


def _branch(line: str, known: Sequence[str]) -> Branch | None:
    slot, *rest = (part.strip() for part in line.split("|"))
    question = askable(rest[0], known=known) if rest else None
    options = usable_options(rest[1:], known=known)
    if question is None or not 0 < len(slot) <= _SLOT or len(options) < _CHOICE:
        return None
    return Branch(slot=slot, question=question, options=options)
