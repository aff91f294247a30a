"""A span of time or a frequency told without a number stays what it is."""

import pytest

from core.domain.periods import missing_periods, plain_frequencies


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The log is checked once a year.", "The log is checked annually."),
        ("It is looked at every quarter.", "Quarterly checks are made."),
        ("They look at it four times a year.", "They look at it quarterly."),
        ("You get USD 50 a month.", "Paid: USD 50/month."),
        ("You have a week.", "Tell them within 7 days."),
        ("It lasts a year.", "It lasts twelve (12) months."),
        ("Take a second copy.", "Copy it again."),
        ("Keep it a day longer.", "Keep it for 2 days."),
    ],
)
def test_the_same_in_other_words_is_kept(claim: str, source: str) -> None:
    """Adverbs, rates and equal numbers are one."""
    assert missing_periods(claim, [source]) == ()


@pytest.mark.parametrize(
    ("claim", "source", "unit"),
    [
        ("The log is checked monthly.", "The log is checked annually.", "month"),
        ("Tell them within a week.", "Tell them immediately.", "week"),
        ("You get USD 50 a year.", "Paid: USD 50/month.", "year"),
        ("Sign it every year.", "Sign it.", "year"),
    ],
)
def test_another_one_is_named(claim: str, source: str, unit: str) -> None:
    """A unit that the source does not have."""
    assert missing_periods(claim, [source]) == (unit,)


def test_frequencies_have_one_form() -> None:
    """Counted or with a word of their own."""
    assert plain_frequencies("Checked twice per year.") == "Checked semi-annually."
    assert plain_frequencies("Checked every three months.") == "Checked quarterly."
