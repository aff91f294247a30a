"""A person's words, out of the text or the HTML in which Teams sends them.

Every pass over the text takes time in proportion to its length, whatever it holds: a tag never
reaches beyond the next `<`.
"""

import html
import json
import re
from collections.abc import Callable, Mapping

from bot.json_fields import Object, maybe_object
from bot.teams.protocol.payload import maybe, objects, words
from core.domain.json_value import Json

LONGEST_TEXT = 64_000
"""Characters that are read: a message of Teams has at most 28 KB, a question 8,000 characters."""
_AT = re.compile(r"<at\b[^<>]*>([^<>]*)</at>", re.IGNORECASE)
_LEFT_OVER = re.compile(r"</?at\b[^<>]*>", re.IGNORECASE)
_QUOTED = re.compile(r"<quoted\b[^<>]*>", re.IGNORECASE)
"""Where a message that is quoted stands; its words come beside the text."""
_REPLY = re.compile(
    r"<blockquote\b[^<>]*\bitemtype\s*=\s*[\"']https?://schema\.skype\.com/(?:Reply|Forward)[\"'][^<>]*>",
    re.IGNORECASE,
)
_REPLY_END = "</blockquote>"
_WHO_REPLIED = re.compile(
    r"<strong\b[^<>]*>[^<>]*</strong>|<span\b[^<>]*\bitemprop\s*=\s*[\"']time[\"'][^<>]*>[^<>]*</span>",
    re.IGNORECASE,
)
"""Who wrote what is quoted, and when: no words of it."""
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li)>", re.IGNORECASE)
_FORMAT = re.compile(r"</?(?:p|div|span|b|i|u|s|strong|em|a|ul|ol|li)\b[^<>]*>", re.IGNORECASE)
_SPACES = re.compile("[ \u00a0]+")
_LINES = re.compile(r" ?\n[\n ]*")
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9:-]*+)(?P<rest>[^<>]*+)>|<!--[^<>]*-->")
_ALT = re.compile(r"""\balt\s*=\s*["']([^"'<>]*)["']""", re.IGNORECASE)
_BLOCKS = frozenset({"br", "p", "div", "li", "tr", "h1", "h2", "h3", "blockquote", "pre", "hr"})
_UNREAD = frozenset({"script", "style"})
_SHOWN = frozenset({"emoji", "img"})


def clean_text(activity: Object) -> str:
    """Return what was typed, without our mention; `""` if a card was sent and nothing typed.

    Each mention gives way to what stands for it: ours to nothing, anybody else's to the name.
    """
    bot = maybe(maybe_object(activity, "recipient"), "id")
    _, text = _replied(words(activity, "text")[:LONGEST_TEXT])
    text = _AT.sub(_mentions(activity, bot), text)
    text = _QUOTED.sub(" ", _LEFT_OVER.sub("", text))
    text = _FORMAT.sub("", _BREAK.sub("\n", text))
    return _tidy(html.unescape(text))


def quotes_of(activity: Object) -> tuple[str, ...]:
    """Return what a message quotes: Teams tells it in the HTML, by a reference, or by an entity.

    The same words are told once.
    """
    found = [
        text
        for one in objects(activity, "attachments")
        for text in (
            _replied(words(one, "content"))[0]
            if words(one, "contentType") == "text/html"
            else _referenced(one)
        )
    ]
    found += _replied(words(activity, "text")[:LONGEST_TEXT])[0]
    for entity in objects(activity, "entities"):
        if words(entity, "type") == "quotedReply":
            found.append(html_text(words(maybe_object(entity, "quotedReply"), "preview")))
    return tuple(dict.fromkeys(one for one in found if one))


def _referenced(attachment: Object) -> list[str]:
    """Return the words of a reference to a message, which is JSON within JSON."""
    if words(attachment, "contentType") not in {"messageReference", "forwardedMessageReference"}:
        return []
    given = attachment.get("content")
    try:
        told: Json = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return []
    if not isinstance(told, Mapping):
        return []
    preview = words(told, "messagePreview") or words(told, "originalMessageContent")
    return [html_text(preview)]


