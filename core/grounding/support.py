"""A statement held against the texts that it cites: what of it they do not say.

These are the checks that need nothing but texts. `verify` makes them of every claim, `citebound
eval verify` of labelled statements; there is no other way to make them. The last and coarsest asks
whether a statement is about what it cites at all: it finds what was made up and hung on a passage
that happened to be at hand.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.domain.answer import Check
from core.grounding.bounds import bounds_kept, cases_of_rules
from core.grounding.denial import negation_kept, turned_word
from core.grounding.marks import unread_force
from core.grounding.named_entities import missing_names
from core.grounding.polarity import polarity_kept, stands_in
from core.grounding.quantity_roles import roles_kept
from core.grounding.rule_framing import framing_kept
from core.grounding.strength import strength_kept
from core.language.content_words import content_words, words
from core.language.languages import Language, language_of
from core.language.periods import missing_periods, plain_frequencies
from core.language.phrasing import readings, rows_read
from core.language.quantities import missing_quantities
from core.language.reader_text import reader_text, windows

LEAST = 0.2
"""Share of a statement's words that its sources must have. Our own choice: a faithful paraphrase
keeps the nouns of its source and stays above a half, an unrelated statement shares a word at most.
"""
_TOLD_APART = frozenset({Language.GERMAN, Language.FRENCH, Language.SPANISH})
_COMMON = 4
"""Letters from which two words that begin alike are of one family ("approval", "approved")."""


def unsupported(text: str, sources: Sequence[str]) -> str | None:
    """Return what is wrong if a statement has too little of its sources; None if nothing.

    Args:
        text: The statement; one without a telling word says nothing that could be wrong.
        sources: The cited text, and the names of the places where it stands.
    """
    said = content_words(text)
    there = content_words(" ".join(sources))
    families = {word[:_COMMON] for word in there if len(word) >= _COMMON}
    shared = {word for word in said if word in there or word[:_COMMON] in families}
    if not said or len(shared) >= LEAST * len(said):
        return None
    missing = ", ".join(sorted(said - shared)[:_COMMON])
    return f"the cited text does not speak of this: {missing}"


LEAST_SUPPORT = 0.0225
"""Probability of the shipped guard below which a statement is rejected: 1.3 % of 150 supported
statements on unseen documents, and 46 % of 239 others. At .025 it is 3.3 and 66 %, but each right
statement that is dropped costs an answer, and a model's judge is asked too."""
GUARD_WINDOW, GUARD_STRIDE, GUARD_WINDOWS = 110, 80, 8
"""Words of cited text that a guard reads at once, words to the next, and pieces: what bears a
statement out has 40 words as a rule, and the guard was trained on at most 150 tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a statement may rest on."""

    texts: Sequence[str]
    """The cited texts, a lead-in before its item and a header before its row."""
    names: Sequence[str] = ()
    """Roles and countries that belong to them without standing in them."""
    titles: Sequence[str] = ()
    """Of the policies and sections where they stand."""
    asked: str = ""
    """The question: its figures are not claims about the policy."""
    known_roles: Sequence[str] = ()
    """Names of roles that are recognised in lower case too."""
    support: float | None = None
    """Probability, in [0, 1], that the texts bear the statement out, as a guard says that has read
    both; None without one."""


def ungrounded(text: str, grounds: Grounds) -> Mapping[Check, str | None]:
    """Return for each check what is wrong with a statement; None where nothing is."""
    worded = readings(grounds.texts)
    if only_quotes(text, grounds.texts, worded):
        return dict.fromkeys((Check.NUMBERS, Check.MODALITY, Check.NAMES, Check.SUPPORT))
    said = [*grounds.texts, *worded]
    named = [*said, *grounds.names]
    translated = _translated(text, grounds)
    return {
        Check.NUMBERS: _numbers(text, said, grounds),
        Check.MODALITY: translated
        if translated or any(stands_in(text, one) for one in worded)
        else _modality(text, [*grounds.texts, *rows_read(grounds.texts)], grounds.names),
        Check.NAMES: _names(text, [*named, *grounds.titles], grounds.known_roles),
        Check.SUPPORT: _guarded(grounds.support) or unsupported(text, [*named, *grounds.titles]),
    }


