"""The form in which wordings of one question meet: the same words in the same order.

Nothing that carries meaning is folded: numbers with their signs, currencies, negations, names and
countries stay as they are. Two forms differ where one of these does.
"""

import re
import unicodedata

from core.language.content_words import is_function_word
from core.language.text_cache import cached_by_text

_TOKEN = re.compile(r"[^\W_]+(?:[.,:/'\u2019_&@+-][^\W_]+)*|[^\w\s]|_")
"""A word with what joins its parts ("1.5", "don't", "A/B"), or a single sign."""
_SILENT = frozenset(".,;:!?\u2026\"'`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f()[]{}*_~")
"""Signs that change no question; all others count ("-5", "50 %", "<", "#")."""
_APOSTROPHES = str.maketrans("\u2019\u02bc\u2018", "'''")
_DASHES = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212", "------")


@cached_by_text()
def question_form(text: str) -> str:
    """Return what a question says, without case, silent marks and the width of characters.

    Linear in the text. Empty where it has no word. Capitals of an abbreviation that would read as a
    small word stay: "share it with IT" is not "share IT with it", and "to the US" not "to us".
    """
    plain = unicodedata.normalize("NFC", text).translate(_APOSTROPHES).translate(_DASHES)
    return " ".join(_folded(token) for token in _TOKEN.findall(plain) if token not in _SILENT)


def _folded(token: str) -> str:
    small = token.casefold()
    is_abbreviation = len(token) > 1 and token.isupper() and token.isalpha()
    return token if is_abbreviation and is_function_word(small) else small
