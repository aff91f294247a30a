"""What somebody wrote in a field of Slack's that keeps its form, as `core.cases.written` has it.

Groups, channels and whole audiences that it names are words; so are emoji.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bot.json_fields import Object
from bot.slack.inbound.payload import maybe
from core.cases.written import Line, WrittenBlock, WrittenKind, WrittenWords, write
from core.domain.json_value import Json
from core.domain.officers import Account

MOST_ELEMENTS = 2_000
"""Elements of one text: more are left out, and so long a text is refused for its length."""
_LISTS = {"bullet": WrittenKind.BULLETS, "ordered": WrittenKind.NUMBERS}
_LONGEST_CODE = 6
_NO_ADDRESS = frozenset(" \n()<>[]\\")


def written_of(rich: Object, *, tenant: str) -> str:
    """Return the text of a `rich_text` value; people are of this workspace."""
    return write(_blocks(rich, tenant))


def _blocks(rich: Object, tenant: str) -> Iterator[WrittenBlock]:
    for element in _objects(rich.get("elements")):
        if element.get("type") == "rich_text_list":
            kind = _LISTS.get(maybe(element, "style"), WrittenKind.BULLETS)
            items = [_lines(one, tenant) for one in _objects(element.get("elements"))]
            lines = tuple(tuple(word for line in item for word in line) for item in items)
            if kept := tuple(line for line in lines if _says(line)):
                yield WrittenBlock(kind=kind, lines=kept)
            continue
        for lines in _paragraphs(_lines(element, tenant)):
            yield WrittenBlock(kind=WrittenKind.PARAGRAPH, lines=lines)


def _paragraphs(lines: list[Line]) -> Iterator[tuple[Line, ...]]:
    """Yield lines that stand together; an empty one parts them."""
    together: list[Line] = []
    for line in [*lines, ()]:
        if _says(line):
            together.append(line)
        elif together:
            yield tuple(together)
            together = []


def _says(line: Line) -> bool:
    return any(word.text.strip() for word in line)


def _lines(section: Object, tenant: str) -> list[Line]:
    """Return the lines of a section, a quotation or preformatted text."""
    lines: list[list[WrittenWords]] = [[]]
    for element in _objects(section.get("elements")):
        word = _word(element, tenant)
        first, *more = word.text.split("\n")
        lines[-1] += [replace(word, text=first)] if first else []
        lines += [[replace(word, text=text)] if text else [] for text in more]
    return [tuple(line) for line in lines]


def _word(element: Object, tenant: str) -> WrittenWords:
    """Return one element as words; what has none is left out."""
    style = element.get("style")
    shown: Mapping[str, Json] = style if isinstance(style, Mapping) else {}
    is_bold, is_italic = shown.get("bold") is True, shown.get("italic") is True
    match element.get("type"):
        case "text":
            return WrittenWords(text=maybe(element, "text"), is_bold=is_bold, is_italic=is_italic)
        case "link":
            return replace(_link(element), is_bold=is_bold, is_italic=is_italic)
        case "user":
            person = maybe(element, "user_id")
            is_id = person.isascii() and person.isalnum()
            account = Account(platform="slack", tenant=tenant, person=person) if is_id else None
            return WrittenWords(text="@somebody", account=account)
        case _:
            return WrittenWords(text=_name(element))


def _link(element: Object) -> WrittenWords:
    """Return a link; of another scheme than `https` its words and address."""
    url = maybe(element, "url")
    text = " ".join((maybe(element, "text") or url).split())
    if url.startswith("https://") and not set(url) & _NO_ADDRESS:
        return WrittenWords(text=text, url=url)
    return WrittenWords(text=text if text == url else f"{text} ({url})")


def _name(element: Object) -> str:
    """Return what stands for an element that is neither text nor live with us."""
    names = {
        "emoji": _emoji(element),
        "broadcast": f"@{maybe(element, 'range')}",
        "usergroup": "@a group",
        "channel": "#a channel",
        "date": maybe(element, "fallback"),
    }
    return names.get(maybe(element, "type"), "")


def _emoji(element: Object) -> str:
    """Return an emoji as its characters; one of the company's own as its name."""
    codes = maybe(element, "unicode").split("-")
    try:
        return "".join(chr(int(code, 16)) for code in codes if len(code) <= _LONGEST_CODE)
    except (ValueError, OverflowError):
        return f":{maybe(element, 'name')}:"


def _objects(given: Json) -> Iterator[Object]:
    for one in given[:MOST_ELEMENTS] if isinstance(given, list) else ():
        if isinstance(one, Mapping):
            yield one
