"""Rerank over HTTP against a scripted server."""

from typing import Any

import pytest

from core.adapters.voyage.client import VoyageClient
from core.adapters.voyage.text_models import VoyageReranker
from core.domain.errors import ConfigError, ContractError, TransientError
from tests.servers.voyage import VoyageServer, body, good, status


@pytest.fixture
def reranker(client: VoyageClient) -> VoyageReranker:
    return VoyageReranker(client, model="rerank-2.5", timeout_s=1.0)


def scores(*pairs: tuple[Any, Any]) -> dict[str, Any]:
    data = [{"index": index, "relevance_score": score} for index, score in pairs]
    return {"object": "list", "data": data, "usage": {"total_tokens": 1}}


async def test_scores_stand_in_the_order_of_the_texts(
    server: VoyageServer, reranker: VoyageReranker
) -> None:
    """The service sends the best first; the caller gets them by text."""
    server.script = [good()]
    texts = ["nothing of it", "gifts limit", "gifts and other things"]
    assert await reranker.rerank("gifts limit", texts) == [0.0, 1.0, 0.5]
    asked = server.asked[0]
    assert (asked.path, asked.body["model"]) == ("/v1/rerank", "rerank-2.5")
    assert (asked.body["query"], asked.body["documents"]) == ("gifts limit", texts)


async def test_no_texts_are_no_request(reranker: VoyageReranker) -> None:
    """Nothing to score asks nothing."""
    assert await reranker.rerank("gifts", []) == []


@pytest.mark.parametrize(
    "reply",
    [
        scores((0, 0.5)),
        scores((0, 0.5), (0, 0.4)),
        scores((0, 0.5), (5, 0.4)),
        scores((0, 0.5), (1, 1.5)),
        scores((0, 0.5), (1, "much")),
        {"data": None},
        {"data": [1, 2]},
        {},
    ],
)
async def test_a_bad_reply_is_a_broken_word(
    server: VoyageServer, reranker: VoyageReranker, reply: dict[str, Any]
) -> None:
    """Each text has exactly one score in [0, 1], or there are none."""
    server.script = [body(reply)]
    with pytest.raises(ContractError):
        await reranker.rerank("gifts", ["a", "b"])


async def test_too_much_is_refused_here(reranker: VoyageReranker) -> None:
    """The limits of a request are known without asking."""
    with pytest.raises(ContractError, match="too much for one rerank request"):
        await reranker.rerank("gifts", ["a"] * 1_001)


async def test_an_outage_ends_with_the_questions_patience(
    server: VoyageServer, reranker: VoyageReranker
) -> None:
    """A question waits for no rerank beyond its time."""
    server.script = [status(429, Retry_After="30")]
    with pytest.raises(TransientError, match="rate limit"):
        await reranker.rerank("gifts", ["a"])


def test_an_unknown_model_is_named(client: VoyageClient) -> None:
    """As with embeddings."""
    with pytest.raises(ConfigError, match="CITEBOUND_RERANK_MODEL: expected one of rerank-"):
        VoyageReranker(client, model="rerank-1", timeout_s=1.0)
