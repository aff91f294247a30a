"""Plain text: lines as they are; rows of columns set with tabs or spaces become table rows.

Headings are left to `sections`, which knows numbering. A tab after a number or bullet is a space.
"""

import re

from core.domain.policy import LoadedDocument
from core.ingest.load.builder import DocumentBuilder
from core.ingest.load.decode import decode_text

_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_LABEL = re.compile(
    r"\(?[\w.()\u200e]{0,40}?[.)\d][.)]? *\t|[^\w\s] *\t|(?:\w+\.)+\w* *\t|[A-Za-z] *\t|$"
)
"""A number, letter or bullet and its tab."""
_NUMBERED = re.compile(r"[^\w\s]\s|\(?\w{1,4}[.)]\s|\d[\d.]*\s")
_TABS = re.compile(r"\t+")
_COLUMNS = re.compile(r"(?<![.!?:]) {3,}")
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
    rows = [_cells(line) for line in lines]
    in_table = False
    for place, (line, cells) in enumerate(zip(lines, rows, strict=True)):
        is_row = bool(cells) and ("\t" in line.strip() or _has_neighbour(rows, place))
        if is_row and not in_table:
            builder.begin_table()
        elif in_table and not is_row:
            builder.end_table()
        in_table = is_row
        if is_row:
            builder.row(cells)
        elif builder.line(line) is None:
            builder.blank()
    if in_table:
        builder.end_table()


def _cells(line: str) -> list[str]:
    """Split a line at its tabs, or at runs of spaces that align columns.

    Empty if there are none.
    """
    stripped = line.strip()
    if "\t" in stripped:
        return [] if _LABEL.match(stripped) else _split(_TABS, stripped)
    if "   " not in stripped or _NUMBERED.match(stripped):
        return []
    return _split(_COLUMNS, stripped)


def _split(separator: re.Pattern[str], line: str) -> list[str]:
    cells = [cell for cell in separator.split(line) if cell.strip()]
    return cells if len(cells) > 1 else []


def _has_neighbour(rows: list[list[str]], place: int) -> bool:
    """Say whether the line above or below has columns too: one gap alone is no table."""
    return any(rows[max(0, place - 1) : place]) or any(rows[place + 1 : place + 2])
