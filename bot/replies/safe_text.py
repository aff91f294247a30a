"""Foreign text made fit to be shown: nothing invisible or live, nothing longer than its place.

Policies, questions and what models wrote are data. `shown` takes out what a reader can't see, then
breaks whatever a client might make a link of, unless it leads to a host of the company's:

- `://` with any scheme, and schemes that need no slashes (`javascript:`, `data:`, `mailto:`).
- Names with dots: domains, also in other scripts and with other dots (U+3002, U+FF0E, U+FF61,
  U+2024), mail addresses, IPv4 addresses. Numbers of sections and files stay as they are.
- What another reader than ours would take for markup: `](`, `<!`, `<@`, `<#`.

`https://evil.example` becomes `https[:]//evil[.]example`: to be read, not to be clicked.
"""

import re
import unicodedata

from core.expressions import expression
from core.language.interface.texts import Text

_LINE_ENDS = expression("\r\n|[\r\v\f\x85\u2028\u2029]")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_SELECTORS = (range(0x180B, 0x1810), range(0xFE00, 0xFE0F), range(0xE0100, 0xE01F0))
"""Letters and selectors that show nothing; the emoji selector (U+FE0F) shows something."""
_JOINERS = "\u200c\u200d"
_LOOSE_JOINER = expression(
    f"[{_JOINERS}]{{2,}}|(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])"
)
_RIGHT_TO_LEFT = expression(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_FSI, _PDI = "\u2068", "\u2069"
ELLIPSIS = "…"
CUT = Text("… [shortened]", "… [gekürzt]")
"""What marks where a text was cut."""
LOOKED_AT = 4
"""Characters read for each one that is shown."""


def shown(text: str, hosts: frozenset[str] = frozenset()) -> str:
    """Return text without invisible characters and live links.

    Args:
        text: anything.
        hosts: whose addresses stay live.
    """
    return defanged(clean(text), hosts)


def line(text: str, hosts: frozenset[str] = frozenset(), *, limit: int | None = None) -> str:
    """Return text on one line, isolated if it runs from right to left."""
    folded = " ".join(clean(_begun(text, limit)).split())
    is_apart = _RIGHT_TO_LEFT.search(folded) is not None
    told = shown(folded, hosts)
    if limit is not None:
        told = _marked(told, limit - 2 * is_apart, ELLIPSIS, is_all=_is_all(text, limit))
    return f"{_FSI}{told}{_PDI}" if is_apart else told


def short(
    text: str, limit: int, hosts: frozenset[str] = frozenset(), *, mark: str = ELLIPSIS
) -> str:
    """Return at most `limit` units of safe text; a cut is marked.

    Only a few times the limit is read, however long the text is.
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
    """Caches what each character becomes: itself, or nothing."""

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        is_shown = char in _JOINERS or unicodedata.category(char) not in _INVISIBLE
        is_blank = char in _BLANK or any(code in some for some in _SELECTORS)
        self[code] = code if char == "\n" or (is_shown and not is_blank) else None
        return self[code]


_KEPT = _Kept()


def width(text: str) -> int:
    """Return the length in UTF-16 units, the longest way in which platforms count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int, mark: str = ELLIPSIS) -> str:
    """Return at most `limit` units of a text; a cut is marked."""
    if width(text) <= limit:
        return text
    room = limit - width(mark)
    return _fitting(text, room).rstrip() + mark if room > 0 else mark[:limit]


def pieces(text: str, limit: int) -> list[str]:
    """Split a text into pieces of at most `limit` units, at spaces where possible."""
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


