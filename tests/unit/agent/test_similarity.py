"""Cosines of texts whose vectors are kept, also where several questions need them at once."""

import asyncio

import pytest

from core.agent.extractive.similarity import Similarity
from tests.fakes import WaitingEmbedder


async def test_questions_at_once_do_not_lose_each_others_texts() -> None:
    """While one waits for the embedder, another pushes out what the first relies on."""
    embedder = WaitingEmbedder()
    similarity = Similarity(embedder, kept=3)
    await similarity.to("a", ["b", "c"])
    embedder.goes_on.clear()
    async with asyncio.TaskGroup() as group:
        first = group.create_task(similarity.to("a", ["b", "c", "h"]))
        second = group.create_task(similarity.to("d", ["e", "f", "k"]))
        await asyncio.sleep(0)
        embedder.goes_on.set()
    assert embedder.asked[1:] == [("h",), ("d", "e", "f", "k")]
    assert first.result() == pytest.approx([0.0, 0.0, 1.0])
    assert second.result() == pytest.approx([0.0, 0.0, 1.0])


async def test_more_texts_than_are_kept_are_compared() -> None:
    """The cache is a help, never a limit."""
    embedder = WaitingEmbedder()
    assert await Similarity(embedder, kept=1).to("a", ["h", "b", "a"]) == [1.0, 0.0, 1.0]
