"""Blocks in the simplest kinds that Slack has: what it refuses in one shape stands in another.

Every button stays, with its id and value. Text stays literal: rich text becomes plain text, and
mrkdwn, escaped, only where it holds a link or a mention of ours.
"""

from collections.abc import Iterable, Iterator, Sequence

from bot.replies.safe_text import pieces
from bot.slack.blocks.elements import TEXT, Block, actions, button, mrkdwn, plain
from bot.slack.blocks.mrkdwn import escaped, link, mention
from core.domain.json_value import Json

MOST_BLOCKS = 50
_LIVE = frozenset({"link", "user"})


def plainer(blocks: Iterable[Json], *, most: int = MOST_BLOCKS) -> list[Block]:
    """Return blocks as sections, rows of buttons, headings and small print alone.

    What there is no room for is left out before the last of the rows of buttons, never these.
    """
    made = [one for block in blocks if isinstance(block, dict) for one in _plainer(block)]
    over = len(made) - most
    while over > 0:
        at = max((n for n, one in enumerate(made) if one["type"] == "section"), default=None)
        if at is None:
            break
        del made[at]
        over -= 1
    return made[:most]


def plainer_view(view: Block) -> Block:
    """Return a modal or a Home in the same way; its inputs stay as they are."""
    blocks = view.get("blocks")
    return {**view, "blocks": plainer(blocks if isinstance(blocks, list) else [], most=100)}


def _plainer(block: Block) -> Iterator[Block]:
    match block.get("type"):
        case "container":
            title = _text(block.get("title"))
            yield mrkdwn(f"*{escaped(title)}*")
            yield from plainer(_listed(block, "child_blocks"))
        case "rich_text":
            yield from _sections(_objects(block, "elements"))
        case "context_actions":
            yield from _row(block)
        case "alert":
            yield {"type": "section", "text": plain(_text(block.get("text")))}
        case _:
            yield block


def _sections(parts: Iterable[Block]) -> Iterator[Block]:
    """Return rich text as sections; what is live makes one of its own."""
    told = list[str]()
    for part in parts:
        if _is_live(part):
            yield from _plain(told)
            told.clear()
            yield from (mrkdwn(piece) for piece in pieces("\n".join(_lines(part, live=True)), TEXT))
        else:
            told += _lines(part, live=False)
    yield from _plain(told)


def _plain(lines: Sequence[str]) -> Iterator[Block]:
    for piece in pieces("\n".join(lines), TEXT):
        if piece.strip():
            yield {"type": "section", "text": plain(piece)}


def _is_live(part: Block) -> bool:
    inner = _objects(part, "elements")
    return any(one.get("type") in _LIVE or _is_live(one) for one in inner)


def _lines(part: Block, *, live: bool) -> Iterator[str]:
    """Return the lines of a paragraph, a quotation or a list."""
    if part.get("type") == "rich_text_list":
        is_ordered = part.get("style") == "ordered"
        for number, item in enumerate(_objects(part, "elements"), start=1):
            yield f"{f'{number}.' if is_ordered else '•'} {_words(item, live=live).strip()}"
        return
    said = _words(part, live=live).strip("\n")
    if part.get("type") == "rich_text_quote" and not said.startswith("“"):
        said = f"“{said}”"
    yield said


def _words(part: Block, *, live: bool) -> str:
    return "".join(_word(one, live=live) for one in _objects(part, "elements"))


def _word(one: Block, *, live: bool) -> str:
    text, url, person = (str(one.get(key) or "") for key in ("text", "url", "user_id"))
    if one.get("type") == "user":
        return mention(person)
    if one.get("type") == "link" and live:
        return link(url, text or url)
    return escaped(text) if live else text


def _row(block: Block) -> Iterator[Block]:
    """Return thumbs and icons as ordinary buttons; who alone sees one, Slack can't be told then."""
    made = list[Block]()
    for one in _objects(block, "elements"):
        name, value = str(one.get("action_id") or ""), one.get("value")
        if one.get("type") == "feedback_buttons":
            for key, end in (("positive_button", "up"), ("negative_button", "down")):
                thumb = one.get(key)
                if isinstance(thumb, dict):
                    shown = _text(thumb.get("text"))
                    made.append(
                        button(
                            f"{name}:{end}",
                            shown,
                            str(thumb.get("value") or ""),
                            label=str(thumb.get("accessibility_label") or "") or None,
                        )
                    )
        elif one.get("type") == "icon_button":
            label = str(one.get("accessibility_label") or "") or None
            made.append(button(name, _text(one.get("text")), str(value or ""), label=label))
            if isinstance(one.get("confirm"), dict):
                made[-1]["confirm"] = one["confirm"]
    if made:
        yield actions(str(block.get("block_id") or ""), *made)


def _text(text: Json) -> str:
    return str(text.get("text") or "") if isinstance(text, dict) else ""


def _listed(block: Block, key: str) -> list[Json]:
    held = block.get(key)
    return list(held) if isinstance(held, list) else []


def _objects(block: Block, key: str) -> list[Block]:
    return [one for one in _listed(block, key) if isinstance(one, dict)]
