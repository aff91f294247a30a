"""Citations as marks in the text, for providers without native ones: `... [c3].` `... [c1, c4]`."""

import re
from collections.abc import Sequence
from itertools import pairwise

from core.adapters.anthropic.api.api_types import CitedBlocks, TextPart
from core.language.sentences import split_sentences

HOW_TO_CITE = (
    "Cite by marks: at the end of each sentence, write the marks of the sentences of the evidence"
    " that it rests on, like this [c3] or this [c1][c4]."
)
_MARKS = re.compile(
    r"(?:(?<!\s)\s++)?\[\s*+c\d++(?:\s*+[,;]\s*+c\d++)*+\s*+\](?!\()", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+")
_MOST_DIGITS = 6


def unmarked(text: str, marks: Sequence[CitedBlocks]) -> tuple[TextPart, ...]:
    """Return a text without its marks, a part a sentence, each with what its marks stand for.

    A mark belongs to the sentence that it stands in or behind. One that was never given out cites
    blocks that do not exist.
    """
    plain: list[str] = []
    placed: list[tuple[int, CitedBlocks]] = []
    at = length = 0
    for found in _MARKS.finditer(text):
        plain.append(text[at : found.start()])
        length += found.start() - at
        at = found.end()
        placed += [(length, _meant(mark, marks)) for mark in _NUMBER.findall(found.group())]
    plain.append(text[at:])
    return _parts("".join(plain), placed)


def _meant(mark: str, marks: Sequence[CitedBlocks]) -> CitedBlocks:
    number = int(mark[:_MOST_DIGITS])
    if 1 <= number <= len(marks) and len(mark) <= _MOST_DIGITS:
        return marks[number - 1]
    return CitedBlocks(search_result=-1, start_block=number, end_block=number + 1, cited_text="")


def _parts(text: str, placed: Sequence[tuple[int, CitedBlocks]]) -> tuple[TextPart, ...]:
    units = split_sentences(text)
    cuts = [0, *(unit.char_start for unit in units[1:]), len(text)]
    return tuple(
        TextPart(
            text=text[start:end],
            citations=tuple(cited for at, cited in placed if start < at <= end),
        )
        for start, end in pairwise(cuts)
    )
