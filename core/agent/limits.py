"""What a run may use, and the thresholds that decide."""

from dataclasses import dataclass, replace

from core.domain.run import BudgetUse

MAX_ASKED = 500
"""Characters of a question back."""


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
    neighbours: int = 7
    """Cross-referenced chunks added at most."""
    max_attempts: int = 2
    """Drafts at most."""
    max_clarifications: int = 2
    """Questions back at most, one after the other."""
    tool_calls: int = 12
    """Calls of ontology tools at most."""
    deadline_s: float = 60.0
    """Seconds for the whole run."""


class Budget:
    """What one run has used; never overdrawn."""

    def __init__(self, limits: Limits) -> None:
        """Begin with nothing used."""
        self._limits = limits
        self._use = BudgetUse()

    @property
    def use(self) -> BudgetUse:
        """What was used so far."""
        return self._use

    def step(self) -> None:
        """Count a turn of the reasoner."""
        self._use = replace(self._use, steps=self._use.steps + 1)

    def tools(self, calls: int) -> None:
        """Count tool calls."""
        self._use = replace(self._use, tool_calls=self._use.tool_calls + calls)

    def may_retrieve(self) -> bool:
        """Count one more search, unless as many were made as attempts are allowed."""
        if self._use.retrieval_rounds >= self._limits.max_attempts:
            return False
        self._use = replace(self._use, retrieval_rounds=self._use.retrieval_rounds + 1)
        return True
