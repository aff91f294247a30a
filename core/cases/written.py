r"""What an officer writes, with its form: emphasis, lists, links and people, and nothing else.

It is stored and recorded as text in a small part of Markdown, so that whoever reads the record sees
what was written: `**bold**`, `_italics_`, lines that begin with `- ` or `1. `, `[words](https://…)`
and `<@platform/tenant/person|Name>`; a backslash takes the meaning from the sign after it. Reading
never fails: what is no form is text. Where a link may lead, and who may be mentioned, is decided
where it is shown.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.domain.officers import Account
from core.expressions import expression

MOST_MENTIONS = 20
"""People whom an answer names at most; the names of further ones are text."""
LONGEST_WRITTEN = 12_000
"""Characters of an answer with the signs of its form."""
_TOKEN = expression(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|\[(?P<label>(?:[^\[\]\\\n]|\\[!-/:-@\[-`{-~]){1,300})\]"
    r"\((?P<url>https://[^\s()<>\[\]\\]{1,2000})\)"
    r"|<@(?P<account>[a-z]{1,20}/[^\s/|<>]{1,100}/[^\s|<>]{1,200})\|(?P<name>[^|<>\n]{0,100})>"
    r"|(?P<bold>\*\*)|(?P<italic>[*_])"
)
"""Linear: a label is bounded and holds no bracket, so that each character is tried a fixed number
of times."""
_ESCAPED = expression(r"\\([!-/:-@\[-`{-~])")
_ITEM = expression(r"[-*•] +(?=\S)")
_NUMBER = expression(r"\d{1,3}[.)] +(?=\S)")
_SIGNS = expression(r"[\\*_\[\]<]")
_LEADS = expression(r"[-•](?= )")
_NUMBERED = expression(r"(\d{1,3})([.)])(?= )")


class WrittenKind(StrEnum):
    """What lines belong together as."""

    PARAGRAPH = "paragraph"
    BULLETS = "bullets"
    NUMBERS = "numbers"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenWords:
    """Words of one form."""

    text: str
    """Foreign; holds no line end."""
    is_bold: bool = False
    is_italic: bool = False
    url: str | None = None
    """Where it is to lead: anywhere, so it is checked before it is live; None: it is no link."""
    account: Account | None = None
    """Who is named by it; None: nobody."""


Line = tuple[WrittenWords, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenBlock:
    """A paragraph with its lines, or a list with its items."""

    kind: WrittenKind
    lines: tuple[Line, ...]
    """At least one."""


def read(written: str) -> tuple[WrittenBlock, ...]:
    """Return what a text says in its form; mentions beyond the limit are names.

    What is longer than any answer that was taken is cut.
    """
    blocks: list[WrittenBlock] = []
    is_apart = True
    for line in written[:LONGEST_WRITTEN].splitlines():
        kind, rest = _kind(line)
        if not rest.strip():
            is_apart = True
            continue
        shown = _words(rest.strip())
        if (
            blocks
            and blocks[-1].kind is kind
            and (kind is not WrittenKind.PARAGRAPH or not is_apart)
        ):
            blocks[-1] = replace(blocks[-1], lines=(*blocks[-1].lines, shown))
        else:
            blocks.append(WrittenBlock(kind=kind, lines=(shown,)))
        is_apart = False
    return tuple(_within_limit(blocks))


def _kind(line: str) -> tuple[WrittenKind, str]:
    line = line.strip()
    for kind, lead in ((WrittenKind.BULLETS, _ITEM), (WrittenKind.NUMBERS, _NUMBER)):
        if found := lead.match(line):
            return kind, line[found.end() :]
    return WrittenKind.PARAGRAPH, line


@dataclass(slots=True)
class _Sign:
    """A sign that may begin or end an emphasis."""

    text: str
    is_bold: bool
    opens: bool
    closes: bool
    is_live: bool = False


def _words(line: str) -> Line:
    """Return a line in its form; a sign without its partner is text."""
    parts: list[WrittenWords | _Sign] = []
    end = 0
    for found in _TOKEN.finditer(line):
        if found.start() > end:
            parts.append(WrittenWords(text=line[end : found.start()]))
        parts.append(_part(line, found))
        end = found.end()
    parts.append(WrittenWords(text=line[end:]))
    for is_bold in (True, False):
        _pair([one for one in parts if isinstance(one, _Sign) and one.is_bold is is_bold])
    return tuple(_joined(_styled(parts)))


def _part(line: str, found: re.Match[str]) -> WrittenWords | _Sign:
    if found["escaped"] is not None:
        return WrittenWords(text=found["escaped"])
    if found["url"] is not None:
        return WrittenWords(text=_ESCAPED.sub(r"\1", found["label"]), url=found["url"])
    if found["account"] is not None:
        platform, tenant, person = found["account"].split("/", 2)
        account = Account(platform=platform, tenant=tenant, person=person)
        return WrittenWords(text=f"@{found['name'] or 'somebody'}", account=account)
    before, after = line[found.start() - 1 : found.start()], line[found.end() : found.end() + 1]
    is_bold = found["bold"] is not None
    return _Sign(
        text=found[0],
        is_bold=is_bold,
        opens=bool(after.strip()) and (is_bold or not before.isalnum()),
        closes=bool(before.strip()) and (is_bold or not after.isalnum()),
    )


def _pair(signs: Sequence[_Sign]) -> None:
    begun: _Sign | None = None
    for sign in signs:
        if begun is not None and sign.closes:
            begun.is_live = sign.is_live = True
            begun = None
        elif begun is None and sign.opens:
            begun = sign


def _styled(parts: Iterable[WrittenWords | _Sign]) -> Iterator[WrittenWords]:
    is_bold = is_italic = False
    for part in parts:
        if isinstance(part, WrittenWords):
            yield replace(part, is_bold=is_bold, is_italic=is_italic)
        elif not part.is_live:
            yield WrittenWords(text=part.text, is_bold=is_bold, is_italic=is_italic)
        elif part.is_bold:
            is_bold = not is_bold
        else:
            is_italic = not is_italic


def _joined(words: Iterable[WrittenWords]) -> list[WrittenWords]:
    """Return words with neighbours of one form made one."""
    made: list[WrittenWords] = []
    for one in words:
        if not one.text:
            continue
        last = made[-1] if made else None
        is_plain = one.url is None and one.account is None
        if last is not None and is_plain and replace(last, text=one.text) == one:
            made[-1] = replace(last, text=last.text + one.text)
        else:
            made.append(one)
    return made


def _within_limit(blocks: Iterable[WrittenBlock]) -> Iterator[WrittenBlock]:
    left = MOST_MENTIONS
    for block in blocks:
        lines: list[Line] = []
        for line in block.lines:
            kept: list[WrittenWords] = []
            for one in line:
                left -= one.account is not None
                kept.append(replace(one, account=None) if left < 0 else one)
            lines.append(tuple(kept))
        yield replace(block, lines=tuple(lines))


def write(blocks: Iterable[WrittenBlock]) -> str:
    """Return the text that `read` reads as this."""
    return "\n\n".join(
        "\n".join(_lead(block.kind, n) + _line(line) for n, line in enumerate(block.lines, start=1))
        for block in blocks
    )


def _lead(kind: WrittenKind, number: int) -> str:
    match kind:
        case WrittenKind.PARAGRAPH:
            return ""
        case WrittenKind.BULLETS:
            return "- "
        case WrittenKind.NUMBERS:
            return f"{number}. "


def _line(line: Line) -> str:
    told = "".join(_said(one) for one in line)
    told = _NUMBERED.sub(r"\1\\\2", told, count=1) if _NUMBERED.match(told) else told
    return f"\\{told}" if _LEADS.match(told) else told


def _said(words: WrittenWords) -> str:
    if words.account is not None:
        account = words.account
        name = re.sub(r"[|<>\n]", " ", words.text.removeprefix("@"))[:100]
        return f"<@{account.platform}/{account.tenant}/{account.person}|{name}>"
    inner = words.text.strip()
    if not inner:
        return words.text
    told = literal(inner)
    if words.url is not None:
        told = f"[{literal(inner[:140])}]({words.url})"
    told = f"_{told}_" if words.is_italic else told
    told = f"**{told}**" if words.is_bold else told
    start = words.text.index(inner)
    return f"{words.text[:start]}{told}{words.text[start + len(inner) :]}"


def literal(text: str) -> str:
    """Return text in which no sign has a meaning."""
    return _SIGNS.sub(lambda found: f"\\{found[0]}", text)


def plain(written: str) -> str:
    """Return what a text says, without its form: a link with its address behind its words."""
    return "\n\n".join(
        "\n".join(
            _lead(block.kind, n) + "".join(map(_plainly, line))
            for n, line in enumerate(block.lines, start=1)
        )
        for block in read(written)
    )


def _plainly(words: WrittenWords) -> str:
    is_named = words.url is not None and words.url != words.text
    return f"{words.text} ({words.url})" if is_named else words.text


def typed(text: str) -> str:
    """Return what somebody typed where a form shows none: signs hold, but name nobody."""
    return text.replace("<@", "\\<@")


def people_in(written: str) -> tuple[Account, ...]:
    """Return who is named by a text, each once."""
    named = (one.account for block in read(written) for line in block.lines for one in line)
    return tuple(dict.fromkeys(one for one in named if one is not None))


def named(written: str, names: dict[Account, str]) -> str:
    """Return a text with the names of people whom it mentions."""

    def renamed(words: WrittenWords) -> WrittenWords:
        name = names.get(words.account, "") if words.account else ""
        return replace(words, text=f"@{name}") if name else words

    return write(
        replace(block, lines=tuple(tuple(map(renamed, line)) for line in block.lines))
        for block in read(written)
    )
