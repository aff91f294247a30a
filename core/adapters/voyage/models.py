"""Voyage's models, their limits, and batches of texts within the limits.

Sources: docs.voyageai.com/docs/embeddings, docs.voyageai.com/reference/embeddings-api and
docs.voyageai.com/docs/reranker, as of 2026. A model that is not listed is refused: without its
limits a batch could be rejected halfway through a corpus, and `voyage-4-nano` would be run by the
SDK on this machine.

Tokens are estimated, never counted: the SDK would download a tokenizer from a model hub, which a
deployment may not reach. The estimate is meant to be high: a byte pair encoding makes about one
token of four letters, and at worst one of a digit, a sign or a character of another script.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.domain.errors import ConfigError

MOST_TEXTS = 128
"""Texts of a request. The API takes 1,000; a reply to 128 is small enough to be parsed without
blocking the event loop, and little is lost if one fails."""
FILLING = 0.9
"""Share of the token limit that is used, since tokens are estimated and the service adds a prompt
to each text."""
PROMPT_TOKENS = 12
"""Of the prompt before each text ("Represent the document for retrieval: ")."""
LETTERS_A_TOKEN = 3
_PIECES = re.compile(r"[A-Za-z]+|\S")
DEFAULT_MODEL = "voyage-3-large"
_T = TypeVar("_T")


def estimated_tokens(text: str) -> int:
    """Return an upper estimate of a text's tokens, without a tokenizer."""
    return PROMPT_TOKENS + sum(_tokens_of(piece) for piece in _PIECES.findall(text))


def _tokens_of(piece: str) -> int:
    if piece.isascii():
        return -(-len(piece) // LETTERS_A_TOKEN)
    return 1 if ord(piece) <= 0xFFFF else 4  # noqa: PLR2004  # the basic multilingual plane


def batches(texts: Sequence[str], *, request_tokens: int) -> Iterator[Sequence[str]]:
    """Yield batches of the texts, in order, each small enough for one request.

    A text that is too long for any request is a batch of its own: the service truncates it.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """One embedding model."""

    name: str
    """As the API calls it."""
    dimensions: int
    """Length of its vectors."""
    request_tokens: int
    """Tokens that all texts of a request may have together."""
    has_sizes: bool
    """True if vectors come in several sizes, of which one can be asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankModel:
    """One rerank model."""

    name: str
    """As the API calls it."""
    request_tokens: int
    """Most that the question's tokens, once for each text, and those of the texts may come to."""


def _embedding(
    request_tokens: int, *names: str, has_sizes: bool = True
) -> dict[str, EmbeddingModel]:
    return {
        name: EmbeddingModel(
            name=name, dimensions=1024, request_tokens=request_tokens, has_sizes=has_sizes
        )
        for name in names
    }


EMBEDDING_MODELS: Mapping[str, EmbeddingModel] = {
    **_embedding(120_000, "voyage-3-large", "voyage-4-large", "voyage-code-3"),
    **_embedding(120_000, "voyage-law-2", "voyage-finance-2", has_sizes=False),
    **_embedding(120_000, "voyage-multilingual-2", has_sizes=False),
    **_embedding(320_000, "voyage-3.5", "voyage-4"),
    **_embedding(1_000_000, "voyage-3.5-lite", "voyage-4-lite"),
}


RERANK_MODELS: Mapping[str, RerankModel] = {
    name: RerankModel(name=name, request_tokens=600_000)
    for name in ("rerank-2.5", "rerank-2.5-lite")
}


def embedding_model(name: str) -> EmbeddingModel:
    """Return a known embedding model.

    Raises:
        ConfigError: There is none of this name; choose one of those named.
    """
    return _known(EMBEDDING_MODELS, name, variable="CITEBOUND_VOYAGE_MODEL")


def rerank_model(name: str) -> RerankModel:
    """Return a known rerank model.

    Raises:
        ConfigError: There is none of this name; choose one of those named.
    """
    return _known(RERANK_MODELS, name, variable="CITEBOUND_RERANK_MODEL")


def _known(models: Mapping[str, _T], name: str, *, variable: str) -> _T:
    if name not in models:
        raise ConfigError(f"{variable}: expected one of {', '.join(models)}, got {name!r}")
    return models[name]
