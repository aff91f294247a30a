"""Policies as they are read, cut and published: document -> sections -> chunks.

Offsets are Unicode code points of one text, half-open, from 0. They are exact from loading on:
every later span is an
offset into `LoadedDocument.text`, which is stored unchanged as the full text of the policy version.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Literal, NewType

from core.language.spans import TextSpan, VersionId

ChunkKey = NewType("ChunkKey", int)
"""Identity of a stored chunk (row), unlike `chunk_id`, which people read."""

MediaType = Literal[
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.ms-outlook",
    "message/rfc822",
    "text/markdown",
    "text/html",
    "text/plain",
]

DOCX: MediaType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX: MediaType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX: MediaType = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ODT: MediaType = "application/vnd.oasis.opendocument.text"
MSG: MediaType = "application/vnd.ms-outlook"
EML: MediaType = "message/rfc822"
ENDINGS: Mapping[str, MediaType] = {
    ".pdf": "application/pdf",
    ".docx": DOCX,
    ".xlsx": XLSX,
    ".pptx": PPTX,
    ".odt": ODT,
    ".msg": MSG,
    ".eml": EML,
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".txt": "text/plain",
    ".text": "text/plain",
}
"""How the files of a folder end that are read; among kinds of text the ending says which it is."""
READABLE = "PDF, DOCX, XLSX, PPTX, ODT, Markdown, HTML or text"
"""What a document can be saved as to be read, as people say it; e-mails are read besides."""

CONTAINERS: Mapping[MediaType, str] = {XLSX: "sheet", PPTX: "slide"}
"""What the sections of a format are where it is not headings that make them: how their `eid`
begins."""

NEVER = date.max
"""First day in force of a version that is not in force: of a draft, and of what was withdrawn."""

EVERYONE = "everyone"
"""The audience group that each reader belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading that the format itself marks (Markdown #, DOCX style, HTML h1-h6, PDF outline)."""

    level: int
    """Depth from 1 (the title or a chapter)."""
    span: TextSpan
    """The heading's line in the text, without its line end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedStatement:
    """Something that a document says of itself and that is not used, with the reason."""

    field: str
    """The key of `LoadedDocument.metadata` that it would be; empty: of no single one."""
    note: str
    """What it is, why it is not used and what to do about it: one line for people."""
    is_vague: bool = False
    """True: it may mean something else, and is worth a note only where the field is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedDocument:
    """One file turned into text, with what its format says about that text."""

    text: str
    """All text: NFC as in the file, LF line ends, no invisible or bidirectional control
    characters."""
    media_type: MediaType
    """What the bytes are, found from the bytes."""
    page_starts: tuple[int, ...] = ()
    """Offset at which each page begins, ascending, first 0; empty if the format has no pages.

    A slide is a page, also one that is left out; so is a row of a sheet, and its heading."""
    headings: tuple[Heading, ...] = ()
    """Headings marked by the format, in text order; empty if the format marks none."""
    tables: tuple[TextSpan, ...] = ()
    """Tables, kept as text with one row a line and cells separated by ` | `."""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the document says of itself, under `title`, `policy_id`, `version`, `owner`,
    `effective_from`,
    `effective_until`, `jurisdiction`, `url`, `sensitivity`, `review_by`, `verified_by`; dates in
    ISO form; a jurisdiction is empty where it is said to be everywhere. Absent keys were not
    found. `status` is there only if it says that it is not in force."""
    notes: tuple[str, ...] = ()
    """What its owner should do about the file, one line each: cause and cure."""
    left_out: tuple[str, ...] = ()
    """What was left out of the text as usual, one line each ("removed 12 invisible characters")."""
    asides: tuple[str, ...] = ()
    """What stands beside the text and may say something of the document, one line each: headers,
    footers, lists of terms; parts of a line separated by ` | `."""
    unused: tuple[UnusedStatement, ...] = ()
    """What the document says of itself and can't be used."""

    def page_of(self, offset: int) -> int | None:
        """Return the page number, from 1, that holds `offset`; None if the format has no pages."""
        if not self.page_starts:
            return None
        return max(1, bisect_right(self.page_starts, offset))


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section's own stretch: its heading and the text up to the next heading of any level.

    The sections of a document are in text order, do not overlap and cover the whole text.
    """

    eid: str
    """Identity within the version, Akoma Ntoso style: `sec_4__sec_4.2`; unique, stable while
    numbers are."""
    number: str | None
    """The number as printed, without a trailing dot ("4.2", "9.3.1(2)", "Article 4", "Annex A");
    None if unnumbered."""
    title: str
    """The heading without its number; may be empty where a number stands alone."""
    path: tuple[str, ...]
    """Headings from the outermost to this one, each "number title"."""
    level: int
    """Depth from 1."""
    ordinal: int
    """Place among the version's sections, from 0."""
    char_start: int
    """First character of the heading."""
    body_start: int
    """First character after the heading line; equal to `char_end` for a heading without text of its
    own."""
    char_end: int
    """One past the last character, which is where the next section begins."""
    page: int | None
    """Page of the heading, from 1; None if the format has no pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A retrievable stretch of one section."""

    chunk_id: str
    """`{source_stem}_chunk_{index:04d}`."""
    chunk_index: int
    """Place among the version's chunks, from 0."""
    section_ordinal: int
    """The section the chunk lies in."""
    section_title: str
    """Number and title of that section, for display and as a weak search field; never embedded."""
    page_number: int | None
    """Page of the first character, from 1; None if the format has no pages."""
    char_start: int
    """First character in the version's text."""
    char_end: int
    """One past the last character."""
    text: str
    """Exactly the version's text in [char_start, char_end)."""


def first_day_without(last: date) -> date:
    """Return the first day without what ends with a day."""
    return last if last == date.max else last + timedelta(days=1)


def last_day_before(first_without: date | None) -> date | None:
    """Return the last day in force, as people write an end; None: there is none."""
    if first_without is None or first_without in {date.min, date.max}:
        return first_without
    return first_without - timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyMetadata:
    """What is known of a policy version beside its text."""

    key: str
    """Short identity of the policy in lower case ("gifts"), the same over all its versions."""
    title: str
    """As shown to people."""
    label: str | None = None
    """The version as its owner calls it ("2.0"); None if unsaid."""
    owner: str | None = None
    """The role that answers for the policy."""
    jurisdiction: str | None = None
    """ISO 3166 code ("DE"); None where the policy holds everywhere."""
    audience: frozenset[str] = frozenset({EVERYONE})
    """Groups who may read it; never empty."""
    tags: frozenset[str] = frozenset()
    """Free labels for scoping channels."""
    effective_from: date | None = None
    """First day in force; None: since ever."""
    effective_until: date | None = None
    """First day no longer in force; None: until further notice."""
    upload_id: str | None = None
    """The caller's own identity of the upload."""
    url: str | None = None
    """Where people read it (`https://…`); None if nowhere."""
    sensitivity: str | None = None
    """How it is classified ("Internal"); None if it is not."""
    review_by: date | None = None
    """The day by which it is to be reviewed; None if nobody said."""
    verified_by: str | None = None
    """Who said that it is right as it stands; None: nobody did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVersion:
    """A stored version, as retrieval and rendering need it (without its text)."""

    version_id: VersionId
    """Identity of the row."""
    metadata: PolicyMetadata
    """Title, label, scope and dates."""
    edition: int
    """The edition of the corpus in which it appeared."""
    source_name: str
    """File name it was read from."""
    relabelled_at: datetime | None = None
    """When its text was published, if an earlier one had the same label; None: none had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComingText:
    """What a version that has not begun says in place of a quote."""

    title: str
    """Of its policy."""
    label: str
    """Of the version; its number if it has none."""
    begins: date
    """Its first day in force."""
    says: str
    """Whole sentences that stand there, white space folded, cut; empty: nothing does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSource:
    """What is known of a policy that an answer rests on or names, as it was when it was asked."""

    policy_key: str
    """The policy."""
    title: str
    """As shown to people."""
    file_name: str
    """Of the file that it was read from: its ending says what an anchor looks like."""
    url: str | None = None
    """Where it can be opened; None if nowhere."""
    owner: str | None = None
    """Who answers for it; None if nobody is named."""
    sensitivity: str | None = None
    """How it is classified; None if it is not."""
    review_by: date | None = None
    """The day by which it is to be reviewed; None if nobody said."""
    verified_by: str | None = None
    """Who verified it; None: nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """A policy was withdrawn: what was published of it before is no longer in force."""

    edition: int
    """The edition of the corpus that withdrew it."""
    since: date
    """First day without it."""
    is_file_gone: bool
    """True: withdrawn because its file was gone; it comes back with the file."""
    reason: str
    """Why, in the words of whoever did it."""
