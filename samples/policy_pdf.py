"""Set a sample policy as PDF, with running header and footer.

Called by `build.py`. Rules:

- Output is invariant: no time, no random id, no compression.
- With an outline, every numbered heading is a bookmark; without, the file has none.
"""

from __future__ import annotations

import html
import io
from functools import partial
from typing import IO, Any

from policy_source import (
    COMPANY,
    SECTION,
    TITLE,
    Block,
    Document,
    Heading,
    Items,
    Paragraph,
    Table,
    bold,
    column_widths,
)
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, SimpleDocTemplate, Spacer, TableStyle
from reportlab.platypus import Paragraph as PdfParagraph
from reportlab.platypus import Table as PdfTable

LEFT, RIGHT, TOP = 25 * mm, A4[0] - 25 * mm, A4[1] - 14 * mm
BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=14, spaceAfter=6)
CELL = TableStyle(
    [
        ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9),
        ("FONT", (0, 1), (-1, -1), "Helvetica", 9),
        ("GRID", (0, 0), (-1, -1), 0.5, colors.grey),
    ]
)


class PolicyCanvas(Canvas):
    """Set the running footer when all pages are known, since it counts them."""

    def __init__(self, filename: str | IO[bytes], *, document: Document, **options: Any) -> None:
        super().__init__(filename, **options)
        self.document = document
        self.pages: list[dict[str, Any]] = []

    def showPage(self) -> None:  # noqa: N802 - reportlab's name
        """Keep the page for later."""
        self.pages.append(dict(self.__dict__))
        self._startPage()  # pyright: ignore[reportAttributeAccessIssue]

    def save(self) -> None:
        """Finish every page, then the file."""
        for page in self.pages:
            self.__dict__.update(page)
            self.set_footer()
            super().showPage()
        super().save()

    def set_footer(self) -> None:
        """Set version and page number below the text."""
        page = f"Page {self.getPageNumber()} of {len(self.pages)}"
        self.setFont("Helvetica", 8)
        self.drawString(LEFT, 12 * mm, f"Version {self.document.version} - Internal")
        self.drawRightString(RIGHT, 12 * mm, page)


class PdfHeading(PdfParagraph):
    """A heading that remembers what it says."""

    def __init__(self, heading: Heading, style: ParagraphStyle) -> None:
        super().__init__(html.escape(heading.text, quote=False), style)
        self.title = heading.text
        self.level = heading.level


class PolicyTemplate(SimpleDocTemplate):
    """A4 pages; every numbered heading becomes a bookmark if the file has an outline."""

    def __init__(self, buffer: io.BytesIO, document: Document, *, has_outline: bool) -> None:
        margins = {"leftMargin": 25 * mm, "rightMargin": 25 * mm}
        margins |= {"topMargin": 24 * mm, "bottomMargin": 22 * mm}
        # Invariant output carries no time and no random id.
        fixed = {"invariant": 1, "pageCompression": 0, "lang": "en-GB"}
        names = {"title": document.title, "author": COMPANY}
        super().__init__(buffer, pagesize=A4, **margins, **fixed, **names)
        self.has_outline = has_outline

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802 - reportlab's name
        """Add the bookmark of a heading."""
        if self.has_outline and isinstance(flowable, PdfHeading) and flowable.level > TITLE:
            self.canv.bookmarkPage(flowable.title)
            self.canv.addOutlineEntry(flowable.title, flowable.title, flowable.level - SECTION)


def build_pdf(document: Document, *, has_outline: bool) -> bytes:
    """Set a policy as PDF, with or without bookmarks."""
    buffer = io.BytesIO()
    template = PolicyTemplate(buffer, document, has_outline=has_outline)
    story = [flowable for block in document.blocks for flowable in pdf_flowables(block)]

    def set_header(canvas: Canvas, _: object) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(LEFT, TOP, COMPANY)
        canvas.drawRightString(RIGHT, TOP, document.title)

    template.build(
        story,
        onFirstPage=set_header,
        onLaterPages=set_header,
        canvasmaker=partial(PolicyCanvas, document=document),
    )
    return buffer.getvalue()


def pdf_flowables(block: Block) -> list[Flowable]:
    """Set one block."""
    match block:
        case Heading():
            size = {TITLE: 18, SECTION: 13}.get(block.level, 11)
            style = ParagraphStyle(
                "heading",
                fontName="Helvetica-Bold",
                fontSize=size,
                leading=size * 1.3,
                spaceBefore=8,
                spaceAfter=4,
                keepWithNext=True,
            )
            return [PdfHeading(block, style)]
        case Paragraph():
            return [PdfParagraph(bold(block.text, tag="b"), BODY)]
        case Items():
            style = ParagraphStyle("item", BODY, leftIndent=5 * mm, spaceAfter=3)
            marks = ("" if text.startswith("(") else "- " for text in block.texts)
            texts = zip(marks, block.texts, strict=True)
            return [
                PdfParagraph(html.escape(mark + text, quote=False), style) for mark, text in texts
            ]
        case Table():
            widths = column_widths(block)
            scale = 160 * mm / sum(widths)
            columns = [width * scale for width in widths]
            return [PdfTable([block.head, *block.rows], columns, style=CELL), Spacer(0, 4 * mm)]
