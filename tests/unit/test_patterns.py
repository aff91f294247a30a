"""Every regular expression of the product takes time in proportion to its text."""

import re
from importlib import import_module
from typing import Any, TypeAlias

import pytest

from tests.patterns import (
    Found,
    attacks,
    digest,
    patience,
    patterns,
    text_of,
    withstood,
    worst_of,
)

pytestmark = pytest.mark.slow

constants: Any = import_module("re._constants")
parser: Any = import_module("re._parser")
Parsed: TypeAlias = Any
"""What `re` makes of the source of an expression: pairs of an operator and what it is of."""
_REPEATS = (constants.MAX_REPEAT, constants.MIN_REPEAT)

LEAST = 380
"""Expressions that there are: a search that finds far fewer looks in the wrong places."""

PACKAGES = (
    "bot",
    "core.adapters",
    "core.agent",
    "core.audit",
    "core.cases",
    "core.config",
    "core.domain",
    "core.grounding",
    "core.ingest",
    "core.language",
    "core.ontology",
    "core.replay",
    "evals.measuring",
)


def package_of(one: Found) -> str:
    """Return the package of an expression."""
    parts = re.split("[.:]", one.where)
    return parts[0] if parts[0] == "bot" else ".".join(parts[:2])


def slow(found: list[Found]) -> list[str]:
    """Return the expressions that hostile text of 8,000 characters holds up, and by what."""
    with patience():
        return [
            f"{one.where}: {worst[1] * 1_000:.0f} ms for {worst[0]}"
            for one in found
            if (worst := worst_of(one)) is not None
        ]


def made(source: str) -> Found:
    """Return an expression of a test's own."""
    return Found(where="here", pattern=re.compile(source), uses=frozenset({"search"}))


def test_every_new_expression_is_linear() -> None:
    """At most 50 ms for 8,000 hostile characters; those that have withstood it are known."""
    new = [found for found in patterns() if digest(found) not in withstood()]
    assert slow(new) == []


@pytest.mark.nightly
@pytest.mark.parametrize("package", PACKAGES)
def test_every_expression_is_linear(package: str) -> None:
    """All are attacked again: another Python may take another time."""
    found = [one for one in patterns() if package_of(one) == package]
    assert found
    assert slow(found) == []


def test_an_expression_that_is_used_in_another_way_is_attacked_again() -> None:
    """A search costs what a match at the start doesn't."""
    matched = Found(where="here", pattern=re.compile("a+b"), uses=frozenset({"match"}))
    searched = Found(where="here", pattern=re.compile("a+b"), uses=frozenset({"search"}))
    assert digest(matched) != digest(searched)


def test_no_package_is_left_out() -> None:
    """Every expression is attacked, and as many are found as there are."""
    assert {package_of(one) for one in patterns()} == set(PACKAGES)
    assert len(patterns()) >= LEAST


@pytest.mark.parametrize(
    "source",
    [
        r"\s+$",
        r"(?:a+)+b",
        r"^(?:for)?\s*(?:\s*an?\s+)?(?:\w|in\s+[\w .]+?)\s*\?$",
        r"x[^,]*$",
        r"\w+@",
        r"(?<![\w.])\d+(?:,\d+)*%",
        r"if\b.*\bthen\b",
        r"\W*\(",
        r"(?:much|:[a-z]+:|[^\w\s]|and)*x",
    ],
)
def test_an_expression_that_is_not_is_found(source: str) -> None:
    """Quadratic, cubic and exponential ones, however they come about."""
    assert len(slow([made(source)])) == 1


@pytest.mark.parametrize("source", [r"(?<!\s)\s++$", r"\b[^\W_]+\b", r"(?:yes|no)[.!]?$"])
def test_a_linear_expression_passes(source: str) -> None:
    """The test does not cry wolf."""
    assert slow([made(source)]) == []


def test_expressions_are_found_wherever_they_are() -> None:
    """Globals, collections, properties, functions, and what is written where it is used."""
    where = {one.where for one in patterns()}
    kept = {"core.agent.conversation.follow_up._GAP", "core.language.notations.NOTATIONS"}
    assert kept | {"core.grounding.bounds._BEFORE", "core.agent.planning.intent._COMPILED"} <= where
    assert any(place.startswith("core.language.numerals:") for place in where)
    assert any(place.startswith("bot.slack.inbound.payload:") for place in where)


def test_an_attack_has_its_length() -> None:
    """Head and tail included."""
    for attack in attacks(re.compile(r"for\s+x")):
        assert len(text_of(attack, 500)) == 500


def _gives_back(parsed: Parsed) -> bool:
    """Return whether a part of an expression is tried in several ways, or denied."""
    return any(
        op in {constants.BRANCH, constants.ASSERT_NOT}
        or (op in _REPEATS and about[0] != about[1])
        or any(_gives_back(inner) for inner in _inner(op, about))
        for op, about in parsed
    )


def _is_misread(parsed: Parsed) -> bool:
    """Return whether "++", "*+" or "?+" stands after such a part."""
    return any(
        (op is constants.POSSESSIVE_REPEAT and _gives_back(about[2]))
        or any(_is_misread(inner) for inner in _inner(op, about))
        for op, about in parsed
    )


def _inner(op: Any, about: Any) -> list[Parsed]:
    if op in {*_REPEATS, constants.POSSESSIVE_REPEAT}:
        return [about[2]]
    if op is constants.BRANCH:
        return list(about[1])
    if op is constants.SUBPATTERN:
        return [about[3]]
    if op in {constants.ASSERT, constants.ASSERT_NOT}:
        return [about[1]]
    return [about] if op is constants.ATOMIC_GROUP else []


def _parsed(pattern: re.Pattern[Any]) -> Parsed:
    return parser.parse(pattern.pattern, pattern.flags)


def test_no_expression_is_one_that_python_before_3_11_5_misreads() -> None:
    """It lost matches of a possessive repeat of what backtracks; an atomic group keeps them.

    See gh-106052 and gh-100061 of CPython. Debian 12 has 3.11.2.
    """
    assert [one.where for one in patterns() if _is_misread(_parsed(one.pattern))] == []
    assert _is_misread(_parsed(re.compile(r"(?:\s+(?:an?|also)\b)*+\s++\Z")))
    assert not _is_misread(_parsed(re.compile(r"(?>(?:\s+(?:an?|also)\b)*)\s++\Z")))
