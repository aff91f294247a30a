"""A word for its opposite, in a sentence that is otherwise the source's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.grounding.denial import turned_word

LENGTH = "Passwords must have a minimum length of twelve characters."
ORDER = "Ask the desk for clearance before the purchase."


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Passwords must have a maximum length of twelve characters.", LENGTH),
        ("Ask the desk for clearance after the purchase.", ORDER),
        ("Wipe the disk before the return.", "Wipe the disk after the return."),
        ("Unpaid leave starts in the second week.", "Paid leave starts in the second week."),
        ("Cards are disabled on the first day.", "Cards are enabled on the first day."),
    ],
)
def test_an_opposite_is_named(claim: str, source: str) -> None:
    """Direction, order and state."""
    assert turned_word(claim, [source])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (LENGTH, LENGTH),
        ("Only after the desk's clearance may you buy.", ORDER),
        ("No purchase is made before the desk gives clearance.", ORDER),
        ("Unencrypted disks must not be used.", "Disks that are used must be encrypted."),
        ("The shortest password has twelve characters.", LENGTH),
        ("", LENGTH),
    ],
)
def test_other_words_are_kept(claim: str, source: str) -> None:
    """A paraphrase may turn two things at once."""
    assert turned_word(claim, [source]) is None


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_text_agrees_with_itself(claim: str, more: str) -> None:
    """Whatever else is cited."""
    assert turned_word(claim, [more, claim]) is None
