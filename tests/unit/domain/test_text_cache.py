"""What is kept of the texts last read: the same answer, bounded, and nothing of long messages.

And what is looked for before a pattern is tried: nothing is missed by it.
"""

import re

import pytest

from core.language import modality
from core.language.notations import NOTATIONS, Notation
from core.language.text_cache import cached_by_text
from tests.patterns import examples


def test_a_text_is_read_once_while_it_is_kept() -> None:
    """The least used of three is read again where two are kept."""
    read: list[str] = []

    @cached_by_text(entries=2)
    def upper(text: str) -> str:
        read.append(text)
        return text.upper()

    said = [upper(text) for text in ("a", "b", "a", "c", "a", "b")]
    assert said == ["A", "B", "A", "C", "A", "B"]
    assert read == ["a", "b", "c", "b"]


def test_a_long_text_is_not_kept() -> None:
    """Thousands of long messages would fill the memory."""
    read: list[int] = []

    @cached_by_text(longest=10)
    def size(text: str) -> int:
        read.append(len(text))
        return len(text)

    assert [size("x" * length) for length in (10, 10, 11, 11)] == [10, 10, 11, 11]
    assert read == [10, 11, 11]


@pytest.mark.parametrize("notation", NOTATIONS, ids=[str(at) for at in range(len(NOTATIONS))])
def test_no_quantity_lacks_a_sign_of_its_kind(notation: Notation) -> None:
    """Else it would not be found at all; the last one finds words where digits are taken."""
    in_words = notation is NOTATIONS[-1]
    found = [
        text
        for text in examples(notation.pattern, 300)
        if notation.pattern.search(re.sub(r"\d", "_", text) if in_words else text)
    ]
    assert len(found) > 50
    assert [
        text
        for text in found
        if not all(sign.is_in(text, text.casefold()) for sign in notation.needs)
    ] == []


def test_no_modal_expression_begins_with_a_word_that_is_passed_over() -> None:
    trigger = modality._TRIGGER  # pyright: ignore[reportPrivateUsage]
    for text in examples(trigger, 2_000):
        tried = [match.span() for match in modality._triggers(text)]  # pyright: ignore[reportPrivateUsage]
        assert tried == [match.span() for match in trigger.finditer(text)], text
