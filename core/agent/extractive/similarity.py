"""How near words and sentences are in meaning, by the embedder; vectors are kept for repetition.

A sentence is compared with the question word by word (late interaction: Khattab & Zaharia 2020,
ColBERT): each word of the question, in its context, finds the word of the sentence that is nearest
to it, and the telling words count most. One vector a sentence says what it is about; this says
whether it speaks of what was asked. On the development questions it halves the wrong answers at the
same share of questions answered.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.domain.content_words import content_words
from core.domain.errors import CiteboundError
from core.ports import Embedder
from core.ports.tokens import TokenEmbedder, TokenVectors

KEPT = 16_384
"""Words whose vectors are kept: about 25 MB with 384 dimensions of float32."""
KEPT_TEXTS = 2_048
"""Sentences whose words are kept: about 80 MB with 25 words of 384 dimensions."""
RELATED = 0.45
"""Cosine of two words from which they begin to mean the same; unrelated ones reach about .35."""
SAME = 0.85
"""Cosine from which they mean the same ("buy", "purchase": .86)."""
MOST = 0.85
"""What a word of the same meaning counts, against 1 for the word itself."""
OTHER = 0.05
"""What a word counts that is none of the question's telling ones."""
_WORD = re.compile(r"[\w-]+")

_Array: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Tokens:
    offsets: tuple[tuple[int, int], ...]
    vectors: _Array

    @classmethod
    def of(cls, found: TokenVectors) -> "_Tokens":
        rows = np.frombuffer(found.vectors, dtype=np.float32)
        return cls(found.offsets, rows.reshape(-1, found.dimensions))


class Similarity:
    """Likeness in meaning; without an embedder there is none, and ranking goes by words alone."""

    def __init__(self, embedder: Embedder | None) -> None:
        """Take the embedder, if there is one."""
        self._embedder = embedder
        self._tokens = embedder if isinstance(embedder, TokenEmbedder) else None
        self._known: OrderedDict[str, _Array] = OrderedDict()
        self._read: OrderedDict[str, _Tokens] = OrderedDict()

    async def likeness(
        self, question: str, weights: Mapping[str, float], texts: Sequence[str]
    ) -> list[float] | None:
        """Return how far each text says what the question's words mean, in [-1, 1].

        Args:
            question: As it is asked.
            weights: Stem of a telling word to its weight.
            texts: What is compared with it.

        Returns:
            One number a text; None if nothing can be embedded.
        """
        read = await self._read_all([question, *texts])
        if read is None:
            return None
        asked = read[0]
        counts = _counts(question, weights, asked.offsets)
        return [_likeness(asked.vectors, counts, text.vectors) for text in read[1:]]

    async def meanings(
        self, terms: Sequence[str], texts: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        """Return, for each list of words, how far each term is in it by meaning, in [0, MOST]."""
        vocabulary = list(dict.fromkeys(word for words in texts for word in words))
        vectors = await self._vectors([*terms, *vocabulary]) if terms and vocabulary else None
        if vectors is None:
            return [{} for _ in texts]
        cosines = vectors[: len(terms)] @ vectors[len(terms) :].T
        place = {word: number for number, word in enumerate(vocabulary)}
        return [
            {
                term: _counted(float(cosines[row, [place[word] for word in words]].max()))
                for row, term in enumerate(terms)
            }
            if words
            else {}
            for words in texts
        ]

    async def _read_all(self, texts: Sequence[str]) -> list[_Tokens] | None:
        if self._tokens is None:
            return None
        new = [text for text in dict.fromkeys(texts) if text not in self._read]
        try:
            found = await self._tokens.embed_tokens(new) if new else []
        except CiteboundError:
            return None
        self._read.update(zip(new, map(_Tokens.of, found), strict=True))
        read = [self._read[text] for text in texts]
        while len(self._read) > KEPT_TEXTS:
            self._read.popitem(last=False)
        return read

    async def _vectors(self, texts: Sequence[str]) -> _Array | None:
        if self._embedder is None or not texts:
            return None
        try:
            await self._learn(self._embedder, texts)
        except CiteboundError:
            return None
        found = np.stack([self._known[text] for text in texts])
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return found

    async def _learn(self, embedder: Embedder, texts: Iterable[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            for text, vector in zip(new, await embedder.embed_documents(new), strict=True):
                self._known[text] = np.array(vector, dtype=np.float32)


def _counts(
    question: str, weights: Mapping[str, float], offsets: Sequence[tuple[int, int]]
) -> _Array:
    """Return what each token of the question counts: as much as the word it belongs to."""
    words = [
        (
            found.start(),
            found.end(),
            max((weights.get(stem, 0.0) for stem in content_words(found.group())), default=0.0),
        )
        for found in _WORD.finditer(question)
    ]
    counts = [
        next((max(weight, OTHER) for start, end, weight in words if start <= at < end), 0.0)
        for at, _ in offsets
    ]
    return np.array(counts, dtype=np.float32)


def _likeness(asked: _Array, counts: _Array, text: _Array) -> float:
    total = float(counts.sum())
    if not total or not len(text):
        return 0.0
    return float(counts @ (asked @ text.T).max(axis=1)) / total


def _counted(cosine: float) -> float:
    share = (cosine - RELATED) / (SAME - RELATED)
    return MOST * max(0.0, min(1.0, share))
