"""Looks of lines, and which of them the headings of a document have.

- What is larger or bolder than the text looks like a heading; most blocks of such a look must read
  as titles, or it is that of lead paragraphs and pull quotes.
- What differs from the text in nothing but its slope, its capitals, or its colour and typeface does
  only where nearly all blocks of the look are titles above a text.
"""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.ingest.load.pdf_fonts import is_far
from core.ingest.load.pdf_layout import Block
from core.ingest.load.pdf_lines import Line

LARGER = 1.12
"""Times the size of the text."""
_NEAR = 0.9
"""Of that size: what is smaller is a note."""
_LABEL = 0.75
"""Of that size: bold capitals in a colour may be so small above a text."""
_STRONG_SHARE = 0.4
"""Of the blocks of a larger or bolder look: titles."""
_WEAK_SHARE = 0.8
"""Of the blocks of any other look: titles above a text."""
_MIN_WEAK = 2
_MIN_CAPITALS = 4
_MAX_PART = 0.25
"""Of a document's characters: a look that has more is no look of headings."""
_MANY_WORDS = 2
_SAME_LEFT = 4.0
"""Points: lines that begin so near to each other begin at one edge."""
_ONE_EDGE = 0.8
"""Of the blocks of a look: begin at its edge, for it to have one."""
_SLIP = 1.0
"""Points of size in which one heading may differ from all others of its level."""
_SELDOM = 0.2
_MIN_REGULAR = 3
"""Headings of a look that one may be a slip from."""
_QUESTION = re.compile(r"Q(?:uestion)?(?:\s*\d+)?\s*[:.]", re.IGNORECASE)
_ASKING = 0.8
"""Of the titles in a look: questions of a list of questions and answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLook:
    """How a block is set."""

    size: float
    """In points, rounded to halves."""
    is_bold: bool
    is_italic: bool
    is_capitals: bool
    """True if it has capitals alone, and more than an abbreviation."""
    is_set_off: bool
    """True if its colour or its typeface is not that of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """How most of the text is set."""

    size: float
    is_bold: bool
    is_italic: bool
    colour: int
    face: str


def body_of(lines: Iterable[Line]) -> Body:
    """Return the most frequent look, by characters."""
    looks: Counter[tuple[float, bool]] = Counter()
    colours: defaultdict[tuple[float, bool], Counter[tuple[bool, int, str]]] = defaultdict(Counter)
    for line in lines:
        key = (_rounded(line.size), line.is_bold)
        looks[key] += len(line.text)
        colours[key][line.is_italic, line.colour, line.face] += len(line.text)
    if not looks:
        return Body(size=1.0, is_bold=False, is_italic=False, colour=0, face="")
    (size, is_bold), _ = looks.most_common(1)[0]
    (is_italic, colour, face), _ = colours[size, is_bold].most_common(1)[0]
    return Body(size=size, is_bold=is_bold, is_italic=is_italic, colour=colour, face=face)


def look_of(block: Block, body: Body) -> BlockLook:
    """Return the look of a block, by its first line."""
    first = block.lines[0]
    return BlockLook(
        size=_rounded(first.size),
        is_bold=first.is_bold,
        is_italic=first.is_italic,
        is_capitals=_is_capitals(block.text),
        is_set_off=is_far(first.colour, body.colour)
        or bool(first.face and body.face and _family(first.face) != _family(body.face)),
    )


def is_strong(line: Line, body: Body) -> bool:
    """Return whether a line is larger or bolder than the text."""
    return line.size >= LARGER * body.size or (
        line.is_bold and not body.is_bold and line.size > _NEAR * body.size
    )


def heading_looks(
    blocks: Sequence[Block], body: Body, *, reads_as_title: Callable[[Block], bool]
) -> Mapping[BlockLook, int]:
    """Return the looks of headings, each with its level from 1.

    Args:
        blocks: all blocks, in reading order.
        body: how the text is set.
        reads_as_title: whether a block's words are those of a title.
    """
    seen: defaultdict[BlockLook, list[bool]] = defaultdict(list)
    above_text: Counter[BlockLook] = Counter()
    strong: set[BlockLook] = set()
    length: Counter[BlockLook] = Counter()
    words: Counter[BlockLook] = Counter()
    asking: Counter[BlockLook] = Counter()
    lefts: defaultdict[BlockLook, list[float]] = defaultdict(list)
    stands_above: Counter[tuple[BlockLook, BlockLook]] = Counter()
    for block, below in zip(blocks, (*blocks[1:], None), strict=True):
        if block.cells:
            continue
        look, text = look_of(block, body), block.text
        length[look] += len(text)
        words[look] = max(words[look], len(text.split()))
        seen[look].append(reads_as_title(block))
        if seen[look][-1]:
            lefts[look].append(block.lines[0].left)
        asking[look] += _QUESTION.match(text) is not None
        if below is not None and not below.cells and look_of(below, body) != look:
            above_text[look] += 1
            stands_above[look, look_of(below, body)] += 1
        if is_strong(block.lines[0], body):
            strong.add(look)
    total = length.total()
    found = [
        look
        for look, titles in seen.items()
        if any(titles)
        and (
            (look in strong and sum(titles) >= _STRONG_SHARE * len(titles))
            or (
                _is_weak(look, body)
                and sum(titles) >= _WEAK_SHARE * len(titles)
                and len(titles) >= (1 if look.is_capitals else _MIN_WEAK)
                and above_text[look] >= _WEAK_SHARE * len(titles)
                and length[look] <= _MAX_PART * total
            )
        )
    ]
    edges = {look: _edge_of(lefts[look]) for look in found}
    slips = _slips(list(seen), found, edges, {look: len(titles) for look, titles in seen.items()})
    levels = _rank(
        [look for look in found if look not in slips],
        worded={look for look in found if words[look] >= _MANY_WORDS},
        asking={look for look in found if asking[look] >= max(2, _ASKING * len(seen[look]))},
        edges=edges,
    )
    levels = _without_inversions(levels, stands_above, {look: len(seen[look]) for look in levels})
    return levels | {look: levels[meant] for look, meant in slips.items()}


