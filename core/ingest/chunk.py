"""Cut sections into chunks: the stretches that search finds and models read.

After `sections`. Rules:
- A chunk lies in one section, without its heading, and is exactly a slice of the document's text.
- It begins and ends at sentences; list items and table rows count as sentences. A sentence longer
  than a chunk is cut at spaces.
- A lead-in ("... the following:") stands with at least its first item.
- Consecutive chunks of a section overlap, so that no answer is torn apart.
"""

from collections.abc import Iterator, Sequence

from core.domain.policy import Chunk, LoadedDocument, Section
from core.language.sentences import split_sentences
from core.language.spans import TextSpan

DEFAULT_SIZE = 2400
"""Characters; retrieval was measured with this size and an overlap of 600."""
DEFAULT_OVERLAP = 600

_LEAD_IN_ENDS = (":", ":**", "—")


def cut_chunks(
    document: LoadedDocument,
    sections: Sequence[Section],
    *,
    source_stem: str,
    size: int = DEFAULT_SIZE,
    overlap: int = DEFAULT_OVERLAP,
) -> tuple[Chunk, ...]:
    """Cut the bodies of all sections.

    Args:
        document: where the text is.
        sections: its sections, in order.
        source_stem: file name without extension, the beginning of each chunk's id.
        size: most characters of a chunk; at least 1.
        overlap: most characters that a chunk repeats of the one before; less than `size`.

    Returns:
        Chunks in text order. A section without text of its own gives none; of every other section,
        each character that is not white space is in some chunk.

    Raises:
        ValueError: `size` or `overlap` is out of range: a mistake of the caller.
    """
    if size < 1 or not 0 <= overlap < size:
        raise ValueError(f"expected 0 <= overlap < size, got size={size!r} overlap={overlap!r}")
    chunks: list[Chunk] = []
    for section in sections:
        title = f"{section.number or ''} {section.title}".strip()
        units = _units(document.text, section, size=size)
        for span in _pack(document.text, units, size=size, overlap=overlap):
            chunks.append(
                Chunk(
                    chunk_id=f"{source_stem}_chunk_{len(chunks):04d}",
                    chunk_index=len(chunks),
                    section_ordinal=section.ordinal,
                    section_title=title,
                    page_number=document.page_of(span.char_start),
                    char_start=span.char_start,
                    char_end=span.char_end,
                    text=span.of(document.text),
                )
            )
    return tuple(chunks)


def _units(text: str, section: Section, *, size: int) -> list[TextSpan]:
    """Return the sentences of a section's body, none longer than `size`."""
    sentences = split_sentences(text, start=section.body_start, end=section.char_end)
    return [unit for sentence in sentences for unit in _pieces(text, sentence, size=size)]


def _pieces(text: str, sentence: TextSpan, *, size: int) -> Iterator[TextSpan]:
    """Cut an overlong sentence at spaces, or anywhere if it has none."""
    start = sentence.char_start
    while sentence.char_end - start > size:
        space = text.rfind(" ", start + 1, start + size + 1)
        cut = space if space > 0 else start + size
        end = cut
        while text[end - 1].isspace():
            end -= 1
        yield TextSpan(char_start=start, char_end=end)
        start = cut
        while text[start].isspace():
            start += 1
    yield TextSpan(char_start=start, char_end=sentence.char_end)


def _pack(text: str, units: Sequence[TextSpan], *, size: int, overlap: int) -> Iterator[TextSpan]:
    """Fill chunks with units, greedily; each chunk reaches further than the one before."""
    first = reached = 0
    while reached < len(units):
        after = _fill(units, first, size=size)
        if (
            after < len(units)
            and after - 1 > max(first, reached)
            and _is_lead_in(text, units, after)
        ):
            after -= 1
        yield TextSpan(char_start=units[first].char_start, char_end=units[after - 1].char_end)
        reached = after
        if reached < len(units):
            first = _restart(units, first, after, size=size, overlap=overlap)


def _fill(units: Sequence[TextSpan], first: int, *, size: int) -> int:
    """Return the index after the last unit that fits."""
    after = first + 1
    while after < len(units) and units[after].char_end - units[first].char_start <= size:
        after += 1
    return after


def _is_lead_in(text: str, units: Sequence[TextSpan], after: int) -> bool:
    """Return whether the unit before `after` introduces the next one, and belongs in its chunk."""
    return units[after - 1].of(text).endswith(_LEAD_IN_ENDS)


def _restart(units: Sequence[TextSpan], first: int, after: int, *, size: int, overlap: int) -> int:
    """Return the first unit of the next chunk: overlapping, with room for the next unit."""
    end = units[after - 1].char_end
    for start in range(first + 1, after):
        repeats = end - units[start].char_start
        if repeats <= overlap and units[after].char_end - units[start].char_start <= size:
            return start
    return after
