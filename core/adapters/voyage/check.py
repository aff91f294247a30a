"""One small call to Voyage, for `citebound doctor --live`."""

import time
from dataclasses import dataclass

from core.adapters.voyage.client import VoyageAccess, VoyageClient
from core.adapters.voyage.embedder import VoyageEmbedder
from core.adapters.voyage.rerank import VoyageReranker
from core.domain.errors import CiteboundError


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveCheck:
    """What came of the call."""

    worked: bool
    """True if every model that is set up answered as it should."""
    found: str
    """What came back or what went wrong, one line, without the key."""


async def check_voyage(
    access: VoyageAccess, *, model: str, rerank_model: str | None, timeout_s: float
) -> LiveCheck:
    """Embed two words, and rerank one text if a rerank model is set. Never raises our errors."""
    client = VoyageClient(access)
    started_s = time.perf_counter()
    try:
        embedder = VoyageEmbedder(client, model=model, question_timeout_s=timeout_s)
        dimensions = len(await embedder.embed_query("travel expenses"))
        found = f"{model} answered with {dimensions} dimensions"
        if rerank_model is not None:
            reranker = VoyageReranker(client, model=rerank_model, timeout_s=timeout_s)
            await reranker.rerank("travel expenses", ["Expenses are reimbursed."])
            found += f", {rerank_model} with a score"
    except CiteboundError as error:
        return LiveCheck(worked=False, found=str(error))
    finally:
        await client.aclose()
    took_ms = (time.perf_counter() - started_s) * 1_000
    return LiveCheck(worked=True, found=f"{found}, in {took_ms:.0f} ms")
