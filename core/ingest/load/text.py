"""Plain text: lines as they are; tab-separated rows become table rows.

Headings are left to `sections`, which knows numbering. A tab after a number or bullet is a space.
"""

import re

from core.domain.policy import LoadedDocument
from core.ingest.load.builder import DocumentBuilder
from core.ingest.load.decode import decode_text

_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_LABEL = re.compile(r"\(?[\w.()\u200e]{0,40}?[.)\d][.)]?\t|[^\w\s]\t|(?:\w+\.)+\w*\t|[A-Za-z]\t|$")
"""A number, letter or bullet and its tab."""
_FORM_FEED = "\x0c"


def load_text(data: bytes) -> LoadedDocument:
    """Read a text file; form feeds begin pages where there are any.

    Raises:
        DocumentError: see `decode_text`.
    """
    text = decode_text(data)
    builder = DocumentBuilder()
    pages = text.split(_FORM_FEED)
    for page in pages:
        if len(pages) > 1:
            builder.page()
        _add_lines(builder, _LINE_END.split(page))
    return builder.build("text/plain", metadata={})


def _add_lines(builder: DocumentBuilder, lines: list[str]) -> None:
    in_table = False
    for line in lines:
        cells = _cells(line)
        if cells and not in_table:
            builder.begin_table()
        elif in_table and not cells:
            builder.end_table()
        in_table = bool(cells)
        if cells:
            builder.row(cells)
        elif builder.line(line) is None:
            builder.blank()
    if in_table:
        builder.end_table()


def _cells(line: str) -> list[str]:
    """Split a line at its tabs; empty if it is no table row."""
    stripped = line.strip()
    if "\t" not in stripped or _LABEL.match(stripped):
        return []
    return [cell for cell in re.split(r"\t+", stripped) if cell.strip()]
