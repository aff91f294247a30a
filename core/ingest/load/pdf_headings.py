"""Which blocks of a PDF are headings, and of what level.

- Bookmarks come first, then the document's own tags. Else headings are those that are set apart
  from most of the text (`pdf_looks`).
- A printed table of contents says more than looks: its outermost entries are of one level, however
  they are set, and its own lines are no headings.
- A lead paragraph, or what stands in the margin without a text of its own, is none.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.ingest.load.pdf_contents import leads_to_page, title_key
from core.ingest.load.pdf_layout import Block
from core.ingest.load.pdf_lines import HYPHEN
from core.ingest.load.pdf_looks import LARGER, BlockLook, body_of, heading_looks, look_of
from core.ingest.numbering import parse_label
from core.language.sentences import is_cut_off

_MAX_LINES = 3
_MAX_LARGER_LINES = 5
"""Of a heading that is larger than the text, as over a narrow column."""
_HUGE, _MAX_HUGE_LINES = 2.0, 8
"""Times the size of the text, and lines: a long title on a cover."""
_MAX_CHARACTERS = 160
_MAX_LEVEL = 12
_MIN_TEXT = 60
"""Characters of a line that is text rather than a title or a date."""
_MIN_SENTENCE_WORDS = 9
_MIN_CUT_OFF_WORDS = 6
_TITLES = 0.8
"""Of what is tagged as a heading: what can be one."""
_MAX_PART = 0.4
"""Of a document's characters, in what is tagged as a heading."""
_MANY = 8
_MIN_ENTRIES = 3
"""Headings that are outermost entries of the table of contents, for it to be believed."""
_FINITE = re.compile(
    r"\b(?:is|are|was|were|will|must|shall|should|may|can|has|have|do|does)\b", re.IGNORECASE
)
_ASKS = re.compile(
    r"(?:what|who|whom|when|where|why|how|which|if|is|are|do|does|can|may)\b", re.IGNORECASE
)
_QUOTES = '"\u201c\u201e\u00ab'
_MIN_QUOTED_WORDS = 6
"""What begins with a quotation mark and is longer is a pull quote."""
_OPENERS = "\"\u201c'(§"
_NO_END = (".", ",", ";", HYPHEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page's blocks in reading order."""

    blocks: tuple[Block, ...]
    """Without running headers and footers."""
    outline: Mapping[str, int] = field(default_factory=dict[str, int])
    """Titles of the outline on this page, by `title_key`, with their level from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tagged:
    """What is believed of a document's tags."""

    are_used: bool = False
    """Whether what they mark as a heading is one."""
    are_all: bool = False
    """Whether other text with a tag is none."""
    has_levels: bool = False
    """Whether they tell levels."""


class Headings:
    """The headings of one document; asked for each block in order.

    Args:
        pages: the blocks of each.
        contents: the depth of entries in the printed table of contents, by `title_key`.
    """

    def __init__(self, pages: Sequence[Page], contents: Mapping[str, int]) -> None:
        self._contents = contents
        blocks = [block for page in pages for block in page.blocks]
        self._tagged = _Tagged()
        self._body = body_of(line for block in blocks for line in block.lines)
        self._levels = heading_looks(blocks, self._body, reads_as_title=self._may_be_heading)
        self._beside_title = self._around_title(pages, blocks)
        self._tagged = self._believed_tags(blocks)
        self._levels = self._levels_by_bookmarks(pages)
        found = [
            (number, block)
            for number, page in enumerate(pages)
            for block in page.blocks
            if self._looks_like_heading(block)
        ]
        self._count = len(found)
        self._last = {_key_of(block): number for number, block in found} if contents else {}
        """The last page of each text that looks like a heading."""
        self._begin = min((self._last[key] for key in contents if key in self._last), default=0)
        """The page where what is in the contents begins."""
        self._base = self._level_of_entries([block for _, block in found])
        self._entry = (0, 0)
        """Of the heading asked for last that is an entry: its level by look, and by depth."""

    @property
    def are_set(self) -> bool:
        """Whether so many headings are set apart that lines in the look of the text are none."""
        return self._count >= _MANY or self._tagged.are_all

    def lowest_level(self) -> int:
        """Return the level below all that larger or bolder headings have."""
        return min(max(self._levels.values(), default=0) + 1, _MAX_LEVEL)

    def level(self, block: Block, outline: Mapping[str, int], *, page: int) -> int | None:
        """Return the level of a block, from 1; None: it is no heading.

        Args:
            block: the block.
            outline: the bookmarks of its page.
            page: the page, from 0.
        """
        named = _named(block, outline)
        if named is not None:
            return min(named, _MAX_LEVEL)
        if not self._looks_like_heading(block):
            return None
        tag = block.lines[0].heading
        if tag is not None and self._tagged.has_levels:
            return tag.level
        level = self._level_of(block)
        if self._base is None:
            return level
        key = _key_of(block)
        depth = self._contents.get(key)
        if depth is not None and page < self._last[key] and page < self._begin:
            return None
        if depth is not None:
            self._entry = (level, self._base + depth)
        elif level < self._entry[0]:
            self._entry = (level, level)
        return min(self._entry[1] + level - self._entry[0], _MAX_LEVEL)

    def is_heading(self, block: Block, outline: Mapping[str, int]) -> bool:
        """Return whether a block is a heading, unless the contents say otherwise."""
        return _named(block, outline) is not None or self._looks_like_heading(block)

    def _level_of(self, block: Block) -> int:
        """Return the level that the look of a heading has."""
        return self._levels.get(look_of(block, self._body), self.lowest_level())

    def _levels_by_bookmarks(self, pages: Sequence[Page]) -> Mapping[BlockLook, int]:
        """Return the levels by look, each where the bookmarks of headings with this look are.

        A look that no bookmark has keeps its place among the others.
        """
        named: defaultdict[BlockLook, Counter[int]] = defaultdict(Counter)
        for page in pages:
            for block in page.blocks:
                level = _named(block, page.outline)
                if level is not None:
                    named[look_of(block, self._body)][level] += 1
        if sum(counts.total() for counts in named.values()) < _MIN_ENTRIES:
            return self._levels
        levels: dict[BlockLook, int] = {}
        above = 0
        for look in sorted(self._levels, key=self._levels.__getitem__):
            told = named.get(look)
            levels[look] = told.most_common(1)[0][0] if told else above + 1
            above = levels[look] if told else above
        return levels

    def _level_of_entries(self, found: Sequence[Block]) -> int | None:
        """Return the highest level that outermost entries have; None: the contents tell nothing."""
        entries = [
            self._level_of(block) for block in found if self._contents.get(_key_of(block)) == 0
        ]
        return min(entries) if len(entries) >= _MIN_ENTRIES else None

    def _around_title(self, pages: Sequence[Page], blocks: Sequence[Block]) -> frozenset[int]:
        """Return the ids of blocks beside the title: authors, a slogan, the kind of document.

        On the first page, not its largest, in a look that nothing else has, and above nothing that
        they could be the heading of; on a cover, all but the largest.
        """
        first = next((page.blocks for page in pages if page.blocks), ())
        looks = Counter(look_of(block, self._body) for block in blocks)
        largest = max((look_of(block, self._body).size for block in first), default=0.0)
        is_cover = not any(_is_text(block) and not self._may_be_heading(block) for block in first)
        found: set[int] = set()
        below: Block | None = None
        for block in reversed(first):
            look = look_of(block, self._body)
            is_alone = below is None or id(below) in found or not self._is_headed(look, below)
            if look.size < largest and (is_cover or (looks[look] == 1 and is_alone)):
                found.add(id(block))
            below = block
        return frozenset(found)

    def _is_headed(self, look: BlockLook, below: Block) -> bool:
        """Return whether what follows is a text, or a heading of a lower level."""
        if _is_text(below):
            return True
        levels = self._levels
        return look in levels and levels[look] < levels.get(look_of(below, self._body), 0)

    def _believed_tags(self, blocks: Sequence[Block]) -> _Tagged:
        """Return how far the document's own tags are believed.

        Not at all where they are few, or mark paragraphs; alone where they leave out little of what
        looks like a heading.
        """
        marked = [block for block in blocks if block.lines[0].heading]
        if not marked:
            return _Tagged()
        titles = [block for block in marked if _may_be_tagged(block)]
        part = sum(len(block.text) for block in marked) / sum(len(block.text) for block in blocks)
        if len(marked) < _MIN_ENTRIES or len(titles) < _TITLES * len(marked) or part > _MAX_PART:
            return _Tagged()
        others = [
            block
            for block in blocks
            if not block.lines[0].heading and block.lines[0].tag and self._looks_like_heading(block)
        ]
        levels = {tag.level for block in titles if (tag := block.lines[0].heading)}
        return _Tagged(
            are_used=True, are_all=len(others) <= len(titles), has_levels=len(levels) > 1
        )

    def _looks_like_heading(self, block: Block) -> bool:
        if self._tagged.are_used and block.lines[0].tag is not None:
            if block.lines[0].heading:
                return _may_be_tagged(block)
            if self._tagged.are_all:
                return False
        if id(block) in self._beside_title:
            return False
        return look_of(block, self._body) in self._levels and self._may_be_heading(block)

    def _may_be_heading(self, block: Block) -> bool:
        """Return whether a block has the place and the words of a heading, whatever its look."""
        if block.cells or (block.is_beside and not block.is_over):
            return False
        first, text = block.lines[0], block.text
        is_larger = first.size >= LARGER * self._body.size
        is_huge = first.size >= _HUGE * self._body.size
        limit = _MAX_HUGE_LINES if is_huge else _MAX_LARGER_LINES if is_larger else _MAX_LINES
        if len(block.lines) > limit:
            return False
        if len(text) > _MAX_CHARACTERS or text.endswith(_NO_END) or "://" in text:
            return False
        if leads_to_page(text):
            return False
        if text[0] in _QUOTES and len(text.split()) >= _MIN_QUOTED_WORDS:
            return False
        begins = text[0] in _OPENERS or (text[0].isalnum() and not text[0].islower())
        return begins and _has_letters(text) and not _is_sentence(text)


def _named(block: Block, outline: Mapping[str, int]) -> int | None:
    """Return the level of a block's bookmark, which may leave out its number; None: it has none."""
    if not outline or len(block.lines) > _MAX_LARGER_LINES:
        return None
    label = parse_label(block.text)
    bare = title_key(block.text[label.length :]) if label else ""
    return outline.get(_key_of(block), outline.get(bare) if bare else None)


def _may_be_tagged(block: Block) -> bool:
    """Return whether a block that is tagged as a heading can be one."""
    text = block.text
    is_short = len(text) <= _MAX_CHARACTERS and len(block.lines) <= _MAX_LARGER_LINES
    return is_short and not block.cells and _has_letters(text)


def _is_text(block: Block) -> bool:
    return bool(block.cells) or len(block.lines) > 1 or len(block.text) >= _MIN_TEXT


def _has_letters(text: str) -> bool:
    return sum(1 for character in text if character.isalpha()) > 1


def _key_of(block: Block) -> str:
    return title_key(block.text)


def _is_sentence(text: str) -> bool:
    """Return whether a text is a lead paragraph or a part of one, without its full stop."""
    words = text.split()
    if is_cut_off(text) and len(words) >= _MIN_CUT_OFF_WORDS:
        return True
    is_long = len(words) >= _MIN_SENTENCE_WORDS and "?" not in text
    return is_long and _FINITE.search(text) is not None and not _ASKS.match(text)
