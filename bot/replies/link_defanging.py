"""Break whatever a client might make a link of, unless it leads to a host of the company's.

- `://` with any scheme, and schemes that need no slashes (`javascript:`, `data:`, `mailto:`).
- Names with dots: domains, also in other scripts and with other dots (U+3002, U+FF0E, U+FF61,
  U+2024), mail addresses, IPv4 addresses. Numbers of sections and files stay as they are.
- What another reader than ours would take for markup: `](`, `<!`, `<@`, `<#`.

`https://evil.example` becomes `https[:]//evil[.]example`: to be read, not to be clicked.
"""

import re
import unicodedata

_URL = re.compile(r"(?<!\w)https://[A-Za-z0-9\-._~:/?#@!$&*+,;=%]+")
_SLASHES = re.compile(r"[:：](?=[/\\]{2})")  # noqa: RUF001
_SCHEME = re.compile(
    r"(javascript|vbscript|mailto|(?<![^\W_])(?:livescript|tel|sms|callto|skype|slack|msteams|blob"
    r"|view-source|about|jar|ms-[a-z]{1,20})):(?=\S)",
    re.IGNORECASE,
)
"""The first three wherever they stand: no word ends like them ("Hotel:5" does)."""
_DATA = re.compile(r"(?<![^\W_])(data):(?=[\w.+\-]*[,;/])", re.IGNORECASE)
_DOTS = ".。．｡․"  # noqa: RUF001
_DOT = re.compile(f"[{_DOTS}]")
_DOTTED = re.compile(rf"(?<![\w\-])[\w\-]++(?:[{_DOTS}][\w\-]++)+")
"""Possessive, and begun where a name begins: a long text without dots is read once."""
_WIDE_STOPS = frozenset("。｡")
"""They end a sentence in Chinese and Japanese: a domain only before a Latin ending."""
_MARKUP = re.compile(r"(?<=\])(?=\()|(?<=<)(?=[!@#])")
_FILES = frozenset(
    """csv doc docm docx dotx gif htm html jpeg jpg js json odp ods odt pdf png pot potx ppt pptx
    rtf svg tif tiff txt xls xlsm xlsx xml yaml yml""".split()  # noqa: SIM905
)
"""Endings of files: none is a top-level domain (IANA root zone)."""
_LEAST_ENDING = 2
_QUAD = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_CALLED = re.compile(r":\d|/")
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
    """Say whether a whole address leads to one of the hosts, and to nowhere else."""
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
