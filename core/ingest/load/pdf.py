"""PDF with a text layer: pages to lines to blocks to text.

pdfium is not thread-safe, so a process reads one document at a time.
"""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from core.domain.errors import DocumentError
from core.domain.policy import LoadedDocument
from core.ingest.load.builder import DocumentBuilder
from core.ingest.load.pdf_contents import contents_depths, title_key
from core.ingest.load.pdf_flow import write_pages
from core.ingest.load.pdf_headings import Page
from core.ingest.load.pdf_layout import blocks_of
from core.ingest.load.pdf_lines import Line, PageLines, read_lines
from core.ingest.load.pdf_margins import without_running_lines, without_side_menus, without_stamps
from core.ingest.load.pdf_title import title_of

_ONE_AT_A_TIME = threading.Lock()

_ENCRYPTED = "the PDF is protected by a password: save it without one"
_CORRUPT = "the PDF is corrupt: export it again"
_SCANNED = "the PDF has no text layer (scanned?): run OCR first"
_MAX_PAGES = 5_000
_FIRST_PAGES = 3
"""On which running headers and footers are looked for: a cover may have none."""
_EMPTY_PAGES = "no text on page {}: if it is scanned, run OCR on the file and ingest it again"
_BELOW_TITLE = 2
_OUTLINED = 5
"""Bookmarks that say more than a printed table of contents."""
_MIN_CHARACTERS_A_PAGE = 10
"""Scanners add a page number or a name; a page of text has hundreds of characters."""


def load_pdf(data: bytes) -> LoadedDocument:
    """Read a PDF.

    Raises:
        DocumentError: protected, corrupt, scanned or without pages; the message is for people.
    """
    with _ONE_AT_A_TIME:
        document = _open(data)
        try:
            read = _read(document)
            outline = _outline(document)
            stated = str(document.get_metadata_value("Title"))
        except (pdfium.PdfiumError, ValueError) as exc:
            raise DocumentError(_CORRUPT) from exc
        finally:
            document.close()
    pages = [page.lines for page in read]
    if sum(len(line.text) for page in pages for line in page) < _MIN_CHARACTERS_A_PAGE:
        raise DocumentError(_SCANNED)
    turned = sum(page.turned for page in read)
    return _written(pages, outline, turned=turned, stated=stated)


def _written(
    pages: Sequence[Sequence[Line]],
    outline: Mapping[int, Mapping[str, int]],
    *,
    turned: int,
    stated: str,
) -> LoadedDocument:
    proper = without_running_lines(pages)
    builder = DocumentBuilder()
    for page, body in zip(pages[:_FIRST_PAGES], proper, strict=False):
        _note_running_lines(page, body, builder)
    kept = without_side_menus(without_stamps(proper))
    removed = _count(pages) - _count(proper)
    stamps = _count(proper) - _count(kept)
    hyphens = write_pages(
        [
            Page(blocks=tuple(blocks_of(lines)), outline=outline.get(index, {}))
            for index, lines in enumerate(kept)
        ],
        builder,
        contents={} if sum(map(len, outline.values())) >= _OUTLINED else contents_depths(kept),
    )
    counts = (
        (removed, f"left out {removed} header, footer and page number lines"),
        (stamps + turned, f"left out {stamps + turned} rotated lines and lines in the margin"),
        (hyphens, f"joined {hyphens} hyphenated line ends"),
    )
    empty = ", ".join([str(place) for place, page in enumerate(pages, start=1) if not page][:10])
    title = title_of(kept, stated)
    return builder.build(
        "application/pdf",
        metadata={"title": title} if title else {},
        notes=[_EMPTY_PAGES.format(empty)] if empty else [],
        left_out=[said for count, said in counts if count],
    )


def _note_running_lines(
    page: Sequence[Line], body: Sequence[Line], builder: DocumentBuilder
) -> None:
    """Note what stands above and below the text of a page, in lines from left to right."""
    kept = {id(line) for line in body}
    running = [line for line in page if id(line) not in kept]
    heights = {round(line.baseline) for line in running}
    for height in sorted(heights, reverse=True):
        level = [line for line in running if round(line.baseline) == height]
        builder.aside(*(line.text for line in sorted(level, key=lambda line: line.left)))


def _count(pages: Sequence[Sequence[Line]]) -> int:
    return sum(len(page) for page in pages)


def _open(data: bytes) -> pdfium.PdfDocument:
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as exc:
        if exc.err_code in {pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY}:
            raise DocumentError(_ENCRYPTED) from exc
        raise DocumentError(_CORRUPT) from exc
    if not 0 < len(document) <= _MAX_PAGES:
        document.close()
        raise DocumentError(f"the PDF has no page or more than {_MAX_PAGES}: split it")
    return document


def _read(document: pdfium.PdfDocument) -> list[PageLines]:
    pages: list[PageLines] = []
    for index in range(len(document)):
        page = document[index]
        try:
            pages.append(read_lines(page))
        finally:
            page.close()
    return pages


def _outline(document: pdfium.PdfDocument) -> dict[int, dict[str, int]]:
    """Return the bookmarks by page from 0: title to level; several roots are below a title."""
    found: dict[int, dict[str, int]] = {}
    opened: Any = document
    bookmarks: list[Any] = list(opened.get_toc())
    roots = sum(1 for bookmark in bookmarks if bookmark.level == 0)
    first_level = 1 if roots == 1 else _BELOW_TITLE
    for bookmark in bookmarks:
        target = bookmark.get_dest()
        page: int | None = target.get_index() if target is not None else None
        key = title_key(str(bookmark.get_title()))
        if page is not None and key:
            found.setdefault(page, {})[key] = int(bookmark.level) + first_level
    return found
