"""Lines are made safe to store before offsets are fixed."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ingest.load import load
from core.ingest.load.builder import clean_line


@pytest.mark.parametrize(
    "hidden",
    ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066", "\ufe0f", "\U000e0041", "\u3164"],
)
def test_invisible_characters_are_removed_and_counted(hidden: str) -> None:
    cleaned = clean_line(f"pay{hidden}ment")
    assert cleaned.text == "payment"
    assert cleaned.invisible == 1


def test_removal_is_reported() -> None:
    document = load("Ignore\u200b\u202e this.".encode(), source_name="a.txt")
    assert document.text == "Ignore this."
    assert document.left_out == ("removed 2 invisible characters",)


def test_joiners_stay_where_spelling_needs_them() -> None:
    persian, hindi = "\u0645\u06cc\u200c\u062e\u0648", "क्\u200dष"
    assert clean_line(persian).text == persian
    assert clean_line(hindi).text == unicodedata.normalize("NFC", hindi)
    assert clean_line("pay\u200dment").text == "payment"


def test_compatibility_characters_keep_their_meaning() -> None:
    """10² is not 102."""
    assert clean_line("10² m²").text == "10² m²"
    assert clean_line("Cafe\u0301").text == "Café"


def test_spaces_become_one_space() -> None:
    assert clean_line("\u00a0EUR\u202f\u2009 50\t net\u3000").text == "EUR 50 net"


def test_control_characters_are_removed() -> None:
    cleaned = clean_line("a\x07b\x1b[31mc")
    assert cleaned.text == "ab[31mc"
    assert cleaned.controls == 2


@given(st.text())
def test_any_text_becomes_clean_and_stays_so(raw: str) -> None:
    text = clean_line(raw).text
    assert clean_line(text).text == text
    assert unicodedata.is_normalized("NFC", text)
    assert not any(
        unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in text
    )
    assert all(character == " " for character in text if unicodedata.category(character) == "Zs")
    text.encode()
