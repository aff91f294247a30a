"""What one run may use, what it has used, and the instant at which it must have ended."""

from dataclasses import dataclass, replace

from core.domain.run import BudgetUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds and thresholds of one run."""

    gate_threshold: float = 0.85
    """Reported confidence from which the ontology suffices."""
    relevance_threshold: float = 0.3
    """Relevance below which nothing counts as found."""
    retrieval_depth: int = 5
    """Chunks handed over at the first attempt."""
    retry_depth: int = 8
    """Chunks handed over at a retry."""
    wide_depth: int = 24
    """Chunks that the rules are given at each attempt: they choose among them by themselves."""
    neighbours: int = 7
    """Cross-referenced chunks added at most."""
    max_attempts: int = 2
    """Drafts at most."""
    max_clarifications: int = 2
    """Questions back at most, one after the other."""
    steps: int = 6
    """Turns of the reasoner at most."""
    tool_calls: int = 12
    """Calls of tools at most."""
    looks: int = 6
    """Searches and readings of passages that a language model may ask for; they are among the tool
    calls, and each is a retrieval round."""
    model_calls: int = 8
    """Calls of a language model at most, repetitions after an error aside."""
    output_tokens: int = 16_000
    """Tokens that language models may write in all, thinking included."""
    deadline_s: float = 45.0
    """Seconds for the whole run."""


class Budget:
    """What one run has used; never overdrawn.

    Whoever is about to spend asks first, and is told no instead of being stopped by an exception.
    """

    def __init__(self, limits: Limits, *, started_s: float = 0.0) -> None:
        """Begin with nothing used.

        Args:
            limits: The bounds.
            started_s: When the run began, by the monotonic clock.
        """
        self._limits = limits
        self._use = BudgetUse()
        self._looks = 0
        self._deadline_s = started_s + limits.deadline_s

    @property
    def use(self) -> BudgetUse:
        """What was used so far."""
        return self._use

    @property
    def deadline_s(self) -> float:
        """When the run must have ended, in seconds of the monotonic clock."""
        return self._deadline_s

    @property
    def tokens_left(self) -> int:
        """Tokens that language models may still write; 0 or more."""
        return max(0, self._limits.output_tokens - self._use.output_tokens)

    @property
    def model_calls_left(self) -> int:
        """Calls of a language model that may still be made; 0 or more."""
        return max(0, self._limits.model_calls - self._use.model_calls)

    def may_step(self) -> bool:
        """Count one more turn of the reasoner, unless all are used."""
        if self._use.steps >= self._limits.steps:
            return False
        self._use = replace(self._use, steps=self._use.steps + 1)
        return True

    def tools(self, calls: int) -> None:
        """Count tool calls; the toolbox bounds them."""
        self._use = replace(self._use, tool_calls=self._use.tool_calls + calls)

    def may_retrieve(self) -> bool:
        """Count one more search for the question, unless there was one for each attempt allowed."""
        if self._use.retrieval_rounds - self._looks >= self._limits.max_attempts:
            return False
        self._use = replace(self._use, retrieval_rounds=self._use.retrieval_rounds + 1)
        return True

    @property
    def looks_left(self) -> int:
        """Passages that a language model may still look up; 0 or more."""
        return max(0, self._limits.looks - self._looks)

    def may_look(self) -> bool:
        """Count one more look of a language model into the documents, unless all are used."""
        if not self.looks_left:
            return False
        self._looks += 1
        self._use = replace(self._use, retrieval_rounds=self._use.retrieval_rounds + 1)
        return True

    def may_call_model(self) -> bool:
        """Count one more call of a language model, unless calls or tokens are used up."""
        if self._use.model_calls >= self._limits.model_calls or not self.tokens_left:
            return False
        self._use = replace(self._use, model_calls=self._use.model_calls + 1)
        return True

    def wrote(self, tokens: int) -> None:
        """Count tokens that a language model wrote."""
        self._use = replace(self._use, output_tokens=self._use.output_tokens + tokens)
