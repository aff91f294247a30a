"""Make one line of text safe to store and to show, before offsets are fixed.

Used by every loader, line by line, and by nobody after loading: from then on offsets are exact.

- Invisible characters are removed: zero-width, format, tag (U+E0000 ff.), variation selectors,
  bidirectional controls, blank "filler" letters. They can carry instructions that a reader of the
  policy never sees.
- Zero-width joiners stay between letters of scripts whose spelling needs them (Unicode Standard,
  23.2).
- Exotic spaces become a space, runs of spaces one space; other control characters are removed.
- NFC, never NFKC, which would turn 10² into 102.
"""

import re
import unicodedata
from dataclasses import dataclass

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
