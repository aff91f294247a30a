"""Amounts that a sentence takes as given: an example worth EUR 25 says nothing about EUR 40."""

import re

from core.grounding.bounds import Bound, Bounded, bounds

_GIVEN = re.compile(
    r"\b(?:worth|of|for|costs|costing|priced\s+at|valued\s+at|value|about|some|is)\s*$",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"\b(?:limits?|thresholds?|ceilings?|caps?|maxim\w+|minim\w+|allowances?|budgets?|rates?|fees?"
    r"|fines?|penalt\w+|deductibles?)\b",
    re.IGNORECASE,
)


def amounts_of(question: str) -> frozenset[str]:
    """Return the amounts that a question names, in their canonical form."""
    return frozenset(one.quantity.canonical for one in bounds(question) if _is_amount(one))


def is_of_another_amount(asked: frozenset[str], sentence: str) -> bool:
    """Say whether a sentence speaks of a case with another amount than those of the question.

    A bound ("up to EUR 50") or a limit holds for every amount: it is no case. A question without
    an amount is about all of them.
    """
    if not asked or _LIMITS.search(sentence):
        return False
    amounts = [one for one in bounds(sentence) if _is_amount(one)]
    if any(one.bound is not Bound.NONE for one in amounts):
        return False
    given = {
        one.quantity.canonical
        for one in amounts
        if _GIVEN.search(sentence[: one.quantity.span.char_start])
    }
    return bool(given) and not given & asked


def _is_amount(one: Bounded) -> bool:
    return one.quantity.kind == "amount"
