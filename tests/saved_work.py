"""What tests of the whole product need not do each time: read the same texts with local models,
and start a process for each small file.

The models are the real ones, and read each text once a worker. That files are read in a process
that the kernel limits is held by `tests/unit/ingest/test_sandbox.py`, and of the command by
`tests/acceptance/cli/test_sandbox.py`.
"""

from typing import Any

import pytest

from core import bootstrap
from core.adapters.local import embedder, reader
from core.adapters.local.onnx_model import Loaded
from core.ports import Vector
from tests.reading import UnconfinedReader

_embed, _read = embedder._embed_one, reader._read_one  # pyright: ignore[reportPrivateUsage]
_models: dict[int, Loaded] = {}
"""Kept, so that no other model gets its number."""
_vectors: dict[tuple[int, str], Vector] = {}
_scores: dict[tuple[int, tuple[int, ...], str], float] = {}


def _embedded(model: Loaded, text: str) -> Vector:
    key = (_number(model), text)
    if key not in _vectors:
        _vectors[key] = _embed(model, text)
    return _vectors[key]


def _scored(model: Loaded, asked: Any, text: str) -> float:
    key = (_number(model), tuple(asked.ids), text)
    if key not in _scores:
        _scores[key] = _read(model, asked, text)
    return _scores[key]


def _number(model: Loaded) -> int:
    _models[id(model)] = model
    return id(model)


def _here(_limits: object) -> UnconfinedReader:
    return UnconfinedReader()


@pytest.fixture(autouse=True)
def saved_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a conftest's tests out of this work, by importing it there."""
    monkeypatch.setattr(embedder, "_embed_one", _embedded)
    monkeypatch.setattr(reader, "_read_one", _scored)
    monkeypatch.setattr(bootstrap, "SandboxedReader", _here)
