import asyncio
import threading
from collections.abc import Sequence
from math import sqrt
from pathlib import Path

import pytest

from core.adapters.local import embedder as embedder_module
from core.adapters.local import onnx_model
from core.adapters.local.embedder import LocalEmbedder, find_local_embedder
from core.adapters.local.onnx_model import (
    EMBEDDER_FILE,
    SHA256,
    TOKENIZER_FILE,
    Unavailable,
    carried_folder,
)
from core.domain.errors import ContractError


@pytest.fixture
def embedder() -> LocalEmbedder:
    """The installed embedder; it comes with the development environment."""
    found = find_local_embedder(None)
    assert isinstance(found, LocalEmbedder)
    return found


async def test_vectors_are_unit_and_say_meaning(embedder: LocalEmbedder) -> None:
    """Vectors have unit norm, and a paraphrase is nearer than another subject."""
    gift, present, flight = await embedder.embed_documents(
        ["May I accept a gift?", "Am I allowed to take a present?", "Book flights in economy."]
    )
    assert len(gift) == embedder.space.dimensions == 384
    assert sqrt(sum(value * value for value in gift)) == pytest.approx(1.0, abs=1e-5)
    near = sum(a * b for a, b in zip(gift, present, strict=True))
    far = sum(a * b for a, b in zip(gift, flight, strict=True))
    assert near > far + 0.2


async def test_a_vector_does_not_depend_on_its_batch(embedder: LocalEmbedder) -> None:
    """A text alone and among others, as document and as question, has the same vector."""
    alone = await embedder.embed_query("gift")
    among = await embedder.embed_documents(["A longer text about hospitality.", "gift", ""])
    assert among[1] == alone


async def test_what_is_read_within_the_model_changes_no_vector(embedder: LocalEmbedder) -> None:
    """To the bit: stored vectors stay comparable. And it is one vector a token."""
    folder = carried_folder()
    assert isinstance(folder, Path)
    plain = onnx_model.load_once(
        folder / EMBEDDER_FILE, folder / TOKENIZER_FILE, embedder_module.MAX_TOKENS, None
    )
    for text in ("", "May I accept a gift?", "Grüße \ud800", "word " * 300):
        inner = await embedder.inner_vectors(text)
        tokens = plain.tokenizer.encode(onnx_model.encodable(text)).ids
        assert inner.shape == (len(tokens), embedder.space.dimensions)
        alone = embedder_module._embed_one(plain, text)  # pyright: ignore[reportPrivateUsage]
        assert alone == await embedder.embed_query(text)


async def test_all_cores_embed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many texts are embedded at once as there are cores; the result keeps their order."""
    monkeypatch.setattr(embedder_module, "usable_cores", lambda: 3)
    found = find_local_embedder(None)
    assert isinstance(found, LocalEmbedder)
    together = threading.Barrier(3)

    def embed(texts: Sequence[str], _: object) -> list[str]:
        together.wait(timeout=30)
        return list(texts)

    monkeypatch.setattr(embedder_module, "_embed", embed)
    texts = [f"gift {n}" for n in range(12)]
    assert await found.embed_documents(texts) == texts


def test_it_may_be_used_from_one_loop_after_another(embedder: LocalEmbedder) -> None:
    """Each with more texts at a time than there are threads."""

    async def many() -> int:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(embedder.embed_query(f"gift {n}")) for n in range(8)]
        return len({task.result() for task in tasks})

    assert [asyncio.run(many()) for _ in range(2)] == [8, 8]


async def test_long_texts_are_cut(embedder: LocalEmbedder) -> None:
    """Only the first 256 tokens count, not the 128 that the tokenizer's file says."""
    start = "word " * 200
    assert await embedder.embed_query(start) != await embedder.embed_query("word " * 150)
    long = "word " * 400
    assert await embedder.embed_query(long) == await embedder.embed_query(long + "gift")


async def test_weights_that_cannot_be_run_are_an_error(tmp_path: Path) -> None:
    """Files that vanish after the check end in an error that search goes on without."""
    with pytest.raises(ContractError):
        await LocalEmbedder(tmp_path).embed_query("gift")
    with pytest.raises(ContractError):
        await LocalEmbedder(tmp_path).embed_documents(["gift", "limit"])


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file whose hash differs is not loaded; the reason names it."""
    monkeypatch.setattr(onnx_model, "CARRIER", "no-such-package")
    (tmp_path / EMBEDDER_FILE).write_bytes(b"weights")
    (tmp_path / TOKENIZER_FILE).write_bytes(b"{}")
    found = find_local_embedder(tmp_path)
    assert isinstance(found, Unavailable)
    assert EMBEDDER_FILE in found.reason
    assert "SHA-256 differs" in found.reason


def test_without_weights_there_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder and no package give one line that says so."""
    monkeypatch.setattr(onnx_model, "CARRIER", "no-such-package")
    found = find_local_embedder(tmp_path)
    assert isinstance(found, Unavailable)
    assert "can't be read" in found.reason
    assert "no-such-package is not installed" in found.reason
    assert "\n" not in found.reason


def test_changed_file_is_hashed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The remembered hash belongs to a size and a time: a replaced file is read again."""
    monkeypatch.setattr(onnx_model, "CARRIER", "no-such-package")
    for name in SHA256:
        (tmp_path / name).write_bytes(b"a")
    first = find_local_embedder(tmp_path)
    (tmp_path / EMBEDDER_FILE).unlink()
    second = find_local_embedder(tmp_path)
    assert isinstance(first, Unavailable)
    assert isinstance(second, Unavailable)
    assert first.reason != second.reason
