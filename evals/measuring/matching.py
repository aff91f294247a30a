"""Whether quotes hold a sentence, whatever the markup, the line breaks and where it was cut."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from core.language.content_words import content_words
from core.language.quantities import missing_quantities, quantities

SHARED = 24
"""Letters and figures in a row that a quote and a gold sentence share before they count as common:
about four words. A shorter sentence has to be there whole."""
ENOUGH = 0.5
"""Share of a gold sentence that has to be in the quotes."""

_MARKUP = re.compile(r"<(?!https?:)[^<>]{0,200}>|\{[{%][^{}]{0,200}[}%]\}|\[\^[^\[\]]{1,20}\]")
_LINK = re.compile(
    r"!?\[([^\[\]]{0,300})\](?:\([^()\s]{0,500}(?: \"[^\"]{0,200}\")?\)|\[[^\[\]]*\])"
)
_LIST_MARKER = re.compile(
    r"^[\s>|]{0,40}(?:[-*+•]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)])\s", re.MULTILINE
)
_NOT_SAID = re.compile(r"[\W_]+")


def has_gold(quotes: Iterable[str], gold: Sequence[str]) -> bool:
    """Say whether quotes hold one of the gold sentences, or what stands in one of them.

    A quote may be longer than the sentence, a sentence may be cut into several quotes, and a quote
    may be a part of it. A sentence with figures is not held by what it shares with another rule
    before the figure ("Level 1 is answered within 24 hours"): one of its figures must be there too.
    """
    said = [_words(quote) for quote in quotes]
    return any(_holds(said, _words(sentence)) for sentence in gold)


def tells(texts: Sequence[str], fact: str) -> bool:
    """Say whether texts say a fact word for word; a fact that is a quantity alone, in any notation.

    Other words for the same are not found: whoever needs them found asks a person or a model.
    """
    if any(f" {_words(fact)} " in f" {_words(text)} " for text in texts):
        return True
    found = quantities(fact)
    beside = fact
    for quantity in found:
        beside = beside.replace(quantity.raw, " ")
    return bool(found) and not content_words(beside) and not missing_quantities(fact, texts)


def _holds(quotes: Sequence[str], gold: str) -> bool:
    """Say whether quotes hold a sentence, both as `_words` gives them."""
    if any(f" {gold} " in f" {quote} " for quote in quotes):
        return True
    letters = gold.replace(" ", "")
    return len(letters) >= SHARED and _is_shared(
        [quote.replace(" ", "") for quote in quotes], letters
    )


def _is_shared(quotes: Sequence[str], gold: str) -> bool:
    """Compare without spaces: a word may be broken at the end of a line."""
    if any(gold in quote or (len(quote) >= SHARED and quote in gold) for quote in quotes):
        return True
    is_common = bytearray(len(gold))
    for quote in quotes:
        runs = {quote[start : start + SHARED] for start in range(len(quote) - SHARED + 1)}
        for start in range(len(gold) - SHARED + 1):
            if gold[start : start + SHARED] in runs:
                is_common[start : start + SHARED] = b"\1" * SHARED
    if sum(is_common) < ENOUGH * len(gold):
        return False
    figures = [place for place, letter in enumerate(gold) if letter.isdigit()]
    return not figures or any(is_common[place] for place in figures)


def _words(text: str) -> str:
    """Return words and figures of a text alone, a space between them, markup left out."""
    text = unicodedata.normalize("NFKC", text)
    text = _LIST_MARKER.sub(" ", _LINK.sub(r" \1 ", _MARKUP.sub(" ", text)))
    return _NOT_SAID.sub(" ", text).strip().casefold()
