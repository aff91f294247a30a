"""Whether what an answer quoted still stands in the version of the policy that holds now.

Words are compared, not places: a section that is only moved or numbered anew has not changed.
Where the words stand and something around them changed, that counts too, for it may be an exception
or a condition; "around" is the section, and the sections beside it under the same heading.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from core.domain.affected import ClauseChange
from core.language.spans import TextSpan

COMPARED = 600
"""Words of a section that are compared one by one: of a longer one, those around the quote."""
SENTENCE = 40
"""Words that are added on each side to come to the ends of a sentence."""
_ENDS = (".", ";", ":", "!", "?")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSection:
    """A section of a stored version."""

    eid: str
    """Its place in the outline; parts are joined by two underscores."""
    number: str | None
    """As printed; None: it has none."""
    title: str
    """Its heading."""
    char_start: int
    """Where it begins, heading included."""
    body_start: int
    """Where its text begins."""
    char_end: int
    """Where the next section begins."""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.number or self.title


@dataclass(frozen=True, kw_only=True)
class StoredText:
    """The text of a stored version with its sections, in text order."""

    text: str
    """All of it."""
    sections: tuple[StoredSection, ...]
    """Without gaps or overlaps."""

    def section_at(self, span: TextSpan) -> StoredSection | None:
        """Return the section in which a stretch begins."""
        return next(
            (one for one in self.sections if one.char_start <= span.char_start < one.char_end), None
        )

    @cached_property
    def bodies(self) -> Mapping[str, str]:
        """The texts of the sections by eid, without their headings, folded."""
        return {one.eid: folded(self.text[one.body_start : one.char_end]) for one in self.sections}

    def around(self, section: StoredSection) -> tuple[str, ...]:
        """Return the texts of a section and of those beside it under the same heading, in order."""
        above, _, _ = section.eid.rpartition("__")
        root = above or section.eid
        return tuple(
            body for eid, body in self.bodies.items() if eid == root or eid.startswith(f"{root}__")
        )

    @cached_property
    def folded_text(self) -> str:
        """The whole text, folded."""
        return folded(self.text)


def folded(text: str) -> str:
    """Return a text with all white space as single blanks."""
    return " ".join(text.split())


def stretch_of(span: TextSpan, old: StoredText, new: StoredText) -> TextSpan | None:
    """Return where a stretch that has not changed stands in the new version; None: nowhere."""
    section = old.section_at(span)
    words = re.compile(r"\s+".join(map(re.escape, span.of(old.text).split())))
    for one in new.sections:
        if section is not None and new.bodies[one.eid] == old.bodies[section.eid]:
            found = words.search(new.text, one.body_start, one.char_end)
            if found is not None:
                return TextSpan(char_start=found.start(), char_end=found.end())
    return None


def change_of(span: TextSpan, old: StoredText, new: StoredText) -> ClauseChange | None:
    """Return what became of a stretch of an old version in the new one; None: nothing.

    Args:
        span: What was quoted.
        old: The version that it was quoted from.
        new: The version of the same policy that holds now.
    """
    quote, section = folded(span.of(old.text)), old.section_at(span)
    if quote not in new.folded_text:
        known = {one.name.casefold() for one in new.sections}
        is_there = section is not None and section.name.casefold() in known
        return ClauseChange.CHANGED if is_there else ClauseChange.REMOVED
    if section is None:
        return None
    holders = [one for one in new.sections if quote in new.bodies[one.eid]]
    around, body = old.around(section), old.bodies[section.eid]
    is_same = any(new.bodies[one.eid] == body and new.around(one) == around for one in holders)
    return None if is_same else ClauseChange.AMENDED


def after_change(
    span: TextSpan, old: StoredText, new: StoredText, change: ClauseChange
) -> str | None:
    """Return what stands in place of a changed stretch, or was added around it; None: nothing.

    Whole sentences, white space folded. Of what was moved and changed at once nothing is found.
    """
    section = old.section_at(span)
    if section is None:
        return None
    if change is ClauseChange.AMENDED:
        quote = folded(span.of(old.text))
        holder = next((one for one in new.sections if quote in new.bodies[one.eid]), None)
        if holder is None:
            return None
        before, after = old.around(section), new.around(holder)
        gone = set(before)
        return _added(
            " ".join(body for body in before if body not in set(after)).split(),
            " ".join(body for body in after if body not in gone).split(),
        )
    namesake = next(
        (one for one in new.sections if one.name.casefold() == section.name.casefold()), None
    )
    if change is not ClauseChange.CHANGED or namesake is None:
        return None
    words = old.text[section.body_start : section.char_end].split()
    begin = len(old.text[section.body_start : span.char_start].split())
    first = max(0, begin - COMPARED // 3)
    return _in_place_of(
        words[first : first + COMPARED],
        new.bodies[namesake.eid].split()[: first + COMPARED],
        begin - first,
        begin - first + len(span.of(old.text).split()),
    )


def _in_place_of(old: Sequence[str], new: Sequence[str], begin: int, end: int) -> str | None:
    """Return what became of some words of a text."""
    first, last = len(new), 0
    for _, start, stop, new_start, new_stop in _differences(old, new):
        if start < end and stop > begin:
            is_same = stop - start == new_stop - new_start
            first = min(first, new_start + (max(begin - start, 0) if is_same else 0))
            last = max(last, new_stop - (max(stop - end, 0) if is_same else 0))
    return _sentences(new, first, last)


def _added(old: Sequence[str], new: Sequence[str]) -> str | None:
    """Return the first words of a text that another one has not, as a sentence."""
    for what, _, _, start, stop in _differences(old[:COMPARED], new[:COMPARED]):
        if what in {"insert", "replace"}:
            return _sentences(new, start, stop)
    return None


def _differences(
    old: Sequence[str], new: Sequence[str]
) -> Sequence[tuple[str, int, int, int, int]]:
    return SequenceMatcher(None, old, new).get_opcodes()


def _sentences(words: Sequence[str], first: int, last: int) -> str | None:
    """Return some words with the rest of the sentences that they belong to; None: no words."""
    if first >= last:
        return None
    least, most = max(0, first - SENTENCE), min(len(words), last + SENTENCE)
    while first > least and not words[first - 1].endswith(_ENDS):
        first -= 1
    while last < most and not words[last - 1].endswith(_ENDS):
        last += 1
    return " ".join(words[first:last])
