"""Cut texts into requests that Voyage accepts: pure.

Tokens are estimated, never counted: the SDK would fetch a tokenizer from a model hub, and a
deployment may have no way there. The estimate is meant to be high: a byte pair encoding makes about
one token of four letters, and at worst one of a digit, a sign or a character of another script.
"""

import re
from collections.abc import Iterator, Sequence

MOST_TEXTS = 128
"""Texts of a request. The API takes 1,000; the replies to 128 are small enough to be read without
holding up the event loop, and little is lost with one that fails."""
FILLING = 0.9
"""Share of the token limit that is used, since tokens are estimated and the service adds words of
its own to each text."""
PROMPT_TOKENS = 12
"""What the service puts before each text ("Represent the document for retrieval: ")."""
LETTERS_A_TOKEN = 3

_PIECES = re.compile(r"[A-Za-z]+|\S")


def estimated_tokens(text: str) -> int:
    """Return how many tokens a text has at most, as far as can be told without a tokenizer."""
    return PROMPT_TOKENS + sum(_tokens_of(piece) for piece in _PIECES.findall(text))


def _tokens_of(piece: str) -> int:
    if piece.isascii():
        return -(-len(piece) // LETTERS_A_TOKEN)
    return 1 if ord(piece) <= 0xFFFF else 4  # noqa: PLR2004  # the basic multilingual plane


def batches(texts: Sequence[str], *, request_tokens: int) -> Iterator[Sequence[str]]:
    """Yield stretches of the texts, in order, each small enough for one request.

    A text that is too long for any request stands alone: the service cuts it to what it can read.
    """
    most_tokens = int(request_tokens * FILLING)
    start = tokens = 0
    for index, text in enumerate(texts):
        added = estimated_tokens(text)
        if index > start and (tokens + added > most_tokens or index - start == MOST_TEXTS):
            yield texts[start:index]
            start, tokens = index, 0
        tokens += added
    if start < len(texts):
        yield texts[start:]
