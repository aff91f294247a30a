"""A statement held against what it cites: what only quotes needs no guard."""

import pytest

from core.domain.answer import Check
from core.grounding.support import LEAST_SUPPORT, Grounds, guard_probability, ungrounded

LEAD_IN, ITEM = "Employees must not:", "(a) accept cash or vouchers;"
UNSURE = LEAST_SUPPORT / 2


def guarded(text: str, *texts: str) -> str | None:
    """Return what a guard that believes nothing has against a statement."""
    return ungrounded(text, Grounds(texts=texts, support=UNSURE))[Check.SUPPORT]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("Employees must not: (a) accept cash or vouchers;", (LEAD_IN, ITEM)),
        ("employees must not (a) accept\ncash, or vouchers", (LEAD_IN, ITEM)),
        ("Cash is declined.", ("Cash is declined.",)),
    ],
    ids=["lead-in and item", "other marks", "a sentence"],
)
def test_what_only_quotes_is_not_doubted(text: str, texts: tuple[str, ...]) -> None:
    """Word for word and in order: it can't say otherwise than what it cites."""
    assert guarded(text, *texts) is None


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("Employees must not: accept vouchers;", (LEAD_IN, ITEM)),
        ("(a) accept cash or vouchers; Employees must not:", (LEAD_IN, ITEM)),
        ("(a) accept cash or vouchers;", (LEAD_IN, ITEM)),
        ("Cash is never declined.", ("Cash is declined.",)),
        ("Cash is declined. Cash is declined.", ("Cash is declined.",)),
        ("Cash", ("Cash is declined.",)),
        ("", ()),
    ],
    ids=["left out", "turned round", "without its lead-in", "added", "twice", "a word", "nothing"],
)
def test_what_does_more_than_quote_is_doubted(text: str, texts: tuple[str, ...]) -> None:
    """A word more, a word less or another order may mean something else."""
    assert (guarded(text, *texts) or "").startswith("a guard gives it")


@pytest.mark.parametrize(
    ("text", "source", "check"),
    [
        (
            "Travel costs are excluded from the allowance.",
            "Travel costs are included in the allowance.",
            Check.MODALITY,
        ),
        ("Keys are counted monthly.", "Keys are counted weekly.", Check.NUMBERS),
        ("Badges cost EUR 20.", "Badges cost EUR 25.", Check.NUMBERS),
        ("Wine must not be taken.", "Wine may be taken.", Check.MODALITY),
        ("The Head of Sales keeps keys.", "The Head of Finance keeps keys.", Check.NAMES),
        ("Visitors park bicycles.", "Keys are counted weekly.", Check.SUPPORT),
    ],
)
def test_each_check_is_made(text: str, source: str, check: Check) -> None:
    """Each kind of difference fails the check that is meant for it, and the source passes all."""
    found = ungrounded(text, Grounds(texts=[source]))
    assert found[check] is not None
    assert set(ungrounded(source, Grounds(texts=[source])).values()) == {None}


def test_a_guard_decides_at_its_threshold() -> None:
    """At it a statement stays, below it goes; without a guard nothing is said."""
    said, texts = "Staff must not take cash.", ["Employees must not take cash."]
    for support, stays in ((LEAST_SUPPORT, True), (UNSURE, False), (None, True)):
        found = ungrounded(said, Grounds(texts=texts, support=support))
        assert (found[Check.SUPPORT] is None) == stays


def test_a_logit_of_any_size_is_a_probability() -> None:
    """The steepest ones overflow nothing."""
    assert guard_probability([0.0]) == 0.5
    assert guard_probability([-1e9, 1e9]) == pytest.approx(1.0)
    assert guard_probability([-1e9]) == pytest.approx(0.0, abs=1e-20)