_URL = expression(r"(?<!\w)https://[A-Za-z0-9\-._~:/?#@!$&*+,;=%]+")
_SLASHES = expression(r"[:：](?=[/\\]{2})")  # noqa: RUF001
_SCHEME = expression(
    r"(javascript|vbscript|mailto|(?<![^\W_])(?:livescript|tel|sms|callto|skype|slack|msteams|blob"
    r"|view-source|about|jar|ms-[a-z]{1,20})):(?=\S)",
    re.IGNORECASE,
)
"""The first three wherever they stand: no word ends like them ("Hotel:5" does)."""
_DATA = expression(r"(?<![^\W_])(data):(?=[\w.+\-]*[,;/])", re.IGNORECASE)
_DOTS = ".。．｡․"  # noqa: RUF001
_DOT = expression(f"[{_DOTS}]")
_DOTTED = expression(rf"(?<![\w\-])[\w\-]++(?:[{_DOTS}][\w\-]++)+")
"""Possessive, and begun where a name begins: a long text without dots is read once."""
_WIDE_STOPS = frozenset("。｡")
"""They end a sentence in Chinese and Japanese: a domain only before a Latin ending."""
_MARKUP = expression(r"(?<=\])(?=\()|(?<=<)(?=[!@#])")
_FILES = frozenset(
    """csv doc docm docx dotx gif htm html jpeg jpg js json odp ods odt pdf png pot potx ppt pptx
    rtf svg tif tiff txt xls xlsm xlsx xml yaml yml""".split()  # noqa: SIM905
)
"""Endings of files: none is a top-level domain (IANA root zone)."""
_LEAST_ENDING = 2
_QUAD = expression(r"\d{1,3}(?:\.\d{1,3}){3}")
_CALLED = expression(r":\d|/")
"""A port or a path behind it: no section has one."""
_SECTION_PART = range(1, 100)
"""Parts of a section's number ("4.2.1.3"), as opposed to those of most addresses."""


def defanged(text: str, hosts: frozenset[str] = frozenset()) -> str:
    """Return text in which only whole `https` addresses at `hosts` may be live."""
    if not hosts:
        return _broken(text)
    whole: list[str] = []
    end = 0
    for found in _URL.finditer(text):
        if _host(found[0]) in hosts:
            whole += [_broken(text[end : found.start()]), found[0]]
            end = found.end()
    return "".join([*whole, _broken(text[end:])])


def is_trusted(url: str, hosts: frozenset[str]) -> bool:
    """Say whether an address leads to one of the hosts."""
    return _URL.fullmatch(url) is not None and _host(url) in hosts


def _host(url: str) -> str:
    """Return the host as a browser reads it; nothing that has a name, a port or an odd letter."""
    return re.split(r"[/?#]", url.removeprefix("https://"), maxsplit=1)[0].lower()


def _broken(text: str) -> str:
    text = _SLASHES.sub("[:]", text)
    text = _DATA.sub(_named, _SCHEME.sub(_named, text))
    text = _DOTTED.sub(_name, text)
    return _MARKUP.sub(" ", text)


def _named(found: re.Match[str]) -> str:
    return f"{found[1]}[:]"


def _name(found: re.Match[str]) -> str:
    token = found[0]
    is_called = _CALLED.match(found.string, found.end()) is not None
    is_live = _is_domain(token) or _is_address(token, is_called=is_called)
    return _DOT.sub("[.]", token) if is_live else token


def _is_domain(token: str) -> bool:
    """Say whether some part of it could be the end of a domain."""
    labels, dots = _DOT.split(token), _DOT.findall(token)
    last = len(dots) - 1
    return any(
        _ends_domain(label, dot, is_last=index == last)
        for index, (dot, label) in enumerate(zip(dots, labels[1:], strict=True))
    )


def _ends_domain(label: str, dot: str, *, is_last: bool) -> bool:
    folded = unicodedata.normalize("NFKC", label).lower()
    if folded.startswith("xn--"):
        return True
    letters = re.match(r"[^\W\d_]*", folded)
    length = letters.end() if letters else 0
    if length < _LEAST_ENDING or (is_last and folded in _FILES):
        return False
    if folded[:length].isascii():
        return True
    return dot not in _WIDE_STOPS


def _is_address(token: str, *, is_called: bool) -> bool:
    if not _QUAD.fullmatch(token):
        return False
    return is_called or any(int(part) not in _SECTION_PART for part in token.split("."))


_PLACES = (
    r"[A-Za-z0-9][A-Za-z0-9.\-]*\.slack\.com(?:/[\x21-\x7e]*)?",
    r"(?:teams\.microsoft\.com|teams\.cloud\.microsoft|gov\.teams\.microsoft\.us)/l/[\x21-\x7e]*",
)
_PERMALINK = expression(rf"https://(?:{'|'.join(_PLACES)})")
_BREAKING = frozenset("<>\"'`\\")


def is_permalink(url: str) -> bool:
    """Say whether an address leads to a message in Slack or Teams.

    A question of one platform may be answered on the other, so each shows links to both.
    """
    return _PERMALINK.fullmatch(url) is not None and not _BREAKING & set(url)


def permalink_or_none(url: str | None) -> str | None:
    """Return a link to a message as it is; None if it leads anywhere else."""
    return url if url and is_permalink(url) else None