def _replied(content: str) -> tuple[list[str], str]:
    """Return what HTML quotes as the message that it replies to, and the HTML without it."""
    content = content[:LONGEST_TEXT]
    quoted: list[str] = []
    rest: list[str] = []
    at = 0
    for opening in _REPLY.finditer(content):
        if opening.start() < at:
            continue
        end = content.find(_REPLY_END, opening.end())
        if end < 0:
            break
        rest.append(content[at : opening.start()])
        quoted.append(html_text(_WHO_REPLIED.sub("", content[opening.end() : end])))
        at = end + len(_REPLY_END)
    return quoted, "".join((*rest, content[at:]))


def names_bot(activity: Object) -> bool:
    """Say whether a message mentions us: by the bot's id, never by its name."""
    bot = maybe(maybe_object(activity, "recipient"), "id")
    return bool(bot) and any(_mentioned(entity) == bot for entity in _mention_entities(activity))


def names_others(activity: Object) -> bool:
    """Say whether a message mentions a person, a tag or a channel, besides us."""
    bot = maybe(maybe_object(activity, "recipient"), "id")
    return any(_mentioned(entity) != bot for entity in _mention_entities(activity))


def html_text(content: str) -> str:
    """Return the words of a message that Teams gives as HTML.

    Its images and emoji say what they show; nothing that is not shown is read.
    """
    shown: list[str] = []
    at, unread = 0, ""
    content = content[:LONGEST_TEXT]
    for tag in _TAG.finditer(content):
        if not unread:
            shown.append(content[at : tag.start()])
        at = tag.end()
        name, is_end = (tag["name"] or "").lower(), bool(tag["end"])
        if name in _UNREAD:
            unread = "" if is_end else unread or name
        elif not unread:
            shown.append(_shown(name, tag["rest"] or "", is_end=is_end))
    if not unread:
        shown.append(content[at:])
    return _tidy(html.unescape("".join(shown)))


def _shown(name: str, rest: str, *, is_end: bool) -> str:
    if name in _SHOWN:
        found = _ALT.search(rest)
        return found[1] if found else ""
    if name == "td" and is_end:
        return " "
    return "\n" if name in _BLOCKS and (is_end or name in {"br", "hr"}) else ""


def _mentions(activity: Object, bot: str) -> "Callable[[re.Match[str]], str]":
    """Return what replaces each `<at>` element: the same tag may stand for several people."""
    by_tag: dict[str, list[str]] = {}
    for entity in _mention_entities(activity):
        name = words(maybe_object(entity, "mentioned"), "name")
        tag = words(entity, "text") or _tag_of(name)
        by_tag.setdefault(tag, []).append("" if _mentioned(entity) == bot else name)
    seen: dict[str, int] = {}

    def replace(found: "re.Match[str]") -> str:
        tag = found[0] if found[0] in by_tag else _tag_of(html.unescape(found[1]).strip())
        stands = by_tag.get(tag)
        if not stands:
            return found[1]
        seen[tag] = seen.get(tag, 0) + 1
        name = stands[min(seen[tag], len(stands)) - 1]
        return f" {html.escape(name, quote=False)} " if name else " "

    return replace


def _tag_of(name: str) -> str:
    return f"<at>{name}</at>"


def _mention_entities(activity: Object) -> list[dict[str, Json]]:
    entities = objects(activity, "entities")
    return [one for one in entities if words(one, "type").lower() == "mention"]


def _mentioned(entity: Object) -> str:
    return maybe(maybe_object(entity, "mentioned"), "id")


def _tidy(text: str) -> str:
    """Return the text with single spaces, and without empty lines."""
    return _LINES.sub("\n", _SPACES.sub(" ", text)).strip()
