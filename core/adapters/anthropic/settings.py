"""Which models reason and review, and how they are asked."""

import re
from dataclasses import dataclass

_TAKES_EFFORT = re.compile(r"claude-(?:fable|opus|sonnet|haiku)-5(?!\d)")


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
    review_tokens: int = 3_000
    """The same for the second."""
    answer_effort: str | None = None
    """How much the first thinks: `low`, `medium`, `high`; None: its default."""
    review_effort: str | None = None
    """The same for the second."""
    forces_tools: bool = False
    """True: critic and judge are made to call their tool. Several models refuse a request that
    forces one, so by default they are told to; a reply without the call is no judgement."""


def usual_choice(*, answer: str, review: str) -> ModelChoice:
    """Return models with the effort that suits a question somebody waits for, where it is known.

    By default the models of the fifth generation think long before they write: what they think
    counts as what they write, and the asker waits for both. A review that thinks until its tokens
    are used up has judged nothing.
    """
    return ModelChoice(
        answer=answer,
        review=review,
        answer_effort="medium" if _TAKES_EFFORT.search(answer) else None,
        review_effort="low" if _TAKES_EFFORT.search(review) else None,
    )
