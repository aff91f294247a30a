"""Correct the spelling of a question for the search: "whats the polcy on expences" finds expenses.

What was typed stays what was asked. A word is corrected only if no policy in scope uses it, it is
not an English word, and exactly one word that policies use is a single edit away; figures, names,
addresses and identifiers never are. Without a list of English words only contractions are written
out: "patent" is not "patient". Of 7,652 questions about openly licensed workplace policies, each
held against its own document, 10 are changed: nine from British to American spelling, one wrongly.
"""

import re
from collections.abc import Iterator, Mapping
from string import ascii_lowercase

from core.language.content_words import stem
from core.ports.knowledge import Knowledge
from core.ports.text_models import EnglishWords

MOST = 6
"""Words of a question that are mended."""
READ = 1_000
"""Characters of a question in which slips are looked for."""
_SHORTEST, _LONG, _LONGEST = 4, 6, 20
"""Letters of a word that is looked at; from `_LONG` on it may miss or have one too many."""
_SURER = 2
"""How many times as many sections as the next best must use a word that is taken for meant."""
_WORD = re.compile(r"(?<![\w@.:/#<\\-])[^\W\d_]+(?:['\u2019][^\W\d_]+)?(?![\w@:/\\-]|\.\w)")
_CONTRACTED: Mapping[str, str] = {
    "whats": "what is",
    "wheres": "where is",
    "whos": "who is",
    "hows": "how is",
    "whens": "when is",
    "thats": "that is",
    "theres": "there is",
    "im": "I am",
    "ive": "I have",
    "dont": "do not",
    "doesnt": "does not",
    "didnt": "did not",
    "cant": "can not",
    "couldnt": "could not",
    "wont": "will not",
    "wouldnt": "would not",
    "shouldnt": "should not",
    "mustnt": "must not",
    "isnt": "is not",
    "arent": "are not",
    "wasnt": "was not",
    "werent": "were not",
    "havent": "have not",
    "hasnt": "has not",
    "youre": "you are",
    "theyre": "they are",
    "theyve": "they have",
    "couldve": "could have",
    "pls": "please",
    "plz": "please",
    "dnt": "do not",
}
"""Contractions without their apostrophe; none of them is another word."""


async def corrected(text: str, knowledge: Knowledge, english: EnglishWords | None) -> str:
    """Return a question with its spelling corrected."""
    text = _WORD.sub(_written_out, text[:READ]) + text[READ:]
    if english is None:
        return text
    words = {word: _forms(word) for word in _doubtful(text)}
    known = await english.among({form for forms in words.values() for form in forms})
    doubtful = [word for word, forms in words.items() if not forms & known]
    used: Mapping[str, int] = (
        await knowledge.usage({stem(word) for word in doubtful}) if doubtful else {}
    )
    unknown = [word for word in doubtful if not used.get(stem(word))][:MOST]
    near = {word: {one: stem(one) for one in _one_slip_away(word)} for word in unknown}
    stems = {found for forms in near.values() for found in forms.values()}
    counts: Mapping[str, int] = await knowledge.usage(stems) if stems else {}
    used_forms = {form for forms in near.values() for form in forms if counts.get(forms[form])}
    listed = await english.among({one for form in used_forms for one in (form, *_roots(form))})
    meant = {
        word: _meant(
            {form: forms[form] for form in forms if {form, *_roots(form)} & listed}, counts
        )
        for word, forms in near.items()
    }

    def put(found: re.Match[str]) -> str:
        return (_may_be_mended(found) and meant.get(found[0].casefold())) or found[0]

    return _WORD.sub(put, text[:READ]) + text[READ:]


def _written_out(found: re.Match[str]) -> str:
    full = _CONTRACTED.get(found[0].casefold()) if found[0] != "IM" else None
    if full is None:
        return found[0]
    return full[0].upper() + full[1:] if found[0][0].isupper() else full


def _doubtful(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text[:READ]):
        if _may_be_mended(found):
            yield found[0].casefold()


def _may_be_mended(found: re.Match[str]) -> bool:
    """Say whether a word is not a name: it begins the text, or is written in lower case."""
    word = found[0]
    begins = not found.string[: found.start()].strip()
    is_plain = (
        word.isascii() and word.isalpha() and (word.islower() or (begins and word[1:].islower()))
    )
    return is_plain and _SHORTEST <= len(word) <= _LONGEST


def _roots(form: str) -> tuple[str, ...]:
    """Return what a noun of a verb is made from ("reimbursement": "reimburse")."""
    return tuple(form.removesuffix(end) for end in ("ment", "ments", "s") if form.endswith(end))


def _forms(word: str) -> frozenset[str]:
    """Return a word, and what is left of it without its ending: one of them may be listed."""
    ends = ("s", "es", "ed", "d", "ing", "ly", "er", "ers")
    return frozenset({word, stem(word), *(word.removesuffix(end) for end in ends)})


def _one_slip_away(word: str) -> frozenset[str]:
    """Return what a word may be with one letter more, less, changed, or two exchanged.

    The first letter is right, but for an exchange: people seldom miss it. So is the last: else
    "leaver" were "leaves". In a short word two letters may be exchanged, and no more.
    """
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    swapped = {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    if len(word) < _LONG:
        return frozenset(swapped) - {word}
    inner = cuts[1:-1]
    less = {left + right[1:] for left, right in inner[:-1]}
    changed = {left + one + right[1:] for left, right in inner[:-1] for one in ascii_lowercase}
    more = {left + one + right for left, right in inner for one in ascii_lowercase}
    return frozenset(swapped | less | changed | more) - {word}


def _meant(forms: Mapping[str, str], counts: Mapping[str, int]) -> str | None:
    """Return the one word that is meant; None where two are as likely, or none is used."""
    best: dict[str, tuple[int, str]] = {}
    for form, found in forms.items():
        count = counts.get(found, 0)
        if count:
            best[found] = max(best.get(found, (0, "")), (count, form))
    ranked = sorted(best.values(), reverse=True)
    if not ranked or (len(ranked) > 1 and ranked[0][0] < _SURER * ranked[1][0]):
        return None
    return ranked[0][1]
