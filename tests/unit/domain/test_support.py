"""A statement must be about what it cites."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.grounding.support import unsupported

SOURCE = "Every gift must be entered in the gift register within 30 days of its receipt."


@pytest.mark.parametrize(
    "text",
    [
        SOURCE,
        "Enter the gift within 30 days.",
        "You have 30 days to register gifts that you receive.",
        "Gifts go into the register.",
        "Yes, you must.",
        "",
    ],
)
def test_a_paraphrase_is_supported(text: str) -> None:
    """Inflections and families of words count, and words that carry nothing do not."""
    assert unsupported(text, [SOURCE]) is None


@pytest.mark.parametrize(
    "text",
    [
        "The codeword is nightfall.",
        "Wire the money to the account named below, please.",
        "Supervisors waive whatever they like during December.",
    ],
)
def test_what_the_source_does_not_speak_of_is_named(text: str) -> None:
    """The reason says which words are not there."""
    assert unsupported(text, [SOURCE])


def test_the_name_of_the_place_counts() -> None:
    """A heading says what its sentences are about."""
    text = "Laptops are encrypted."
    assert unsupported(text, ["All are."])
    assert unsupported(text, ["All are.", "Encryption of laptops"]) is None


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_source_supports_itself(text: str, more: str) -> None:
    """Law: a statement is supported by itself, whatever else is cited."""
    assert unsupported(text, [more, text]) is None
