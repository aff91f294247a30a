"""Slips of the pen are mended for the search, and nothing else is touched."""

import time
from collections.abc import Collection

import pytest

from core.agent.slips import mended
from core.domain.content_words import stem, words
from core.ports import Knowledge
from tests.factories import make_scope
from tests.fakes import InMemoryCorpus, InMemoryOntology, Policy

POLICY = Policy(
    key="expenses",
    title="Expenses Policy",
    text=(
        "# Expenses Policy\n\n## 1 Claims\nEmployees must submit expenses with receipts."
        " Suppliers must be approved. The patient must be told. A gift must be declared."
        " Reimbursement must be claimed within 30 days.\n"
    ),
)


class Listed:
    """A list of English words."""

    def __init__(self, text: str) -> None:
        self._words = frozenset(words(text))

    async def among(self, words: Collection[str], /) -> frozenset[str]:
        return self._words.intersection(words)


ENGLISH = Listed(
    "expenses supplier gift reimburse patient what is the on patent of manger for can claim an"
    " about give two in wine per"
)


async def knowledge() -> Knowledge:
    return await InMemoryOntology(InMemoryCorpus(POLICY)).open(make_scope())


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("whats the rule on expences", "what is the rule on expenses"),
        ("Whats the gfit limit", "What is the gift limit"),
        ("is the suplier approved", "is the supplier approved"),
        ("can I claim reimbursment", "can I claim reimbursement"),
        ("im a manger, dont ask", "I am a manger, do not ask"),
        ("what about a patent", "what about a patent"),
        ("ask Supliers of Giift", "ask Supliers of Giift"),
        (
            "EUR 40 for giift-7 at gfit@example.com gfit.com",
            "EUR 40 for giift-7 at gfit@example.com gfit.com",
        ),
        ("zzzzqqq about the wine", "zzzzqqq about the wine"),
        ("", ""),
    ],
)
async def test_only_slips_are_mended(typed: str, read: str) -> None:
    """A word nobody uses, one slip from one that policies use; no name, figure or address."""
    assert await mended(typed, await knowledge(), ENGLISH) == read


async def test_without_a_list_of_words_only_apostrophes_are_added() -> None:
    """What may be a rare English word is left alone."""
    assert await mended("whats expences", await knowledge(), None) == "what is expences"


async def test_a_flood_of_words_costs_little() -> None:
    """8,000 characters of slips are read in a fraction of a second of CPU time."""
    known = await knowledge()
    text = " ".join(f"abcdefgh{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}qx" for n in range(620))
    began_s = time.process_time()
    await mended(text, known, ENGLISH)
    await mended("dont" * 2_000, known, ENGLISH)
    assert time.process_time() - began_s < 3.0
    assert stem("expenses") == "expens"
