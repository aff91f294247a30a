# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
"""Which questions of one company are so near that one might count as the other."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from core.adapters.local.embedder import LocalEmbedder, find_local_embedder
from core.agent.precedents import facts_of


class Asked(Protocol):
    """A labelled question, or what became of it."""

    @property
    def question(self) -> str:
        """As typed."""
        ...

    @property
    def document(self) -> str | None:
        """The company's; None: the samples."""
        ...


Question = TypeVar("Question", bound=Asked)


def near_pairs(
    asked: Sequence[Question], *, least: float
) -> Iterator[tuple[Question, Question, float]]:
    """Yield pairs that agree in what must be the same, with their cosine, from the least on."""
    vectors = vectors_of([one.question for one in asked])
    for first, second in zip(*np.nonzero(np.triu(vectors @ vectors.T, 1) >= least), strict=True):
        one, other = asked[first], asked[second]
        is_of_one = one.document == other.document
        if is_of_one and facts_of(one.question) == facts_of(other.question):
            yield one, other, float(vectors[first] @ vectors[second])


def vectors_of(texts: Sequence[str]) -> Any:
    """Return the vectors of texts, a row each, as the shipped embedder has them."""
    embedder = find_local_embedder(None)
    if not isinstance(embedder, LocalEmbedder):
        sys.exit(embedder.reason)
    return np.asarray(asyncio.run(embedder.embed_documents(texts)), dtype=np.float32)
