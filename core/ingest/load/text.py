"""Plain text, and the decoding of bytes for every format that is text.

Lines stay as they are; columns aligned with tabs or spaces become table rows. A tab after a number
or bullet is a space. What is printed at the top or bottom of each page is left out.

Numbered headings are left to `sections`. Underlined lines are headings; so are lines that stand
alone, where a text has no other structure.

Encodings are UTF-8, UTF-16, UTF-32, else Windows-1252. A guess that would store garbage is refused:
every later citation would quote it.
"""

import codecs
import re
from collections import Counter
from dataclasses import dataclass

from core.domain.errors import DocumentError
from core.domain.policy import READABLE, LoadedDocument
from core.ingest.heading_candidates import reads_as_heading
from core.ingest.load.builder import DocumentBuilder
from core.ingest.load.looks import LineLook
from core.ingest.numbering import parse_label

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""UTF-32 before UTF-16: the little-endian mark of one begins with that of the other."""
_CONTROL_BYTES = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PROBE_BYTES = 65_536
_MAX_CONTROL_SHARE = 0.01
"""Of the first 64 KB. Text has practically none, compressed or executable data has about 10 %."""
_MIN_NUL_SHARE = 0.3
"""Western text in UTF-16 is half NULs, all at the same parity."""
_UNDECODABLE = "its characters cannot be decoded: save it as UTF-8 text"
_BINARY = f"it holds binary data, not text: save the policy as {READABLE}"
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_LABEL = re.compile(
    r"\(?[\w.()\u200e]{0,40}?[.)\d][.)]? *\t|[^\w\s] *\t|(?:\w+\.)+\w* *\t|[A-Za-z] *\t|$"
)
"""A number, letter or bullet and its tab."""
_NUMBERED = re.compile(r"[^\w\s]\s|\(?\w{1,4}[.)]\s|\d[\d.]*\s")
_TABS = re.compile(r"\t+")
_COLUMNS = re.compile(r"(?<![.!?:]) {3,}")
_FORM_FEED = "\x0c"
_UNDERLINE = re.compile(r"([=\-~^*#_+.\u2014\u2500\u2550])\1{2,200}")
_MIN_UNDERLINED = 0.6
"""Of a title's length, at least, is its underline."""
_NEARLY, _ENDS = 2, (".", "!", "?")
"""Characters, and how the line above ends: right below a sentence, a title's underline fits."""
_MIN_NUMBERED = 3
"""With so many numbered titles, it is they that structure a text."""
_ITEM = re.compile(r"[^\w\s\"'(\u201c\u2018\u00a7\u00bf]")
"""What begins an item of a list: a bullet."""
_LEAD_IN_WORDS = 3
"""A longer line that ends with a colon leads in what follows, and heads nothing."""
_ALONE = LineLook(size=1.0, is_bold=False)
_MIN_PAGES = 3
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")


def load_text(data: bytes) -> LoadedDocument:
    """Read a text file; form feeds begin pages where there are any.

    Raises:
        DocumentError: see `decode_text`.
    """
    text = decode_text(data)
    pages = [_LINE_END.split(page) for page in text.split(_FORM_FEED)]
    builder = DocumentBuilder()
    removed = _without_running_lines(pages, builder)
    has_numbers = _has_numbers(pages)
    ranks: dict[str, int] = {}
    for page in pages:
        if len(pages) > 1:
            builder.page()
        _add_lines(builder, page, has_numbers=has_numbers, ranks=ranks)
    left_out = [f"left out {removed} lines at the top or bottom of pages"] if removed else []
    return builder.build("text/plain", metadata={}, left_out=left_out)


