"""Laws that hold for any text."""

from hypothesis import given
from hypothesis import strategies as st

from core.domain.policy import LoadedDocument, MediaType
from core.ingest.chunk import cut_chunks
from core.ingest.load.builder import DocumentBuilder
from core.ingest.sections import split_sections
from tests.properties import examples

MEDIA: list[MediaType] = ["application/pdf", "text/markdown", "text/plain"]
LABELS = [
    "1. ",
    "1.1 ",
    "2. ",
    "2.1(3) ",
    "A. ",
    "II. ",
    "Article 4 ",
    "Annex A: ",
    "(a) ",
    "- ",
    "CONTENTS",
    "",
]
LINES = st.tuples(st.sampled_from(LABELS), st.text(max_size=40)).map("".join)
TEXTS = st.one_of(st.text(max_size=300), st.lists(LINES, max_size=25).map("\n".join))


@st.composite
def documents(draw: st.DrawFn) -> LoadedDocument:
    """What a loader may give: lines, headings, rows and pages in any order."""
    builder = DocumentBuilder()
    for kind, text in draw(st.lists(st.tuples(st.integers(0, 5), LINES), max_size=25)):
        if kind == 0:
            builder.heading(text, level=1 + len(text) % 6)
        elif kind == 1:
            builder.begin_table()
            builder.row([text, "x", text])
            builder.end_table()
        elif kind == 2:
            builder.page()
        elif kind == 3:
            builder.extend(text, glue=" ")
        else:
            builder.line(text)
    media = draw(st.sampled_from(MEDIA))
    return builder.build(media, metadata={})


@given(document=documents())
def test_offsets_of_a_loaded_document_are_exact(document: LoadedDocument) -> None:
    """Headings are lines, tables are whole lines, pages rise from 0 within the text."""
    text = document.text
    assert "\n\n\n" not in text
    for heading in document.headings:
        assert heading.span.of(text).strip()
        assert "\n" not in heading.span.of(text)
        assert heading.span.char_start == 0 or text[heading.span.char_start - 1] == "\n"
    for table in document.tables:
        assert "|" in table.of(text)
        assert table.char_start == 0 or text[table.char_start - 1] == "\n"
    assert list(document.page_starts) == sorted(document.page_starts)
    assert document.page_starts[:1] in {(), (0,)}


@given(
    document=documents()
    | TEXTS.map(lambda text: LoadedDocument(text=text, media_type="text/plain"))
)
@examples(300)
def test_sections_partition_the_text(document: LoadedDocument) -> None:
    """They cover every character once, in order, with unique names."""
    sections = split_sections(document)
    assert "".join(document.text[s.char_start : s.char_end] for s in sections) == document.text
    assert [section.ordinal for section in sections] == list(range(len(sections)))
    assert len({section.eid for section in sections}) == len(sections)
    for section in sections:
        assert section.char_start <= section.body_start <= section.char_end
        assert section.char_start < section.char_end
        assert section.level == len(section.path)
        assert section.page == document.page_of(section.char_start) or section.char_start == 0


@given(
    document=documents()
    | TEXTS.map(lambda text: LoadedDocument(text=text, media_type="text/plain")),
    size=st.integers(5, 120),
    share=st.floats(0, 0.9),
)
@examples(300)
def test_chunks_are_slices_that_cover_all_bodies(
    document: LoadedDocument, size: int, share: float
) -> None:
    """Within one section, within the size, overlapping at most as told, nothing left out."""
    overlap = int(size * share)
    sections = split_sections(document)
    chunks = cut_chunks(document, sections, source_stem="x", size=size, overlap=overlap)
    covered: set[int] = set()
    for place, chunk in enumerate(chunks):
        section = sections[chunk.section_ordinal]
        assert chunk.chunk_index == place
        assert chunk.text == document.text[chunk.char_start : chunk.char_end]
        assert 0 < len(chunk.text) <= size
        assert chunk.text == chunk.text.strip()
        assert section.body_start <= chunk.char_start < chunk.char_end <= section.char_end
        covered.update(range(chunk.char_start, chunk.char_end))
        if place and chunks[place - 1].section_ordinal == chunk.section_ordinal:
            assert chunks[place - 1].char_end < chunk.char_end
            assert chunks[place - 1].char_end - chunk.char_start <= overlap
    for section in sections:
        for offset in range(section.body_start, section.char_end):
            assert offset in covered or document.text[offset].isspace()
