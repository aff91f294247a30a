"""Codes of reports: hard to guess, easy to read, and found in what people type."""

import time
from math import log2

import pytest

from core.cases.case_codes import ALPHABET, GROUP, GROUPS, code_in, new_code, plain_code


def test_a_code_can_be_neither_guessed_nor_misread() -> None:
    """At least 64 bits, no look-alike, no word; never twice the same."""
    assert GROUPS * GROUP * log2(len(ALPHABET)) > 64
    assert not set(ALPHABET) & set("AEIOU01LSZ58BGQ")
    codes = {new_code() for _ in range(1_000)}
    assert len(codes) == 1_000
    for code in codes:
        assert [len(group) for group in code.split("-")] == [4, 4, 4, 4]
        found = code_in(code)
        assert found is not None
        assert (found.code, found.rest) == (plain_code(code), "")


@pytest.mark.parametrize(
    "typed",
    [
        "{code}",
        "my code is {code}.",
        "{lower}",
        "code {spaced} thanks",
        "{joined}",
        "{dashed}\nIt was Monday.",
        "<{code}>",
    ],
)
def test_a_code_is_found_however_it_is_typed(typed: str) -> None:
    """In lower case, with spaces, with the dashes of a telephone, within a sentence."""
    for _ in range(50):
        code = new_code()
        found = code_in(
            typed.format(
                code=code,
                lower=code.lower(),
                spaced=code.replace("-", " "),
                joined=code.replace("-", ""),
                dashed=code.replace("-", " \u2013 "),
            )
        )
        assert found is not None
        assert found.code == plain_code(code)
        assert plain_code(code) not in plain_code(found.rest)


def test_no_code_is_left_in_what_was_typed_with_one() -> None:
    """Officers read that."""
    first, second = new_code(), new_code()
    found = code_in(f"{first}: I had {second}, or {first[:-1]}O, from {first.lower()} on")
    assert found is not None
    assert (found.code, found.rest) == (plain_code(first), ": I had , or , from on")


@pytest.mark.parametrize("slip", ["O{code}", "{cut}", "{code}5", "{cut}I", "{cut}*0"])
def test_a_code_with_a_slip_is_meant_as_one(slip: str) -> None:
    """Kept as a message it would give the right one away."""
    for _ in range(50):
        code = new_code()
        assert code_in(slip.format(code=code, cut=code[:-1])) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "that must have been what they said",
        "POL-GIFT-2023-001 please",
        "I paid with 1234-5678-9012-3456",
        "May I accept 2 tickets from XYZ Ltd for FY 2026?",
        "DE89 3704 0044 0532 0130 00",
        "123e4567-e89b-12d3-a456-426614174000",
        "GDPR 2016 679 HR 2019 1937 EU",
        "https://intranet.example/policies/HR-2024-07?v=3b7c99d2",
    ],
)
def test_nothing_else_is_taken_for_a_code(text: str) -> None:
    """Names of policies, numbers of cards and accounts, ids, ordinary words."""
    assert code_in(text) is None


@pytest.mark.parametrize("part", ["A", "ABC-", "A2 ", "234 ", "ABC2-", "CDF2\u2013 ", "\u0663"])
def test_hostile_text_is_read_in_a_moment(part: str) -> None:
    """Linear: 8,000 characters of what almost is one."""
    began_s = time.process_time()
    code_in(part * (8_000 // len(part)))
    assert time.process_time() - began_s < 2
