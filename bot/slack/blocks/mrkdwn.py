"""The whole reply as mrkdwn, within 4,000 characters (the cap of `chat.update`).

Foreign text is escaped, links are ours; what is said, and what is left out first, `plain` decides.
Notifications show its beginning, so an answer begins with its words.
"""

from bot.replies.answer import follow_ups
from bot.replies.text_reply import Markup, PlainText
from bot.slack.blocks.elements import badge_words, escaped, link
from bot.slack.blocks.render_context import Setting
from core.domain.answer import Answer

LIMIT = 4_000
BODY = 2_400


def answer_text(answer: Answer, setting: Setting, *, reference: str) -> str:
    """Return an outcome as mrkdwn of at most 4,000 characters."""
    text = _plain(setting)
    return text.answer(answer, reference=reference, follow_ups=follow_ups(answer))


def nearest_text(answer: Answer, setting: Setting) -> str:
    """Return sections by name, with links, one a line; 1,000 characters at most."""
    return _plain(setting).nearest(answer)


def within(text: str, limit: int) -> str:
    """Return text, escaped, of at most `limit` characters; what is cut says so."""
    return _plain(Setting()).within(text, limit)


def _plain(setting: Setting) -> PlainText:
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
    return PlainText(markup=markup, library=setting.library, starts_with_words=True)
