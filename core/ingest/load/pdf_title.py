"""The title of a PDF: the largest text of its title page, or what its properties say.

Properties are often left over from a template or name the file, so that they count where the pages
don't contradict them. What many pages repeat is a running head or a menu, and no title.
"""

import re
from collections import Counter
from collections.abc import Sequence

from core.ingest.load.pdf_contents import title_key
from core.ingest.load.pdf_lines import Line
from core.ingest.numbering import parse_label
from core.ingest.titles import is_general, is_written

_PAGES = 3
"""At the beginning, on which the title may be."""
_LARGER = 1.15
"""Times the size of the text."""
_SAME_SIZE = 0.07
_LEADING = 2.0
"""Times the font size: the next line of a title is no further below."""
_MAX_LINES = 8
_MAX_CHARACTERS = 120
_MIN_LETTERS = 4
_REPEATED = 0.3
"""Of the pages, and at least three: a text on so many is a running head."""
_KIND = re.compile(
    r"\b(?:polic(?:y|ies)|code|guidelines?|guide|procedures?|standards?|manual|handbook|rulebook|rules"
    r"|regulations?|charter|statement|program(?:me)?|plan|framework|principles)\b",
    re.IGNORECASE,
)


def title_of(pages: Sequence[Sequence[Line]], stated: str) -> str:
    """Return the title; empty if neither the first pages nor the properties have one.

    Args:
        pages: the lines of all pages.
        stated: the title in the file's properties; may be empty.
    """
    shown = _shown(pages)
    known = stated.strip() if is_written(stated) else ""
    if not (shown and known):
        return shown or known
    if title_key(shown) in title_key(known) or title_key(known) in title_key(shown):
        return shown
    if _KIND.search(shown):
        return shown
    opening = title_key(" ".join(line.text for page in pages[:_PAGES] for line in page))
    return known if _KIND.search(known) or title_key(known) in opening else shown


def _shown(pages: Sequence[Sequence[Line]]) -> str:
    """Return the largest text of the first pages that can be a title, of two the first."""
    body = _body_size(pages)
    repeated = _repeated(pages)
    best, best_size = "", _LARGER * body
    for page in pages[:_PAGES]:
        lines = [line for line in page if title_key(line.text) not in repeated]
        for text, size in _groups(sorted(lines, key=lambda line: -line.baseline)):
            if size > best_size * (1 + _SAME_SIZE) and _can_be_title(text):
                best, best_size = text, size
        if best:
            break
    return best


def _groups(lines: Sequence[Line]) -> list[tuple[str, float]]:
    """Join the lines of one size that stand one below the other."""
    groups: list[list[Line]] = []
    for line in lines:
        last = groups[-1][-1] if groups else None
        if (
            last is not None
            and abs(last.size - line.size) <= _SAME_SIZE * last.size
            and 0 < last.baseline - line.baseline <= _LEADING * line.size
        ):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [
        (" ".join(line.text for line in group), group[0].size)
        for group in groups
        if len(group) <= _MAX_LINES
    ]


def _can_be_title(text: str) -> bool:
    letters = sum(1 for character in text if character.isalpha())
    if letters < _MIN_LETTERS or len(text) > _MAX_CHARACTERS or text.endswith((".", ",", ";", ":")):
        return False
    return parse_label(text) is None and not is_general(text)


def _body_size(pages: Sequence[Sequence[Line]]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page:
            sizes[round(line.size * 2) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 1.0


def _repeated(pages: Sequence[Sequence[Line]]) -> frozenset[str]:
    counts = Counter(key for page in pages for key in {title_key(line.text) for line in page})
    needed = max(_PAGES, _REPEATED * len(pages))
    return frozenset(key for key, count in counts.items() if count > needed)
