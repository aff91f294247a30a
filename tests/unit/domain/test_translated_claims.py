"""A claim in another language than what it cites is not shown: nothing could check its "must"."""

import pytest

from core.domain.answer import Check
from core.grounding.support import Grounds, ungrounded

FORBIDDEN = "Employees must not accept cash from suppliers."


def objection(claim: str, cited: str = FORBIDDEN) -> str | None:
    """Return what is wrong with what a claim requires, allows or forbids."""
    return ungrounded(claim, Grounds(texts=[cited]))[Check.MODALITY]


@pytest.mark.parametrize(
    "claim",
    [
        "Mitarbeiter dürfen Cash von Suppliers annehmen.",
        "Employees dürfen cash von suppliers annehmen.",
        "Mitarbeiter dürfen kein Cash von Suppliers annehmen.",
        "Les salariés peuvent accepter du cash des suppliers.",
        "Los empleados pueden aceptar cash de suppliers.",
    ],
)
def test_a_translation_does_not_pass(claim: str) -> None:
    """Right or wrong: borrowed nouns make it look as if it were about what it cites."""
    assert objection(claim) is not None


def test_a_claim_in_english_on_a_policy_in_german_does_not_pass() -> None:
    """The other way round nothing could tell either."""
    cited = "Mitarbeiter dürfen kein Cash von Lieferanten annehmen."
    assert objection("Employees may accept cash from a Lieferant.", cited) is not None


@pytest.mark.parametrize("claim", [FORBIDDEN, "Cash from suppliers must not be accepted."])
def test_a_claim_in_the_same_language_is_read(claim: str) -> None:
    """Nothing changes there."""
    assert objection(claim) is None


def test_a_quote_in_any_language_passes() -> None:
    """It is what it cites."""
    cited = "Mitarbeiter dürfen kein Bargeld annehmen."
    assert objection(cited, cited) is None


def test_names_make_no_other_language() -> None:
    """A row of a table with names of places is in the language of its table."""
    grounds = Grounds(texts=["City | Limit", "Hamburg, Munich | EUR 150"], titles=["Hotel limits"])
    claim = "Hotel limits - Hamburg, Munich: limit EUR 150."
    assert ungrounded(claim, grounds)[Check.MODALITY] is None
    mixed = "Hotel limits - Hamburg, Munich: limit nicht EUR 150."
    assert ungrounded(mixed, grounds)[Check.MODALITY] is not None


def test_a_row_without_words_of_any_language_is_in_that_of_its_titles() -> None:
    """Of names and figures alone nothing else tells."""
    titles = ["Travel and Expenses Policy", "Annex A Mileage rates"]
    row = "Bicycle | EUR 0.10 per km | GBP 0.20 per mile"
    header = "Vehicle | Germany | United Kingdom"
    claim = "Mileage rates - Bicycle - Germany: EUR 0.10 per km; United Kingdom: GBP 0.20 per mile."
    grounds = Grounds(texts=[header, row], titles=titles)
    assert ungrounded(claim, grounds)[Check.MODALITY] is None
    polish = Grounds(texts=["Pracownicy nie mogą przyjmować prezentów."], titles=["Prezenty"])
    opposite = "Pracownicy mogą przyjmować prezentów."
    assert ungrounded(opposite, polish)[Check.MODALITY] is not None


@pytest.mark.parametrize(
    ("cited", "opposite"),
    [
        (
            "Medewerkers mogen geen geschenken aannemen.",
            "Medewerkers mogen geschenken aannemen.",
        ),
        ("Colaboradores não podem aceitar presentes.", "Colaboradores podem aceitar presentes."),
        ("I dipendenti non devono accettare regali.", "I dipendenti devono accettare regali."),
        ("Medarbejdere må ikke modtage gaver.", "Medarbejdere må modtage gaver."),
    ],
)
def test_a_language_taken_for_another_lets_no_opposite_pass(cited: str, opposite: str) -> None:
    """Dutch is taken for German: its words of force are on no list, so only a quotation passes."""
    assert objection(opposite, cited) is not None
    assert objection(cited, cited) is None
