"""Assemble a document's text line by line, with exact offsets of headings, tables and pages.

All loaders write through this. A line is normalised before it is appended, so that offsets never
change: NFC, no invisible or control characters, single spaces.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.domain.policy import Heading, LoadedDocument, MediaType
from core.ingest.load.looks import LineLook, SetApart, all_headings
from core.language.spans import TextSpan

_JOINING_SCRIPTS = (
    "\u0600-\u06ff\u0700-\u074f\u0750-\u077f\u07c0-\u07ff\u0840-\u085f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc"
    "\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\u1900-\u1aaf\u1b00-\u1bff"
)
"""Arabic, Syriac, N'Ko, Mandaic; Indic scripts, Tibetan, Myanmar, Khmer, Mongolian and their
neighbours."""
_NEEDED_JOINER = rf"(?<=[{_JOINING_SCRIPTS}])[\u200c\u200d](?=[{_JOINING_SCRIPTS}])"
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ud800-\udfff"
)
"""Default-ignorable code points of Unicode 16, the BOM, noncharacters and lone surrogates, which
Postgres refuses."""
_REMOVED = re.compile(f"(?P<kept>{_NEEDED_JOINER})|[{_INVISIBLE}]")
_HAS_INVISIBLE = re.compile(f"[{_INVISIBLE}]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_SPACES = re.compile(
    "[ \t\n\x0b\x0c\r\x1c-\x1f\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
)
_SYMBOL_FONT = str.maketrans({"\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "➢", "\uf0fc": "✓"})
"""Bullets of Microsoft's Symbol and Wingdings fonts, which have no glyph elsewhere."""
CELL_SEPARATOR = " | "
INDENT = "  "
"""Of an item within another one, for each."""
_DEEPEST = 8
_MOST_ASIDES = 60
Notes: TypeAlias = Sequence[str]


