"""What the product itself says: each text in every language that its interface speaks.

The languages of a text stand side by side, so that none can be missing. A text becomes words only
where it is known who reads it: `Text.of`. Quotations, names and what people wrote are no texts of
ours and stay in their own language.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from core.language.languages import Language

SPOKEN = (Language.ENGLISH, Language.GERMAN)
"""The languages of the interface, the first where nothing better is known."""
_LONGEST_TAG = 35
"""Characters of a locale that is read, as RFC 5646 (4.4.1) advises."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text of ours in each language. It has no words of its own: see `of`."""

    en: str
    """In English."""
    de: str
    """In German, with "Sie"."""

    def of(self, language: Language) -> str:
        """Return its words; in English for a language that the interface does not speak."""
        return self.de if language is Language.GERMAN else self.en

    def format(self, **values: "Text | str | int") -> "Text":
        """Return it with its places filled; a text among the values in the same language."""
        return Text(
            en=self.en.format(
                **{name: said(one, Language.ENGLISH) for name, one in values.items()}
            ),
            de=self.de.format(**{name: said(one, Language.GERMAN) for name, one in values.items()}),
        )

    def __add__(self, more: "Text") -> "Text":
        """Return both, one after the other."""
        return Text(en=self.en + more.en, de=self.de + more.de)

    def __str__(self) -> str:
        """Refuse: a text that nobody chose a language for must not be shown."""
        raise TypeError("expected the words of a text in a language: Text.of")

    @property
    def each(self) -> frozenset[str]:
        """Its words in every language, to find it again in what was stored."""
        return frozenset({self.en, self.de})


def as_it_is(words: str) -> Text:
    """Return words that are the same in each language: a name, or what somebody wrote."""
    return Text(en=words, de=words)


def said(text: Text | str | int, language: Language) -> str:
    """Return the words of a text; whatever else it is, as it is."""
    return text.of(language) if isinstance(text, Text) else str(text)


LanguageKnown: TypeAlias = Callable[[str], Language]
"""Says in which language somebody is spoken to, by what their platform tells of them."""


def in_english(_: str) -> Language:
    """See `LanguageKnown`: everybody in English."""
    return Language.ENGLISH


def spoken(language: str | Language) -> Language:
    """Return a language of the interface by its code; English for all others."""
    return next((one for one in SPOKEN if one.value == str(language)), SPOKEN[0])


def of_locale(locale: str | None, *, otherwise: Language) -> Language:
    """Return in which language somebody is spoken to whose client tells a locale (`de-AT`).

    `otherwise` where it tells none, or one that the interface does not speak.
    """
    tag = (locale or "")[:_LONGEST_TAG].replace("_", "-").partition("-")[0].strip().lower()
    return next((one for one in SPOKEN if one.value == tag), otherwise)
