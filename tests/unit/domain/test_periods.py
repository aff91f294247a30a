"""A span of time or a frequency told without a number stays what it is."""

import pytest

from core.language.periods import missing_periods, plain_frequencies


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
        ("Sign it by the end of the month.", "Sign it at the close of the month."),
        ("From 1 September 2024 on.", "On or after 2024-09-01."),
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
        ("Keep it for one year.", "Keep it.", "year"),
        ("Look at it once a year.", "Look at it every five years.", "annual"),
        ("Look at it twice a year.", "Look at it once a year.", "half-year"),
        ("Look at it only once a year.", "Look at it at least twice a year.", "annual"),
        ("You may burn it after a year.", "Keep it for at least six years.", "year"),
        ("Up to 3 in any calendar quarter.", "Up to 3 in any calendar year.", "quarter"),
        ("Up to 3 per calendar year.", "Up to 3 per year, from your first day on.", "calendar"),
        ("It starts anew each January.", "It starts anew.", "January"),
        ("Call at any time.", "Call between nine and five.", "any time"),
        ("Do it the same day.", "Do it on the following day.", "same"),
    ],
)
def test_another_one_is_named(claim: str, source: str, unit: str) -> None:
    """A unit that the source does not have."""
    assert missing_periods(claim, [source]) == (unit,)


def test_frequencies_have_one_form() -> None:
    """Counted or with a word of their own."""
    assert plain_frequencies("Checked twice per year.") == "Checked semi-annually."
    assert plain_frequencies("Checked every three months.") == "Checked quarterly."
