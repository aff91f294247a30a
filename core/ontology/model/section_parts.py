"""What of a document a model is given to read: each section's body, long ones in parts.

Headings alone, change histories and sections without a word are left out. A part ends where a
sentence ends; a sentence longer than a part is cut at white space.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.domain.policy import Section
from core.language.sentences import split_sentences
from core.language.spans import TextSpan
from core.ontology.extract.statements import is_history

MAX_CHARACTERS = 4_000
"""Of one part: what a reply of 8,000 tokens can hold the facts of."""
MIN_CHARACTERS = 20
"""Of a section's body: less says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A section's body, or a part of a long one."""

    section: Section
    """The section."""
    span: TextSpan
    """The part, without white space around it."""

    @property
    def heading(self) -> str:
        """Number and title of the section, for people."""
        named = " ".join(filter(None, (self.section.number, self.section.title)))
        return named or self.section.eid


def parts_of(text: str, sections: Sequence[Section]) -> tuple[Part, ...]:
    """Return what there is to read, in text order."""
    return tuple(
        Part(section=section, span=span)
        for section in sections
        if not is_history(section)
        for span in _cut(text, section)
    )


def _cut(text: str, section: Section) -> Iterator[TextSpan]:
    body = _stripped(text, section.body_start, section.char_end)
    if body is None or body.char_end - body.char_start < MIN_CHARACTERS:
        return
    if not any(char.isalpha() for char in body.of(text)):
        return
    start = body.char_start
    while body.char_end - start > MAX_CHARACTERS:
        end = _end(text, start, body.char_end)
        part = _stripped(text, start, end)
        if part is not None:
            yield part
        start = end
    last = _stripped(text, start, body.char_end)
    if last is not None:
        yield last


def _end(text: str, start: int, end: int) -> int:
    """Return where a part that begins at `start` ends."""
    latest = start + MAX_CHARACTERS
    ends = [
        span.char_end
        for span in split_sentences(text, start=start, end=min(end, latest + 1))
        if span.char_end <= latest
    ]
    whole = [each for each in ends if each - start > MAX_CHARACTERS // 4]
    if len(whole) > 1:  # the last one may go on beyond what was looked at
        return whole[-2]
    space = max(text.rfind(mark, start + 1, latest) for mark in ("\n", " "))
    return space if space > start else latest


def _stripped(text: str, start: int, end: int) -> TextSpan | None:
    raw = text[start:end]
    if not raw.strip():
        return None
    lead = len(raw) - len(raw.lstrip())
    return TextSpan(char_start=start + lead, char_end=start + len(raw.rstrip()))
