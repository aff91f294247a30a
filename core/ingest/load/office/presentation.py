"""PowerPoint presentations: a section a slide, with its title, paragraphs, lists and tables.

- A page is a slide. Hidden slides are left out and counted, so that numbers are as people see them.
- Speaker notes are what somebody meant to say, and no rule: they are left out, and a note says so.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pptx
from pptx.enum.shapes import PP_PLACEHOLDER as KIND
from pptx.exc import PythonPptxError
from pptx.oxml.ns import qn

from core.domain.policy import PPTX, LoadedDocument
from core.ingest.load.builder import DocumentBuilder, describe_left_out, hidden_note
from core.ingest.load.office.archive import office_file
from core.ingest.metadata import canonical_keys
from core.ingest.titles import is_written

_BESIDE = frozenset({KIND.DATE, KIND.FOOTER, KIND.HEADER, KIND.SLIDE_NUMBER})
"""What stands on each slide alike."""
_LISTS = frozenset({KIND.BODY, KIND.OBJECT})
"""Where paragraphs are items unless they say otherwise."""


def load_pptx(data: bytes) -> LoadedDocument:
    """Read a PowerPoint presentation.

    Raises:
        DocumentError: corrupt, encrypted or dangerous; the message is for people.
    """
    builder = DocumentBuilder()
    left: Counter[str] = Counter()
    with office_file(data, raises=PythonPptxError) as file:
        deck = pptx.Presentation(file)
        for number, slide in enumerate(deck.slides, start=1):
            builder.page()
            if slide.element.get("show") in {"0", "false"}:
                left["hidden slide"] += 1
            else:
                _write_slide(builder, slide, number=number, left=left)
        title = deck.core_properties.title or ""
    notes = hidden_note(left.pop("hidden slide", 0), "slide")
    beside = describe_left_out((count, kind) for kind, count in left.items())
    said = canonical_keys([("title", title if is_written(title) else "")])
    return builder.build(PPTX, metadata=said, notes=notes, left_out=beside)


def _write_slide(builder: DocumentBuilder, slide: Any, *, number: int, left: Counter[str]) -> None:
    """Write a slide; the title of a title slide in front stands above those of all others."""
    title = slide.shapes.title
    is_cover = number == 1 and title is not None and _kind(title) == KIND.CENTER_TITLE
    words = " ".join(title.text_frame.text.split()) if title is not None else ""
    builder.heading(words or "Slide without a title", level=1 if is_cover else 2)
    for shape in _visible(slide.shapes):
        if _kind(shape) in _BESIDE or (title is not None and shape.shape_id == title.shape_id):
            continue
        if shape.has_text_frame:
            _write_text(builder, shape.text_frame.paragraphs, is_list=_kind(shape) in _LISTS)
        elif getattr(shape, "has_table", False):
            _write_table(builder, shape.table)
        else:
            left["graphic"] += 1
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    left["speaker note"] += bool(notes and notes.text.strip())


def _visible(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield the shapes that are shown, those of groups one by one, in their order."""
    for shape in shapes:
        named = next(shape.element.iter(qn("p:cNvPr")), None)
        if named is not None and named.get("hidden") in {"1", "true"}:
            continue
        if hasattr(shape, "shapes"):
            yield from _visible(shape.shapes)
        else:
            yield shape


def _kind(shape: Any) -> object:
    return shape.placeholder_format.type if shape.is_placeholder else None


def _write_text(builder: DocumentBuilder, paragraphs: Iterable[Any], *, is_list: bool) -> None:
    builder.blank()
    for paragraph in paragraphs:
        properties = paragraph._p.pPr  # noqa: SLF001  # no public name
        marks = {str(child.tag) for child in (() if properties is None else properties)}
        is_item = (is_list or marks & {qn("a:buChar"), qn("a:buAutoNum")}) and (
            qn("a:buNone") not in marks
        )
        text = paragraph.text.strip()
        if is_item and text:
            builder.line(f"- {text}", depth=paragraph.level)
        elif text:
            builder.blank()
            builder.line(text)
            builder.blank()
    builder.blank()


def _write_table(builder: DocumentBuilder, table: Any) -> None:
    """Write a table; a cell over several rows stands in each of them, as in HTML."""
    builder.begin_table()
    texts: list[str] = []
    for row in table.rows:
        texts = [
            texts[place] if texts and cell.is_spanned and cell._tc.vMerge else cell.text  # noqa: SLF001
            for place, cell in enumerate(row.cells)
        ]
        builder.row(texts)
    builder.end_table()
