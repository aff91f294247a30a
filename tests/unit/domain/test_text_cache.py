"""What is kept of the texts last read: the same answer, bounded, and nothing of long messages."""

from core.language.text_cache import cached_by_text


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
