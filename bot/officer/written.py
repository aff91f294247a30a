"""What an officer wrote, as HTML of the console: its form, and nothing else of it live."""

from markupsafe import Markup, escape

from bot.replies.safe_text import clean, is_trusted, shown
from core.cases.written import Line, WrittenKind, WrittenWords, read

_BLOCKS = {
    WrittenKind.PARAGRAPH: Markup("<p>{}</p>"),
    WrittenKind.BULLETS: Markup("<ul>{}</ul>"),
    WrittenKind.NUMBERS: Markup("<ol>{}</ol>"),
}


def written_html(text: str | None, *, hosts: frozenset[str]) -> Markup:
    """Return paragraphs and lists; links lead to these hosts alone, and people are named."""
    made: list[Markup] = []
    for block in read(text or ""):
        lines = [_line(line, hosts) for line in block.lines]
        if block.kind is WrittenKind.PARAGRAPH:
            inner = Markup("<br>").join(lines)
        else:
            inner = Markup().join(Markup("<li>{}</li>").format(one) for one in lines)
        made.append(_BLOCKS[block.kind].format(inner))
    return Markup().join(made)


def _line(line: Line, hosts: frozenset[str]) -> Markup:
    return Markup().join(_words(words, hosts) for words in line)


def _words(words: WrittenWords, hosts: frozenset[str]) -> Markup:
    told = escape(clean(words.text))
    if words.account is not None:
        told = Markup("<bdi>{}</bdi>").format(told)
    elif words.url is not None and is_trusted(words.url, hosts):
        told = Markup('<a href="{}" rel="noreferrer">{}</a>').format(words.url, told)
    elif words.url is not None and words.url != words.text:
        told = escape(shown(f"{words.text} ({words.url})"))
    told = Markup("<em>{}</em>").format(told) if words.is_italic else told
    return Markup("<strong>{}</strong>").format(told) if words.is_bold else told
