"""Documents as they come: long, in odd encodings, full of code; and what must hold for each.

Every span is exactly the text that it names, on generated documents of each format and on real
ones: an answer quotes by span.
"""

import io
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import process_time

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from core.domain.errors import DocumentError
from core.ingest.load import load
from core.ingest.prepare import Prepared, prepare
from core.ontology.extract.rule_extractor import extract
from core.ports.extraction import SourceDocument
from tests.properties import examples

PARAGRAPHS = (
    "Staff must report gifts above EUR 50 to the Compliance Officer within 5 working days.",
    "The Line Manager may approve travel up to EUR 1,000, unless Section 4 says otherwise.",
    "\u201cGift\u201d means anything of value \u2014 also \u20ac vouchers \U0001f381.",
    "Records are kept for seven (7) years; see rule 9.3.1(2) and Annex B.",
    "Name | Limit | Approver",
    "- one\n- two: as follows\n  - deeper",
    "MUST NOT\u00a0be \u200bignored",
)
ODD = (
    *("\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\x0c", "\x85"),
    *("e\u0301", "\u0301", "\ufb01", "\u0130", "\U0001f468\u200d\U0001f469", "\u0661", "\xad"),
    *("|", "\t", "\n\n", "```", "\n# ", "<!--", "]]>", "&nbsp;", "</p>", "---\n"),
)
HEADINGS = ("1 Scope", "1.1 Limits", "Annex B Forms", "Contents", "IV. Duties", "WHAT COUNTS")


def as_text(parts: list[str]) -> bytes:
    return "\n\n".join(parts).encode()


def as_utf16(parts: list[str]) -> bytes:
    return "\r\n\r\n".join(parts).encode("utf-16")


def as_html(parts: list[str]) -> bytes:
    return "".join(f"<h2>{p}</h2>" if p in HEADINGS else f"<p>{p}</p>" for p in parts).encode()


def as_markdown(parts: list[str]) -> bytes:
    return "\n\n".join(f"## {part}" if part in HEADINGS else part for part in parts).encode()


def as_word(parts: list[str]) -> bytes:
    source, buffer = docx.Document(), io.BytesIO()
    for part in parts:
        if part in HEADINGS:
            source.add_heading(part, 2)
        else:
            source.add_paragraph(part)
    source.save(buffer)
    return buffer.getvalue()


def as_pdf(parts: list[str]) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    top = 780
    for part in parts:
        canvas.setFont("Helvetica-Bold" if part in HEADINGS else "Helvetica", 11)
        canvas.drawString(
            70, top, part.replace("\n", " ").encode("latin-1", "ignore").decode("latin-1")
        )
        top -= 30
        if top < 60:
            canvas.showPage()
            top = 780
    canvas.save()
    return buffer.getvalue()


FORMATS: dict[str, Callable[[list[str]], bytes]] = {
    "a.txt": as_text,
    "b.txt": as_utf16,
    "a.html": as_html,
    "a.md": as_markdown,
    "a.docx": as_word,
    "a.pdf": as_pdf,
}


def check_spans(prepared: Prepared) -> None:
    """Sections cover the text, chunks are slices of it, and facts are spans within it."""
    text = prepared.document.text
    ends = [0, *(section.char_end for section in prepared.sections)]
    assert [section.char_start for section in prepared.sections] == ends[:-1]
    assert ends[-1] == len(text)
    for section in prepared.sections:
        assert section.char_start <= section.body_start <= section.char_end
    for chunk in prepared.chunks:
        assert chunk.text == text[chunk.char_start : chunk.char_end]
        section = prepared.sections[chunk.section_ordinal]
        assert section.char_start <= chunk.char_start < chunk.char_end <= section.char_end
    for heading in prepared.document.headings:
        assert heading.span.of(text).strip() == heading.span.of(text) != ""
    found = extract(
        SourceDocument(
            text=text,
            sections=prepared.sections,
            policy_key="p",
            title=prepared.metadata.title,
            jurisdiction=None,
        )
    )
    spans = [span for fact in (*found.entities, *found.relations) for span in fact.spans]
    spans += [reference.span for reference in found.references]
    for span in spans:
        assert 0 <= span.char_start < span.char_end <= len(text)
        assert span.of(text).strip() == span.of(text)


@examples(25)
@given(parts=st.lists(st.sampled_from((*PARAGRAPHS, *HEADINGS)), min_size=1, max_size=12))
@pytest.mark.parametrize("name", FORMATS)
def test_spans_are_their_texts(name: str, parts: list[str]) -> None:
    check_spans(prepare(FORMATS[name]([*parts, PARAGRAPHS[0]]), source_name=name))


