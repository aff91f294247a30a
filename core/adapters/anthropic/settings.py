"""Which models reason and review, and what they can do."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a provider's models can do."""

    native_citations: bool = True
    """False: sources are numbered, and cited by marks in the text."""
    forced_tools: bool = False
    """True: critic and judge are made to call their tool. Several models refuse a request that
    forces one, so by default they are told to; a reply without the call is not judged."""
