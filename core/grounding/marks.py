"""The force of two texts, by the marks of `core.language.rule_marks`.

Of a text and its translation, or of a claim and what it cites in a language that the rules of
`modality` do not read.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from core.language.content_words import content_words
from core.language.figures import figures_in
from core.language.languages import Language
from core.language.rule_marks import KNOWN, rule_marks, without_force
from core.language.rule_words import Mark
from core.language.sentences import split_sentences

FORCES = frozenset(
    {
        Mark.MUST,
        Mark.MAY,
        Mark.SHOULD,
        Mark.MUST_NOT,
        Mark.NEED_NOT,
        Mark.SHOULD_NOT,
        Mark.NOT,
    }
)
"""Marks that are counted; of the others it counts whether there is one."""
_ORDERED = frozenset({Mark.BEFORE, Mark.AFTER})
"""Marks of which each may be said in other words, but not as the other one."""
_T = TypeVar("_T")


def marks_kept(text: str, other: str, language: Language, others: Language) -> str | None:
    """Return what of the force of one text another has not, or has besides; None if nothing."""
    here, there = rule_marks(text, language), rule_marks(other, others)
    forces = difference("force", _forces(there), _forces(here))
    if forces:
        return forces
    rest = frozenset(Mark) - FORCES - _ORDERED
    lost, added = (set(there) - set(here)) & rest, (set(here) - set(there)) & rest
    if lost or added:
        return f"marks: {listed(lost)} there, {listed(added)} here"
    times, others_times = set(here) & _ORDERED, set(there) & _ORDERED
    if times and others_times and times != others_times:
        return "marks: before and after"
    return None


def unread_force(text: str, texts: Sequence[str], language: Language) -> str | None:
    """Return what is wrong with a claim in a language whose rules are not read; None if nothing.

    It must have the marks of the cited sentence that it shares most words with, or of all that is
    cited, and no figure of its own. Words for which there is no list can be exchanged. Where no
    word of force is read in that sentence, it may be in a language taken for this one, as Dutch is
    for German: then nothing is held to anything.

    Args:
        text: The claim, which does more than quote.
        texts: What it cites, in the same language.
        language: Theirs.
    """
    if language not in KNOWN:
        return "only a quotation can be checked in this language"
    whole = " ".join(texts)
    more = figures_in(text, language) - figures_in(whole, language)
    if more:
        return f"not in the cited text: {listed(map(str, more))}"
    said = content_words(without_force(text, language))
    sentences = [one.of(each) for each in texts for one in split_sentences(each)]
    nearest = max(
        sentences,
        key=lambda one: len(said & content_words(without_force(one, language))),
        default="",
    )
    if not _forces(rule_marks(nearest, language)):
        return "only a quotation can be checked: no word of force is read in what it cites"
    changed = marks_kept(text, nearest, language, language)
    if changed is None or marks_kept(text, whole, language, language) is None:
        return None
    return f"the cited text has another force: {changed}"


def difference(name: str, there: Counter[_T], here: Counter[_T]) -> str | None:
    """Return in what two counts differ; None if in nothing."""
    if there == here:
        return None
    lost, added = there - here, here - there
    return f"{name}: {_named(lost)} there, {_named(added)} here"


def _named(counted: Counter[_T]) -> str:
    return listed(map(str, counted))


def listed(names: Iterable[str]) -> str:
    """Return names in a row."""
    return ", ".join(sorted(names)) or "none"


def _forces(marks: Counter[Mark]) -> Counter[Mark]:
    return Counter({mark: count for mark, count in marks.items() if mark in FORCES})
