"""Policy text as a colleague would write it: without markup, list markers and table rules.

- No word is added, and none is lost but a marker or the "and" between two items: an item is said
  with the sentence that introduces its list, a table row with the names of its columns.
- `readings` says what quotes read as, so that a claim worded here is checked against the same
  words. The stored text stays what is shown as the quote.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from core.language.table_rows import fits, read_row

_PUNCTUATION = r"[!-/:-@\[-`{-~]"
_MARKUP: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), kept)
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
_BLANK = re.compile(r"\{\{\s{0,9}&?\s{0,9}([A-Za-z][\w.]{0,60})\s{0,9}\}\}")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|[_.]+")
_MARKER = re.compile(
    r"\s*(?:(?:[-*+\u2022\u00b7\u25aa\u25ab\u25a0\u25a1\u25cb\u25cf\u25e6\u2013\u2014\uf0b7]"
    r"|\[[ xX]\])\s+"
    r"|\(?(?:[A-Za-z]|[ivxIVX]{1,5}|\d{1,3})\)\s+"
    r"|(?:[a-z]|[ivx]{1,5}|\d{1,3}(?:\.\d{1,3})*)\.\s+(?=\S)|A:\s+)+"
)
"""What an item, a numbered sentence or a printed answer ("A: ...") begins with; "3 days", "1.5
days" and "A. Smith" begin with no marker."""
_DANGLING = re.compile(r" ?(?:[;,] ?(?:and/or|and|or)?|(?<= )(?:and/or|and|or))$", re.IGNORECASE)
_LETTER = re.compile(r"^[A-Z]\.\s+")
"""The letter of a heading ("B. Prohibitions")."""
_LONGEST_HEADING = 60
_BULLET = re.compile(r"\s*(?:[-*+\u2022\u00b7\u25aa\u25cf\u25e6\u2013\u2014\uf0b7]|\[[ xX]\])\s")
_ENDS = (".", "!", "?", "\u2026", "\u3002", ":", ";")
_CLOSING = "\"')]\u201d\u2019"
_NAMED = re.compile(r"[a-z]+(?: [a-z]+){0,3}: ")
"""A row that begins with the name of its first column."""
_OPENING = re.compile(r"[:\u2014\u2013-]\s*$")


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
