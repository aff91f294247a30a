"""Short lines that are no answers: what became of one, and what somebody chose."""

from collections.abc import Mapping
from types import MappingProxyType

from bot.replies.text import line
from bot.slack.elements import (
    Block,
    context,
    escaped,
    mention,
    person,
    quoted,
    rich,
    said,
    section,
    words,
)
from core.domain.delivery import Notice

NOTICES: Mapping[Notice, str] = MappingProxyType(
    {
        Notice.EDITED_AFTER_ANSWER: (
            "I had already answered when you changed your message. Please ask again."
        ),
        Notice.WITHHELD: (
            "The answer is not shown here: since the question, the people who can read this"
            " conversation have changed. If you may read it, I send it to you directly."
        ),
        Notice.MAYBE_ABOVE: "Your answer may be above; Slack did not say whether it arrived.",
    }
)
ASK_PRIVATELY = "I don't answer this here. Please write to me in a direct message."
REMOVED = "The answer was removed by the person who asked. Its record is kept."
STOPPED = "Stopped."
ONLY_ASKER = "Only the person who asked can do this."
NOT_READABLE = "You can't see this here. You can ask me the question yourself."
OFFICERS_ONLY = "Only compliance officers can do this."
OUTDATED = "This has been settled in the meantime. The message shows how it stands now."
THANKS_UP = "Thank you. Your feedback is recorded with the answer."
THANKS_DOWN = "Thank you. Compliance reviews answers that were marked as not helpful."
CHECKING = "Checking the policies…"
IN_DIRECT = "Your answer is in our direct messages."


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


def escalation_blocks(number: int) -> list[Block]:
    """Return that a question went to Compliance."""
    return [section(escalation_text(number)), context("Automated reply")]


def escalation_text(number: int) -> str:
    """Return the same as text."""
    return f"Sent to Compliance (case {number}), usually answered within 1 working day."
