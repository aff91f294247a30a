"""Excel workbooks: each visible sheet a section, its tables as rows, cells as formats show them.

- A page is a row here: a sheet's heading begins one, and each row, also an empty one, the next, so
  that the row of a quote can be told from the heading's.
- The header of a table is its first row with several cells; what stands alone above it is text,
  and heads the sheet if it is the first and reads as a title. A row further down begins a table
  of its own if it reads as a header.
- What stands alone between the rows of a table, in bold, introduces those below: it gets a colon,
  and the header comes again.
- Merged cells stand in each row and column that they span, since a row is understood by itself.
- Formulas are their stored values. Hidden sheets, rows and columns are left out, as are errors.
"""

import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from core.domain.errors import DocumentError
from core.domain.policy import XLSX, LoadedDocument
from core.ingest.heading_candidates import is_title_like
from core.ingest.load.builder import DocumentBuilder, clean_line, describe_left_out, hidden_note
from core.ingest.load.office.archive import office_file
from core.ingest.load.office.cell_text import cell_text
from core.ingest.metadata import canonical_keys
from core.ingest.stated.statements import statements
from core.ingest.titles import is_written

_MAX_ROW, _MAX_COLUMN = 20_000, 200
_UNCOMPUTED = re.compile(rb"(?:</f>|<f\b[^<>]*/>)\s*+(?:<v\s*/>|<v></v>)?\s*+</c>")
"""A formula without a stored value, as programs write it that do not calculate."""
_ENDS = (".", "!", "?", ":")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A row with its visible cells."""

    number: int
    """As the program shows it, from 1."""
    cells: Mapping[int, str]
    """Text by column, from 1; at least one."""
    is_text: bool
    """True if none of its cells is a number or date."""
    is_bold: bool
    """True if all of them are bold."""
    is_upper: bool
    """True if a cell is merged over several columns, as above the titles of those."""


def load_xlsx(data: bytes) -> LoadedDocument:
    """Read an Excel workbook.

    Raises:
        DocumentError: corrupt, encrypted, dangerous or too large; the message is for people.
    """
    with office_file(data, raises=InvalidFileException) as file:
        book = openpyxl.load_workbook(file, data_only=True, keep_links=False)
        sheets = [_Sheet(sheet) for sheet in book.worksheets if sheet.sheet_state == "visible"]
        builder = DocumentBuilder()
        for sheet in sheets:
            sheet.write(builder)
        lost = _uncomputed(zipfile.ZipFile(file))
        notes = [
            *hidden_note(len(book.worksheets) - len(sheets), "sheet"),
            *hidden_note(sum(sheet.hidden_rows for sheet in sheets), "row"),
            *hidden_note(sum(sheet.hidden_columns for sheet in sheets), "column"),
            *describe_left_out(
                [
                    (sum(sheet.errors for sheet in sheets), "cell error"),
                    (lost, "uncomputed formula"),
                ],
                cure="open it in Excel, correct that and save it",
            ),
        ]
        comments = describe_left_out([(sum(sheet.comments for sheet in sheets), "comment")])
        titles = [book.properties.title or "", sheets[0].caption if len(sheets) == 1 else ""]
        title = next((title for title in titles if title and is_written(title)), "")
        said = canonical_keys([("title", title)])
        return builder.build(XLSX, metadata=said, notes=notes, left_out=comments)


def _title_and_statement(caption: str) -> tuple[str, str]:
    """Return "Hotel limits" and "valid from 1 March 2026" of "Hotel limits, valid from ..."."""
    for mark in (", ", " (", " – ", " - "):  # noqa: RUF001  # as people type it
        title, _, rest = caption.partition(mark)
        if statements(rest):
            return title, rest.removesuffix(")") if mark == " (" else rest
    return caption, ""


def _uncomputed(archive: zipfile.ZipFile) -> int:
    names = (name for name in archive.namelist() if name.startswith("xl/worksheets/"))
    return sum(len(_UNCOMPUTED.findall(archive.read(name))) for name in names)


class _Sheet:
    """One sheet, read into rows, then written."""

    def __init__(self, sheet: Any) -> None:
        self._name = clean_line(sheet.title).text or "Sheet"
        # All other ways to read cells make those that are not there, up to the last one.
        cells = {at: cell for at, cell in sheet._cells.items() if cell.value is not None}  # noqa: SLF001
        if any(row > _MAX_ROW or column > _MAX_COLUMN for row, column in cells):
            raise DocumentError(
                f"the sheet {self._name!r} goes on beyond row {_MAX_ROW:,} or column {_MAX_COLUMN}:"
                " keep what is a rule, and leave out data"
            )
        self.errors = sum(cell.data_type == "e" for cell in cells.values())
        self.comments = sum(cell.comment is not None for cell in cells.values())
        rows = {at for at, row in sheet.row_dimensions.items() if row.hidden}
        columns = {
            at
            for column in sheet.column_dimensions.values()
            if column.hidden
            for at in range(column.min, min(column.max, _MAX_COLUMN) + 1)
        }
        self.hidden_rows = len(rows & {row for row, _ in cells})
        self.hidden_columns = len(columns & {column for _, column in cells})
        upper = _fill_merged(sheet, cells)
        kept = {at: cells[at] for at in sorted(cells) if at[0] not in rows and at[1] not in columns}
        self._rows = list(_rows(kept, upper))
        first = [*self._rows[0].cells.values()] if self._rows else []
        caption = first[0] if len(first) == 1 and is_title_like(first[0]) else ""
        self.caption, self._stated = _title_and_statement(caption)
        """Its first line, if that reads as a title, and what that states: "valid from ..."."""
        self._reached = 0

    def write(self, builder: DocumentBuilder) -> None:
        """Write the sheet: its name as heading, then row by row."""
        if not self._rows:
            return
        is_said = self._name.casefold() in self.caption.casefold()
        heading = self.caption if is_said else f"{self.caption} ({self._name})"
        builder.page()
        builder.heading(heading if self.caption else self._name, level=2)
        if self._stated:
            builder.aside(self._stated)
        for block in _blocks(self._rows[1:] if self.caption else self._rows):
            self._write_block(builder, block)

    def _write_block(self, builder: DocumentBuilder, block: Sequence[_Row]) -> None:
        columns = sorted(set(chain.from_iterable(row.cells for row in block)))
        lines = [[row.cells.get(column, "") for column in columns] for row in block]
        needs_header = False
        builder.begin_table()
        for place, (row, texts) in enumerate(zip(block, lines, strict=True)):
            for _ in range(row.number - self._reached):
                builder.page()
            self._reached = row.number
            is_row = any(texts[1:])
            if is_row and (place or len(lines) == 1 or any(lines[1][1:])):
                if needs_header:
                    builder.row(lines[0])
                builder.row(texts)
            elif not is_row:
                builder.end_table()
                introduces = row.is_bold and place + 1 < len(block)
                colon = ":" if introduces and not texts[0].endswith(_ENDS) else ""
                builder.line(f"{texts[0]}{colon}")
                builder.begin_table()
            needs_header = not is_row
        builder.end_table()


def _fill_merged(sheet: Any, cells: dict[tuple[int, int], Any]) -> set[int]:
    """Let merged cells stand in all that they span; return the rows with one over columns.

    One that has its rows for itself, a caption, stays where it is.
    """
    upper: set[int] = set()
    held: defaultdict[int, set[int]] = defaultdict(set)
    for row, column in cells:
        held[row].add(column)
    for merged in sheet.merged_cells.ranges:
        corner = cells.get((merged.min_row, merged.min_col))
        rows = range(merged.min_row, min(merged.max_row, _MAX_ROW) + 1)
        columns = range(merged.min_col, min(merged.max_col, _MAX_COLUMN) + 1)
        for row in rows if corner is not None else ():
            if held[row].difference(columns):
                cells |= {(row, column): corner for column in columns}
                upper |= {row} if len(columns) > 1 else set()
    return upper


def _rows(cells: Mapping[tuple[int, int], Any], upper: set[int]) -> Iterator[_Row]:
    by_row: dict[int, dict[int, Any]] = {}
    for (row, column), cell in cells.items():
        by_row.setdefault(row, {})[column] = cell
    for row, found in by_row.items():
        shown = {column: _text(cell) for column, cell in found.items()}
        kept = [found[column] for column, text in shown.items() if text]
        if kept:
            yield _Row(
                number=row,
                cells={column: text for column, text in shown.items() if text},
                is_text=all(isinstance(cell.value, str) for cell in kept),
                is_bold=all(cell.font.b for cell in kept),
                is_upper=row in upper,
            )


def _text(cell: Any) -> str:
    return clean_line(
        "" if cell.data_type == "e" else cell_text(cell.value, cell.number_format)
    ).text


def _blocks(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """Yield tables, with what stands alone within and below them, and the lines above them."""
    block: list[_Row] = []
    for row in rows:
        is_headed = bool(block) and len(block[0].cells) > 1
        if is_headed and len(block) == 1 and block[0].is_upper and row.is_text:
            block = [_joined(block[0], row)]
        elif is_headed and not _begins_table(row, block):
            block.append(row)
        else:
            if block:
                yield block
            block = [row]
    if block:
        yield block


def _begins_table(row: _Row, block: Sequence[_Row]) -> bool:
    """Return whether a row below a table's header is the header of another table."""
    follows_gap = row.number - block[-1].number > 1
    return (
        row.is_text
        and len(row.cells) > 1
        and (
            len(row.cells) > max(len(above.cells) for above in block)
            or (row.is_bold and not block[-1].is_bold)
            or (follows_gap and not set(row.cells) <= set(block[0].cells))
        )
    )


def _joined(upper: _Row, lower: _Row) -> _Row:
    """Return a header of two rows as one, which stands where the lower one does."""
    cells = {
        column: " ".join(dict.fromkeys(row.cells.get(column, "") for row in (upper, lower))).strip()
        for column in sorted({*upper.cells, *lower.cells})
    }
    return _Row(number=lower.number, cells=cells, is_text=True, is_bold=True, is_upper=False)
