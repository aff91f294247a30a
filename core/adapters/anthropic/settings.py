"""Which models reason and review, and how they are asked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The models of one deployment."""

    answer: str
    """Reasons and writes."""
    review: str
    """Criticises and judges; small and fast."""
    answer_tokens: int = 4_096
    """Tokens of one reply of the first, thinking included, at most. Fixed, and not what is left of
    the budget: a repeated request must have the same bytes."""
    review_tokens: int = 2_048
    """The same for the second."""
    forces_tools: bool = False
    """True: critic and judge are made to call their tool. Several models refuse a request that
    forces one, so by default they are told to; a reply without the call is no judgement."""