def _without_inversions(
    levels: dict[BlockLook, int],
    stands_above: Mapping[tuple[BlockLook, BlockLook], int],
    counts: Mapping[BlockLook, int],
) -> dict[BlockLook, int]:
    """Return the levels with looks put above those of their size over which they always stand.

    A heading right above another one, without a text between, contains it.
    """
    ordered = sorted(levels, key=levels.__getitem__)
    for inner in list(ordered):
        for outer in list(ordered):
            if (
                outer.size == inner.size
                and levels[outer] > levels[inner]
                and counts[outer] >= _MIN_REGULAR
                and stands_above.get((outer, inner), 0) >= _ONE_EDGE * counts[outer]
                and stands_above.get((inner, outer), 0) <= _SELDOM * counts[inner]
            ):
                ordered.remove(outer)
                ordered.insert(ordered.index(inner), outer)
    if ordered == sorted(levels, key=levels.__getitem__):
        return levels
    return {look: place for place, look in enumerate(ordered, start=1)}


def _edge_of(lefts: Sequence[float]) -> float | None:
    """Return where the headings of a look begin; None: not all at one edge, as centred ones."""
    middle = sorted(lefts)[len(lefts) // 2]
    near = sum(abs(left - middle) <= _SAME_LEFT for left in lefts)
    return middle if near >= _ONE_EDGE * len(lefts) else None


def _slips(
    order: Sequence[BlockLook],
    found: Sequence[BlockLook],
    edges: Mapping[BlockLook, float | None],
    counts: Mapping[BlockLook, int],
) -> dict[BlockLook, BlockLook]:
    """Return looks that one heading has by mistake, each with the look that is meant.

    It is a little larger or smaller than several others before it that are else set the same.
    """
    meant: dict[BlockLook, BlockLook] = {}
    for look in found:
        edge = edges[look]
        if counts[look] > 1 or edge is None:
            continue
        for other in found:
            beside = edges[other]
            if (
                counts[other] >= _MIN_REGULAR
                and order.index(other) < order.index(look)
                and beside is not None
                and abs(beside - edge) <= _SAME_LEFT
                and 0 < abs(other.size - look.size) <= _SLIP
                and replace(other, size=look.size) == look
            ):
                meant[look] = other
    return meant


def _is_weak(look: BlockLook, body: Body) -> bool:
    """Return whether a look differs from the text, though neither in size nor in weight."""
    if look.is_bold and look.is_capitals and look.is_set_off:
        return look.size > _LABEL * body.size
    return look.size > _NEAR * body.size and (
        look.is_capitals or look.is_set_off or look.is_italic != body.is_italic
    )


def _rank(
    found: Sequence[BlockLook],
    *,
    worded: Collection[BlockLook],
    asking: Collection[BlockLook],
    edges: Mapping[BlockLook, float | None],
) -> dict[BlockLook, int]:
    """Give each look its level: larger before smaller, then what a colour or a face sets off.

    Capitals are above bold, bold is above plain, and upright above italic. Which colour it is makes
    no level, since each chapter may have its own. Capitals make none where no title in them has two
    words: they are abbreviations among other titles. Questions ("Q: May I ...?") are below other
    titles of their size. What begins further right is below what is else set alike but for its
    weight and slope, if each look has one edge.
    """
    in_words = {_key(look) for look in worded if look.is_capitals}
    keys = {
        look: (
            -look.size,
            look in asking,
            not look.is_set_off,
            not (look.is_capitals and _key(look) in in_words),
            _indent(look, found, edges),
            not look.is_bold,
            look.is_italic,
        )
        for look in found
    }
    place = {key: number for number, key in enumerate(sorted(set(keys.values())), start=1)}
    return {look: place[keys[look]] for look in found}


def _indent(
    look: BlockLook, found: Sequence[BlockLook], edges: Mapping[BlockLook, float | None]
) -> int:
    """Return how many edges of looks like it lie further left; 0 where one has no edge."""
    own = edges[look]
    alike = (look.size, look.is_set_off, look.is_capitals)
    beside = [
        edges[other]
        for other in found
        if (other.size, other.is_set_off, other.is_capitals) == alike
    ]
    known = sorted({edge for edge in beside if edge is not None})
    if own is None or None in beside:
        return 0
    return sum(
        right - left > _SAME_LEFT and right <= own + _SAME_LEFT
        for left, right in itertools.pairwise(known)
    )


def _key(look: BlockLook) -> tuple[float, bool, bool, bool]:
    return (-look.size, not look.is_bold, look.is_italic, not look.is_set_off)


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _is_capitals(text: str) -> bool:
    return text.isupper() and sum(map(str.isalpha, text)) >= _MIN_CAPITALS


def _family(face: str) -> str:
    """Return a typeface's name without its style: "Caladea" of "Caladea-Bold"."""
    return face.split("-", maxsplit=1)[0].split(",", maxsplit=1)[0]