def _translated(text: str, grounds: Grounds) -> str | None:
    """Return what is wrong with a statement in another language than English, or than its source.

    The words for what must, may and must not be done are understood in English alone, so nothing
    here could tell "dürfen" from "must not". A statement all of whose words are those that it cites
    is in their language, whatever its names look like ("Hamburg, Munich: EUR 150"). Of 2,189
    sentences of English policies 7 are taken for another language, all of them headings and names
    of laws. Where both are in another language, lists of its words are all that tells; see
    `core.grounding.marks`.
    """
    known = " ".join([*grounds.titles, *grounds.texts])
    cited = language_of(" ".join(grounds.texts))
    if cited is Language.OTHER:
        # A row of a table tells little of its language alone; the titles above it tell more.
        cited = language_of(known)
    own = {*words(text)} - {*words(known)}
    said = language_of(text) if own else cited
    if said is cited:
        return None if said is Language.ENGLISH else unread_force(text, grounds.texts, said)
    if not {said, cited} & _TOLD_APART:
        return None
    return f"the claim is in another language ({said.value}) than what it cites ({cited.value})"


def only_quotes(text: str, *sources: Sequence[str]) -> bool:
    """Say whether a statement is what it cites, word for word and in order, and nothing else.

    A list item after its lead-in reads so; it can't say otherwise than the two together.
    """
    said, cited = words(text), [" ".join(texts) for texts in sources]
    if not said:  # signs alone
        return bool(text.strip()) and any(text.strip() == one.strip() for one in cited)
    return any(said == words(one) for one in cited)


def guard_texts(texts: Sequence[str], titles: Sequence[str]) -> list[str]:
    """Return the cited texts as a guard reads them beside a statement, in pieces.

    Args:
        texts: The cited texts, a lead-in before its item.
        titles: Headings from the outermost to their own.
    """
    pieces = windows(" ".join(texts), size=GUARD_WINDOW, stride=GUARD_STRIDE, most=GUARD_WINDOWS)
    return [reader_text(titles[0] if titles else "", titles, piece) for piece in pieces]


def guard_probability(logits: Sequence[float]) -> float:
    """Return how probable a guard finds a statement, by its logit for each piece: the best counts.

    0 without any.
    """
    best = max(logits, default=-_STEEPEST)
    return 1 / (1 + math.exp(-max(-_STEEPEST, min(_STEEPEST, best))))


_STEEPEST = 60.0
"""Logits beyond it are certain."""


def _guarded(support: float | None) -> str | None:
    if support is None or support >= LEAST_SUPPORT:
        return None
    return f"a guard gives it {support:.0%} by what it cites"


def _modality(text: str, said: Sequence[str], names: Sequence[str]) -> str | None:
    named = [*said, *names]
    return (
        polarity_kept(text, said)
        or negation_kept(text, said)
        or framing_kept(text, named)
        or turned_word(text, named)
        or strength_kept(text, said)
    )


def _numbers(text: str, said: Sequence[str], grounds: Grounds) -> str | None:
    text, texts = plain_frequencies(text), [plain_frequencies(one) for one in said]
    missing = missing_quantities(text, texts, asked=grounds.asked)
    if missing:
        cases = cases_of_rules(text, texts)
        missing = tuple(one for one in missing if one.span not in cases)
    names = [one.raw for one in missing] or missing_periods(
        text, [*texts, *grounds.titles, grounds.asked]
    )
    if names:
        return f"not in the cited text: {', '.join(names)}"
    return bounds_kept(text, texts, asked=grounds.asked) or roles_kept(text, texts)


def _names(text: str, named: Sequence[str], known_roles: Sequence[str]) -> str | None:
    missing = missing_names(text, named, known=known_roles)
    return f"not in the cited text: {', '.join(missing)}" if missing else None
