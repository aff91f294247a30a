"""Regular expressions that are compiled when they are first used."""

import copy
import re

import pytest

from core.expressions import expression


def test_nothing_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """An expression is compiled by its first use, once."""
    compiled: list[str] = []
    compile_ = re.compile

    def counted(words: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(words)
        return compile_(words, flags)

    monkeypatch.setattr(re, "compile", counted)
    word = expression(r"\bgift\b", re.IGNORECASE)
    assert compiled == []
    assert word.search("A Gift") is not None
    assert word.sub("meal", "a gift") == "a meal"
    assert compiled == [r"\bgift\b"]


def test_an_expression_is_what_re_makes_of_it() -> None:
    """All that a compiled expression tells of itself is the same, also of a copy."""
    late, plain = (
        expression(r"(?P<n>\d+) days", re.IGNORECASE),
        re.compile(r"(?P<n>\d+) days", re.IGNORECASE),
    )
    for found in (late, copy.copy(late)):
        assert (found.pattern, found.flags, found.groups) == (plain.pattern, plain.flags, 1)
        assert [match["n"] for match in found.finditer("3 days, 4 DAYS")] == ["3", "4"]