@examples(15)
@given(
    parts=st.lists(st.sampled_from((*PARAGRAPHS, *HEADINGS)), min_size=1, max_size=6),
    odd=st.lists(st.tuples(st.sampled_from(ODD), st.integers(0, 2_000)), min_size=1, max_size=20),
)
@pytest.mark.parametrize("name", ["a.txt", "b.txt", "a.html", "a.md"])
def test_spans_are_their_texts_among_hostile_characters(
    name: str, parts: list[str], odd: list[tuple[str, int]]
) -> None:
    """Characters that vanish, join, turn the text round or end a line move no span."""
    text = FORMATS["a.html" if name == "a.html" else "a.md"]([*parts, PARAGRAPHS[0]]).decode()
    for character, place in odd:
        cut = place % (len(text) + 1)
        text = text[:cut] + character + text[cut:]
    data = text.encode("utf-16" if name == "b.txt" else "utf-8", "surrogatepass")
    with suppress(DocumentError):
        check_spans(prepare(data, source_name=name))


@pytest.mark.shared_data
@pytest.mark.slow
@pytest.mark.parametrize("folder", ["policies", "workplace"])
def test_spans_are_their_texts_in_real_documents(shared: Path, folder: str) -> None:
    files = [
        path
        for path in sorted((shared / folder).rglob("*"))
        if path.suffix in {".md", ".pdf", ".txt"}
    ]
    assert files
    for path in files[:: 1 if folder == "policies" else 4]:
        check_spans(prepare(path.read_bytes(), source_name=path.name))


@pytest.mark.slow
def test_500_pages_have_500_pages() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for page in range(1, 501):
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(70, 760, f"{page} Rule about subject {page}")
        canvas.setFont("Helvetica", 10)
        canvas.drawString(
            70, 720, f"Staff must report case {page} to the Compliance Officer within {page} days."
        )
        canvas.drawString(280, 30, f"Page {page} of 500")
        canvas.showPage()
    canvas.save()
    found = prepare(buffer.getvalue(), source_name="long.pdf")
    assert len(found.document.page_starts) == 500
    assert [section.page for section in found.sections] == list(range(1, 501))
    assert "Page 7 of" not in found.document.text
    check_spans(found)


def test_code_is_no_structure() -> None:
    """Comments of a script are no headings, and its lines no list."""
    code = "```sh\n# 1. Clean\nmake clean\n# 2. Build\n- x\n| a | b |\n```"
    text = f"# Build policy\n\nRun this:\n\n{code}\n\n## Next\n\nDone.\n"
    found = prepare(text.encode(), source_name="a.md")
    assert [section.title for section in found.sections] == ["Build policy", "Next"]
    assert "# 2. Build" in found.document.text


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32", "cp1252"]
)
def test_encodings_are_read(encoding: str) -> None:
    document = load(
        "Staff must not accept caf\u00e9 vouchers.".encode(encoding), source_name="a.txt"
    )
    assert document.text == "Staff must not accept caf\u00e9 vouchers."


@pytest.mark.parametrize(
    "unit",
    ["Rule 4.1 ", "see GEN 3.3.31 ", "EUR 5 or ", "The Compliance Officer (CO) ", "must not "],
)
def test_one_line_of_many_references_is_read_in_linear_time(unit: str) -> None:
    """Without a line end, without a full stop: nothing is copied once for each of them."""
    text = f"1 Scope\n\n{unit * (8000 // len(unit))}\n"
    check_spans(prepare(text.encode(), source_name="a.txt"))


def test_many_numbers_take_time_in_proportion() -> None:
    """Twice as many items or headings take about twice as long, also to extract from them."""
    for line, least, name in (
        ("1. ", 10_000, "many.txt"),
        ("1.\n", 5_000, "many.txt"),
        ("# Rule\n\nStaff must ask.\n\n", 250, "many.md"),
    ):
        seconds: list[float] = []
        for count in (least, 4 * least):
            began_s = process_time()
            prepared = prepare((line * count).encode() + b"\n\nEnd.", source_name=name)
            extract(
                SourceDocument(
                    text=prepared.document.text,
                    sections=prepared.sections,
                    policy_key=prepared.metadata.key,
                    title=prepared.metadata.title,
                    jurisdiction=prepared.metadata.jurisdiction,
                )
            )
            seconds.append(process_time() - began_s)
        assert seconds[1] < 10 * seconds[0]


def test_a_megabyte_of_numbered_lines_is_refused() -> None:
    """In a line, before each is weighed."""
    with pytest.raises(DocumentError, match="200,000 of its lines begin with a number"):
        prepare(b"1.\n" * 350_000, source_name="many.txt")