class DocumentBuilder:
    """Collects the lines of one document; used within one call of a loader."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._wants_blank = False
        self._pending_pages = 0
        self._page_starts: list[int] = []
        self._headings: list[Heading] = []
        self._candidates: list[SetApart] = []
        self._tables: list[TextSpan] = []
        self._table_start: int | None = None
        self._asides: dict[str, None] = {}
        self._invisible = 0
        self._controls = 0

    def page(self) -> None:
        """Begin a page at the next text that is added."""
        self._pending_pages += 1

    def blank(self) -> None:
        """Put one empty line before the next line, however often this is called."""
        self._wants_blank = True

    def line(self, raw: str, *, depth: int = 0) -> TextSpan | None:
        """Append one line; None if nothing visible is left of it.

        Args:
            raw: The line.
            depth: In how many items of lists it stands; its own item not counted. It is indented by
                as much, so that what introduces an item can be told.
        """
        text = self._clean(raw)
        if not text:
            return None
        if self._parts:
            self._append("\n\n" if self._wants_blank else "\n")
            self._append(INDENT * min(depth, _DEEPEST))
        self._wants_blank = False
        return self._place(text)

    def extend(self, raw: str, *, glue: str) -> None:
        """Continue the last line.

        Args:
            raw: what follows.
            glue: what goes between: a space, or nothing after a hyphenated line end.
        """
        text = self._clean(raw)
        if text:
            self._append(glue)
            self._place(text)

    def heading(self, raw: str, *, level: int) -> None:
        """Append a heading as a line between empty lines."""
        self.blank()
        span = self.line(raw)
        self.blank()
        if span is not None:
            self._headings.append(Heading(level=level, span=span))

    def candidate(self, raw: str, look: LineLook) -> None:
        """Append a line of its own that is a heading if the format marks hardly any."""
        self.blank()
        span = self.line(raw)
        self.blank()
        if span is not None:
            self._candidates.append(SetApart(span=span, look=look))

    def begin_table(self) -> None:
        """Begin a table of the rows that follow."""
        self.blank()
        self._table_start = None

    def row(self, cells: Sequence[str]) -> None:
        """Append one table row.

        A row without visible cells is left out, a caption in the first cell stands alone.
        """
        texts = [self._clean(cell).replace("|", "/") for cell in cells]
        if not any(texts):
            return
        if not any(texts[1:]):
            del texts[1:]
        span = self.line(CELL_SEPARATOR.join(texts))
        if span is not None and self._table_start is None:
            self._table_start = span.char_start

    def end_table(self) -> None:
        """End the table; one without rows is dropped."""
        if self._table_start is not None:
            self._tables.append(TextSpan(char_start=self._table_start, char_end=self._length))
        self._table_start = None
        self.blank()

    def aside(self, *parts: str) -> None:
        """Note a line that is no part of the text; what it states of the document is read.

        Args:
            parts: its parts, as a label and its value, or what stands left and right of a footer.
        """
        texts = [text for part in parts if (text := clean_line(part).text)]
        if texts and len(self._asides) < _MOST_ASIDES:
            self._asides[CELL_SEPARATOR.join(texts)] = None

    def build(
        self,
        media_type: MediaType,
        *,
        metadata: Mapping[str, str],
        notes: Notes = (),
        left_out: Notes = (),
    ) -> LoadedDocument:
        """Return the document; the builder is not used afterwards."""
        self._open_pages()
        text = "".join(self._parts)
        return LoadedDocument(
            text=text,
            media_type=media_type,
            page_starts=tuple(self._page_starts),
            headings=tuple(all_headings(text, self._headings, self._candidates)),
            tables=tuple(self._tables),
            metadata=metadata,
            notes=tuple(notes),
            left_out=(*self._cleaned(), *left_out),
            asides=tuple(self._asides),
        )

    def _cleaned(self) -> list[str]:
        counts = ((self._invisible, "invisible"), (self._controls, "control"))
        return [
            f"removed {count} {kind} character{'s' if count > 1 else ''}"
            for count, kind in counts
            if count
        ]

    def _clean(self, raw: str) -> str:
        cleaned = clean_line(raw)
        self._invisible += cleaned.invisible
        self._controls += cleaned.controls
        return cleaned.text

    def _place(self, text: str) -> TextSpan:
        self._open_pages()
        start = self._length
        self._append(text)
        return TextSpan(char_start=start, char_end=self._length)

    def _open_pages(self) -> None:
        for _ in range(self._pending_pages):
            self._page_starts.append(self._length if self._page_starts else 0)
        self._pending_pages = 0

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)


def describe_left_out(counts: Iterable[tuple[int, str]], *, cure: str = "") -> list[str]:
    """Return a line for each kind of thing that was left out, with how many there were."""
    end = f": {cure}" if cure else ""
    return [
        f"left out {count} {kind}{'s' if count > 1 else ''}{end}" for count, kind in counts if count
    ]


def hidden_note(count: int, what: str = "passage") -> list[str]:
    """Return the note on what is hidden from readers, if there is any."""
    cure = "what belongs to the policy must be visible in the file"
    return describe_left_out([(count, f"hidden {what}")], cure=cure)


def unread_notes(*, hidden: int, struck: int, tracked: int = 0) -> list[str]:
    """Return the notes on what is hidden, struck through, or a change that nobody accepted."""
    cure = "what is struck through is no part of the policy; delete it, or undo that"
    changes = (
        f"holds {tracked} tracked change{'s' if tracked > 1 else ''} that nobody accepted: what was"
        " inserted is read, what was deleted is not, though neither may be in force; accept or"
        " reject each of them and save the file again"
    )
    left_out = describe_left_out([(struck, "struck passage")], cure=cure)
    return [*hidden_note(hidden), *left_out, *([changes] if tracked else [])]


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanLine:
    """A line after normalisation."""

    text: str
    """NFC, no line end, no leading or trailing space, no space twice in a row."""
    invisible: int = 0
    """Invisible characters removed."""
    controls: int = 0
    """Control characters removed."""


def clean_line(raw: str) -> CleanLine:
    """Normalise one line; line ends inside it become spaces.

    Args:
        raw: any text, as a parser gave it.
    """
    if raw.isascii() and raw.isprintable():
        return CleanLine(text=_collapse(raw))
    text, controls = _CONTROL.subn("", raw)
    invisible = 0
    if _HAS_INVISIBLE.search(text):
        before = len(text)
        text = _REMOVED.sub(lambda match: match.group("kept") or "", text)
        invisible = before - len(text)
    text = _SPACES.sub(" ", text).strip(" ")
    text = unicodedata.normalize("NFC", text.translate(_SYMBOL_FONT))
    return CleanLine(text=text, invisible=invisible, controls=controls)


def _collapse(text: str) -> str:
    stripped = text.strip(" ")
    return _SPACES.sub(" ", stripped) if "  " in stripped else stripped
