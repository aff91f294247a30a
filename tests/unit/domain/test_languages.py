"""The language of a message is told."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.languages import Language, language_of

MESSAGES = Path(__file__).parents[3] / "evals" / "languages"
LEAST = 0.99


def known(language: Language) -> Language:
    """Return the language as which a message is treated: any other one as English."""
    return Language.ENGLISH if language is Language.OTHER else language


@pytest.mark.parametrize("name", ["tune.tsv", "test.tsv"])
def test_short_messages_are_told_apart(name: str) -> None:
    """Of the messages about compliance, which the classifier has not seen."""
    rows = [line.split("\t") for line in (MESSAGES / name).read_text("utf-8").splitlines()]
    right = sum(known(language_of(text)) == language for language, _, text in rows)
    assert right >= LEAST * len(rows)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Darf ich bei der Hotline anrufen, if my manager says no?", Language.GERMAN),
        ("What does Schadenersatz mean?", Language.ENGLISH),
        ("What is the limit for gifts from Deutsche Bank in München?", Language.ENGLISH),
        ("¿Cuál es el limit for gifts?", Language.SPANISH),
        ("Who is Jean-Pierre Dupont?", Language.ENGLISH),
        ("und für Leiharbeiter?", Language.GERMAN),
        ("Quelle est la travel policy ?", Language.FRENCH),
        ("EUR 50", Language.ENGLISH),
        ("COI disclosure", Language.ENGLISH),
        ("Mag ik een cadeau aannemen van een leverancier?", Language.OTHER),
        ("贈り物の上限はいくらですか", Language.OTHER),
        ("Какой лимит для подарков?", Language.OTHER),
        ("αβγ or USD 50: may I?", Language.ENGLISH),
        ("", Language.ENGLISH),
        ("12345 ???", Language.ENGLISH),
    ],
)
def test_mixed_messages_and_names(text: str, language: Language) -> None:
    """The language of a message is that of its little words; names and terms tell none."""
    assert language_of(text) is language


PLACES = ("germany", "munich", "spain", "france", "switzerland", "portugal", "mexico", "vienna")
REPLIES = ("in {}", "n in {}?", "and in {}?", "im in {}", "{} too?", "{} office", "from {}", "{}")
SHORT = (
    *("no", "nope", "yes", "ok", "idk", "manager", "my son", "im an employee", "per diem", "cash"),
    *("pro bono", "force majeure", "de minimis", "quid pro quo", "client dinner", "team lunch"),
)


def test_short_replies_are_english() -> None:
    """What people answer to a question back: a place or a term of trade alone tells no language."""
    said = [*(one.format(place) for one in REPLIES for place in PLACES), *SHORT]
    wrong = [text for text in said if known(language_of(text)) is not Language.ENGLISH]
    assert wrong == []


@given(st.text(max_size=300))
def test_any_text_has_a_language(text: str) -> None:
    """Reading never raises."""
    assert language_of(text) in Language
