"""Laws of the checks, whatever the policy says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.grounding.support import Grounds, ungrounded

ACTORS = [
    "Gardeners",
    "Volunteers of the zoo",
    "Each driver",
    "Employees",
    "The night shift",
    "You",
]
MODALS = ["must", "may", "shall", "should", "can", "will"]
ACTS = [
    "store the ladders in the blue shed",
    "feed the otters before opening time",
    "hand over the keys to the porter",
    "wash the vans after each tour",
]
TERMS = ["within {} days", "at least {} hours in advance", "for up to {} weeks", "by paying EUR {}"]
RULES = st.builds(
    "{} {} {} {}.".format,
    st.sampled_from(ACTORS),
    st.sampled_from(MODALS),
    st.sampled_from(ACTS),
    st.sampled_from(TERMS),
)
NUMBERS = st.integers(min_value=2, max_value=900)


def is_held(claim: str, *sources: str) -> bool:
    """Say whether a statement passes."""
    return not any(ungrounded(claim, Grounds(texts=sources)).values())


@given(RULES, NUMBERS, RULES, NUMBERS)
def test_a_quotation_is_supported(rule: str, number: int, other: str, another: int) -> None:
    """Word for word, whatever is cited beside it."""
    said = rule.format(number)
    assert is_held(said, said)
    assert is_held(said, said, other.format(another))


@given(RULES, NUMBERS, NUMBERS)
def test_another_number_never_is(rule: str, number: int, other: int) -> None:
    """One number for another one, in words that are otherwise the source's."""
    if number != other:
        assert not is_held(rule.format(other), rule.format(number))


@given(st.sampled_from(ACTORS), st.sampled_from(MODALS), st.sampled_from(ACTS))
def test_a_not_never_is(actor: str, modal: str, act: str) -> None:
    """Put in after the modal verb, or taken out."""
    plain, denied = f"{actor} {modal} {act}.", f"{actor} {modal} not {act}."
    assert not is_held(denied, plain)
    assert not is_held(plain, denied)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Sheds are always locked at dusk.", "Sheds are locked at dusk."),
        ("A third warning automatically ends the contract.", "A third warning ends the contract."),
        ("Wear gloves at the kiln where possible.", "Wear gloves at the kiln."),
        ("You should try to lock the shed.", "Lock the shed."),
        ("You should think twice before lending keys.", "Keys must not be lent."),
        ("Late returns will lead to a fine.", "Late returns can lead to a fine."),
        ("Theft may be reported to the police.", "Theft will be reported to the police."),
        ("You may use your own phone for calls.", "You may use only the desk's phone for calls."),
        ("Everyone may open the kiln.", "Only potters may open the kiln."),
    ],
)
def test_no_rule_goes_further_than_its_source(claim: str, source: str) -> None:
    """Nor less far."""
    assert not is_held(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The shed is always locked.", "The shed is locked in every case."),
        ("Fines are possible when you return things late.", "Late returns can lead to a fine."),
        ("Potters may open the kiln.", "Only potters may open the kiln."),
        ("Use gloves if possible.", "Gloves should be used where practical."),
        ("Keys may be given only to members.", "Do not give keys to anyone who is not a member."),
        (
            "You can spend more than EUR 90 only with the warden's consent.",
            "Nobody shall spend more than EUR 90 without the consent of the warden.",
        ),
        (
            "If you have just 5 hours of training, you cannot use the saw.",
            "To use the saw, you must have at least 20 hours of training.",
        ),
        ("Someone who is not a member cannot vote.", "To vote, you must be a member."),
    ],
)
def test_the_same_rule_in_other_words_passes(claim: str, source: str) -> None:
    """Softened, limited or turned round as its source is."""
    assert is_held(claim, source)


def test_the_items_under_conditions_are_not_merely_allowed() -> None:
    """What is permitted is in the lead-in; the items say under what."""
    texts = [
        "Private bicycles may be used for errands under the following conditions:",
        "- The bicycle is inspected by the workshop.",
    ]
    assert is_held("The workshop must inspect the bicycle.", *texts)
