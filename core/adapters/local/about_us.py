"""Messages about the assistant itself: the embedder's layers, the upper ones fitted to tell them.

Fitted by `evals.fit_about_us` on wordings of ours and on messages about policies.
"""

from pathlib import Path

from core.adapters.local.embedder import MAX_TOKENS, LocalEmbedder
from core.adapters.local.onnx_model import OnnxModel
from core.domain.question import SelfTopic

WEIGHTS = Path(__file__).parent / "weights" / "about_us.int8.onnx"


class LocalSelfQuestions:
    """See `core.ports.text_models.SelfQuestions`. Cheap to construct: loaded at first use."""

    def __init__(self, embedder: LocalEmbedder, *, weights: Path = WEIGHTS) -> None:
        self._embedder = embedder
        self._model = OnnxModel(
            weights=weights,
            tokenizer=embedder.tokenizer,
            most_tokens=MAX_TOKENS,
            threads_named="about us",
        )

    async def likelihoods(self, text: str, /) -> dict[SelfTopic, float]:
        """See `SelfQuestions.likelihoods`."""
        vectors = await self._embedder.inner_vectors(text)
        shares = await self._model.run([lambda model: model.run({"vectors": vectors[None]})[0]])
        _none, *likely = shares[0].tolist()
        return dict(zip(SelfTopic, likely, strict=True))
