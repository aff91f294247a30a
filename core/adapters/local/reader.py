"""The local reader and the guard: cross-encoders with one logit, int8 ONNX.

The product's own weights are in `weights/`, with their model card. They share the vocabulary of the
embedding model, so its tokenizer serves both. Another cross-encoder of the usual layout
(`model.onnx` and `tokenizer.json` in a folder) can replace the reader.

Each pair is run alone, as in `embedder`, so its score depends on nothing but the pair.
"""

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.adapters.local.onnx_model import (
    SHA256,
    THREADS,
    TOKENIZER_FILE,
    Loaded,
    OnnxModel,
    Unavailable,
    carried_folder,
    encodable,
    fault,
    sha256_of,
)
from core.domain.errors import ConfigError, ContractError

if TYPE_CHECKING:
    from tokenizers import Encoding

WEIGHTS = Path(__file__).with_name("weights")
SHIPPED = WEIGHTS / "reader.int8.onnx"
SHIPPED_SHA256 = "ae9dd4c2ada8b830f7d0689723c5e2620d27bb9c6252357d651b93d4d9afe0c5"
GUARD = WEIGHTS / "guard.int8.onnx"
"""Reads a statement with its citation, as the reader reads a question with a text."""
GUARD_SHA256 = "a31ffa7ceb3865a2a3de44a45b164b9288d7741ae9d73042aa405d1d8b2ca493"
OTHER_FILE = "model.onnx"

QUESTION_TOKENS = 72
PAIR_TOKENS = 256
"""Special tokens included; first the question, then the text is truncated. Both as in training
(`weights/MODEL_CARD.md`)."""
LONGEST = 8_000
"""Characters of a question or a text that are read: 256 tokens of language are never longer, and
anything else need not take longer."""
PAIRS_A_TURN = 8
"""Pairs read before a thread is released, so that concurrent questions share the threads."""
KEPT = 8_192
"""Cached scores, about 1 MB: draft, judge and rerank score the same pairs."""


class LocalReader:
    """See `Reader`. Cheap to construct: the model is loaded by the first pair."""

    def __init__(self, *, weights: Path, tokenizer: Path, name: str, kept: int = KEPT) -> None:
        self._name = name
        self._model = OnnxModel(
            weights=weights, tokenizer=tokenizer, most_tokens=None, threads_named="read"
        )
        self._most_kept = kept
        self._kept: OrderedDict[bytes, float] = OrderedDict()
        self._keeping = threading.Lock()

    @property
    def name(self) -> str:
        """See `Reader.name`."""
        return self._name

    def load_ahead(self) -> None:
        """See `OnnxModel.load_ahead`."""
        self._model.load_ahead()

    async def scores(self, question: str, texts: Sequence[str], /) -> list[float]:
        """See `Reader.scores`.

        Raises:
            ContractError: The model can't be run, or is of another kind: go on without scores.
        """
        asked = question[:LONGEST]
        keys = {text: _key(asked, text[:LONGEST]) for text in texts}
        found = self._remembered(keys.values())
        # Longest first, dealt out in turn: no thread gets all the long ones, and none is idle.
        missing = sorted((t for t in keys if keys[t] not in found), key=len, reverse=True)
        count = max(math.ceil(len(missing) / PAIRS_A_TURN), min(len(missing), THREADS))
        turns = [missing[at::count] for at in range(count)]
        scored = await self._model.run([partial(read_pairs, asked, turn) for turn in turns])
        new = {
            keys[text]: score
            for turn, scores in zip(turns, scored, strict=True)
            for text, score in zip(turn, scores, strict=True)
        }
        self._remember(new)
        found |= new
        return [found[keys[text]] for text in texts]

    def _remembered(self, keys: Iterable[bytes]) -> dict[bytes, float]:
        with self._keeping:
            found = {key: self._kept[key] for key in keys if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
        return found

    def _remember(self, scores: Mapping[bytes, float]) -> None:
        with self._keeping:
            self._kept.update(scores)
            while len(self._kept) > self._most_kept:
                self._kept.popitem(last=False)


def find_local_reader(folder: Path | None) -> LocalReader | Unavailable:
    """Return the shipped reader or another one, or why the shipped one is not available.

    Blocks for about 30 ms, the first time in a process, to hash the files: call it off the loop.

    Args:
        folder: An operator's folder with another model; None: the shipped one.

    Raises:
        ConfigError: The folder lacks a file; thresholds belong to one model, so there is no
            fallback to another.
    """
    if folder is not None:
        weights, tokenizer = folder / OTHER_FILE, folder / TOKENIZER_FILE
        try:
            sha256_of(tokenizer)
            revision = sha256_of(weights)[:12]
        except OSError as error:
            raise ConfigError(f"{error.filename} can't be read ({error.strerror})") from error
        name = f"local:{folder.resolve().name}/{revision}"
        return LocalReader(weights=weights, tokenizer=tokenizer, name=name)
    return _shipped("reader", SHIPPED, SHIPPED_SHA256)


def find_local_guard() -> LocalReader | Unavailable:
    """Return the shipped guard, or why it is not available; blocks like the reader."""
    return _shipped("guard", GUARD, GUARD_SHA256)


def _shipped(named: str, weights: Path, sha256: str) -> LocalReader | Unavailable:
    carried = carried_folder()
    if isinstance(carried, Unavailable):
        return Unavailable(reason=f"no {named}, as it lacks a tokenizer: {carried.reason}")
    tokenizer = carried / TOKENIZER_FILE
    wrong = fault(weights, sha256=sha256) or fault(tokenizer, sha256=SHA256[TOKENIZER_FILE])
    if wrong:
        return Unavailable(reason=f"no {named}: {wrong}")
    return LocalReader(weights=weights, tokenizer=tokenizer, name=f"local:{named}/{sha256[:12]}")


def _key(question: str, text: str) -> bytes:
    """Return the cache key of a pair: short, however long the pair is."""
    pair = f"{len(question)} {question}{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(pair, digest_size=16).digest()


def read_pairs(question: str, texts: Sequence[str], model: Loaded) -> list[float]:
    """Return the logit of each text, one after another, in the calling thread.

    Raises:
        ContractError: The model has other inputs or outputs than a reader.
    """
    asked = model.tokenizer.encode(encodable(question), add_special_tokens=False)
    asked.truncate(QUESTION_TOKENS)
    return [_read_one(model, asked, text[:LONGEST]) for text in texts]


def _read_one(model: Loaded, asked: "Encoding", text: str) -> float:
    import numpy as np  # noqa: PLC0415  # see `onnx_model`

    special = model.tokenizer.num_special_tokens_to_add(is_pair=True)
    read = model.tokenizer.encode(encodable(text), add_special_tokens=False)
    read.truncate(PAIR_TOKENS - special - len(asked))
    pair = model.tokenizer.post_process(asked, read)
    outputs = model.run(
        {
            "input_ids": np.asarray([pair.ids], dtype=np.int64),
            "attention_mask": np.asarray([pair.attention_mask], dtype=np.int64),
            "token_type_ids": np.asarray([pair.type_ids], dtype=np.int64),
        }
    )
    if outputs.size != 1 or not np.isfinite(outputs).all():
        raise ContractError(f"expected one finite logit a pair, got shape {outputs.shape}")
    return float(outputs.reshape(-1)[0])
