"""In which language somebody asks, whatever language their platform is set to."""

from core.domain.question import Question
from core.language.languages import Language, language_of

TOLD_APART = frozenset({Language.GERMAN, Language.FRENCH, Language.SPANISH})
"""The languages in which is answered beside English."""
_SHORT = 4
"""Words below which a message's language is that of what it goes on with."""


def asked_language(question: Question) -> Language:
    """Return the language of a message, or of its thread if it is short.

    "Auch für Praktikanten?" tells it, and "EUR 80?" does not. What is in none of the languages in
    which is answered counts as English.
    """
    found = language_of(question.text)
    if found is Language.ENGLISH and len(question.text.split()) < _SHORT:
        found = language_of(question.own)
    return found if found in TOLD_APART else Language.ENGLISH


def is_foreign(question: Question) -> bool:
    """Say whether a message is in another language than English, one in which is answered or not.

    What a search finds by its own words tells little, and rules read no condition in it.
    """
    return asked_language(question) in TOLD_APART or language_of(question.text) is Language.OTHER
