"""A document in another language than English is said to be read without rules."""

import pytest

from core.ingest.languages import language_name, language_note, language_of_text
from core.ingest.prepare import read_content

ENGLISH = (
    "# Gifts\n\n## 1 Limits\nEmployees must not accept gifts worth more than 50 euros from"
    " any supplier.\n"
)
GERMAN = (
    "# Geschenke\n\n## 1 Grenzen\nMitarbeiter dürfen keine Geschenke über 50 Euro von"
    " Lieferanten annehmen.\n\n## 2 Meldung\nJedes Geschenk ist innerhalb von 30 Tagen im"
    " Register einzutragen.\n"
)
FRENCH = (
    "# Cadeaux\n\n## 1 Plafond\nLes salariés ne peuvent pas accepter de cadeaux de plus de"
    " 50 euros.\n"
)
SPANISH = (
    "# Regalos\n\n## 1 Límite\nLos empleados no pueden aceptar regalos de más de 50 euros"
    " de nadie.\n"
)
DUTCH = (
    "# Geschenken\n\n## 1 Grens\nMedewerkers mogen geen geschenken van meer dan 50 euro"
    " aannemen van leveranciers.\n"
)
RATES = (
    "# Per diems\n\n| Country | City | Daily allowance | Hotel limit |\n|---|---|---|---|\n"
    "| France | Paris | EUR 58 | EUR 180 |\n| Germany | Berlin | EUR 42 | EUR 140 |\n"
    "| Spain | Madrid | EUR 42 | EUR 130 |\n| Japan | Tokyo | EUR 66 | EUR 210 |\n"
)
"""Names of places, which look French to a classifier of words."""


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (ENGLISH, ""),
        (GERMAN, "German: searched, no rules read: add --extract claude to have them read"),
        (FRENCH, "French: searched, no rules read: add --extract claude to have them read"),
        (SPANISH, "Spanish: searched, no rules read: add --extract claude to have them read"),
        (DUTCH, "Not in English: searched, no rules read: add --extract claude to have them read"),
        (ENGLISH * 3 + GERMAN, ""),
        ("x\n", ""),
        (RATES, ""),
    ],
)
def test_the_language_of_a_document_is_said(text: str, note: str) -> None:
    """Most sections decide; an English one with a German annex is English."""
    content = read_content(text.encode(), source_name="a.md", with_chunks=False)
    assert language_note(content.document.text, content.sections) == note


@pytest.mark.parametrize(
    ("text", "name"),
    [(ENGLISH, "English"), (GERMAN, "German"), (DUTCH, "Not in English"), ("", "English")],
)
def test_corpus_list_names_the_language_of_a_policy(text: str, name: str) -> None:
    """By its first paragraphs, as its ingestion did by its sections."""
    assert language_name(language_of_text(text)) == name
