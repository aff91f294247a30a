"""Which models are asked, and with which effort."""

import pytest

from core.adapters.anthropic.api.providers import usual_choice


@pytest.mark.parametrize(
    ("model", "is_known"),
    [
        ("claude-sonnet-5-5", True),
        ("claude-haiku-5-5", True),
        ("anthropic.claude-sonnet-5-5", True),
        ("claude-opus-5", True),
        ("claude-haiku-4-5-20251001", False),
        ("claude-sonnet-4-5", False),
        ("claude-sonnet-50", False),
        ("llama-4", False),
    ],
)
def test_effort_is_asked_of_models_that_are_known_to_take_it(model: str, is_known: bool) -> None:
    """Others would refuse the request."""
    choice = usual_choice(answer=model, review="other")
    assert (choice.answer_effort, choice.review_effort) == ("medium" if is_known else None, None)
    reviews = usual_choice(answer="other", review=model)
    assert (reviews.answer_effort, reviews.review_effort) == (None, "low" if is_known else None)
