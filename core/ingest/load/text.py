"""Plain text, and the decoding of bytes for every format that is text.

Lines stay as they are; columns aligned with tabs or spaces become table rows. Headings are left to
`sections`, which knows numbering. A tab after a number or bullet is a space.

Encodings are UTF-8, UTF-16, UTF-32, else Windows-1252. A guess that would store garbage is refused:
every later citation would quote it.
"""

import codecs
import re

from core.domain.errors import DocumentError
from core.domain.policy import READABLE, LoadedDocument
from core.ingest.load.builder import DocumentBuilder

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


def load_text(data: bytes) -> LoadedDocument:
    """Read a text file; form feeds begin pages where there are any.

    Raises:
        DocumentError: see `decode_text`.
    """
    text = decode_text(data)
    builder = DocumentBuilder()
    pages = text.split(_FORM_FEED)
    for page in pages:
        if len(pages) > 1:
            builder.page()
        _add_lines(builder, _LINE_END.split(page))
    return builder.build("text/plain", metadata={})


def _add_lines(builder: DocumentBuilder, lines: list[str]) -> None:
    rows = [_cells(line) for line in lines]
    in_table = False
    for place, (line, cells) in enumerate(zip(lines, rows, strict=True)):
        is_row = bool(cells) and ("\t" in line.strip() or _has_neighbour(rows, place))
        if is_row and not in_table:
            builder.begin_table()
        elif in_table and not is_row:
            builder.end_table()
        in_table = is_row
        if is_row:
            builder.row(cells)
        elif builder.line(line) is None:
            builder.blank()
    if in_table:
        builder.end_table()


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
