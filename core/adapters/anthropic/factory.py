"""`AnthropicReasonerFactory`: makes the reasoner of each run."""

from collections.abc import Callable

from core.adapters.anthropic.api.providers import Capabilities
from core.adapters.anthropic.reasoner import AnthropicReasoner, RecordedCalls
from core.adapters.anthropic.settings import ModelChoice
from core.agent.extractive.reasoner import ExtractiveReasoner
from core.agent.prompts import ANSWER
from core.domain.budget import Limits
from core.ports import RunContext


class AnthropicReasonerFactory:
    """See `core.ports.ReasonerFactory`. Keeps nothing of a run."""

    is_model = True

    def __init__(
        self,
        *,
        models: ModelChoice,
        calls: Callable[[RunContext], RecordedCalls],
        capabilities: Capabilities,
        ahead: ExtractiveReasoner,
        threshold: float = Limits().gate_threshold,
    ) -> None:
        """Take what all runs share.

        Args:
            models: Which models to call.
            calls: Makes what calls them in one run, within its budget.
            capabilities: What their provider can do.
            ahead: Reads ahead without a model.
            threshold: Confidence below which the gate asks for documents; the pipeline's gate
                decides, this only spares a turn.
        """
        self._models = models
        self._calls = calls
        self._ahead = ahead
        self._capabilities = capabilities
        self._threshold = threshold

    @property
    def name(self) -> str:
        """See `ReasonerFactory.name`."""
        return f"{self._models.answer}/{ANSWER.name}-{ANSWER.version}"

    def begin(self, context: RunContext, /) -> AnthropicReasoner:
        """See `ReasonerFactory.begin`."""
        return AnthropicReasoner(
            context,
            calls=self._calls(context),
            models=self._models,
            capabilities=self._capabilities,
            ahead=self._ahead,
            threshold=self._threshold,
        )
