"""Footnotes and endnotes of a Word document, each after the sentence that refers to it."""

import re
from collections import Counter
from typing import Any

from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from core.ingest.load.word.elements import NOTE_MARK, Element, visible_text
from core.language.sentences import split_sentences

_REFERENCE = re.compile(rf"{NOTE_MARK}([A-Z][a-z]+) (-?\d*){NOTE_MARK}")
_PARTS = (
    ("Footnote", RELATIONSHIP_TYPE.FOOTNOTES, "w:footnote"),
    ("Endnote", RELATIONSHIP_TYPE.ENDNOTES, "w:endnote"),
)


class PrintedNotes:
    """Numbers the footnotes and endnotes of one document; called once for each text, in order."""

    def __init__(self, document: Document) -> None:
        self._texts = _texts_of(document)
        self._numbers: Counter[str] = Counter()
        self._printed: dict[tuple[str, str], str] = {}
        self.missing = 0
        """References to notes that the document lacks."""

    def without(self, text: str) -> str:
        """Return the text without its references."""
        return _REFERENCE.sub("", text)

    def referred_to(self, text: str) -> list[str]:
        """Return the notes that a text refers to, each with its label."""
        found = (self._note(match) for match in _REFERENCE.finditer(text))
        return [note for note in found if note]

    def inline(self, text: str) -> str:
        """Return the text with its notes at its end, in brackets."""
        notes = (f" [{note}]" for note in self.referred_to(text))
        return "".join((self.without(text), *notes))

    def after_sentences(self, text: str) -> list[str]:
        """Split a text after each sentence that refers to a note, and insert the note there."""
        plain = self.without(text)
        ends = [sentence.char_end for sentence in split_sentences(plain)]
        blocks: list[str] = []
        start = removed = 0
        for match in _REFERENCE.finditer(text):
            at = match.start() - removed
            removed += len(match.group())
            note = self._note(match)
            if not note:
                continue
            end = next((end for end in ends if end >= at), len(plain))
            if end > start:
                blocks.append(plain[start:end])
                start = end
            blocks.append(note)
        return [block for block in (*blocks, plain[start:]) if block.strip()]

    def _note(self, match: re.Match[str]) -> str:
        """Return a note with its label; empty if the document lacks it."""
        key = (match.group(1), match.group(2))
        text = self._texts.get(key, "")
        if text and key not in self._printed:
            self._numbers[key[0]] += 1
            self._printed[key] = f"{key[0]} {self._numbers[key[0]]}: {text}"
        self.missing += not text
        return self._printed.get(key, "")


def _texts_of(document: Document) -> dict[tuple[str, str], str]:
    """Read the notes, by kind and Word's number."""
    found: dict[tuple[str, str], str] = {}
    for kind, relation, tag in _PARTS:
        for note in elements_of(document, relation, tag):
            paragraphs = (visible_text(inner) for inner in note.iter(qn("w:p")))
            text = " ".join(" ".join(paragraphs).split())
            found[kind, note.get(qn("w:id")) or ""] = _REFERENCE.sub("", text)
    return found


def elements_of(document: Document, relation: str, tag: str) -> list[Element]:
    """Return the elements of a part that a document refers to; none if there is no such part."""
    try:
        part: Any = document.part.part_related_by(relation)
    except KeyError:
        return []
    root: Any = parse_xml(part.blob)
    return list(root.iter(qn(tag)))
