"""Chunks."""

import itertools

import pytest

from core.domain.policy import Chunk, LoadedDocument
from core.ingest.chunk import cut_chunks
from core.ingest.load import load
from core.ingest.sections import split_sections


def cut(
    text: str, *, size: int = 200, overlap: int = 60
) -> tuple[LoadedDocument, tuple[Chunk, ...]]:
    document = load(text.encode(), source_name="gifts.md")
    chunks = cut_chunks(
        document, split_sections(document), source_stem="gifts", size=size, overlap=overlap
    )
    return document, chunks


def test_chunk_is_a_slice_of_one_section_without_its_heading() -> None:
    document, chunks = cut("# Gifts\n\n## 4 Limits\n\nA gift is a benefit.\n\n## 5 End\n\nAsk.")
    assert [chunk.text for chunk in chunks] == ["A gift is a benefit.", "Ask."]
    assert [chunk.section_title for chunk in chunks] == ["4 Limits", "5 End"]
    assert [chunk.chunk_id for chunk in chunks] == ["gifts_chunk_0000", "gifts_chunk_0001"]
    assert all(document.text[chunk.char_start : chunk.char_end] == chunk.text for chunk in chunks)


def test_heading_without_text_gives_no_chunk() -> None:
    _, chunks = cut("# Gifts\n\n## 4 Limits\n\n### 4.1 Cash\n\nNever.")
    assert [chunk.section_ordinal for chunk in chunks] == [2]


def test_chunks_end_at_sentences_and_overlap_at_sentences() -> None:
    sentences = [f"Sentence number {number} says something of use." for number in range(1, 13)]
    _, chunks = cut("# P\n\n" + " ".join(sentences))
    assert len(chunks) > 2
    for earlier, later in itertools.pairwise(chunks):
        assert earlier.text.endswith("use.")
        assert later.text.startswith("Sentence number")
        assert later.char_start < earlier.char_end < later.char_end
        assert earlier.char_end - later.char_start <= 60


def test_lead_in_stands_with_its_first_item() -> None:
    filler = "This sentence is here to fill the chunk up to where it nearly ends, no more. "
    _, chunks = cut(
        f"# P\n\n{filler * 2}You must:\n\n- hand over each and every gift;\n- ask.", overlap=0
    )
    with_lead_in = [chunk for chunk in chunks if "You must:" in chunk.text]
    assert len(with_lead_in) == 1
    assert "hand over" in with_lead_in[0].text


def test_table_is_cut_between_rows() -> None:
    rows = "\n".join(
        f"| Role {number} | decides on matters of kind {number} |" for number in range(20)
    )
    document, chunks = cut(f"# P\n\n| Role | Duty |\n|---|---|\n{rows}")
    lines = set(document.text.split("\n"))
    assert len(chunks) > 2
    assert all(line in lines for chunk in chunks for line in chunk.text.split("\n"))


def test_endless_sentence_is_cut_at_spaces() -> None:
    document, chunks = cut("# P\n\n" + "word " * 200 + "\n\n" + "x" * 700)
    assert all(len(chunk.text) <= 200 for chunk in chunks)
    covered = "".join(document.text[chunk.char_start : chunk.char_end] for chunk in chunks)
    assert covered.count("x") >= 700


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_impossible_sizes_are_the_callers_mistake(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="expected 0 <= overlap < size"):
        cut("# P\n\nText.", size=size, overlap=overlap)
