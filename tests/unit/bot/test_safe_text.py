"""Foreign text is harmless on a terminal, and JSON stays JSON."""

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from bot.console.views.terminal import clean, one_line, safe, to_json


@given(st.text())
def test_cleaned_text_has_no_control_format_or_surrogate_character(text: str) -> None:
    """Only line ends and joiners are left of what a terminal might obey."""
    left = {unicodedata.category(char) for char in clean(text) if char not in "\n\u200c\u200d"}
    assert not left & {"Cc", "Cf", "Cs"}


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    """Cleaned text is clean."""
    assert clean(clean(text)) == clean(text)


@given(st.text(), st.integers(1, 40))
def test_one_line_is_one_line_of_at_most_the_limit(text: str, limit: int) -> None:
    """No line end survives, and the limit holds."""
    line = one_line(text, limit=limit)
    assert "\n" not in line
    assert len(line) <= limit


def test_escape_sequences_lose_their_escape() -> None:
    """Colour codes are left as harmless letters."""
    assert clean("\x1b[31mred\x9b0m") == "[31mred0m"


def test_brackets_stay_brackets() -> None:
    """Rich markup in data is not interpreted."""
    assert safe("[bold]x[/bold]").plain == "[bold]x[/bold]"


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), st.booleans())
def test_json_round_trips_and_is_harmless(value: dict[str, object], is_unicode: bool) -> None:
    """Printed JSON reads back equal, and holds no control character but line ends."""
    printed = to_json(value, is_unicode=is_unicode)
    assert json.loads(printed) == value
    assert all(char == "\n" or not unicodedata.category(char).startswith("Cc") for char in printed)
    assert printed.encode()


def test_json_keeps_letters_where_the_output_can_carry_them() -> None:
    """Umlauts stay readable in UTF-8, and are escaped elsewhere."""
    assert "ü" in to_json({"a": "ü"})
    assert "ü" not in to_json({"a": "ü"}, is_unicode=False)
