"""A bound keeps its direction, in whatever words."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.grounding.bounds import Bound, bounds, bounds_kept
from core.ingest.prepare import prepare
from core.ontology.extract.rule_extractor import extract
from core.ports.extraction import SourceDocument

POLICIES = Path(__file__).parents[3] / "samples" / "policies"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("up to EUR 50", [Bound.AT_MOST]),
        ("a value not exceeding EUR 50", [Bound.AT_MOST]),
        ("must not be more than EUR 50", [Bound.AT_MOST]),
        ("no later than 5 days", [Bound.AT_MOST]),
        ("No gift of a supplier may exceed EUR 50", [Bound.AT_MOST]),
        ("No employee may accept gifts above EUR 50", [Bound.ABOVE]),
        ("within a period of 5 days", [Bound.AT_MOST]),
        ("EUR 50 or less", [Bound.AT_MOST]),
        ("EUR 50 at most.", [Bound.AT_MOST]),
        ("the limit is EUR 50", [Bound.AT_MOST]),
        ("at least EUR 50", [Bound.AT_LEAST]),
        ("at the earliest 4 hours after it", [Bound.AT_LEAST]),
        ("4 hours at the earliest", [Bound.AT_LEAST]),
        ("no less than EUR 50", [Bound.AT_LEAST]),
        ("EUR 50 or more", [Bound.AT_LEAST]),
        ("exceeding the amount of EUR 50", [Bound.ABOVE]),
        ("after 10 years", [Bound.ABOVE]),
        ("EUR 50", [Bound.NONE]),
        ("up to EUR 50 or GBP 40", [Bound.AT_MOST, Bound.AT_MOST]),
        ("above EUR 50 and up to EUR 100", [Bound.ABOVE, Bound.AT_MOST]),
        ("EUR 50 and above EUR 20", [Bound.NONE, Bound.ABOVE]),
        ("by 31 March", [Bound.AT_MOST]),
        ("from 31 March", [Bound.AT_LEAST]),
        ("under section 4.2", []),
        ("Above all. EUR 50", [Bound.NONE]),
        ("", []),
    ],
)
def test_the_comparison_of_a_quantity(text: str, found: list[Bound]) -> None:
    """It stands before the number, after it, or with the number that it is joined to."""
    assert [one.bound for one in bounds(text)] == found


TWO = "Gifts up to EUR 50 need no approval. Gifts of more than EUR 50 require approval."


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Not exceeding EUR 50 is fine.", "It is fine up to EUR 50."),
        ("Above 50 euros approval is required.", TWO),
        ("No approval is needed for at most EUR 50.", TWO),
        ("The rate is EUR 50.", "A rate of EUR 50 is paid."),
        ("Paid by 31 March.", "Date of payment: 31 March."),
        ("EUR 50 require approval", TWO),
        ("Fine are EUR 50.", TWO),
        ("EUR 50 is fine.", "It is fine up to EUR 50."),
        ("Above EUR 50 is not paid.", "It is paid up to EUR 50."),
        ("They have 5 days to tell.", "Tell within 5 days."),
        ("Ask ten days before the event or earlier.", "Ask at least ten days in advance."),
        ("Ask no later than ten days before it.", "Ask at least ten days in advance."),
        (
            "Notify them no later than 60 days after it.",
            "Notify them in no case later than 60 days.",
        ),
        ("Within a year it comes to 12 months.", "It comes to one year."),
        ("More than EUR 70.", "Up to EUR 50."),
    ],
)
def test_an_agreeing_bound_is_kept(claim: str, source: str) -> None:
    """Other words for the same bound, one of several, a verbatim one, or another number."""
    assert bounds_kept(claim, [source]) is None
    assert bounds_kept(claim, ["No number.", source]) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Above EUR 50 is fine.", "It is fine up to EUR 50."),
        ("At least EUR 50 is fine.", TWO),
        ("Fine are EUR 50.", "Above EUR 50 is fine."),
        ("Above EUR 50 is paid, and do not worry.", "It is paid up to EUR 50."),
        ("Up to EUR 50 is paid.", "A rate of EUR 50 is paid."),
        ("Kept until 31 March.", "Kept from 31 March."),
        ("Told after 5 days.", "Told within 5 days."),
    ],
)
def test_a_turned_bound_is_named(claim: str, source: str) -> None:
    """The reason names the number and both comparisons."""
    reason = bounds_kept(claim, [source])
    assert reason is not None
    assert reason.startswith("claim says")
    assert "source says" in reason


SWAPS = {
    r"up to": "above",
    r"at most": "more than",
    r"within": "after",
    r"at least": "at most",
    r"above": "up to",
    r"more than": "up to",
    r"below": "above",
}


def test_the_norms_of_the_samples_keep_their_bounds() -> None:
    """No norm fails against its own spans, and nearly each swapped comparison is found."""
    norms, swapped, caught = 0, 0, 0
    for sentence, spans in _norms():
        norms += 1
        assert bounds_kept(sentence, spans) is None
        for words, other in SWAPS.items():
            for match in re.finditer(rf"\b{words}(?= (?:EUR |GBP )?\d)", sentence):
                turned = sentence[: match.start()] + other + sentence[match.end() :]
                swapped += 1
                caught += bounds_kept(turned, spans) is not None
    assert norms > 500
    assert swapped > 100
    assert caught / swapped > 0.95


def _norms() -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for path in sorted(POLICIES.glob("*.*")):
        if path.suffix == ".toml":
            continue
        read = prepare(path.read_bytes(), source_name=path.name)
        text = read.document.text
        facts = extract(
            SourceDocument(
                text=text,
                sections=read.sections,
                policy_key=read.metadata.key,
                title=read.metadata.title,
                jurisdiction=read.metadata.jurisdiction,
            )
        )
        found += [
            (str(entity.attributes["sentence"]), [span.of(text) for span in entity.spans])
            for entity in facts.entities
            if entity.attributes.get("sentence")
        ]
    return found


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_can_be_compared(claim: str, source: str) -> None:
    """Comparing never raises, and a text agrees with itself."""
    assert bounds_kept(claim, [claim]) is None
    assert bounds_kept(claim, [source]) is None or bounds(claim)


@given(
    st.sampled_from(["up to", "above", "at least", "within", "not exceeding"]),
    st.sampled_from(["up to", "above", "at least", "within", "not exceeding"]),
    st.integers(min_value=2, max_value=999),
)
def test_only_equal_bounds_agree(claimed: str, said: str, days: int) -> None:
    """Of two comparisons of one number, those of one kind agree and no others."""
    first, second = f"It takes {claimed} {days} days.", f"They need {said} {days} days."
    same = bounds(first)[0].bound is bounds(second)[0].bound
    assert (bounds_kept(first, [second]) is None) is same
