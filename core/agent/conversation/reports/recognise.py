"""Tell a report of misconduct in German, French or Spanish from a question about the rules.

As `misconduct` does for English, by the same distinction: a report *states* that somebody does
wrong, or that the asker is harmed; a question asks, or supposes. The words stand in one module a
language. Each sentence is read with those of all languages, whatever language the message is in:
people mix them, and the language of a short message can't be told for certain.

Accents and umlauts are folded first, so that what is typed without them is read as well.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from core.agent.conversation.reports.english import ENGLISH
from core.agent.conversation.reports.french import FRENCH
from core.agent.conversation.reports.german import GERMAN
from core.agent.conversation.reports.spanish import SPANISH
from core.agent.conversation.reports.words import ReportWords
from core.language.languages import Language, language_of

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]*")
_CLAUSE = re.compile(r", ?(?:and |but |so )?| [-\u2013\u2014] |: ")
_WORD = re.compile(r"\w")
_EDGES = " ¿¡,-\"'«»?!.;:…()"


@lru_cache(maxsize=64)
def is_foreign_report(text: str) -> bool:
    """Say whether a message in German, French or Spanish reports misconduct, harm or a person.

    Measured on messages that no rule was written for; see `docs/quality.md`. Of English ones it
    knows what `misconduct` leaves out.
    """
    return any(_is_report(read, one) for _, one, read in _readings(text))


@lru_cache(maxsize=64)
def tells_of_somebody(text: str) -> bool:
    """Say whether a message tells of somebody of the company and asks for no rule.

    No list of words knows all misconduct. Whoever tells of the boss or of a colleague, and asks
    nothing or only for help, is taken to report; that is wrong where somebody tells of a colleague
    what nobody would complain of, beyond what is known to be everyday.
    """
    words, read = next(
        (words, read)
        for language, words, read in _readings(text)
        if language is _known(language_of(text))
    )
    return _only_tells(words, read)


def _known(language: Language) -> Language:
    return Language.ENGLISH if language is Language.OTHER else language


_LEAST_WORDS = 4
"""Fewer tell nothing: "my manager" answers a question of ours."""


def _only_tells(words: ReportWords, text: str) -> bool:
    told: list[str] = []
    has_asked = False
    for sentence in _sentences(text):
        first, _, rest = _said(sentence, words).partition(",")
        if words.helps.match(_said(sentence, words)):
            has_asked = True
        elif rest and words.helps.match(first.strip()) and not words.supposes.match(rest.strip()):
            told.append(rest.strip(" ?"))
            has_asked = True
        else:
            told.append(sentence)
    if any(_asks(one, words) or words.by_mistake.search(one) for one in told):
        return False
    told = [one for one in told if not words.everyday.search(one)]
    people = [words.insider] if has_asked else [words.insider, words.done_to_me]
    return any(
        len(one.split()) >= _LEAST_WORDS and any(some.search(one) for some in people)
        for one in told
    )


def _asks(sentence: str, words: ReportWords) -> bool:
    if "?" in sentence or "¿" in sentence or words.asks.match(_said(sentence, words)):
        return True
    later = [part.strip() for part in _CLAUSE.split(sentence)[1:]]
    return any(words.asks_later.match(one) and not words.helps.match(one) for one in later)


def _readings(text: str) -> Iterator[tuple[Language, ReportWords, str]]:
    lowered = unicodedata.normalize("NFC", text.replace("\u2019", "'")).casefold()
    plain = _without_accents(lowered)
    yield Language.ENGLISH, ENGLISH, plain
    yield Language.GERMAN, GERMAN, _without_accents(lowered.translate(_UMLAUTS))
    yield Language.FRENCH, FRENCH, plain
    yield Language.SPANISH, SPANISH, plain


def _without_accents(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text)
    return " ".join(
        "".join(c for c in parts if not unicodedata.combining(c)).replace("ß", "ss").split()
    )


def _is_report(text: str, words: ReportWords) -> bool:
    return any(_is_stated(one, words) for one in _sentences(text))


def _sentences(text: str) -> list[str]:
    return [one for one in _SENTENCE.findall(text) if _WORD.search(one)]


def _said(sentence: str, words: ReportWords) -> str:
    return words.greeting.sub("", sentence.strip(_EDGES)).strip(_EDGES)


def _is_stated(sentence: str, words: ReportWords) -> bool:
    """Say whether a sentence, or what a question takes for granted, states what is wrong."""
    if words.by_mistake.search(sentence):
        return False
    is_question = "?" in sentence or "¿" in sentence
    said = _said(sentence, words)
    if is_question or words.asks.match(said):
        granted = words.why.match(said) or words.granted.search(said)
        if granted is None or words.supposes.search(said[: granted.end()]):
            return False
        said = words.modal.sub(" ", said[granted.end() :])
    said = words.lost.sub(" ", said)
    return _tells(said, words)


def _tells(said: str, words: ReportWords) -> bool:
    if words.blamed.search(said) or words.confessed.search(said):
        return True
    spoke, suffers = words.spoke.search(said), words.suffers.search(said)
    if spoke and suffers:
        return True
    is_of_somebody = words.somebody.search(said) is not None
    is_of_victim = words.victim.search(said) is not None
    for pattern, applies in (
        (words.harm, is_of_somebody or is_of_victim),
        (words.deed, is_of_somebody),
    ):
        if applies and any(
            not _is_general(said[: one.start()], words) for one in pattern.finditer(said)
        ):
            return True
    return False


def _is_general(before: str, words: ReportWords) -> bool:
    """Say whether what follows is supposed, or only said to be allowed or forbidden."""
    clause = before[before.rfind(",") + 1 :]
    return words.supposes.search(clause) is not None or words.modal.search(clause) is not None
