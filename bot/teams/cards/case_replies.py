"""What an asker reads of a case: a person's answer, what it replaces, and how far the case is."""

from collections.abc import Mapping

from bot.replies.badge import officers_head
from bot.replies.case_texts import CUT, QUESTION, REPLY, SUPERSEDED, instead_text
from bot.replies.notices import AUTOMATED
from bot.replies.permalinks import is_permalink
from bot.replies.quote_budget import QUOTES
from bot.replies.text import line, short
from bot.replies.text_reply import PlainText
from bot.teams.cards.elements import Card, card, collapsed, execute, small, told
from bot.teams.cards.escape import markdown
from bot.teams.cards.limits import CARD_BYTES, size
from bot.teams.cards.render_context import Setting
from bot.teams.cards.sources import source_items
from bot.teams.protocol import action_ids
from core.domain.case import OfficerReply, Superseded

_ROOMS = ((QUOTES, REPLY), (1_000, 1_500), (0, 800), (0, 200))


def officer_text(
    reply: OfficerReply, text: PlainText, *, mention: Mapping[str, object] | None = None
) -> str:
    """Return a person's answer: name, question, words; no percentage, no label of a machine."""
    markup = text.markup
    called = f" · {mention['text']}" if mention else ""
    lines = [
        markup.badge(officers_head(reply.officer)) + called,
        markup.quote + text.within(" ".join(short(reply.question, QUESTION).split()), QUESTION),
        text.within(reply.text, 2 * REPLY),
        _where(reply, text),
        markup.small(f"Case {reply.number}"),
    ]
    return "\n\n".join(one for one in lines if one)


def officer_card(reply: OfficerReply) -> Card:
    """Return what the asker may say to it."""
    data = action_ids.data_of(action_ids.CASE_KEY, reply.case_id)
    accept = execute(action_ids.CASE_ACCEPT, "That answers it", data, style="positive")
    return card([], [accept, execute(action_ids.CASE_AGAIN, "Ask again", data)])


def mention_of(reply: OfficerReply, setting: Setting) -> Card | None:
    """Return the mention of the asker, the only one that we make; None: nobody is named."""
    name = line(setting.asker_name, limit=80)
    if not reply.asker or reply.asker != setting.asker or not name:
        return None
    shown = f"<at>{markdown(name)}</at>"
    return {
        "type": "mention",
        "text": shown,
        "mentioned": {"id": reply.asker, "name": name},
    }


def superseded_text(old: Superseded, text: PlainText) -> str:
    """Return what replaces an answer that a person has answered anew."""
    officer = line(old.officer, limit=80)
    by = f" · {text.within(officer, 200)}" if old.officer.strip() else ""
    first = f"👤 {text.markup.strong(SUPERSEDED)}{by}"
    return f"{first}\n\n{instead_text(old)}\n\n{text.markup.small(f'Case {old.number}')}"


def superseded_with_answer(old: Superseded, text: PlainText) -> str:
    """Return the same with the earlier answer: it stays to be read."""
    earlier = text.answer(old.answer, reference=AUTOMATED)
    return f"{superseded_text(old, text)}\n\nThe earlier answer was:\n\n{earlier}"


def superseded_card(old: Superseded, setting: Setting) -> Card:
    """Return the earlier answer, opened by a click."""
    made = card([])
    for quotes, words in _ROOMS:
        shown = short(old.answer.text, words, setting.library.hosts, mark=CUT)
        sources = source_items(old.answer.citations, setting.library, quotes=quotes)
        items = [*(told(shown) or [small("-")]), *sources]
        made = card(collapsed("The earlier answer", f"old:{old.number}", items))
        if size(made) <= CARD_BYTES:
            break
    return made


def _where(reply: OfficerReply, text: PlainText) -> str:
    """Return a link to where it was asked; nothing if that is unknown."""
    if reply.permalink is None or not is_permalink(reply.permalink):
        return ""
    return text.markup.link(reply.permalink, "Where you asked")
