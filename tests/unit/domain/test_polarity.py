"""No statement passes that says the opposite of what it cites, and a paraphrase does."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.grounding.denial import negation_kept
from core.grounding.polarity import polarity_kept
from core.language.modality import Modality

M = Modality
_GIFTS = "Employees may accept gifts up to EUR 75 but must not accept cash. Managers should ask."


def contradiction(claim: str, sources: Sequence[str]) -> str | None:
    """Say how a claim contradicts its sources, by force or by negation."""
    return polarity_kept(claim, sources) or negation_kept(claim, sources)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Employees may accept gifts up to EUR 75.", _GIFTS),
        ("Employees must not accept cash.", _GIFTS),
        ("Yes, employees may accept gifts.", _GIFTS),
        ("Managers should ask.", _GIFTS),
        ("Staff must not accept cash.", "Staff must not:\n(a) accept cash;\n(b) offer cash."),
        ("Contractors are forbidden to accept gifts.", "Contractors must not accept any gift."),
        (
            "Gifts must be approved by the officer.",
            "Gifts must not be accepted unless the officer has approved the gifts.",
        ),
        ("The limit is EUR 75.", "The limit is EUR 75 a year."),
    ],
)
def test_kept(claim: str, source: str) -> None:
    """A claim that says the same in other words is kept."""
    assert contradiction(claim, [source]) is None


def test_a_lead_in_and_its_item_may_be_two_sources() -> None:
    """The item cited beside its lead-in is read under it."""
    sources = ["Employees must not:", "- accept cash;"]
    assert contradiction("Employees must not accept cash.", sources) is None
    assert contradiction("Employees may accept cash.", sources) is not None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Employees may accept cash.", _GIFTS),
        ("Employees must accept gifts.", _GIFTS),
        ("Managers must ask.", _GIFTS),
        ("Employees must report.", "Employees need not report."),
        ("Employee may accept cash.", "No employee may accept cash."),
        ("Cash is accepted.", "Cash is not accepted."),
        ("Employees may fly to Mars.", _GIFTS),
        (
            "Employees must not travel if the manager has approved the trip.",
            "Employees must not travel unless the manager has approved the trip.",
        ),
        (
            "Gifts may be accepted unless the officer is told.",
            "Gifts may be accepted if the officer is told.",
        ),
        (
            "Gifts may be accepted if the officer is not told.",
            "Gifts may be accepted if the officer is told.",
        ),
        (
            "Employees must accept gifts without approval.",
            "Employees may accept gifts without approval.",
        ),
        ("Staff may accept cash.", "Staff must not:\n(a) accept cash;\n(b) offer cash."),
    ],
)
def test_changed(claim: str, source: str) -> None:
    """A claim that changes what is required, allowed or denied is named."""
    assert contradiction(claim, [source]) is not None


_VERBS = {
    M.MUST: ["must", "shall", "are required to", "have to"],
    M.MUST_NOT: [
        "must not",
        "may not",
        "shall not",
        "are not permitted to",
        "cannot",
        "must never",
    ],
    M.MAY: ["may", "are permitted to", "can"],
    M.SHOULD: ["should", "are expected to"],
    M.SHOULD_NOT: ["should not"],
    M.NEED_NOT: ["need not", "are not required to"],
}


@given(st.data())
def test_a_changed_modality_is_always_found(data: st.DataObject) -> None:
    """A modal verb of another kind is found; another one of its kind is not."""
    before, after = data.draw(st.tuples(*[st.sampled_from(list(_VERBS))] * 2))
    act = data.draw(
        st.sampled_from(["report a gift", "fly first class", "accept money from banks"])
    )
    source = f"Employees {data.draw(st.sampled_from(_VERBS[before]))} {act}."
    claim = f"All employees {data.draw(st.sampled_from(_VERBS[after]))} {act}."
    assert (contradiction(claim, ["Other people may sing.", source]) is None) == (before is after)


@given(
    st.lists(
        st.sampled_from(
            ("No", "Employees", "may", "must", "not", "cash", ",", ".", "if", "(a)", ":", "\n")
        ),
        max_size=30,
    )
)
def test_a_verbatim_claim_is_kept(tokens: list[str]) -> None:
    """A text does not contradict itself."""
    text = " ".join(tokens)
    assert contradiction(text, [text]) is None


PROHIBITIONS = {
    "Do not feed the goats.": "feed the goats",
    "\u2022 Do not feed the goats in winter;": "feed the goats in winter",
    "3. Please don't feed the goats before noon.": "feed the goats before noon",
    "Never feed the goats.": "feed the goats",
    "No one may feed the goats.": "feed the goats",
    "No visitor shall feed the goats without a ticket.": "feed the goats without a ticket",
    "Visitors must not feed the goats.": "feed the goats",
    "Visitors can\u2019t feed the goats until the keeper is there.": "feed the goats until the keeper is there",  # noqa: E501
    "Visitors are not allowed to feed the goats.": "feed the goats",
    "Visitors are prohibited from feeding the goats.": "feed the goats",
    "Feeding the goats is strictly forbidden.": "feed the goats",
    "We do not allow feeding the goats.": "feed the goats",
    "Visitors must not:\n- tease the sheep;\n- feed the goats;": "feed the goats",
    "Q: Is it fine?\n- A: No, you must not feed the goats unless a keeper agrees.": "feed the goats unless a keeper agrees",  # noqa: E501
}
"""A prohibition in each form that policies have, with the act and its condition."""


@pytest.mark.parametrize("source", PROHIBITIONS)
@pytest.mark.parametrize(
    "opposite",
    [
        "You may {}.",
        "You can {}.",
        "Yes, you may {}.",
        "Yes: you are allowed to {}.",
        "You must {}.",
    ],
)
def test_no_opposite_of_a_prohibition_passes(source: str, opposite: str) -> None:
    """Whatever form the prohibition has; a condition that stays does not excuse it."""
    assert contradiction(opposite.format(PROHIBITIONS[source]), [source])


@pytest.mark.parametrize("source", PROHIBITIONS)
@pytest.mark.parametrize(
    "faithful",
    ["You must not {}.", "You can't {}.", "No, you may not {}.", "You are not permitted to {}."],
)
def test_a_paraphrase_of_a_prohibition_passes(source: str, faithful: str) -> None:
    """The same in another form."""
    assert contradiction(faithful.format(PROHIBITIONS[source]), [source]) is None


@pytest.mark.parametrize(
    "claim",
    [
        "You may feed the goats if a keeper agrees.",
        "You may only feed the goats with a keeper's agreement.",
        "A keeper must agree before you feed the goats.",
    ],
)
def test_a_rule_may_be_put_the_other_way_round(claim: str) -> None:
    """With its condition turned too."""
    assert contradiction(claim, ["Do not feed the goats unless a keeper agrees."]) is None
    assert contradiction("You may feed the goats if you like.", ["Do not feed the goats."])


def test_a_source_that_only_allows_bears_out_no_prohibition() -> None:
    """And the other way round, whatever words the two share."""
    allows, forbids = "Visitors may feed the sheep.", "Visitors must not feed the goats."
    assert contradiction("Visitors must not tease the goats.", [allows])
    assert contradiction("Visitors may tease the sheep.", [forbids])
    assert (
        contradiction("Visitors must not tease the goats.", [allows, "No goat is teased."]) is None
    )
    only = "Visitors may only feed the sheep."
    assert contradiction("Visitors must not feed anything else.", [only]) is None
