"""Headings by their look, in a file whose format marks hardly any.

Many policies are written without heading styles: a line of its own, set in bold or larger, begins
each section. A loader offers such lines as candidates; `all_headings` decides together.

- A file that marks headings is trusted: there a bold line is a bold line. Only its title may be set
  large on a cover, above all of them.
- A line set larger than the text is a heading by itself. One that is only bold, or only stands
  alone, is one where several others look like it and most of them stand above a text: else it is a
  warning, a list or a form.
- Depth follows the size, then weight and capitals, then the printed number.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain.policy import Heading
from core.ingest.heading_candidates import MARKED_ENOUGH, reads_as_heading
from core.ingest.numbering import parse_label
from core.ingest.titles import is_general
from core.language.spans import TextSpan

_LARGER = 1.12
"""Times the size of the text; less is a typist's inexactness."""
_MIN_ALIKE = 3
_MIN_LEADING = 0.6
"""Of the lines of a look: those above a text. Of a list or a form, hardly any are."""
_MAX_SHARE = 0.5
"""Of all paragraphs: headings are rarer than what they head."""
_MIN_CAPITALS = 5
"""Letters of a word: an abbreviation has fewer."""
_TITLE_SIZE = 1.25
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class LineLook:
    """How a line is set, against the text around it."""

    size: float
    """Times the size of most of the text."""
    is_bold: bool
    is_italic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SetApart:
    """A line of its own that may be a heading."""

    span: TextSpan
    """The line in the document's text."""
    look: LineLook
    """How it is set."""


@dataclass(frozen=True, slots=True, order=True)
class _Rank:
    """What decides the depth of a heading; smaller is further out."""

    size: float
    weight: int
    depth: int


def all_headings(
    text: str, marked: Sequence[Heading], candidates: Sequence[SetApart]
) -> list[Heading]:
    """Return the headings that the format marks, and those that are told by their look.

    Args:
        text: the document's text.
        marked: headings that its format marks.
        candidates: other lines that are set apart, in text order.
    """
    if len(marked) < MARKED_ENOUGH:
        found = [*marked, *_structure(text, marked, candidates)]
    elif title := _title(text, marked, candidates):
        below = (replace(heading, level=heading.level + 1) for heading in marked)
        found = [Heading(level=1, span=title.span), *below]
    else:
        found = [*marked]
    return sorted(found, key=lambda heading: heading.span.char_start)


def _title(text: str, marked: Sequence[Heading], candidates: Sequence[SetApart]) -> SetApart | None:
    """Return the largest line above all headings, unless the first of them is the title."""
    top = min(heading.level for heading in marked)
    if marked[0].level == top and sum(1 for heading in marked if heading.level == top) == 1:
        return None
    on_cover = [
        candidate
        for candidate in candidates
        if candidate.span.char_start < marked[0].span.char_start
        and candidate.look.size >= _TITLE_SIZE
        and not is_general(candidate.span.of(text))
    ]
    return max(on_cover, key=lambda candidate: candidate.look.size, default=None)


def _structure(
    text: str, marked: Sequence[Heading], candidates: Sequence[SetApart]
) -> list[Heading]:
    taken = {heading.span.char_start for heading in marked}
    found = [
        candidate
        for candidate in candidates
        if candidate.span.char_start not in taken and reads_as_heading(candidate.span.of(text))
    ]
    groups: defaultdict[LineLook, list[SetApart]] = defaultdict(list)
    leads = _leads(text, found)
    for candidate in found:
        groups[candidate.look].append(candidate)
    paragraphs = text.count("\n\n") + 1
    looks = {
        look
        for look, alike in groups.items()
        if look.size >= _LARGER or _is_structure(alike, leads=leads, paragraphs=paragraphs)
    }
    kept = [candidate for candidate in found if candidate.look in looks]
    above = max((heading.level for heading in marked), default=0)
    return _levelled(text, kept, above=above)


def _leads(text: str, found: Sequence[SetApart]) -> Mapping[TextSpan, bool]:
    """Say of each candidate whether text stands below it, before the next one."""
    ends = [*(candidate.span.char_start for candidate in found[1:]), len(text)]
    return {
        candidate.span: bool(text[candidate.span.char_end : end].strip())
        for candidate, end in zip(found, ends, strict=False)
    }


def _is_structure(
    alike: Sequence[SetApart], *, leads: Mapping[TextSpan, bool], paragraphs: int
) -> bool:
    leading = sum(1 for candidate in alike if leads[candidate.span])
    return (
        len(alike) >= _MIN_ALIKE
        and leading >= _MIN_LEADING * len(alike)
        and len(alike) <= _MAX_SHARE * paragraphs
    )


def _levelled(text: str, kept: Sequence[SetApart], *, above: int) -> list[Heading]:
    capitals = _looks_with_capitals(text, kept)
    depths = _depths(text, kept)
    ranks = [
        _Rank(
            size=-round(candidate.look.size, 2),
            weight=-2 * int(candidate.look.is_bold)
            - int(candidate.look in capitals and _is_capitals(candidate.span.of(text))),
            depth=depth,
        )
        for candidate, depth in zip(kept, depths, strict=True)
    ]
    order = {rank: place for place, rank in enumerate(sorted(set(ranks)), start=above + 1)}
    return [
        Heading(level=order[rank], span=candidate.span)
        for candidate, rank in zip(kept, ranks, strict=True)
    ]


def _depths(text: str, kept: Sequence[SetApart]) -> list[int]:
    """Return the depth by printed numbers, from 1, among headings that look alike.

    One without a number, where most have one, stands below those before it.
    """
    labels = [parse_label(candidate.span.of(text)) for candidate in kept]
    numbered: defaultdict[LineLook, list[int]] = defaultdict(list)
    for candidate, label in zip(kept, labels, strict=True):
        numbered[candidate.look].append(label.depth if label else 0)
    numbers_rule = {look for look, alike in numbered.items() if 2 * alike.count(0) < len(alike)}
    deepest = {look: max(alike) for look, alike in numbered.items()}
    begun: set[LineLook] = set()
    depths: list[int] = []
    for candidate, label in zip(kept, labels, strict=True):
        if label is not None:
            begun.add(candidate.look)
        is_below = label is None and candidate.look in numbers_rule and candidate.look in begun
        own = label.depth if label is not None and label.kind == "dotted" else 1
        depths.append(deepest[candidate.look] + 1 if is_below else own)
    return depths


def _looks_with_capitals(text: str, kept: Sequence[SetApart]) -> frozenset[LineLook]:
    """Return the looks of which some lines, not all, are in capitals: those are further out."""
    seen: defaultdict[LineLook, set[bool]] = defaultdict(set)
    for candidate in kept:
        seen[candidate.look].add(_is_capitals(candidate.span.of(text)))
    return frozenset(look for look, kinds in seen.items() if len(kinds) > 1)


def _is_capitals(line: str) -> bool:
    """Return whether a line without a number is in capitals, and not only abbreviations."""
    is_numbered = parse_label(line) is not None
    return (
        not is_numbered
        and line.isupper()
        and max(map(len, _WORD.findall(line)), default=0) >= _MIN_CAPITALS
    )
