"""Block Kit as HTML: of its blocks those that the product posts; any other one is refused."""

import re
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from bot.replies.answer import Icon
from tests.servers.teams.wire import Json

ICONS = {
    Icon.HIGH: "<i class='icon high'>✓</i>",
    Icon.MEDIUM: "<i class='icon medium'></i>",
    Icon.NOTHING: "<i class='icon none'></i>",
    Icon.PERSON_NEEDED: "<i class='icon person'>!</i>",
    Icon.PERSON: "<i class='icon person'></i>",
}
"""Drawn here, as not every machine has a font with emoji."""
_EMOJI = {
    "white_check_mark": ICONS[Icon.HIGH],
    "large_yellow_circle": ICONS[Icon.MEDIUM],
    "white_circle": ICONS[Icon.NOTHING],
    "mag_right": ICONS[Icon.PERSON_NEEDED],
    "bust_in_silhouette": ICONS[Icon.PERSON],
}
_MENTION = re.compile(r"&lt;@U0(\w+)&gt;")
_LINK = re.compile(r"&lt;https?://[^|&]+\|([^&]+)&gt;")
_DATE = re.compile(r"&lt;!date\^[^|&]+\|([^&]+)&gt;")
_EMOJI_NAME = re.compile(r":(\w+):")
_STRONG = re.compile(r"\*([^*]+)\*")


def blocks(posted: Iterable[Json], *, is_open: bool = True) -> str:
    """Return the HTML of a message; `is_open`: as somebody has opened its containers."""
    return "".join(
        _container(one, is_open=is_open)
        if one["type"] == "container"
        else _BLOCKS[one["type"]](one)
        for one in posted
    )


def modal(view: Json) -> str:
    """Return the HTML of a modal above what stands below it."""
    submit = f"<button class='primary'>{_text(view['submit'])}</button>" if "submit" in view else ""
    return (
        f"<div class='veil'><div class='modal'><h3>{_text(view['title'])}</h3>"
        f"<div class='form'>{blocks(view['blocks'])}</div>"
        f"<div class='ends'><button>{_text(view['close'])}</button>{submit}</div></div></div>"
    )


def buttons(posted: Iterable[Json]) -> list[Json]:
    """Return the buttons of a message."""
    rows = (block["elements"] for block in posted if block["type"] == "actions")
    return [element for row in rows for element in row if element["type"] == "button"]


def _mention(name: str) -> str:
    return f"<span class='mention'>@{escape(name.title())}</span>"


def _text(text: Json) -> str:
    shown = escape(text["text"], quote=False)
    if text["type"] == "mrkdwn":
        shown = _MENTION.sub(lambda found: _mention(found[1]), shown.replace("&amp;", "&"))
        shown = _LINK.sub(r"<a>\1</a>", shown)
        shown = _DATE.sub(r"\1", shown)
        shown = _EMOJI_NAME.sub(lambda found: _EMOJI[found[1]], shown)
        shown = _STRONG.sub(r"<b>\1</b>", shown)
    return shown.replace("\n", "<br>")


def _element(one: Json) -> str:
    if one["type"] == "user":
        return _mention(one["user_id"].removeprefix("U0"))
    shown = escape(one["text"]).replace("\n", "<br>")
    if one["type"] == "link":
        return f"<a>{shown}</a>"
    for style, tag in (("bold", "b"), ("italic", "i")):
        if one.get("style", {}).get(style):
            shown = f"<{tag}>{shown}</{tag}>"
    return shown


def _rich(block: Json) -> str:
    return "".join(_PARTS[one["type"]](one) for one in block["elements"])


def _paragraph(part: Json) -> str:
    return f"<p>{''.join(map(_element, part['elements']))}</p>"


def _quotation(part: Json) -> str:
    return f"<blockquote>{''.join(map(_element, part['elements']))}</blockquote>"


def _list(part: Json) -> str:
    items = ("".join(map(_element, item["elements"])) for item in part["elements"])
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def _buttons(block: Json) -> str:
    made = (
        f"<button class='{one.get('style', '')}'>{_text(one['text'])}</button>"
        for one in block["elements"]
    )
    return f"<div class='actions'>{''.join(made)}</div>"


def _feedback(block: Json) -> str:
    """Return thumbs, and what the asker alone sees beside them."""
    made: list[str] = []
    for one in block["elements"]:
        if one["type"] == "feedback_buttons":
            made += [_text(one[key]["text"]) for key in ("positive_button", "negative_button")]
        else:
            made.append(_text(one["text"]))
    return f"<div class='thumbs'>{''.join(f'<span>{text}</span>' for text in made)}</div>"


def _container(block: Json, *, is_open: bool) -> str:
    mark = "<i></i>" if is_open else "<i class='closed'></i>"
    title = f"<div class='title'>{mark}{_text(block['title'])}</div>"
    inner = blocks(block["child_blocks"]) if is_open else ""
    return f"<div class='container'>{title}{inner}</div>"


def _alert(block: Json) -> str:
    return f"<p class='alert {block['level']}'>{_text(block['text'])}</p>"


def _input(block: Json) -> str:
    """Return a field with its label; what is typed stands in `in-` and the id of its block."""
    element, optional = block["element"], " <em>(optional)</em>" if block.get("optional") else ""
    match element["type"]:
        case "plain_text_input":
            hint = _text(element["placeholder"]) if "placeholder" in element else ""
            shown = (
                f"<div class='field'><span class='hint'>{hint}</span>"
                f"<span id='in-{block['block_id']}'></span></div>"
            )
        case "static_select":
            shown = f"<div class='field select'>{_text(element['initial_option']['text'])}</div>"
        case _:
            boxes = (f"<div class='box'>{_text(one['text'])}</div>" for one in element["options"])
            shown = "".join(boxes)
    return f"<div class='input'><b>{_text(block['label'])}</b>{optional}{shown}</div>"


_PARTS: dict[str, Callable[[Any], str]] = {
    "rich_text_section": _paragraph,
    "rich_text_quote": _quotation,
    "rich_text_list": _list,
    "rich_text_preformatted": lambda part: f"<pre>{''.join(map(_element, part['elements']))}</pre>",
}
_BLOCKS: dict[str, Callable[[Any], str]] = {
    "rich_text": _rich,
    "section": lambda block: f"<p>{_text(block['text'])}</p>",
    "header": lambda block: f"<h3>{_text(block['text'])}</h3>",
    "context": lambda block: f"<p class='small'>{' '.join(map(_text, block['elements']))}</p>",
    "actions": _buttons,
    "context_actions": _feedback,
    "alert": _alert,
    "input": _input,
    "divider": lambda _: "<hr>",
}
