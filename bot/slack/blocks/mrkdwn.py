"""Mrkdwn: literal text, links, mentions, and the whole of a reply within 4,000 characters.

Foreign text is escaped, links are ours; what is said, and what is left out first, `text_reply`
decides. Notifications show its beginning, so an answer begins with its words.
"""

import re
from datetime import UTC, datetime

from bot.replies.answer import BadgeLine, Icon
from bot.replies.buttons import follow_ups
from bot.replies.context import RenderContext
from bot.replies.text_reply import Markup, PlainText
from core.domain.answer import Answer
from core.language.languages import Language

LIMIT = 4_000
"""Characters of a text: the cap of `chat.update`."""
BODY = 2_400
PERSON = re.compile(r"[UW][A-Z0-9]{1,30}")
_EMOJI = {
    Icon.HIGH: ":white_check_mark:",
    Icon.MEDIUM: ":large_yellow_circle:",
    Icon.NOTHING: ":white_circle:",
    Icon.PERSON_NEEDED: ":mag_right:",
    Icon.PERSON: ":bust_in_silhouette:",
}
_EMOJI_NAME = re.compile(r":(?=[a-z_+\-][\w+'\-]{0,99}:)", re.IGNORECASE)


def escaped(text: str) -> str:
    """Return literal text: `<!channel>` and `<@U…>` become inert.

    So does the name of an emoji: nobody but code puts an icon before a line.
    """
    inert = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _EMOJI_NAME.sub(": ", inert)


def link(url: str, label: str) -> str:
    """Return a link; the address is one of ours."""
    for char, code in (("|", "%7C"), ("<", "%3C"), (">", "%3E"), (" ", "%20")):
        url = url.replace(char, code)
    return f"<{url}|{escaped(label.replace('|', '/'))}>"


def moment(at: datetime) -> str:
    """Return a day and a time that each reader's client writes in their own zone."""
    written = f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"<!date^{int(at.timestamp())}^{{date_short_pretty}}, {{time}}|{written}>"


def mention(person: str) -> str:
    """Return a mention; nothing if the id is not a person's."""
    return f"<@{person}>" if PERSON.fullmatch(person) else ""


def badge_words(head: BadgeLine) -> str:
    """Return a badge line."""
    rest = "".join(f"  ·  {escaped(part)}" for part in head.rest)
    return f"{_EMOJI[head.icon]} *{escaped(head.strong)}*{rest}"


def answer_text(answer: Answer, context: RenderContext, *, reference: str) -> str:
    """Return an outcome; see `PlainText.answer`."""
    text = _plain(context)
    return text.answer(answer, reference=reference, follow_ups=follow_ups(answer))


def within(text: str, limit: int, language: Language = Language.ENGLISH) -> str:
    """Return text, escaped, of at most `limit` characters; what is cut says so."""
    return _plain(RenderContext(language=language)).within(text, limit)


def _plain(context: RenderContext) -> PlainText:
    markup = Markup(
        limit=LIMIT,
        body=BODY,
        line_end="\n",
        bullet="• ",
        quote="> ",
        literal=escaped,
        worded=lambda text, _: escaped(text),
        link=link,
        strong=lambda text: f"*{text}*",
        small=lambda text: text,
        badge=badge_words,
    )
    return PlainText(
        markup=markup,
        library=context.library,
        language=context.language,
        starts_with_words=True,
    )
