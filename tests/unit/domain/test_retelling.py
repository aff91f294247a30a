"""What a model makes of a rule: right in other words passes, wrong in nearly the same does not."""

import time

import pytest

from core.grounding.support import Grounds, ungrounded

_BOOK = "The club's library lends books for three weeks, and each loan is written into the book."
_SHED = "Members may use the shed at night, but they must lock it."


def is_held(claim: str, *sources: str) -> bool:
    """Say whether a claim passes every check of texts."""
    return not any(ungrounded(claim, Grounds(texts=sources)).values())


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Loans are not written into the book.", _BOOK),
        ("No loan is written into the book.", _BOOK),
        ("The library never lends books.", _BOOK),
        ("There is no need for each loan to be written into the book.", _BOOK),
        ("You can use the shed at night without locking it.", _SHED),
        (
            "The grant does not cover paint.",
            "The grant covers paint, but members also buy glaze from it, as far as it goes.",
        ),
        (
            "Guests who sign the book are not insured.",
            "- Guests who sign the book are insured, and so are the children they bring along.",
        ),
    ],
)
def test_a_denial_that_the_source_lacks_is_found(claim: str, source: str) -> None:
    """Also if the source says much more in the same sentence."""
    assert not is_held(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("No loan may be skipped in the book.", "Each loan must be written into the book."),
        ("Members must not forget to lock the shed.", "Members must lock the shed."),
        (
            "Members must not wait to report a broken mast to the warden.",
            "Members must report a broken mast to the warden.",
        ),
        ("Someone who is not a member cannot vote.", "To vote, you must be a member."),
        ("Nobody but the warden may light the kiln.", "Only the warden may light the kiln."),
        (
            "It is not the cook but the warden who lights the kiln.",
            "The warden lights the kiln.",
        ),
        ("No kiln is left unlocked.", "Every kiln is locked."),
        ("The shed is off limits at night.", "The shed must not be used at night."),
        ("Members aren't barred from the shed.", "Members may use the shed."),
        ("Nothing has to be paid for the shed.", "You do not need to pay anything for the shed."),
        (
            "You can't light the kiln until the warden has approved it.",
            "Once the warden has approved it, you may light the kiln.",
        ),
        (
            "The warden may lock the shed at any time, at the warden's discretion.",
            "The warden retains full discretion to lock the shed at any time.",
        ),
        ("Locking the shed isn't optional.", "Members must lock the shed."),
    ],
)
def test_the_same_with_another_number_of_negations_passes(claim: str, source: str) -> None:
    """Denied twice, or of somebody else, or turned with a "before"."""
    assert is_held(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("You must borrow the saw.", "Members may borrow the saw in winter if it is dry."),
        ("You may repair torn gloves.", "Torn gloves should not be repaired."),
        ("It is good practice to lock the shed.", "Members must lock the shed."),
        ("It would be desirable to lock the shed.", "Members must lock the shed."),
        ("The shed is usually locked at night.", "The shed is always locked at night."),
        ("The shed is mainly used for storing boats.", "The shed is only used for storing boats."),
        ("You have no choice but to borrow the saw.", "Members may borrow the saw."),
    ],
)
def test_a_rule_that_is_made_softer_or_firmer_is_found(claim: str, source: str) -> None:
    """May told as must, must as advice, always as usually."""
    assert not is_held(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("A claim takes half an hour.", "A claim takes 30 minutes."),
        ("You have a year to pay.", "Members have 12 consecutive months to pay."),
        ("Boats are checked every two weeks.", "Boats are checked bi-weekly."),
        ("You may borrow at most two.", "You may borrow no more than two."),
        ("You are not limited to one boat.", "Members may reserve more than one boat."),
        ("A mast must not be shorter than eight feet.", "A mast must be at least eight feet long."),
        (
            "You must not step a mast shorter than eight feet.",
            "A mast that you step must be at least eight feet long.",
        ),
        ("Boats over 20 feet need a berth.", "Boats that are larger than 20 feet need a berth."),
        (
            "Tell the warden within 10 days of a Capsize At Sea.",
            "Tell the warden within 10 days of a CAS.",
        ),
        ("Spend at most EUR 9 a year on tea.", "Tea costs at most EUR 9 per member and per year."),
        ("No month goes by without a review.", "The rota is reviewed weekly."),
        ("The rota isn't just reviewed once a year.", "The rota is reviewed monthly."),
        ("EUR 30 for tea is within the budget.", "Tea should not exceed EUR 40 from the budget."),
        ("You row eight hours a day or 30 a week.", "Row up to 8 hours a day, 30 hours a week."),
        ("The rules are free under the CC0-1.0 licence.", "The rules are free: licence CC0-1.0."),
    ],
)
def test_a_right_number_in_other_words_passes(claim: str, source: str) -> None:
    """Other units, frequencies and comparisons that say the same."""
    assert is_held(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("No month goes by without a review.", "The rota is reviewed quarterly."),
        ("Members never go a week without a review.", "The rota is reviewed monthly."),
        ("The rota isn't just reviewed once a week.", "The rota is reviewed monthly."),
        ("A claim takes half an hour.", "A claim takes 50 minutes."),
        ("A mast must not be longer than eight feet.", "A mast must be at least eight feet long."),
        ("A mast must not be shorter than six feet.", "A mast must be at least eight feet long."),
        ("You need a second warden.", "You need a warden."),
        ("EUR 60 for tea is within the budget.", "Tea should not exceed EUR 40 from the budget."),
        ("Spend at most EUR 9 a week on tea.", "Tea costs at most EUR 9 per member and per year."),
    ],
)
def test_a_wrong_number_in_such_words_is_found(claim: str, source: str) -> None:
    """The same forms, with what the source does not say."""
    assert not is_held(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Tea costs at most nine US dollars.", "Tea costs at most $9 USD."),
        ("The CIO signs.", "The Chief Information Officer signs."),
        ("The Safety Officer signs.", "The Safety and Harbour Officer signs."),
        (
            "Without the Safety Officer's approval you may not sail.",
            "You may not sail without the approval of the Safety Officer.",
        ),
        ("It isn't the Harbour Manager who signs.", "The warden signs, and nobody else."),
    ],
)
def test_somebody_known_by_another_name_passes(claim: str, source: str) -> None:
    """Abbreviated, named of two, at the start of a sentence, or only to say that it is not they."""
    assert is_held(claim, source)


def test_a_swapped_abbreviation_is_found() -> None:
    """An abbreviation stands for its own words alone."""
    assert not is_held("The CFO signs.", "The Chief Information Officer signs.")
    assert not is_held("The Safety Officer signs.", "The Harbour Officer signs.")


@pytest.mark.parametrize(
    "piece", ["not one of, ", "no month goes ", "do not, a, or allow ", "never but ", "a second "]
)
def test_hostile_text_is_cheap(piece: str) -> None:
    """As claim and as source, thousands of characters of what the expressions look for."""
    text = piece * (2_000 // len(piece))
    start = time.process_time()
    is_held(text, piece * (8_000 // len(piece)))
    assert time.process_time() - start < 5
