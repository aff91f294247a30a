"""How deep a printed table of contents sets its entries, where the headings look alike."""

import re
from collections.abc import Mapping, Sequence

from core.ingest.load.pdf_lines import Line
from core.ingest.titles import is_contents

_PAGES = 20
"""At the beginning, on which contents may be."""
_TOP_LINES = 4
"""Of a page, among which their heading is."""
_STEP = 4.0
"""Points: entries that begin this close to each other are of one depth."""
_MAX_DEPTH = 3
_MIN_ENTRIES = 3
_LEADING = 0.4
"""Of the lines of a page: point to another, where contents go on."""
_LEADS_TO_PAGE = re.compile(r"(?:\.\s?|\u2026){4}[ .\u2026]{0,200}+\d{0,4}+[ .|]{0,4}+$")
_BETWEEN = re.compile(r"[\W_]+")
_PAGE_NUMBER = re.compile(r"(?<![\s._|\u2026])[\s._|\u2026]++\d{1,4}$")


def title_key(text: str) -> str:
    """Return the letters and digits of a title, for comparing it with a line."""
    return _BETWEEN.sub("", text.casefold())


def leads_to_page(text: str) -> bool:
    """Return whether dots lead from a title to its page, as only contents have them."""
    return _LEADS_TO_PAGE.search(text) is not None


def contents_depths(pages: Sequence[Sequence[Line]]) -> Mapping[str, int]:
    """Return the depth of each entry, from 0, by `title_key`; empty where all are alike."""
    found: dict[str, int] = {}
    goes_on = False
    for page in pages[:_PAGES]:
        ordered = sorted(page, key=lambda line: -line.baseline)
        leads = sum(leads_to_page(line.text) for line in page)
        begins = any(is_contents(line.text) for line in ordered[:_TOP_LINES])
        goes_on = begins or (goes_on and leads >= _LEADING * len(page) > 0)
        if not goes_on:
            continue
        entries = [
            (title_key(_PAGE_NUMBER.sub("", line.text)), line.left)
            for line in ordered
            if not line.text.isdigit() and not is_contents(line.text)
        ]
        edges = _edges([left for key, left in entries if key])
        for key, left in entries:
            depth = sum(1 for edge in edges if edge < left - _STEP)
            if key and depth <= _MAX_DEPTH:
                found.setdefault(key, depth)
    return found if len(found) >= _MIN_ENTRIES and len(set(found.values())) > 1 else {}


def _edges(lefts: Sequence[float]) -> list[float]:
    """Return where entries begin, each distance from the left once."""
    edges: list[float] = []
    for left in sorted(lefts):
        if not edges or left > edges[-1] + _STEP:
            edges.append(left)
    return edges
