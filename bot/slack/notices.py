"""Short lines that are no answers: what became of one, and what somebody chose."""

from bot.replies.text import line
from bot.slack.elements import (
    Block,
    escaped,
    mention,
    person,
    quoted,
    rich,
    said,
    section,
    words,
)
from core.domain.run import Json

ASKED_MARK: Json = {"event_type": "question", "event_payload": {}}
"""Metadata of a question that we quote, by which it is told from what is drawn of a run."""


def notice_blocks(words_of_notice: str) -> list[Block]:
    """Return one line of ours."""
    return [section(words_of_notice)]


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
