"""The elements of messages and views, each within Slack's limits.

Foreign text goes unchanged into `plain_text` and rich text, which parse nothing. Only text that
code wrote goes into mrkdwn. Nothing here turns a text into a link or a mention.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from bot.replies.buttons import Button, Emphasis
from bot.replies.safe_text import cut, pieces
from bot.slack.blocks.action_ids import NAMES
from bot.slack.blocks.mrkdwn import PERSON
from core.agent.reply.text_blocks import Paragraph, blocks
from core.domain.json_value import Json
from core.language.languages import Language

Block: TypeAlias = dict[str, Json]
TEXT = 3_000
"""Characters of a text object, and of one text element of ours."""
BUTTON, LABEL, VALUE, BUTTON_URL = 75, 75, 2_000, 3_000
HEADER = CONTAINER_TITLE = 150
ID = 255
CHILDREN = 10
_STYLES = {Emphasis.MAIN: "primary", Emphasis.DANGER: "danger"}
VIEW_TITLE = 24


def plain(text: str, limit: int = TEXT) -> Block:
    """Return a text object that parses nothing; Slack refuses empty ones, which become a dash."""
    return {"type": "plain_text", "text": cut(text, limit).strip() or "-"}


def mrkdwn(text: str) -> Block:
    """Return a section of text that code wrote."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def header(text: str) -> Block:
    """Return a heading."""
    return {"type": "header", "text": plain(text, HEADER)}


def section(text: str) -> Block:
    """Return a paragraph that parses nothing."""
    return {"type": "section", "text": plain(text)}


def small(*texts: str) -> Block:
    """Return small print."""
    return {"type": "context", "elements": [plain(text) for text in texts[:10]]}


def small_mrkdwn(text: str) -> Block:
    """Return small print of text that code wrote."""
    element: Block = {"type": "mrkdwn", "text": text, "verbatim": True}
    return {"type": "context", "elements": [element]}


def with_id(block: Block, block_id: str) -> Block:
    """Return a block with its id."""
    return {**block, "block_id": block_id[:ID]}


def words(text: str, **style: bool) -> list[Json]:
    """Return the elements that hold a whole text; none if it is empty."""
    shown = {name: True for name, is_on in style.items() if is_on}
    more: Block = {"style": shown} if shown else {}
    return [{"type": "text", "text": piece, **more} for piece in pieces(text, TEXT)]


def title_link(title: str, url: str | None) -> list[Json]:
    """Return a title, as a link where there is an address of ours."""
    if url is None:
        return words(title, bold=True)
    return [{"type": "link", "url": url, "text": title}]


def person(person_id: str) -> list[Json]:
    """Return a mention; nothing if the id is not a person's."""
    return [{"type": "user", "user_id": person_id}] if PERSON.fullmatch(person_id) else []


def rich_text(*elements: Json) -> Block:
    """Return a block of rich text; an empty one holds a dash, as Slack refuses it."""
    return {"type": "rich_text", "elements": list(elements) or [paragraph(words("-"))]}


def paragraph(*parts: Sequence[Json]) -> Block:
    """Return a paragraph of rich text."""
    return {"type": "rich_text_section", "elements": _all(parts)}


def preformatted(*parts: Sequence[Json]) -> Block:
    """Return lines of rich text as they are, in a typeface of one width."""
    return {"type": "rich_text_preformatted", "elements": _all(parts)}


def quotation(*parts: Sequence[Json]) -> Block:
    """Return a quotation of rich text."""
    return {"type": "rich_text_quote", "elements": _all(parts)}


def bullet_list(items: Iterable[Sequence[Json]]) -> Block:
    """Return a list of rich text; it must not be empty."""
    return {
        "type": "rich_text_list",
        "style": "bullet",
        "elements": [paragraph(item) for item in items],
    }


def prose(text: str) -> list[Json]:
    """Return the words of an answer, with its lists as lists; at least one element."""
    made: list[Json] = []
    paragraphs: list[str] = []
    for block in blocks(text):
        if isinstance(block, Paragraph):
            paragraphs.append(block.text)
            continue
        if paragraphs:
            made.append(paragraph(words(_lead(made) + "\n\n".join(paragraphs))))
            paragraphs = []
        made.append(bullet_list(words(item) for item in block.items))
    if paragraphs or not made:
        made.append(paragraph(words(_lead(made) + "\n\n".join(paragraphs))))
    return made


def _lead(made: Sequence[Json]) -> str:
    """Return the space between a list and the paragraph below it."""
    return "\n" if made else ""


def _all(parts: Sequence[Sequence[Json]]) -> list[Json]:
    return [element for part in parts for element in part] or words("-")


def collapsed(title: str, children: Sequence[Block]) -> Block:
    """Return a container that opens on a click; at most ten children, at least one."""
    return {
        "type": "container",
        "title": plain(title, CONTAINER_TITLE),
        "is_collapsible": True,
        "default_collapsed": True,
        "width": "full",
        "child_blocks": list(children[:CHILDREN]),
    }


def button(
    action_id: str, text: str, value: str, *, style: str | None = None, label: str | None = None
) -> Block:
    """Return a button; `value` is an id, perhaps with a choice."""
    made: Block = {
        "type": "button",
        "action_id": action_id[:ID],
        "text": plain(text, BUTTON),
        "value": value[:VALUE],
    }
    if style:
        made["style"] = style
    if label:
        made["accessibility_label"] = cut(label, LABEL)
    return made


def press_button(shown: Button, target: str, language: Language) -> Block:
    """Return a button that replies share; `target` is the id of what it is about."""
    style = _STYLES.get(shown.emphasis) if shown.emphasis else None
    label = shown.label.of(language) if shown.label else None
    return button(NAMES[shown.act], shown.text.of(language), target, style=style, label=label)


def menu(action_id: str, title: str, options: Iterable[tuple[str, str]]) -> Block:
    """Return a list to choose from: what each option says, and its value; 100 at most."""
    listed: list[Json] = [{"text": plain(text, BUTTON), "value": value} for text, value in options]
    return {
        "type": "static_select",
        "action_id": action_id[:ID],
        "placeholder": plain(title, LABEL),
        "options": listed[:100],
    }


def actions(block_id: str, *buttons: Block) -> Block:
    """Return a row of buttons, 25 at most."""
    return {"type": "actions", "block_id": block_id[:ID], "elements": list(buttons[:25])}
