"""The archive of a Word document and the XML in it.

- A DOCX is a ZIP of XML files. Before any parser sees it, these are checked: entries and sizes as
  declared, then as they really unpack, encryption, and XML that declares entities ("billion
  laughs") or nests without end.
- The XML behind python-docx's objects, typed, where the library has no public name for it; and its
  text as a reader sees it, with tracked insertions, which python-docx leaves out.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeAlias, cast

from docx.document import Document
from docx.oxml.ns import qn

from core.domain.errors import DocumentError

MAX_UNPACKED_BYTES = 200 * 1024 * 1024
MAX_ENTRIES = 5_000
MAX_RATIO = 200
"""Unpacked to packed, of an entry over 1 MB. Word's XML packs at most about 60 to 1; a bomb of
zeros packs at 1000."""
MAX_DEPTH = 400
"""Nested XML elements: libxml2 itself stops at 256 unless told otherwise; Word writes below 60."""

_RATIO_MATTERS_FROM = 1024 * 1024
_PIECE = 1024 * 1024
_ENCRYPTED_FLAG = 0x1
_DOCTYPE = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_TAG = re.compile(rb"<(/?)[A-Za-z_](?:[^<>\"']|\"[^\"]*\"|'[^']*')*?(/?)>")

_BOMB = "it unpacks to far more than a document holds (ZIP bomb): save it again in Word"
_CORRUPT = "the DOCX is corrupt: open it in Word and save it again"
_ENTITIES = "its XML declares entities, which Word never writes: save it again in Word"
_DEEP = "its XML is nested too deeply: save it again in Word"


def check_archive(data: bytes) -> None:
    """Check that an archive is safe to unpack.

    Raises:
        DocumentError: corrupt, encrypted or made to exhaust memory.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_declared(entries)
            _check_actual(archive, entries)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as exc:
        raise DocumentError(_CORRUPT) from exc


def _check_declared(entries: list[zipfile.ZipInfo]) -> None:
    if any(entry.flag_bits & _ENCRYPTED_FLAG for entry in entries):
        raise DocumentError("the DOCX is encrypted: save it without a password")
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_ENTRIES or total > MAX_UNPACKED_BYTES:
        raise DocumentError(_BOMB)
    if len({entry.filename for entry in entries}) < len(entries):
        raise DocumentError(_CORRUPT)
    if any(_is_bomb(entry.file_size, entry.compress_size) for entry in entries):
        raise DocumentError(_BOMB)


def _is_bomb(unpacked: int, packed: int) -> bool:
    return unpacked > _RATIO_MATTERS_FROM and unpacked > MAX_RATIO * max(1, packed)


