"""What an officer wrote, in Slack: its form in rich text, which parses nothing, and as mrkdwn.

Links lead to the hosts of the settings alone; of people those are mentioned who belong to the
workspace.
"""

from collections.abc import Iterator

from bot.replies.context import RenderContext
from bot.replies.safe_text import is_trusted, shown
from bot.slack.blocks.elements import Block, paragraph, person, words
from bot.slack.blocks.mrkdwn import escaped, link, mention
from core.cases.written import Line, WrittenBlock, WrittenKind, WrittenWords, read
from core.domain.json_value import Json

_STYLES = {WrittenKind.BULLETS: "bullet", WrittenKind.NUMBERS: "ordered"}
PLATFORM = "slack"


def written_elements(text: str, context: RenderContext, *, mentions: bool) -> list[Json]:
    """Return elements of rich text, at least one; `mentions`: people are called, else named."""
    made: list[Json] = []
    for block in read(text):
        lines = [_elements(line, context, mentions=mentions) for line in block.lines]
        if block.kind is WrittenKind.PARAGRAPH:
            lead = words("\n") if made else []
            parts = [[*(words("\n") if n else []), *line] for n, line in enumerate(lines)]
            made.append(paragraph(lead, *parts))
        else:
            items: list[Json] = [paragraph(line) for line in lines]
            listed: Block = {"type": "rich_text_list", "style": _STYLES[block.kind]}
            made.append({**listed, "elements": items})
    return made or [paragraph(words("-"))]


def _elements(line: Line, context: RenderContext, *, mentions: bool) -> list[Json]:
    return [one for word in line for one in _element(word, context, mentions=mentions)]


def _element(word: WrittenWords, context: RenderContext, *, mentions: bool) -> list[Json]:
    called = _called(word, context) if mentions else ""
    if called:
        return person(called)
    hosts = context.library.hosts
    if word.url is None:
        return words(shown(word.text), bold=word.is_bold, italic=word.is_italic)
    if not is_trusted(word.url, hosts):
        return words(shown(_plain(word)), bold=word.is_bold, italic=word.is_italic)
    style = {"bold": word.is_bold, "italic": word.is_italic}
    on = {name: True for name, is_on in style.items() if is_on}
    more: Block = {"style": on} if on else {}
    return [{"type": "link", "url": word.url, "text": shown(word.text) or word.url, **more}]


def _called(word: WrittenWords, context: RenderContext) -> str:
    """Return the id of who is mentioned; empty: nobody, or somebody who is not here."""
    account = word.account
    if account is None or (account.platform, account.tenant) != (PLATFORM, context.tenant):
        return ""
    return account.person if mention(account.person) else ""


def _plain(word: WrittenWords) -> str:
    return word.text if word.text == word.url else f"{word.text} ({word.url})"


def written_text(text: str, context: RenderContext) -> str:
    """Return the same as mrkdwn, without emphasis: signs of it in the words would be some."""
    return "\n\n".join(_block(block, context) for block in read(text))


def _block(block: WrittenBlock, context: RenderContext) -> str:
    return "\n".join(
        _lead(block.kind, n) + "".join(_words(line, context))
        for n, line in enumerate(block.lines, start=1)
    )


def _lead(kind: WrittenKind, number: int) -> str:
    leads = {
        WrittenKind.PARAGRAPH: "",
        WrittenKind.BULLETS: "• ",
        WrittenKind.NUMBERS: f"{number}. ",
    }
    return leads[kind]


def _words(line: Line, context: RenderContext) -> Iterator[str]:
    for word in line:
        called = _called(word, context)
        if called:
            yield mention(called)
        elif word.url is not None and is_trusted(word.url, context.library.hosts):
            yield link(word.url, shown(word.text))
        else:
            yield escaped(shown(word.text if word.url is None else _plain(word)))
