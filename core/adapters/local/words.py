"""English words, from the vocabulary of the tokenizer that local models share."""

import asyncio
import json
from collections.abc import Collection
from pathlib import Path


class TokenizerWords:
    """See `core.ports.words.EnglishWords`: the words that the tokenizer knows whole.

    Some 21,700; the file is read at the first question, off the event loop.
    """

    def __init__(self, tokenizer: Path) -> None:
        """Take the tokenizer's file, which was compared with its hash."""
        self._path = tokenizer
        self._words: frozenset[str] | None = None

    async def among(self, words: Collection[str], /) -> frozenset[str]:
        """See `EnglishWords.among`."""
        if self._words is None:
            self._words = await asyncio.to_thread(self._read)
        return self._words.intersection(words)

    def _read(self) -> frozenset[str]:
        vocabulary = json.loads(self._path.read_bytes())["model"]["vocab"]
        return frozenset(word for word in vocabulary if word.isascii() and word.isalpha())
