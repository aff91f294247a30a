"""Which models are asked, and with which effort."""

import pytest

from core.adapters.anthropic.settings import usual_choice


@pytest.mark.parametrize(
    ("model", "effort"),
    [
        ("claude-sonnet-5-5", "medium"),
        ("claude-haiku-5-5", "medium"),
        ("anthropic.claude-sonnet-5-5", "medium"),
        ("claude-opus-5", "medium"),
        ("claude-haiku-4-5-20251001", None),
        ("claude-sonnet-4-5", None),
        ("claude-sonnet-50", None),
        ("llama-4", None),
    ],
)
def test_effort_is_asked_of_models_that_are_known_to_take_it(
    model: str, effort: str | None
) -> None:
    """Others would refuse the request."""
    choice = usual_choice(answer=model, review="other")
    assert (choice.answer_effort, choice.review_effort) == (effort, None)
    assert usual_choice(answer="other", review=model).review_effort == effort
