"""Foreign text made fit to be shown: nothing invisible, nothing longer than its place.

Policies, questions and what models wrote are data. `shown` is the one door: it takes out what a
reader can't see, then breaks what a client might open (`addresses`).
"""

import re
import unicodedata

from bot.replies.link_defanging import defanged

_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_SELECTORS = (range(0x180B, 0x1810), range(0xFE00, 0xFE0F), range(0xE0100, 0xE01F0))
"""Letters and selectors that show nothing; the emoji selector (U+FE0F) shows something."""
_JOINERS = "\u200c\u200d"
_LOOSE_JOINER = re.compile(
    f"[{_JOINERS}]{{2,}}|(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])"
)
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_FSI, _PDI = "\u2068", "\u2069"
ELLIPSIS = "…"
LOOKED_AT = 4
"""Characters of a text that are looked at for each that is shown."""


def shown(text: str, hosts: frozenset[str] = frozenset()) -> str:
    """Return text that nobody but its reader acts on.

    Args:
        text: anything.
        hosts: whose addresses may stay whole.
    """
    return defanged(clean(text), hosts)


def line(text: str, hosts: frozenset[str] = frozenset(), *, limit: int | None = None) -> str:
    """Return it on one line, set apart from ours where it runs from right to left."""
    folded = " ".join(clean(_begun(text, limit)).split())
    is_apart = _RIGHT_TO_LEFT.search(folded) is not None
    told = shown(folded, hosts)
    if limit is not None:
        told = _marked(told, limit - 2 * is_apart, ELLIPSIS, is_all=_is_all(text, limit))
    return f"{_FSI}{told}{_PDI}" if is_apart else told


def short(
    text: str, limit: int, hosts: frozenset[str] = frozenset(), *, mark: str = ELLIPSIS
) -> str:
    """Return at most `limit` units of what is shown of it; what is missing is marked.

    However long it is, no more than a few times the limit is looked at.
    """
    told = shown(_begun(text, limit), hosts)
    return _marked(told, limit, mark, is_all=_is_all(text, limit))


def _marked(text: str, limit: int, mark: str, *, is_all: bool) -> str:
    return cut(text, limit, mark) if is_all else cut(text, limit - width(mark), "") + mark


def _is_all(text: str, limit: int) -> bool:
    return len(text) <= LOOKED_AT * (limit + 1)


def _begun(text: str, limit: int | None) -> str:
    return text if limit is None else text[: LOOKED_AT * (limit + 1)]


def clean(text: str) -> str:
    """Return text without control, format, tag and selector characters; line ends become LF.

    A joiner stays where neither neighbour is ASCII: spelling and emoji need it there, and within a
    name of ours it would only hide.
    """
    if text.isascii() and text.isprintable():
        return text
    kept = _LINE_ENDS.sub("\n", text).replace("\t", " ").translate(_KEPT)
    return _LOOSE_JOINER.sub("", kept)


class _Kept(dict[int, int | None]):
    """What becomes of each character, found out once: itself, or nothing."""

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        is_shown = char in _JOINERS or unicodedata.category(char) not in _INVISIBLE
        is_blank = char in _BLANK or any(code in some for some in _SELECTORS)
        self[code] = code if char == "\n" or (is_shown and not is_blank) else None
        return self[code]


_KEPT = _Kept()


def width(text: str) -> int:
    """Return how long a platform may take it to be: in UTF-16 units, the longest way to count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int, mark: str = ELLIPSIS) -> str:
    """Return at most `limit` units of it; what is missing is marked."""
    if width(text) <= limit:
        return text
    room = limit - width(mark)
    return _fitting(text, room).rstrip() + mark if room > 0 else mark[:limit]


def pieces(text: str, limit: int) -> list[str]:
    """Return the whole of it in pieces of at most `limit` units, parted at spaces where it can."""
    found: list[str] = []
    while width(text) > limit:
        end = len(_fitting(text, limit)) or 1
        space = max(text.rfind(" ", end // 2, end), text.rfind("\n", end // 2, end))
        end = space + 1 if space > 0 else end
        found.append(text[:end])
        text = text[end:]
    return [*found, text] if text else found


def _fitting(text: str, limit: int) -> str:
    """Return the longest beginning of `limit` units."""
    units = text[:limit].encode("utf-16-le", "surrogatepass")[: 2 * limit]
    return units.decode("utf-16-le", "ignore")