def _check_actual(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> None:
    """Unpack piece by piece and count: the declared sizes may be wrong."""
    total = 0
    for entry in entries:
        is_xml = entry.filename.lower().endswith((".xml", ".rels"))
        kept: list[bytes] = []
        unpacked = 0
        with archive.open(entry) as stream:
            while piece := stream.read(_PIECE):
                unpacked += len(piece)
                total += len(piece)
                if total > MAX_UNPACKED_BYTES or _is_bomb(unpacked, entry.compress_size):
                    raise DocumentError(_BOMB)
                if is_xml:
                    kept.append(piece)
        if is_xml:
            _check_xml(b"".join(kept))


def _check_xml(xml: bytes) -> None:
    if xml.startswith(_WIDE_MARKS):
        xml = xml.decode("utf-16", errors="replace").encode()
    if _DOCTYPE.search(xml):
        raise DocumentError(_ENTITIES)
    depth = 0
    for tag in _TAG.finditer(xml):
        if tag.group(2):
            continue
        depth += -1 if tag.group(1) else 1
        if depth > MAX_DEPTH:
            raise DocumentError(_DEEP)


NOTE_MARK = "\x00"
"""Delimits a reference to a note in `visible_text`; XML cannot contain it."""

_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""What older programs show instead of a text box: the same text again."""
_DELETED = frozenset({qn("w:del"), qn("w:moveFrom"), _FALLBACK})
_BOX = qn("w:txbxContent")
_RUN, _OWN_VANISH = qn("w:r"), f"{qn('w:rPr')}/{qn('w:vanish')}"
OFF = frozenset({"0", "false", "off", "none"})
_TEXT, _BREAKS = qn("w:t"), frozenset({qn("w:br"), qn("w:cr")})
_TABS = frozenset({qn("w:tab"), qn("w:ptab")})
_HYPHEN = qn("w:noBreakHyphen")
_REFERENCES = {qn("w:footnoteReference"): "Footnote", qn("w:endnoteReference"): "Endnote"}


Hides: TypeAlias = Callable[["Element"], bool]


class Element(Protocol):
    """What is used of an lxml element."""

    tag: str
    """Name in Clark notation."""
    text: str | None
    """Character data before the first child."""

    def find(self, path: str) -> "Element | None":
        """Return the first match below."""
        ...

    def iter(self, tag: str) -> "Iterator[Element]":
        """Yield descendants with that tag."""
        ...

    def get(self, key: str) -> str | None:
        """Return an attribute."""
        ...

    def __iter__(self) -> "Iterator[Element]":
        """Yield the children."""
        ...


def xml_of(item: object) -> Element:
    """Return the XML of a paragraph, cell, style or part."""
    known: Any = item
    return cast("Element", known._element)  # noqa: SLF001 - python-docx has no public name for it


def body_of(document: Document) -> Element:
    """Return the XML of a document's body."""
    root: Any = document.element
    return cast("Element", root.body)


def value_of(parent: Element, tag: str) -> str | None:
    """Return `w:val` of the child `tag`; None if either is missing."""
    child = parent.find(qn(tag))
    return None if child is None else child.get(qn("w:val"))


def visible_text(element: Element, hides: "Hides | None" = None, *, tab: str = " ") -> str:
    """Return the text of a paragraph, without what is deleted, hidden or in a text box.

    A reference to a note is its kind and Word's number of it between two `NOTE_MARK`s.

    Args:
        element: the paragraph.
        hides: says of a run whether it is hidden for another reason than its own property.
        tab: what stands for a tab.
    """
    return "".join(_pieces(element, hides or _never, tab))


def visible_runs(element: Element) -> "Iterator[Element]":
    """Yield the runs of a paragraph, without what is deleted, hidden or in a text box."""
    for child in element:
        if child.tag == _BOX or _is_hidden(child):
            continue
        if child.tag == _RUN:
            yield child
        else:
            yield from visible_runs(child)


def text_boxes(element: Element) -> "Iterator[Element]":
    """Yield the contents of the text boxes that are anchored in a paragraph."""
    for child in element:
        if _is_hidden(child):
            continue
        if child.tag == _BOX:
            yield child
        else:
            yield from text_boxes(child)


def _pieces(element: Element, hides: "Hides", tab: str) -> "Iterator[str]":
    for child in element:
        if child.tag == _BOX or _is_hidden(child) or (child.tag == _RUN and hides(child)):
            continue
        if child.tag == _TEXT:
            yield child.text or ""
        elif child.tag in _TABS and element.tag == _RUN:
            yield tab
        elif child.tag in _BREAKS:
            yield "\n"
        elif child.tag == _HYPHEN:
            yield "-"
        elif child.tag in _REFERENCES:
            number = child.get(qn("w:id")) or ""
            yield f"{NOTE_MARK}{_REFERENCES[child.tag]} {number}{NOTE_MARK}"
        else:
            yield from _pieces(child, hides, tab)


def _never(_run: Element) -> bool:
    return False


def _is_hidden(element: Element) -> bool:
    if element.tag in _DELETED:
        return True
    vanish = element.find(_OWN_VANISH) if element.tag == _RUN else None
    return vanish is not None and vanish.get(qn("w:val")) not in OFF