def _without_running_lines(pages: list[list[str]], builder: DocumentBuilder) -> int:
    """Empty the first and last line of each page, where most pages have the same; count them.

    What they say is noted as an aside.
    """
    if len(pages) < _MIN_PAGES:
        return 0
    removed = 0
    for edge in (1, -1):
        found: dict[int, int] = {}
        keys: Counter[str] = Counter()
        for number, page in enumerate(pages):
            places = range(len(page))[::edge]
            place = next((place for place in places if page[place].strip()), None)
            if place is not None:
                found[number] = place
                keys[_running_key(page[place])] += 1
        for number, place in found.items():
            if keys[_running_key(pages[number][place])] >= max(_MIN_PAGES - 1, len(pages) // 2):
                builder.aside(*_cells(pages[number][place]) or [pages[number][place]])
                pages[number][place] = ""
                removed += 1
    return removed


def _running_key(line: str) -> str:
    return _DIGITS.sub("#", " ".join(line.lower().split()))


def _has_numbers(pages: list[list[str]]) -> bool:
    """Return whether numbered titles structure a text, so that other lines do not."""
    count = 0
    for lines in pages:
        for place, line in enumerate(lines):
            stripped = line.strip()
            label = parse_label(stripped)
            if label is not None and _is_alone(lines, place) and reads_as_heading(stripped):
                count += label.kind in {"dotted", "keyword"}
    return count >= _MIN_NUMBERED


def _is_alone(lines: list[str], place: int) -> bool:
    before = lines[place - 1] if place else ""
    after = lines[place + 1] if place + 1 < len(lines) else ""
    return not before.strip() and not after.strip()


def _add_lines(
    builder: DocumentBuilder, lines: list[str], *, has_numbers: bool, ranks: dict[str, int]
) -> None:
    rows = [_cells(line) for line in lines]
    in_table = False
    skipped = -1
    for place, (line, cells) in enumerate(zip(lines, rows, strict=True)):
        if place <= skipped:
            continue
        is_row = bool(cells) and ("\t" in line.strip() or _has_neighbour(rows, place))
        if is_row and not in_table:
            builder.begin_table()
        elif in_table and not is_row:
            builder.end_table()
        in_table = is_row
        title = None if is_row else _underlined(lines, place)
        if is_row:
            builder.row(cells)
        elif title is not None:
            level = ranks.setdefault(title.mark, len(ranks) + 1)
            builder.heading(lines[title.place], level=level)
            skipped = title.place + 1
        elif not has_numbers and _may_be_heading(lines, place):
            builder.candidate(line, _ALONE)
        elif builder.line(line, depth=_depth(line)) is None:
            builder.blank()
    if in_table:
        builder.end_table()


def _depth(line: str) -> int:
    """Return how deep an item of a list stands, by its indentation; 0 for other lines."""
    stripped = line.lstrip()
    if not _ITEM.match(stripped):
        return 0
    return len(line[: len(line) - len(stripped)].expandtabs(4)) // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Underlined:
    place: int
    """Which line the title is."""
    mark: str
    """The character below it, twice if it stands above it, too."""


def _underlined(lines: list[str], place: int) -> _Underlined | None:
    """Return the title that begins at a line: underlined, perhaps also overlined."""
    over = _UNDERLINE.fullmatch(lines[place].strip())
    at = place + int(over is not None)
    if at + 1 >= len(lines):
        return None
    title = lines[at].strip()
    under = _UNDERLINE.fullmatch(lines[at + 1].strip())
    if under is None or not reads_as_heading(title) or under.end() < _MIN_UNDERLINED * len(title):
        return None
    if over is not None:
        return _Underlined(place=at, mark=under[1] * 2) if over[1] == under[1] else None
    before = lines[place - 1].strip() if place else ""
    is_exact = abs(under.end() - len(title)) <= _NEARLY and before.endswith(_ENDS)
    return _Underlined(place=at, mark=under[1]) if is_exact or not before else None


def _may_be_heading(lines: list[str], place: int) -> bool:
    line = lines[place].strip()
    has_gap = not place or not lines[place - 1].strip()
    if not line or not has_gap or _ITEM.match(line) or parse_label(line) is not None:
        return False
    if line.endswith(":") and len(line.split()) > _LEAD_IN_WORDS:
        return False
    return (_is_alone(lines, place) or line.isupper()) and reads_as_heading(line)


def _cells(line: str) -> list[str]:
    """Split a line at its tabs, or at runs of spaces that align columns.

    Empty if there are none.
    """
    stripped = line.strip()
    if "\t" in stripped:
        return [] if _LABEL.match(stripped) else _split(_TABS, stripped)
    if "   " not in stripped or _NUMBERED.match(stripped):
        return []
    return _split(_COLUMNS, stripped)


def _split(separator: re.Pattern[str], line: str) -> list[str]:
    cells = [cell for cell in separator.split(line) if cell.strip()]
    return cells if len(cells) > 1 else []


def _has_neighbour(rows: list[list[str]], place: int) -> bool:
    """Return whether the line above or below has columns too: one gap alone is no table."""
    return any(rows[max(0, place - 1) : place]) or any(rows[place + 1 : place + 2])


def decode_text(data: bytes, *, declared: str | None = None) -> str:
    """Decode a text file.

    Args:
        data: the file.
        declared: the encoding that the file itself names (HTML `charset`), tried after a byte order
            mark and UTF-8.

    Raises:
        DocumentError: the bytes are binary or in an encoding that cannot be told; the message is
            for people.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _strictly(data, encoding)
    wide = _wide_encoding(data[:_PROBE_BYTES])
    if wide is not None:
        return _strictly(data, wide)
    _refuse_binary(data[:_PROBE_BYTES])
    for encoding in ("utf-8", *_text_encoding(declared)):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return _strictly(data, "cp1252")


def _strictly(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as exc:
        raise DocumentError(_UNDECODABLE) from exc
    if "\x00" in text[:_PROBE_BYTES]:
        raise DocumentError(_BINARY)
    return text


def _wide_encoding(probe: bytes) -> str | None:
    pairs = len(probe) // 2
    if pairs == 0:
        return None
    if probe[1::2].count(0) / pairs > _MIN_NUL_SHARE and probe[0::2].count(0) == 0:
        return "utf-16-le"
    if probe[0::2].count(0) / pairs > _MIN_NUL_SHARE and probe[1::2].count(0) == 0:
        return "utf-16-be"
    return None


def _refuse_binary(probe: bytes) -> None:
    controls = len(_CONTROL_BYTES.findall(probe))
    if b"\x00" in probe or controls > _MAX_CONTROL_SHARE * len(probe):
        raise DocumentError(_BINARY)


def _text_encoding(declared: str | None) -> tuple[str, ...]:
    """Keep a declared encoding if Python knows it as one of characters.

    `base64` and the like are codecs too.
    """
    if declared is None:
        return ()
    try:
        "".encode(declared)
        b"".decode(declared)
    except (LookupError, ValueError):
        return ()
    return (declared,)
