"""In which language a document is, as far as that matters: rules are read in English alone."""

from collections import Counter
from collections.abc import Sequence

from core.domain.policy import Section
from core.language.languages import Language, language_of, little_words

SECTIONS = 60
"""Sections that are looked at."""
CHARACTERS = 1_500
"""Characters of each."""
_FEWEST_WORDS = 8
"""Words of a section that tells a language."""
_NAMES = {
    Language.GERMAN: "German",
    Language.FRENCH: "French",
    Language.SPANISH: "Spanish",
    Language.OTHER: "Not in English",
}


def language_of_text(text: str) -> Language:
    """Return the language of most of the first paragraphs of a text that tell one."""
    paragraphs = [one[:CHARACTERS] for one in text.split("\n\n")]
    return _most_of([one for one in paragraphs if len(one.split()) >= _FEWEST_WORDS], text)


def language_name(language: Language) -> str:
    """Return what a person reads for a language: its name, or that it is another."""
    return _NAMES.get(language, "English")


def language_note(text: str, sections: Sequence[Section]) -> str:
    """Return what an ingestion says of a document in another language; empty: it is in English.

    Most of its sections decide, so that an English policy with a German annex is an English one.
    """
    begun = [
        text[one.char_start : min(one.char_end, one.char_start + CHARACTERS)]
        for one in sections[:SECTIONS]
    ]
    told = [one for one in begun if len(one.split()) >= _FEWEST_WORDS]
    name = _NAMES.get(_most_of(told, text))
    return (
        f"{name}: searched, no rules read: add --extract claude to have them read" if name else ""
    )


def _most_of(told: Sequence[str], text: str) -> Language:
    counted: Counter[Language] = Counter()
    pieces = told[:SECTIONS] or [text[:CHARACTERS]]
    for unread, piece in zip(reversed(range(len(pieces))), pieces, strict=True):
        counted[_language_of_section(piece)] += 1
        (_, most), *others = counted.most_common(2)
        if most > unread + sum(number for _, number in others):
            break  # the rest can't change it
    return counted.most_common(1)[0][0]


def _language_of_section(text: str) -> Language:
    """Return the language of a section; a table of names tells none, however French they are."""
    language = language_of(text)
    is_told = language is Language.OTHER or little_words(text)[language.value]
    return language if is_told else Language.ENGLISH
