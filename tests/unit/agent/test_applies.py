"""Whether a text is the rule that applies: names, rows and bands, held against their siblings."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.grounding.bindings import (
    BindingKind,
    BindingVerdict,
    CandidateText,
    bindings,
    is_contradicted,
    unnamed,
)

BANDS = (
    "up to EUR 1,000 | Team lead",
    "EUR 1,001 to EUR 10,000 | Head of department",
    "EUR 10,001 to EUR 100,000 | Chief Financial Officer",
    "above EUR 100,000 | Management Board",
)
CITIES = ("London | 210", "Munich | 165", "All other cities | 140")
PLANTS = (
    "Employees of the Kelston plant may accept gifts worth up to EUR 85.",
    "Employees of the Fenwick plant may accept gifts worth up to EUR 65.",
)
FEWEST_RIGHT, MOST_WRONG = 0.95, 2
"""Of those said to be contradicted, how many must be; and how many that apply may be among them."""


def rows(texts: Sequence[str], header: str) -> list[CandidateText]:
    """The rows of one table."""
    return [CandidateText(text=text, header=header, table="one") for text in texts]


def kept(question: str, candidates: Sequence[CandidateText]) -> list[str]:
    """The texts that nothing contradicts."""
    read = bindings(question, candidates)
    return [
        candidate.text
        for candidate, found in zip(candidates, read, strict=True)
        if not is_contradicted(found)
    ]


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("EUR 500", 0),
        ("EUR 1,000", 0),
        ("EUR 1,001", 1),
        ("7,500 euros", 1),
        ("EUR 20k", 2),
        ("EUR 100,000", 2),
        ("EUR 250,000", 3),
        ("7500", 1),  # the column has its currency
    ],
)
def test_an_amount_chooses_its_band(asked: str, place: int) -> None:
    """Edges count, as the policy words them."""
    question = f"Who approves an order of {asked}?"
    assert kept(question, rows(BANDS, "Amount | Approved by")) == [BANDS[place]]


def test_a_limit_that_has_no_sibling_decides_what_lies_outside_it() -> None:
    """One limit within another is no band, either."""
    only = [CandidateText(text="Gifts up to EUR 50 may be accepted.")]
    assert kept("May I accept a gift worth EUR 70?", only) == [only[0].text]
    limits = [
        CandidateText(text="A meal alone is paid up to EUR 32."),
        CandidateText(text="A meal with customers is paid up to EUR 65."),
    ]
    assert len(kept("What do I get for a meal alone at EUR 38?", limits)) == len(limits)


def test_values_above_a_limit_are_those_of_the_rule_above_it() -> None:
    """The limit itself belongs to the other rule."""
    rules = [
        CandidateText(text="Employees may accept gifts up to EUR 50."),
        CandidateText(text="Employees must report gifts above EUR 50 within 5 working days."),
    ]
    assert kept("How soon must employees report gifts above EUR 50?", rules) == [rules[1].text]
    assert kept("May employees accept gifts up to EUR 50?", rules) == [rules[0].text]
    assert kept("Employees' gifts of EUR 50?", rules) == [rules[0].text]


def test_a_row_that_is_named_beats_its_siblings() -> None:
    """And what holds for the rest gives way to it."""
    table = rows(CITIES, "City | Limit (EUR)")
    assert kept("hotel limit in munich", table) == [CITIES[1]]
    assert kept("hotel limits in London and Munich", table) == list(CITIES[:2])
    assert kept("hotel limit in Lisbon", table) == kept("in paris", table) == [CITIES[2]]
    assert kept("what is the highest hotel limit", table) == list(CITIES)
    assert kept("hotel limit in Lisbon", rows(CITIES[:2], "City | Limit")) == list(CITIES[:2])


def test_a_name_chooses_the_sentence_of_its_plant() -> None:
    """In the sentence, or in the title of its policy."""
    sentences = [CandidateText(text=text) for text in PLANTS]
    assert kept("What gifts may people at the fenwick plant accept?", sentences) == [PLANTS[1]]
    titled = [
        CandidateText(text="Guests register 4 days ahead.", around=f"Rules of the {plant} Plant")
        for plant in ("Kelston", "Fenwick")
    ]
    question = "When do guests of the Fenwick plant register?"
    assert [is_contradicted(found) for found in bindings(question, titled)] == [True, False]


def test_a_name_that_no_text_carries_is_told() -> None:
    """The asker's words, where the policies name others of its kind."""
    read = bindings(
        "May I take gifts at the Rosewood plant?", [CandidateText(text=t) for t in PLANTS]
    )
    assert unnamed(read) == ("Rosewood plant",)
    assert unnamed(bindings("At the Kelston plant?", [CandidateText(text=t) for t in PLANTS])) == ()


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Does each department keep a list?", "The legal department keeps the list."),
        ("May our department buy it?", "The sales department buys it."),
        ("Which shoe class is worn in March?", "Class S2 replaces class S1."),
        ("Do I need a card for floor 2?", "Lifts to floors 1 to 9 are open to all."),
        ("How many fit in the Draco room?", "Meeting rooms are booked in Outlook."),
        ("May I keep a gift of EUR 20?", "Contracts are kept for 20 years."),
        ("ethanol in building 2", "Ethanol is kept in Building B2."),
    ],
)
def test_what_names_nothing_of_its_own_contradicts_nothing(question: str, text: str) -> None:
    assert kept(question, [CandidateText(text=text)]) == [text]


@pytest.mark.parametrize(
    "hostile", ["plant " * 2_000, "EUR 1 to " * 900, "a" * 8_000, "| " * 4_000]
)
def test_hostile_texts_are_read(hostile: str) -> None:
    """Each in a time that grows with it: the suite would hang otherwise."""
    candidates = [
        CandidateText(text=hostile, header=hostile, table="one"),
        CandidateText(text=PLANTS[0]),
    ]
    assert len(bindings(hostile, candidates)) == len(candidates)


def test_bindings_say_what_they_rest_on() -> None:
    (found, *_) = bindings("An order of EUR 500?", rows(BANDS, "Amount | By"))
    (binding,) = found
    assert (binding.kind, binding.asked, binding.text, binding.verdict) == (
        BindingKind.QUANTITY,
        "EUR 500",
        "EUR 1,000",
        BindingVerdict.SATISFIED,
    )


def candidate_of(row: Mapping[str, Any], header: str = "") -> CandidateText:
    """A labelled text."""
    is_row = "|" in row["text"]
    place = (row["policy_title"], *row["heading"])
    return CandidateText(
        text=row["text"],
        lead_in=row.get("lead_in") or "",
        header=header if is_row else "",
        around="\n".join(place),
        table=place if is_row else None,
    )


def test_labelled_texts_that_apply_are_not_left_out(shared: Path) -> None:
    """Others' wrong rules are left out only where that is sure: few of the contradicted are."""
    labels: Counter[str] = Counter()
    for line in (shared / "applicability" / "dev.jsonl").read_text().splitlines():
        row = json.loads(line)
        header = " | ".join(row["table_header"] or ())
        candidates = [candidate_of(text, header) for text in (row, *row["siblings"])]
        labels[row["label"]] += is_contradicted(bindings(row["question"], candidates)[0])
    assert labels["contradicted"] >= FEWEST_RIGHT * labels.total() > 0
    assert labels["applies"] <= MOST_WRONG
