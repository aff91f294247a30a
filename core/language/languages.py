"""The language in which a message is written: English, German, French, Spanish, or another.

A linear classifier over whole words and the beginnings, ends and middles of words, up to four
letters of them. Its weights were fitted on texts of user interfaces (`evals/fit_language.py`), in
which nobody asks; the little words of questions are added by hand. `docs/quality.md` has figures.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

WEIGHTS = Path(__file__).parent / "weights" / "languages.json"
READ = 2_000
"""Characters of a message that are read."""
LONGEST_WORD = 24
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_OTHER_SCRIPT = re.compile(r"[^\W\d_\u0000-\u024f]")
"""A letter that is not Latin."""
_LONGEST_PART = 4
_WORDS_KEPT = 4_096
SURE = 0.3
"""By how much a language must lead English before a message is taken not to be English."""
SURE_ALONE = 1.3
"""The same of a message without a little word of that language: a name, or a term of trade."""
SURE_OF_FEW = 4.1
"""The same where there are so few words that one name decides ("in Zurich", "pro bono")."""
_FEW = 3
"""Words that are so few."""
SURE_OF_OTHERS = 1.5
"""By how much all others must lead these four: they are close to some of them."""
_FEWEST = 2
"""Words of a message that are too few to tell, unless one is a little word."""
_LITTLE_WORD = 3.0
"""What a little word of one language alone adds."""
_LITTLE_WORDS = {
    "en": (
        "the is are do does what how who whom which when where why may must can could should "
        "would i my we our you he she they it of for with from if by at an and or not to on "
        "there any been was have has had this that these whether "
        "im ive its whats dont cant no son pro too also office manager employee contractor"
    ),
    "de": (
        "der die das den dem ist sind was wie wer wem wen wo wann warum wieso welche welcher "
        "welches welchen darf dürfen muss müssen kann können soll sollen ich mein meine "
        "meinen meinem meiner wir unser unsere unserem sie er es ein eine einen einem einer "
        "und oder nicht auch für mit von vom zum zur bei beim wenn falls ob im auf aus gibt "
        "gilt werden wird wurde hat haben mir mich uns habe bin über nach als pro"
    ),
    "fr": (
        "le les des du est sont qui quand où pourquoi quel quelle quels quelles puis-je puis "
        "dois faut peut peuvent doit je j'ai mon ma mes notre nos nous il elle ils elles un "
        "une et ou ne pas pour avec dans sur si chez au aux ce cette qu'est-ce est-ce que "
        "combien m'a n'ai qu'il d'un d'une l'entreprise c'est s'il comment peut-on sont-ils "
        "ont lors"
    ),
    "es": (
        "el los las del es son qué quién cuándo dónde cuál cuánto cuánta cuántos cómo puedo "
        "podemos puede debo debe hay tengo yo mi mis nuestro nuestra un una y o no para con "
        "por en si al lo me se está están cuáles aplica desde hasta sobre sin jefe jefa hago"
    ),
}
_SIGNS = {"¿": "es", "¡": "es", "ñ": "es", "ß": "de"}
_OF = Counter(word for words in _LITTLE_WORDS.values() for word in set(words.split()))
_ONLY = {
    word: code for code, words in _LITTLE_WORDS.items() for word in words.split() if _OF[word] == 1
}
"""The language of each word that is a little word of one alone."""


class Language(StrEnum):
    """A language that is told from the others."""

    ENGLISH = "en"
    GERMAN = "de"
    FRENCH = "fr"
    SPANISH = "es"
    OTHER = "other"
    """None of these."""


@lru_cache(maxsize=256)
def language_of(text: str) -> Language:
    """Return the language of a message; English, where too little tells another."""
    scores, count = scored(text), len(_WORD.findall(text))
    if not scores and _OTHER_SCRIPT.search(text[:READ]):
        return Language.OTHER
    if not scores or (count < _FEWEST and not little_words(text)):
        return Language.ENGLISH
    four = [one for one in Language if one is not Language.OTHER]
    best = max(four, key=lambda one: scores[one])
    if scores[Language.OTHER] - scores[best] >= SURE_OF_OTHERS:
        return Language.OTHER
    alone = SURE_OF_FEW if count <= _FEW else SURE_ALONE
    least = SURE if little_words(text)[best.value] else alone
    return best if scores[best] - scores[Language.ENGLISH] >= least else Language.ENGLISH


def scored(text: str) -> Mapping[Language, float]:
    """Return how much of a message speaks for each language; empty if nothing tells."""
    found = [row for word in _words(text) if (row := _weights_of(word))]
    little = little_words(text)
    if not (found or little):
        return {}
    words = max(1, len(text[:READ].split()))
    *sums, parts = map(sum, zip(*found, strict=True)) if found else [0.0] * (len(Language) + 1)
    return {
        language: total / max(1, parts) ** 0.5 + _LITTLE_WORD * little[language.value] / words**0.5
        for language, total in zip(Language, sums, strict=True)
    }


@lru_cache(maxsize=256)
def little_words(text: str) -> Counter[str]:
    """Return how many words and signs of each language alone a message has."""
    folded = text[:READ].replace("\u2019", "'").casefold()
    known = [_ONLY[word] for word in re.findall(r"[\w'-]+", folded) if word in _ONLY]
    return Counter(known) + Counter(_SIGNS[sign] for sign in folded if sign in _SIGNS)


def parts(text: str) -> Iterator[str]:
    """Yield what the classifier counts: words, and parts of words with their bounds."""
    for word in _words(text):
        yield from _parts_of(word)


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(unicodedata.normalize("NFC", text[:READ]).casefold()):
        yield word.replace("\u2019", "'")[:LONGEST_WORD]


def _parts_of(word: str) -> Iterator[str]:
    yield f"={word}"
    bounded = f"_{word}_"
    for length in range(2, _LONGEST_PART + 1):
        for at in range(len(bounded) - length + 1):
            yield bounded[at : at + length]


@lru_cache(maxsize=_WORDS_KEPT)
def _weights_of(word: str) -> tuple[float, ...]:
    """Return the summed weights of those parts of a word that have some, and their number."""
    weights = _weights()
    known = [weights[part] for part in _parts_of(word) if part in weights]
    return (*map(sum, zip(*known, strict=True)), len(known)) if known else ()


@cache
def _weights() -> Mapping[str, tuple[float, ...]]:
    told = json.loads(WEIGHTS.read_text("utf-8"))
    return {part: tuple(row) for part, row in told["weights"].items()}
