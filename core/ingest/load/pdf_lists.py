"""How deep the items of a PDF's lists stand: a PDF says only where on the page each begins."""

import re

from core.ingest.load.pdf_lines import Line

_STEP = 5.0
"""Points: what begins further right than this stands deeper."""
_COLUMN = 200.0
"""Points: what begins further left or right than this stands in another column."""
_NUMBER = re.compile(r"[\d§]")
"""How the number of a section begins, which is no bullet, however far right it is set."""


class ListDepths:
    """The lists that are open where a document is read; asked for each line in order."""

    def __init__(self) -> None:
        self._edges: list[float] = []
        """Where the items of each open list begin, outermost first."""

    def end(self) -> None:
        """End all lists, as a heading and a table do."""
        self._edges = []

    def depth(self, line: Line, *, begins: bool) -> int:
        """Return in how many items a line stands that begins a line of the text.

        Args:
            line: The line.
            begins: True if it begins a paragraph, which ends the lists further right.
        """
        if not line.starts_with_label():
            if begins and self._edges and line.left <= self._edges[0] + _STEP:
                self.end()
            return 0
        if self._edges and abs(line.left - self._edges[0]) > _COLUMN:
            self.end()
        while self._edges and line.left < self._edges[-1] - _STEP:
            self._edges.pop()
        if not self._edges or line.left > self._edges[-1] + _STEP:
            self._edges.append(line.left)
        return 0 if _NUMBER.match(line.text) else len(self._edges) - 1
