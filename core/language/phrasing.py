"""Policy text as a colleague would write it: without markup, list markers and table rules.

- No word is added, and none is lost but a marker or the "and" between two items: an item is said
  with the sentence that introduces its list, a table row with the names of its columns.
- Tables are text, one row a line with cells separated by ` | `. "City | Hotel, GBP per night" and
  "London | 190" read "London: hotel GBP 190 per night". A column name that says no more than what
  kind of thing the row is about, or that something is said ("Definition"), is left out.
- `readings` gives the readings of quotes, so that a claim worded here is checked against the same
  words. The stored text stays what is shown as the quote.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.expressions import expression
from core.language.jurisdictions import jurisdictions_in

_CELLS = "|"
_KINDS = frozenset(
    """area asset benefit category city class classification country data definition destination
    document event expense grade group item kind level location name office phase policy priority
    range region role route service severity step system team term threshold topic type
    vehicle""".split()  # noqa: SIM905
)
"""Names of a first column that say what kind of thing stands in it, and nothing about it."""
_SAYINGS = frozenset(
    """answer comment comments definition description detail details explanation meaning note notes
    requirement requirements rule""".split()  # noqa: SIM905
)
"""Names of a last column that add nothing to what stands in it."""
_CURRENCY = (
    r"(?:EUR|USD|GBP|CHF|AUD|CAD|SGD|HKD|JPY|INR|AED|CNY|SEK|NOK|DKK|PLN|CZK|HUF|ZAR|BRL|US\$"
    r"|[$\u20ac\u00a3\u00a5])"
)
_MEASURED = expression(
    rf"(?P<name>\S.*?)(?:, ?| | ?\()(?P<currency>{_CURRENCY})"
    r"(?P<each>(?: (?:per|a|an|each) [a-z ]{1,30}| ?/ ?[a-z]{1,20})?)\)?"
)
"""A column's name with the currency of its cells: "Hotel, GBP per night", "Limit (EUR)"."""
_BOUND = r"(?:up to |max\.? |at most |at least |about )?"
_NUMBER = expression(rf"{_BOUND}\d[\d.,' ]*", re.IGNORECASE)
_AMOUNT = expression(rf"{_BOUND}(?:{_CURRENCY}\s?)?\d[^:;|]{{0,40}}", re.IGNORECASE)
"""A cell that is read straight after its column's name."""
_LONGEST_NAME = 200


def read_row(header: str, row: str) -> str:
    """Write a row as a person says it; without a fitting header, cell by cell."""
    names = [part.strip() for part in header.split(_CELLS)]
    cells = [part.strip() for part in row.split(_CELLS)]
    if len(names) != len(cells):
        return "; ".join(cell for cell in cells if cell)
    pairs = [(name, cell) for name, cell in zip(names, cells, strict=True) if cell]
    if len(pairs) < 2 or pairs[0][0].casefold().rpartition(" ")[2] not in _KINDS | {""}:  # noqa: PLR2004
        return "; ".join(_said(pairs))
    about, rest = _numbered(*pairs[0]), pairs[1:]
    if len(rest) == 1 and rest[0][0].casefold() in _SAYINGS:
        return f"{about}: {rest[0][1]}"
    said = list(_said(rest))
    joint = " \u2013 " if any(":" in one for one in said) else ": "
    return f"{about}{joint}{'; '.join(said)}"


def fits(header: str, row: str) -> bool:
    """Say whether two texts are a table's header and a row of as many cells."""
    return _CELLS in header and _CELLS in row and header.count(_CELLS) == row.count(_CELLS)


def rows_read(quotes: Sequence[str]) -> list[str]:
    """Return each quoted row as it reads under the quoted header before it.

    What it says is said by the two quotes together: no word is added to them.
    """
    return [read_row(header, row) for header, row in pairwise(quotes) if fits(header, row)]


