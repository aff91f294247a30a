"""Short lines that are no answers: what became of one, and what somebody chose."""

from bot.replies import notices
from bot.replies.notices import OUTDATED, time_text
from bot.replies.text import line
from bot.slack.blocks.elements import (
    Block,
    escaped,
    mention,
    mrkdwn,
    person,
    quoted,
    rich,
    said,
    section,
    words,
)
from core.domain.delivery import StoredReply
from core.domain.run import Json

ASKED_MARK: Json = {"event_type": "question", "event_payload": {}}
"""Metadata of a question that we quote, by which it is told from what is drawn of a run."""


def notice_text(reply: StoredReply) -> str:
    """Return the words of a notice as mrkdwn; its time is shown in the reader's own zone."""
    if reply.notice is None:
        return OUTDATED
    at = reply.ask_again_at
    told = f"<!date^{int(at.timestamp())}^{{time}}|{time_text(at)}>" if at else ""
    return notices.notice_text(reply.notice, platform="Slack", at=told)


def notice_block(reply: StoredReply) -> Block:
    """Return the same as a block; one with a time is mrkdwn, and nothing in it is foreign."""
    text = notice_text(reply)
    return section(text) if reply.ask_again_at is None else mrkdwn(text)


def chosen_blocks(question: str, option: str) -> list[Block]:
    """Return what replaces a clarification once an option was pressed."""
    chosen = line(option, limit=200)
    return [
        rich(
            said(words(line(question, limit=2_500))),
            said(words("You chose "), words(chosen, bold=True), words(".")),
        )
    ]


def chosen_text(question: str, option: str) -> str:
    """Return the same as mrkdwn."""
    asked, chosen = line(question, limit=500), line(option, limit=200)
    return f"{escaped(asked)}\nYou chose *{escaped(chosen)}*."


def asked_blocks(question: str, asker: str) -> list[Block]:
    """Return a question that somebody pressed or shares, as a quotation with who asked."""
    told = words(line(question, limit=1_500))
    who = person(asker)
    return [rich(said(who, words(" asked:" if who else "Asked:")), quoted(told))]


def asked_text(question: str, asker: str) -> str:
    """Return the same as mrkdwn."""
    asked = f"{mention(asker)} asked:" if mention(asker) else "Asked:"
    return f"{asked}\n> {escaped(line(question, limit=200))}"
