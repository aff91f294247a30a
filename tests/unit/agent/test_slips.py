"""Slips of the pen are mended for the search, and nothing else is touched."""

import time
from collections.abc import Collection

import pytest

from core.agent.conversation.spelling import corrected
from core.language.content_words import stem, words
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
    assert await corrected(typed, await knowledge(), ENGLISH) == read


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("expnses", "expenses"),
        ("expennses", "expenses"),
        ("ezpenses", "expenses"),
        ("epxenses", "expenses"),
        ("supplierr", "supplier"),
        ("Suplier approved", "supplier approved"),
        ("is it IM or im", "is it IM or I am"),
        ("Dont ask", "Do not ask"),
        ("zxpenses", "zxpenses"),
        ("expensez", "expensez"),
        ("exxpennses", "exxpennses"),
        ("gifft", "gifft"),
        ("the gIft", "the gIft"),
        ("the SUPLIER", "the SUPLIER"),
        ("the suplier2", "the suplier2"),
        ("the supli\u00e9r", "the supli\u00e9r"),
        ("expences" * 3, "expences" * 3),
        (f"{'what ' * 200}expences", f"{'what ' * 200}expences"),
        (f"{'what ' * 190}expences", f"{'what ' * 190}expenses"),
    ],
)
async def test_one_letter_is_mended_and_no_more(typed: str, read: str) -> None:
    """One too many, one too few, a wrong one or two exchanged; never the first or the last."""
    assert await corrected(typed, await knowledge(), ENGLISH) == read


async def test_no_more_than_a_few_words_are_mended() -> None:
    """Whoever writes in another language is not translated."""
    typed = "ezpenses ecpenses expences expenxes exoenses ezpenses eypenses"
    assert await corrected(typed, await knowledge(), ENGLISH) == (
        "expenses expenses expenses expenses expenses expenses expenses"
    )
    assert (await corrected(f"{typed} expunses", await knowledge(), ENGLISH)).endswith(" expunses")


@pytest.mark.parametrize(
    ("leave", "lease", "read"),
    [(1, 1, "leabes"), (1, 2, "leases"), (4, 2, "leaves"), (3, 2, "leabes"), (1, 0, "leaves")],
)
async def test_of_two_words_the_one_that_is_surely_meant(leave: int, lease: int, read: str) -> None:
    """One that policies speak of twice as often as of the other; else nothing is changed."""
    parts = ["Leaves must be granted."] * leave + ["Leases must be signed."] * lease
    text = "".join(f"## {number} Part\n{said}\n\n" for number, said in enumerate(parts, 1))
    policy = Policy(key="both", title="Both", text=f"# Both\n\n{text}")
    known = await InMemoryOntology(InMemoryCorpus(policy)).open(make_scope())
    assert await corrected("leabes", known, Listed("leaves leases")) == read


async def test_without_a_list_of_words_only_apostrophes_are_added() -> None:
    """What may be a rare English word is left alone."""
    assert await corrected("whats expences", await knowledge(), None) == "what is expences"


async def test_a_flood_of_words_costs_little() -> None:
    """8,000 characters of slips are read in a fraction of a second of CPU time."""
    known = await knowledge()
    text = " ".join(f"abcdefgh{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}qx" for n in range(620))
    began_s = time.process_time()
    await corrected(text, known, ENGLISH)
    await corrected("dont" * 2_000, known, ENGLISH)
    assert time.process_time() - began_s < 3.0
    assert stem("expenses") == "expens"
