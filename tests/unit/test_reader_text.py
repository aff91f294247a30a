"""How a text is shown to a reader."""

from hypothesis import given
from hypothesis import strategies as st

from core.language.reader_text import WINDOW, WINDOWS, reader_text, windows


def test_a_text_stands_under_its_title_and_its_two_innermost_headings() -> None:
    """The outer headings are left out, and so is a heading that repeats the title."""
    shown = reader_text("Travel", ("Part A", "travel", "Hotels"), "- breakfast", lead_in="We pay:")
    assert shown == "Travel > Hotels: We pay: - breakfast"
    assert reader_text("", (), " Only \n text ") == "Only text"


@given(st.lists(st.text("ab", min_size=1, max_size=3), max_size=800))
def test_windows_hold_a_passage_up_to_their_number(words: list[str]) -> None:
    """No window is too long; a passage that fits is read whole, from its first word."""
    found = windows(" ".join(words))
    assert 1 <= len(found) <= WINDOWS
    assert all(len(window.split()) <= WINDOW for window in found)
    assert found[0].split() == words[:WINDOW]
