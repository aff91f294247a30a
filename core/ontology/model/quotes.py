"""Where a quote stands: found in the text, character by character, or not at all.

- White space may differ, since models fold lines; nothing else may.
- A quote does not begin or end inside a word.
- One that stands in several places is all of them: what they mean is for the caller to say.
"""

import re

from core.language.spans import TextSpan

MIN_CHARACTERS = 8
"""A shorter quote shows nothing."""
MAX_CHARACTERS = 1_200
"""A longer quote is no longer a place."""
_MAX_PLACES = 50


def find_quote(quote: str, text: str, within: TextSpan) -> tuple[TextSpan, ...]:
    """Return where a quote stands in a part of a text, in order; empty if nowhere.

    A place where white space differs counts only where none agrees, and only if it is the one.
    """
    wanted = quote.strip()
    if not wanted:
        return ()
    exact = _places(re.compile(re.escape(wanted)), text, within)
    if exact:
        return exact
    folded = re.compile(r"\s+".join(map(re.escape, wanted.split())))
    found = _places(folded, text, within)
    return found if len(found) == 1 else ()


def _places(pattern: re.Pattern[str], text: str, within: TextSpan) -> tuple[TextSpan, ...]:
    found: list[TextSpan] = []
    for match in pattern.finditer(text, within.char_start, within.char_end):
        if not _cuts_word(text, match.start()) and not _cuts_word(text, match.end()):
            found.append(TextSpan(char_start=match.start(), char_end=match.end()))
            if len(found) == _MAX_PLACES:
                break
    return tuple(found)


def _cuts_word(text: str, offset: int) -> bool:
    """Say whether a word goes on over an offset."""
    if not 0 < offset < len(text):
        return False
    before, after = text[offset - 1], text[offset]
    return (before.isalnum() or before == "_") and (after.isalnum() or after == "_")
