"""The whole reply as text: in Markdown, and without any markup as the last shape."""

from bot.replies.badge import Head
from bot.replies.text_reply import Markup, PlainText
from bot.teams.cards import escape
from bot.teams.cards.render_context import Setting

LIMIT = 12_000
"""UTF-16 units: with a card of 28 kB, well below Teams' 80 kB for all of a message."""
BODY = 6_000


def in_markdown(setting: Setting) -> PlainText:
    """Return who writes replies in Markdown."""
    markup = Markup(
        limit=LIMIT,
        body=BODY,
        line_end="\n\n",
        bullet="• ",
        quote="> ",
        literal=escape.markdown,
        worded=escape.worded,
        link=escape.link,
        strong=escape.strong,
        small=lambda text: f"_{text}_",
        badge=escape.badge,
    )
    return _writer(markup, setting)


def without_markup(setting: Setting) -> PlainText:
    """Return who writes replies for `textFormat` `plain`, which parses nothing."""
    markup = Markup(
        limit=LIMIT,
        body=BODY,
        line_end="\n",
        bullet="• ",
        quote="",
        literal=lambda text: text,
        worded=lambda text, _: text,
        link=lambda url, label: f"{label} ({escape.address(url)})",
        strong=lambda text: text,
        small=lambda text: text,
        badge=_badge,
    )
    return _writer(markup, setting)


def _writer(markup: Markup, setting: Setting) -> PlainText:
    # Nobody tells us where consent lets us hear more than what mentions us.
    heard = "named" if setting.is_public else "chat"
    return PlainText(markup=markup, library=setting.library, heard=heard)


def _badge(head: Head) -> str:
    return f"{head.icon} {head.words}"