def _said(pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield each cell behind its column's name.

    Names of measures are written small, and that of an only column; others may be names of places.
    """
    measures = [_MEASURED.fullmatch(name[:_LONGEST_NAME]) for name, _ in pairs]
    is_measured = any(measures) or (len(pairs) == 1 and not jurisdictions_in(pairs[0][0]))
    for (name, cell), measure in zip(pairs, measures, strict=True):
        if not name:
            yield cell
        elif measure and _NUMBER.fullmatch(cell):
            of = _lower(measure["name"].rstrip(" ,"))
            yield f"{of} {_with_currency(cell, measure['currency'])}{measure['each']}"
        elif is_measured and _AMOUNT.fullmatch(cell):
            yield f"{_lower(name)} {cell}"
        else:
            yield f"{name}: {cell}"


def _with_currency(cell: str, currency: str) -> str:
    """Put a currency before the number of a cell ("up to 190": "up to GBP 190")."""
    number = re.search(r"\d", cell)
    at = number.start() if number else 0
    space = " " if currency[-1].isalpha() else ""
    return f"{cell[:at]}{currency}{space}{cell[at:]}"


def _numbered(name: str, cell: str) -> str:
    """Return what a row is about; a bare number or letter keeps the name of its column."""
    return f"{name} {cell}".strip() if len(cell) <= 2 or cell[0].isdigit() else cell  # noqa: PLR2004


def _lower(name: str) -> str:
    """Return a column's name within a sentence; an abbreviation or a name keeps its capitals."""
    first = name.split(maxsplit=1)[0]
    return name if not first[1:].islower() else name[0].lower() + name[1:]


_PUNCTUATION = r"[!-/:-@\[-`{-~]"
_MARKUP: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (expression(pattern), kept)
    for pattern, kept in (
        (r"\{\{[#/^!][^{}\n]{0,80}\}\}", " "),
        (r"\{%-?\s*\w{1,40}\s+[\"']([^\"'{}\n]{1,80})[\"']\s*-?%\}", r"\1"),
        (r"\{%[^{}\n]{0,200}%\}", " "),
        (r"\[\^[^\[\]\s]{1,20}\]:?", ""),
        (r"</?[A-Za-z][^<>\n]{0,200}>", " "),
        (r"!?\[([^\[\]\n]{1,200})\](?:\([^()\s]{0,500}\)|\[[^\[\]\n]{0,80}\])", r"\1"),
        (r"<(https?://[^<>\s]{1,500})>", r"\1"),
        (r"\*{1,3}|`{1,3}|~~", ""),
        (r"(?<![^\W_])_{1,3}(?=\w)|(?<=[^\W_])_{1,3}(?!\w)|__", ""),
        (rf"\\(?={_PUNCTUATION})", ""),
        (r"(?m)^\s{0,3}(?:#{1,6}\s+|>\s+)", ""),
        ("[\u00ad\u200b\ufeff\ufffd\ue000-\uf8ff]", ""),
    )
)
"""Marks of Markdown, HTML and templates that a loader left, and what is left of a font's own
letters."""
_BLANK = expression(r"\{\{\s{0,9}&?\s{0,9}([A-Za-z][\w.]{0,60})\s{0,9}\}\}")
_HUMP = expression(r"(?<=[a-z])(?=[A-Z])|[_.]+")
_MARKER = expression(
    r"\s*(?:(?:[-*+\u2022\u00b7\u25aa\u25ab\u25a0\u25a1\u25cb\u25cf\u25e6\u2013\u2014\uf0b7]"
    r"|\[[ xX]\])\s+"
    r"|\(?(?:[A-Za-z]|[ivxIVX]{1,5}|\d{1,3})\)\s+"
    r"|(?:[a-z]|[ivx]{1,5}|\d{1,3}(?:\.\d{1,3})*)\.\s+(?=\S)|A:\s+)+"
)
"""What an item, a numbered sentence or a printed answer ("A: ...") begins with; "3 days", "1.5
days" and "A. Smith" begin with no marker."""
_DANGLING = expression(r" ?(?:[;,] ?(?:and/or|and|or)?|(?<= )(?:and/or|and|or))$", re.IGNORECASE)
_LETTER = expression(r"^[A-Z]\.\s+")
"""The letter of a heading ("B. Prohibitions")."""
_LONGEST_HEADING = 60
_BULLET = expression(r"\s*(?:[-*+\u2022\u00b7\u25aa\u25cf\u25e6\u2013\u2014\uf0b7]|\[[ xX]\])\s")
_ENDS = (".", "!", "?", "\u2026", "\u3002", ":", ";")
_CLOSING = "\"')]\u201d\u2019"
_NAMED = expression(r"[a-z]+(?: [a-z]+){0,3}: ")
"""A row that begins with the name of its first column."""
_OPENING = expression(r"[:\u2014\u2013-]\s*$")


