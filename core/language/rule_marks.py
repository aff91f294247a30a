"""What carries the force of a rule, by words alone, in English, German, French and Spanish.

For texts that the rules of `modality` cannot read, and for a sentence beside its translation: the
same marks are found in both if nothing of its force was lost. A mark is whether something must,
may, should or must not be done, a negation, an exception, a condition, a bound, a frequency. Words
are looked up in lists; nothing is parsed. `docs/quality.md` has how often that is wrong.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from core.expressions import expression
from core.language.languages import Language
from core.language.rule_words import CONJUNCTIONS, MARKS, NEGATIONS, VERBS, Mark, Verb

_PLAIN = {
    Verb.MUST: Mark.MUST,
    Verb.NEED: Mark.MUST,
    Verb.MAY: Mark.MAY,
    Verb.SHOULD: Mark.SHOULD,
    Verb.BARRED: Mark.MUST_NOT,
}
_NEGATED = {
    Verb.MUST: Mark.MUST_NOT,
    Verb.NEED: Mark.NEED_NOT,
    Verb.MAY: Mark.MUST_NOT,
    Verb.SHOULD: Mark.SHOULD_NOT,
    Verb.BARRED: Mark.MAY,
}
_ZU = expression(r"\b(?:ist|sind|hat|haben)\b[^.;]{0,120}?\b(?:zu \w+en|\w{2,12}zu\w+en)\b")
"""A German duty without a modal verb: "ist zu melden", "sind einzureichen"."""
_NE_QUE = expression(
    r"(?<!\w)n(?:e |')(?=(?:(?!pas |plus |jamais |aucun|ni |rien |personne )\S{1,30} ){1,12}?"
    r"qu['e])"
)
"""French for "only": "ne ... que"."""
_SHORTENED = expression(r"(?<!\w)(ca|do|does|did|is|are|was|were|must|need|should|wo|has|have)n't")
_WHOLE = {"ca": "can", "wo": "will"}
_DENIED = expression(r"(?<!\w)(?:aucune?|nul|personne|ni|rien)(?!\w)[^.;]{0,40}$")
"""Before a French "ne" that goes with it, and not with a "que"."""
_THE_MONTH = expression(r"(?<=\d )may(?!\w)|(?<!\w)may(?= \d)")
"""The month, in English."""
_CUT = expression(r"[.;:!?\n]\s")
READ = 2_000
"""Characters of a text that are read."""
KNOWN = frozenset(MARKS)
"""The languages whose words are known."""


def _compiled(words: str) -> re.Pattern[str]:
    return expression(rf"(?<!\w)(?:{words})(?!\w)")


_MARKS_OF = {
    language: [(mark, _compiled(words)) for mark, words in given]
    for language, given in MARKS.items()
}
_VERBS_OF = {
    language: [(verb, _compiled(words)) for verb, words in given]
    for language, given in VERBS.items()
}
_NOT_OF = {language: _compiled(words) for language, words in NEGATIONS.items()}
_NOT_OF[Language.FRENCH] = expression(
    r"(?<![\w'])(?:ne(?!\w)|n'|aucune?(?!\w)|nul(?!\w)|non(?!\w)|jamais(?!\w))"
)
_PAS = _compiled("pas")
"""A French negation without its "ne"."""
_APART_OF = {language: _compiled(words) for language, words in CONJUNCTIONS.items()}


def rule_marks(text: str, language: Language) -> Counter[Mark]:
    """Return the marks of a text; empty for a language whose words are not known.

    A negation belongs to the nearest word that requires or allows, up to the next "and" or the end
    of the sentence; without one it stands by itself.
    """
    if language not in KNOWN:
        return Counter()
    read = _folded(text)
    found: Counter[Mark] = Counter()
    if language is Language.FRENCH:
        read, found[Mark.ONLY] = _without_ne_que(read)
    for mark, pattern in _MARKS_OF[language]:
        # A gap of the same length: what stood apart stays apart.
        read, count = pattern.subn(lambda one: "\x00" * len(one[0]), read)
        found[mark] += count
    for part in _parts(read, language):
        found.update(_forces(part, language))
    return +found


def without_force(text: str, language: Language) -> str:
    """Return a text without the words that carry its force: what it is about."""
    read = _folded(text)
    if language not in KNOWN:
        return read
    for _, pattern in (*_MARKS_OF[language], *_VERBS_OF[language]):
        read = pattern.sub(" ", read)
    return _NOT_OF[language].sub(" ", read)


def _without_ne_que(text: str) -> tuple[str, int]:
    """Return a French text without the "ne" of "ne ... que", and how often it had one."""
    kept, count, end = "", 0, 0
    for one in _NE_QUE.finditer(text):
        before = text[max(0, one.start() - 40) : one.start()]
        if not _DENIED.search(before):
            kept, end, count = f"{kept}{text[end : one.start()]} ", one.end(), count + 1
    return kept + text[end:], count


def _folded(text: str) -> str:
    kept = unicodedata.normalize("NFC", text[:READ]).replace("\u2019", "'").lower()
    kept = _SHORTENED.sub(lambda one: f"{_WHOLE.get(one[1], one[1])} not", kept)
    return _THE_MONTH.sub(" ", " ".join(kept.split()))


def _parts(text: str, language: Language) -> Iterator[str]:
    sentences = _CUT.split(text)
    return chain.from_iterable(_APART_OF[language].split(one) for one in sentences)


def _forces(part: str, language: Language) -> Iterator[Mark]:
    verbs: list[tuple[int, Verb]] = []
    for verb, pattern in _VERBS_OF[language]:
        verbs += [(one.start(), verb) for one in pattern.finditer(part)]
        part = pattern.sub(lambda one: "\x00" * len(one[0]), part)
    if language is Language.GERMAN and not verbs:
        verbs = [(one.start(), Verb.NEED) for one in _ZU.finditer(part)]
    negations = [one.start() for one in _NOT_OF[language].finditer(part)]
    if language is Language.FRENCH and not negations:
        negations = [one.start() for one in _PAS.finditer(part)]
    negated: set[int] = set()
    for at in negations:
        nearest = min(range(len(verbs)), key=lambda n: abs(verbs[n][0] - at), default=None)
        if nearest is not None:
            negated.add(nearest)
    if negations and not verbs:
        yield Mark.NOT
    for number, (_, verb) in enumerate(verbs):
        yield (_NEGATED if number in negated else _PLAIN)[verb]
