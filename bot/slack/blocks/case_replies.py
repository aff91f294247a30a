"""What an asker reads of a case: a person's answer, what it replaces, and how far the case is."""

from bot.replies.badge import officers_head
from bot.replies.case_texts import CUT, QUESTION, REPLY, SUPERSEDED, instead_text
from bot.replies.case_texts import news_text as news_words
from bot.replies.notices import AUTOMATED
from bot.replies.permalinks import is_permalink
from bot.replies.text import line, short, width
from bot.slack.blocks import action_ids
from bot.slack.blocks.elements import (
    Block,
    actions,
    badge_words,
    button,
    collapsed,
    context,
    escaped,
    flowing,
    link,
    mention,
    mrkdwn,
    quoted,
    rich,
    said,
    section,
    words,
)
from bot.slack.blocks.render_context import Setting
from bot.slack.blocks.sources import source_blocks
from bot.slack.blocks.text_fallback import LIMIT, answer_text, within
from core.domain.case import CaseNews, OfficerReply, Superseded


def officer_blocks(reply: OfficerReply, setting: Setting) -> list[Block]:
    """Return a person's answer: name, question, words; no percentage, no label of a machine."""
    question = words(short(reply.question, QUESTION))
    told = words(short(reply.text, REPLY, setting.library.hosts, mark=CUT))
    accept = button(action_ids.CASE_ACCEPT, "That answers it", reply.case_id)
    again = button(action_ids.CASE_AGAIN, "Ask again", reply.case_id)
    return [
        mrkdwn(_officer_line(reply)),
        rich(quoted(question), said(told)),
        *([mrkdwn(where)] if (where := _where(reply)) else []),
        actions(f"done:{reply.case_id}", accept, again),
        context(f"Case {reply.number}"),
    ]


def officer_text(reply: OfficerReply) -> str:
    """Return the same as mrkdwn."""
    asked = " ".join(within(reply.question, 400).split())
    told = within(reply.text, REPLY - 500)
    lines = [_officer_line(reply), f"> {asked}", told, _where(reply), f"Case {reply.number}"]
    return "\n".join(one for one in lines if one)


def superseded_blocks(old: Superseded, setting: Setting) -> list[Block]:
    """Return what replaces an answer that a person has answered anew: it stays to be read."""
    told = short(old.answer.text, REPLY, setting.library.hosts, mark=CUT)
    sources = source_blocks(old.answer.citations, setting.library)
    return [
        mrkdwn(_superseded_line(old)),
        collapsed("The earlier answer", [rich(*flowing(told)), *sources]),
        context(f"{instead_text(old)} · Case {old.number}"),
    ]


def superseded_text(old: Superseded, setting: Setting) -> str:
    """Return the same as mrkdwn."""
    first = f"{_superseded_line(old)}\n{instead_text(old)}"
    earlier = answer_text(old.answer, setting, reference=f"Case {old.number}")
    whole = f"{first}\nThe earlier answer was:\n{earlier}"
    return whole if width(whole) <= LIMIT else first


def news_blocks(news: CaseNews) -> list[Block]:
    """Return a line for the asker."""
    return [section(news_words(news)), context(AUTOMATED)]


def news_text(news: CaseNews) -> str:
    """Return the same as mrkdwn."""
    return escaped(news_words(news))


def _officer_line(reply: OfficerReply) -> str:
    asker = mention(reply.asker or "")
    return badge_words(officers_head(reply.officer)) + (f"  ·  {asker}" if asker else "")


def _where(reply: OfficerReply) -> str:
    """Return a link to where it was asked; nothing if that is unknown."""
    is_known = reply.permalink is not None and is_permalink(reply.permalink)
    return link(reply.permalink, "Where you asked") if is_known and reply.permalink else ""


def _superseded_line(old: Superseded) -> str:
    by = f"  ·  {escaped(line(old.officer, limit=80))}" if old.officer.strip() else ""
    return f":bust_in_silhouette: *{SUPERSEDED}*{by}"
