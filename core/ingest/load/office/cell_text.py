"""A cell of a spreadsheet as its number format shows it: "EUR 1,250.00", "15%", "1 Mar 2026".

Number formats are those of ECMA-376-1, 18.8.31. Names of months and separators are English,
whatever language a program would show them in. Where a format has conditions, fractions, powers of
ten, thousands left out or several groups of digits, the plain number is shown.
"""

import re
from datetime import date, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import TypeAlias

CellValue: TypeAlias = bool | int | float | str | date | time | timedelta

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]{0,255}+)"|\\(?P<escaped>.)|(?P<gap>_.|\* )|\*.'
    r"|\[\$(?P<currency>[^\]-]{0,255}+)[^\]]{0,255}+\]"
    r"|\[[^\]]{0,255}+\]|(?P<minute>(?<=h:)mm?(?!m)|mm?(?=:s))|(?P<code>am/pm|y+|d+|h+|s+|m+)"
    r"|(?P<digits>general|[#0?][#0?,]*(?:\.[#0?]*)?)",
    re.IGNORECASE,
)
_UNREAD = re.compile(r"\[[<=>]|[#0?]/|/[#0?]|[0#]e[+-]|[#0?],+(?![#0?,])", re.IGNORECASE)
_LITERAL = re.compile(r'"[^"]{0,255}+"|\\.|\[\$[^\]]{0,255}+\]')
_HALVES = re.compile("am/pm", re.IGNORECASE)
_DIGITS = re.compile(r"[#0?][#0?,.]*")
_AS_SET_UP = {"mm-dd-yy": "d mmm yyyy", "m/d/yy h:mm": "d mmm yyyy hh:mm"}
"""Formats of which each computer makes its own order of day and month: shown as none mistakes."""
_LONGEST = 255
"""Characters of a format that Excel allows."""
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)
"""Rounds as spreadsheets do, and holds any number of theirs."""
_MOMENTS = {
    "y": "%y",
    "yy": "%y",
    "m": "%-m",
    "mm": "%m",
    "mmm": "%b",
    "mmmm": "%B",
    "d": "%-d",
    "dd": "%d",
    "ddd": "%a",
    "dddd": "%A",
    "h": "%-H",
    "hh": "%H",
    "s": "%-S",
    "ss": "%S",
    "am/pm": "%p",
}


def cell_text(value: CellValue, number_format: str) -> str:
    """Return a cell's value as people see it.

    Args:
        value: As it is stored; a moment where the format is one of dates.
        number_format: The format's code.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, timedelta):
        minutes = round(value.total_seconds() / 60)
        return f"{minutes // 60}:{minutes % 60:02}"
    sections = _sections(_AS_SET_UP.get(number_format, number_format)[:_LONGEST])
    if isinstance(value, date | time):
        return _TOKEN.sub(lambda token: _moment(token, value), sections[0]) or str(value)
    place = 1 if value < 0 else 2 if value == 0 else 0
    section = sections[place] if place < len(sections) else sections[0]
    bare = _LITERAL.sub("", section)
    size = Decimal(repr(value))
    if _UNREAD.search(bare) or len(_DIGITS.findall(bare)) > 1:
        return _general(size)
    sign = "-" if value < 0 and len(sections) == 1 else ""
    size = abs(size) * (100 if "%" in bare else 1)
    return sign + _TOKEN.sub(lambda token: _number(token, size), section)


def _sections(number_format: str) -> list[str]:
    """Return the parts of a format: for numbers above, below and at zero, and for words."""
    parts = number_format.split('"')
    outside = [part if place % 2 else part.replace(";", "\0") for place, part in enumerate(parts)]
    return '"'.join(outside).split("\0")


def _moment(token: re.Match[str], value: date | time) -> str:
    code = (token["code"] or "").lower()
    if token["minute"]:
        return value.strftime("%M" if len(token["minute"]) > 1 else "%-M")
    if code.startswith("h") and _HALVES.search(token.string):
        return value.strftime("%-I")
    return value.strftime(_MOMENTS.get(code, "%Y")) if code else _literal(token)


def _number(token: re.Match[str], size: Decimal) -> str:
    digits = token["digits"]
    if not digits or digits.lower() == "general":
        return _general(size) if digits else token["code"] or _literal(token)
    whole, _, decimals = digits.partition(".")
    with localcontext(_EXACT):
        text = f"{size:{',' if ',' in whole else ''}.{len(decimals)}f}"
    for _ in range(len(decimals) - len(decimals.rstrip("#?"))):
        text = text.removesuffix("0")
    before, _, after = text.partition(".")
    return before.zfill(whole.count("0")) + (f".{after}" if after else "")


def _general(size: Decimal) -> str:
    with localcontext(_EXACT):
        return f"{size:.9f}".rstrip("0").rstrip(".")


def _literal(token: re.Match[str]) -> str:
    shown = token["quoted"] or token["escaped"] or token["currency"]
    return shown or (" " if token["gap"] else "")