def marker_style(text: str) -> str:
    """Return what marks of an item look like ("-", "(a)", "1."), alike for all items of one list.

    Empty for what is no item.
    """
    found = _MARKER.match(text)
    if found is None:
        return ""
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "1", found[0].strip()))


def plain(text: str) -> str:
    """Return text on one line without the marks of Markdown and HTML; its words stay."""
    text = _BLANK.sub(_blank, text)
    for pattern, kept in _MARKUP:
        text = pattern.sub(kept, text)
    return " ".join(text.split())


def _blank(found: re.Match[str]) -> str:
    """Return what a template leaves to be filled in: "{{companyName}}" is "[company name]"."""
    return f"[{_HUMP.sub(' ', found[1]).strip().lower()}]"


def phrase(text: str) -> str:
    """Return an item as it stands in a list: without its marker, and without "; and" at its end."""
    said = unmarked(text)
    shorter = _DANGLING.sub("", said)
    return shorter if re.search(r"\w", shorter) else said


def sentence(text: str) -> str:
    """Return a quoted unit as a sentence."""
    return _ended(phrase(text))


def introduces(text: str) -> bool:
    """Say whether a text introduces what follows it ("The following are reimbursed:")."""
    return plain(text).endswith(":")


def heads(text: str) -> bool:
    """Say whether a text can stand before what it introduces: it ends in a colon or without end."""
    said = plain(text)
    is_open = not said.rstrip(_CLOSING).endswith(_ENDS) and not _BULLET.match(text)
    return introduces(text) or (is_open and re.search(r"\w", said) is not None)


def item_sentence(*parts: str) -> str:
    """Return a list item, the last part, with what introduces it, outermost first."""
    *lead_ins, item = parts
    return _ended(" ".join([*map(opening, lead_ins), phrase(item)]))


def opening(lead_in: str) -> str:
    """Return what introduces a list, up to its colon; of several sentences all are kept."""
    said = (
        _LETTER.sub("", unmarked(lead_in))
        if len(lead_in) <= _LONGEST_HEADING
        else unmarked(lead_in)
    )
    return f"{_OPENING.sub('', said).rstrip(' .;,')}:"


def row_sentence(header: str, row: str) -> str:
    """Return a table row read under its header, as one sentence."""
    return _ended(read_row(plain(header), plain(row)))


def readings(quotes: Sequence[str]) -> list[str]:
    """Return what quotes say beside their stored text, as a claim may word it.

    Each without markup; an item with the lead-in before it, a row under the header before it.
    """
    said = [sentence(quote) for quote in quotes]
    for first, second in pairwise(quotes):
        if fits(first, second):
            said.append(row_sentence(first, second))
    for last in range(1, len(quotes)):
        first = last
        while first and heads(quotes[first - 1]):
            first -= 1
        if first < last:
            said.append(item_sentence(*quotes[first : last + 1]))
    return said


def unmarked(text: str) -> str:
    """Return an item on one line without its marker and markup."""
    return plain(_without_marker(text))


def _without_marker(text: str) -> str:
    marker = _MARKER.match(text)
    return text[marker.end() :] if marker else text


def _ended(text: str) -> str:
    """Return a text with a full stop, unless it ends as a sentence does."""
    text = text[:1].upper() + text[1:] if _NAMED.match(text) else text
    return text if not text or text.rstrip(_CLOSING).endswith(_ENDS) else f"{text}."
