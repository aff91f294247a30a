"""What a document is called: what it states, else its own title; never what every document has.

"Table of Contents", "Purpose and Scope" or "A message from our CEO" stand where a title might, and
would name each policy alike.
"""

import re
from collections.abc import Sequence

from core.domain.policy import XLSX, Heading, LoadedDocument
from core.ingest.heading_candidates import is_title_like
from core.ingest.numbering import parse_label

_AMONG = 5
"""Headings at the beginning among which the title may be."""
_CHARACTERS = 200
_FIRST_PAGE = 3000
"""Characters."""
_WORD = re.compile(r"[^\W\d_]+")
_CONTENTS = re.compile(
    r"\W*(?:table of )?contents\b"
    r"|\W*(?:inhalt(?:sverzeichnis)?|sommaire|\u00edndice|on this page|index)\W*$",
    re.IGNORECASE,
)
_GENERAL_WORDS = (
    "purpose scope introduction overview background summary about preface foreword welcome"
    " definitions definition contents content table index appendices appendix annex references"
    " reference revision version history document control header statement statements policy"
    " objective objectives general applicability approval approvals information disclaimer glossary"
    " of the this and to for our a an in on page key points quick related documents"
    " confidential internal draft"
)
_GENERAL = frozenset(_GENERAL_WORDS.split())
_ADDRESSES = re.compile(
    r"(?:a |our |ceo )?(?:message|letter|note|word|welcome)s? (?:from|by|to)\b|dear\b|to (?:all|the"
    r" people|our)\b",
    re.IGNORECASE,
)
_OF_EDITION = re.compile(
    r"\s*(?:version|edition|revision|rev\.|v\d|copyright|\(c\)|\u00a9|effective|last |updated"
    r"|dated?\b|as of"
    r"|approved|adopted|draft|published|by )",
    re.IGNORECASE,
)
"""The line below a title that says of which edition it is."""
_NOT_WRITTEN = re.compile(
    r"untitled|document\d*$|microsoft (?:word|powerpoint)|powerpoint presentation|slide \d|title$"
    r"|(?:final|draft|copy|print|layout|template)\b|\S+\.(?:docx?|pdf|pptx?|indd|qxd|xlsx?|html?)$"
    r"|[^\s]*_[^\s]*$|\S+$|https?:|www\.",
    re.IGNORECASE,
)
"""Titles in a file's properties that a program or a template left there."""


def is_general(text: str) -> bool:
    """Return whether a heading is one that any policy may have, and so names none."""
    words = [word.casefold() for word in _WORD.findall(text)]
    is_empty = all(word in _GENERAL for word in words)
    return is_empty or is_contents(text) or _ADDRESSES.match(text) is not None


def is_contents(text: str) -> bool:
    """Return whether a heading is that of a table of contents."""
    return _CONTENTS.match(text) is not None


def is_written(title: str) -> bool:
    """Return whether a title in a file's properties looks as if a person gave it to the text."""
    return not _NOT_WRITTEN.match(title.strip()) and not is_general(title)


def property_title(title: str | None, document: LoadedDocument) -> str:
    """Return the title in a file's properties if it counts; else nothing.

    It is often left over from a template: it counts where the text has no title of its own, or says
    the same words on its first page.
    """
    words = " ".join((title or "").split())
    is_said = words.casefold() in document.text[:_FIRST_PAGE].casefold() and is_written(words)
    is_needed = not document.headings or (is_written(words) and not document_title(document))
    return words if is_said or is_needed else ""


def document_title(document: LoadedDocument) -> str:
    """Return the title that the document gives itself; empty if it gives none.

    Its metadata, else the first of its headings, near the beginning, that is marked at level 1 and
    carries no number; the one heading above all others, also with a number; of plain text a first
    line that stands alone and reads as a title.
    """
    said = document.metadata.get("title", "")
    if said and not is_contents(said):
        return said
    if document.media_type == XLSX:  # its sheets are parts of it, and none names it
        return ""
    return _of_headings(document.text, document.headings) or _of_first_line(document)


def _of_headings(text: str, headings: Sequence[Heading]) -> str:
    for heading in headings[:_AMONG]:
        words = heading.span.of(text).strip()
        if heading.level > 1 or parse_label(words) is not None or is_contents(words):
            continue
        if not is_general(words):
            return words
        break
    top = min((heading.level for heading in headings), default=0)
    if not headings or sum(1 for heading in headings if heading.level == top) > 1:
        return ""
    first = headings[0].span.of(text).strip()
    label = parse_label(first)
    words = first[label.length :] if label else first
    return "" if headings[0].level != top or is_general(words) else words


def _of_first_line(document: LoadedDocument) -> str:
    first, *more = document.text[:_CHARACTERS].split("\n\n")[0].split("\n")
    if more and not _OF_EDITION.match(more[0]):
        return ""
    is_title = document.media_type == "text/plain" and (first.isupper() or is_title_like(first))
    is_own = is_title and parse_label(first) is None
    return first if is_own and not is_general(first) else ""
