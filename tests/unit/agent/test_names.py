"""Roles and countries of a claim, held to its sources."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.grounding.named_entities import missing_names
from core.language.jurisdictions import (
    country_code,
    country_name,
    jurisdictions_in,
    without_jurisdictions,
)


@pytest.mark.parametrize(
    ("claim", "source", "missing"),
    [
        ("The Board approves it.", "after onboarding of staff", ("Board",)),
        ("The Board approves it.", "the board approves it", ()),
        ("The Works Councils are told.", "employees are told", ("Works Councils",)),
        ("Managers approve it.", "employees register it", ("Managers",)),
        ("Managers approve it.", "your line manager's consent", ()),
        ("The Compliance Officer approves.", "all Compliance\nOfficers approve", ()),
        ("The Chief Compliance Officer agrees.", "the Compliance Officer agrees",
         ("Chief Compliance Officer",)),
        ("The Head of Legal agrees.", "the Head of Tax agrees", ("Head of Legal",)),
        ("The CEO agrees.", "the office agrees", ("CEO",)),
        ("The DPO is told.", "the DPO is told", ()),
        ("An auditor is told.", "employees are told", ("auditor",)),
        ("All auditors are told.", "employees are told", ("auditor",)),
        ("An auditor is told.", "the auditors are told", ()),
        ("Employees in Norway may.", "employees may", ("Norway",)),
        ("In Germany they may.", "German staff may", ()),
        ("In the UK and France.", "in the U.K.", ("France",)),
        ("Nobody is named.", "", ()),
    ],
)  # fmt: skip
def test_a_claim_names_only_whom_its_sources_name(
    claim: str, source: str, missing: tuple[str, ...]
) -> None:
    """Whole names count, in either number and any case; parts of other words do not."""
    assert missing_names(claim, [source], known=["auditor"]) == missing


_WORDS = st.lists(
    st.sampled_from(
        [
            "The",
            "the",
            "of",
            "and",
            "Head",
            "Heads",
            "Board",
            "Managers",
            "Officer's",
            "Works",
            "Council",
            "Compliance",
            "Officers",
            "Legal",
            "Germany",
            "German",
            "US",
            "us",
            "U.K.",
            "CEO",
            "auditor",
            "auditors",
            "onboarding",
            "Team-Lead",
            "Offices,",
            "Desk.",
            "R&D",
        ]
    ),
    max_size=14,
)


@given(_WORDS, _WORDS, _WORDS)
def test_a_text_names_nobody_beyond_itself(
    before: list[str], words: list[str], after: list[str]
) -> None:
    """A verbatim stretch of a source never misses a name."""
    text = " ".join(words)
    source = " ".join([*before, *words, *after])
    assert missing_names(text, [source], known=["auditor", "R&D"]) == ()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("in Germany, Norway and South Africa", {"DE", "NO", "ZA"}),
        ("under US law", {"US"}),
        ("tell us", set[str]()),
        ("North Korea", {"KP"}),
        ("South Korean staff", {"KR"}),
        ("the U.K. and the U.S.", {"GB", "US"}),
        ("Danish, Finnish and Polish staff", {"DK", "FI", "PL"}),
        ("a turkey for dinner", set[str]()),
        ("in turkey", {"TR"}),
        ("Germanic, Indiana, Romance", set[str]()),
        ("in Berlin", set[str]()),
    ],
)
def test_countries_are_read(text: str, codes: set[str]) -> None:
    """Countries by name and demonym, as words of their own."""
    assert jurisdictions_in(text) == codes


def test_cities_count_if_asked_for() -> None:
    """A city stands for its country where that is wanted."""
    assert jurisdictions_in("from Berlin to Rome", with_cities=True) == {"DE", "IT"}


def test_a_country_has_a_name_and_a_code() -> None:
    """One country gives its code; none or two give none; an unknown code is its own name."""
    assert country_code("Germany") == "DE"
    assert country_code("our office in London") == "GB"
    assert country_code("Germany and France") is None
    assert country_code("nowhere") is None
    assert (country_name("DE"), country_name("XX")) == ("Germany", "XX")


def test_countries_can_be_left_out() -> None:
    """What remains is the text without the names; cities stay."""
    left = without_jurisdictions("May German staff in Rome, Italy accept gifts?")
    assert left.split() == ["May", "staff", "in", "Rome,", "accept", "gifts?"]


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """Reading never fails, and a text without its countries names none."""
    assert missing_names(text, [text]) == ()
    assert not jurisdictions_in(without_jurisdictions(text)) - {"US"}


@pytest.mark.parametrize("piece", ["The Head of ", "and of the ", "U.S", "Officer", "in "])
def test_time_is_linear(piece: str) -> None:
    """A long text of any pattern is read within a moment."""
    text = piece * 4_000
    began = time.process_time()
    missing_names(text, [text])
    jurisdictions_in(text, with_cities=True)
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("claim", "source", "missing"),
    [
        ("Ask your supervisor.", "Ask your manager.", ("supervisor",)),
        ("Managers decide.", "The manager's decision counts.", ()),
        ("HR decides.", "Human Resources decide.", ()),
        ("Vendors sign.", "Each supplier signs.", ()),
        ("Interns return it.", "Return it when the internship ends.", ()),
        ("Either the Tax Desk or the Works Council decides.", "Tax Desk. Works Council.", ()),
        ("The Tax Desk and the Works Council decide.", "Tax Desk; Works Council.", ()),
        (
            "The Tax Desk and the Works Council decide.",
            "The Tax Desk.",
            ("Works Council",),
        ),
    ],
)
def test_common_nouns_for_who_acts_are_held_to_the_source(
    claim: str, source: str, missing: tuple[str, ...]
) -> None:
    """In any inflection, and by their other names; titles may be joined."""
    assert missing_names(claim, [source]) == missing
