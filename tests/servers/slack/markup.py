"""What of a message would be live in a client: links, mentions, images.

Three readings: mrkdwn (control sequences in `<>`, bare addresses unless `verbatim` or
`parse="none"`), rich text (elements only) and Markdown blocks. Text of type `plain_text` and the
text elements of rich text are never live, except bare addresses for whoever asks with `strict`:
whether clients link those is not documented.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.servers.slack.posts import Ephemeral, Message
from tests.servers.slack.wire import Json, is_array, is_object, objects

_CONTROL = re.compile(r"<([^<>\n]+)>")
_BARE = re.compile(
    r"(?:https?://|mailto:|www\.)[^\s<>|]+"
    r"|\b(?:[\w-]+\.)+(?:com|org|net|io|dev|co|eu|example|info|app|xyz|ru|cn|uk|de|be|zip)\b[^\s<>|]*",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<![\w@])@(?:channel|here|everyone|[\w.-]+)|(?<![\w#&])#[\w-]+")
_MD_IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)[^)]*\)")
_MD_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)[^)]*\)")
_RUNS = frozenset({"rich_text_section", "rich_text_quote", "rich_text_preformatted"})


@dataclass(slots=True)
class Live:
    """What is live."""

    links: list[str] = field(default_factory=list[str])
    mentions: list[str] = field(default_factory=list[str])
    images: list[str] = field(default_factory=list[str])


def live(message: Message | Ephemeral, *, strict: bool = False) -> Live:
    """Return what is live in a message: its text, blocks and attachments."""
    found = Live()
    parse = str(message.sent.get("parse") or "")
    _mrkdwn(message.text, found, bare=parse != "none")
    if message.sent.get("link_names") or parse == "full":
        found.mentions += _NAMED.findall(message.text)
    if message.sent.get("markdown_text"):
        _markdown(message.text, found)
    return _rest(found, [*message.blocks, *message.attachments], strict=strict)


def typed(text: str) -> str:
    """Return what a person typed as events tell it: `&`, `<`, `>` escaped, addresses in `<>`."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"https?://[^\s&]+", r"<\g<0>>", escaped)


def words_of_blocks(blocks: Any) -> Iterator[str]:
    """Yield the words of blocks as a client draws them, run by run."""
    given: list[Any] = blocks if is_array(blocks) else [blocks]
    for one in filter(is_object, given):
        kind = one.get("type")
        if kind in _RUNS:
            yield "".join(str(run.get("text") or run.get("url")) for run in one["elements"])
        elif kind == "mrkdwn":
            yield unescaped(str(one["text"]))
        elif kind == "plain_text":
            yield str(one["text"])
        else:
            for inner in one.values():
                yield from words_of_blocks(inner)


def unescaped(text: str) -> str:
    """Return mrkdwn as read: without emphasis and entities."""
    return html.unescape(text.replace("*", ""))


def live_in_view(view: Json, *, strict: bool = False) -> Live:
    """Return what is live in a view."""
    return _rest(Live(), objects(view.get("blocks")), strict=strict)


def live_links(message: Message | Ephemeral, *, strict: bool = False) -> list[str]:
    """Return the addresses that a click would open."""
    return live(message, strict=strict).links


def live_mentions(message: Message | Ephemeral) -> list[str]:
    """Return who would be named or called: `U…`, `#C…`, `!channel`, `@here`."""
    return live(message).mentions


def images(message: Message | Ephemeral) -> list[str]:
    """Return the addresses that a client would fetch without a click."""
    return live(message).images


def _rest(found: Live, given: list[Json], *, strict: bool) -> Live:
    for one in given:
        for thing in _walk(one):
            _object(thing, found, strict=strict)
    return found


def _walk(given: Any) -> Iterator[Json]:
    if is_object(given):
        yield given
    inner: list[Any] = list(given.values()) if is_object(given) else []
    for value in given if is_array(given) else inner:
        yield from _walk(value)


def _object(thing: Json, found: Live, *, strict: bool) -> None:
    kind, text = str(thing.get("type")), thing.get("text")
    if kind == "mrkdwn" and isinstance(text, str):
        _mrkdwn(text, found, bare=not thing.get("verbatim"))
    elif kind in {"markdown", "markdown_text"} and isinstance(text, str):
        _mrkdwn(text, found, bare=True)
        _markdown(text, found)
    elif kind == "text" and strict and isinstance(text, str):
        found.links += _BARE.findall(text)
    elif kind in _MENTION:
        found.mentions.append(_MENTION[kind][0] + str(thing.get(_MENTION[kind][1])))
    _addresses(thing, found)


_MENTION = {
    "user": ("", "user_id"),
    "usergroup": ("!subteam^", "usergroup_id"),
    "channel": ("#", "channel_id"),
    "broadcast": ("!", "range"),
    "team": ("!team^", "team_id"),
}


def _addresses(thing: Json, found: Live) -> None:
    for key in ("url", "title_url", "title_link", "author_link", "from_url", "video_url"):
        if isinstance(thing.get(key), str) and thing[key]:
            found.links.append(thing[key])
    for key in ("image_url", "thumb_url", "thumbnail_url", "provider_icon_url", "footer_icon"):
        if isinstance(thing.get(key), str) and thing[key]:
            found.images.append(thing[key])
    if is_object(thing.get("slack_file")):
        found.images.append(str(thing["slack_file"]))
    if "fallback" in thing or "pretext" in thing:
        for key in ("text", "pretext"):
            if isinstance(thing.get(key), str):
                _mrkdwn(thing[key], found, bare=True)


def _mrkdwn(text: str, found: Live, *, bare: bool) -> None:
    for control in _CONTROL.findall(text):
        first = control.split("|")[0]
        if first.startswith("!date^"):
            found.links += [part for part in first.split("^")[3:] if part]
        elif first.startswith("@"):
            found.mentions.append(first[1:])
        elif first.startswith(("#", "!")):
            found.mentions.append(first)
        elif re.match(r"[a-zA-Z][\w+.-]*:", first):
            found.links.append(first)
    if bare:
        found.links += _BARE.findall(_CONTROL.sub(" ", text))


def _markdown(text: str, found: Live) -> None:
    found.images += _MD_IMAGE.findall(text)
    found.links += _MD_LINK.findall(text)
