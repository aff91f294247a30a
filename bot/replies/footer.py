"""What stands below an answer: what was left out or assumed, and where its record is."""

from collections.abc import Iterator

from bot.replies.badge import is_partial
from bot.replies.notices import AUTOMATED
from bot.replies.text import line
from core.agent.wording import WITHOUT_MODEL
from core.domain.answer import Answer, Outcome
from core.domain.delivery import StoredReply

LEFT_OUT = "Left out: what could not be checked against the policies."
NO_ADVICE = "Policy guidance, not legal advice"
UNREAD = "I read what you write to me, not files or forwarded messages"
NEAREST = 5
"""Sections named where there is no answer."""
LEAF = 16
"""Hex digits of the leaf hash that go with a post: an independent prefix of the ledger."""


def remarks(answer: Answer) -> Iterator[tuple[str, str]]:
    """Return what stands below an answer: a heading and its words; either may be empty."""
    if answer.outcome is Outcome.ANSWERED and is_partial(answer):
        yield LEFT_OUT, ""
    if answer.assumptions:
        yield "Assumes: ", ", ".join(line(item, limit=80) for item in answer.assumptions[:10])
    for note in answer.notes[:5]:
        if note != WITHOUT_MODEL:
            yield "", line(note, limit=300)


def reference(reply: StoredReply, *, has_file: bool = False) -> str:
    """Return the last line: what was not read, what it is, and where its record is."""
    answer = reply.answer
    is_answered = answer is not None and answer.outcome is Outcome.ANSWERED
    first = NO_ADVICE if is_answered else AUTOMATED
    first = f"{UNREAD} · {first}" if has_file else first
    return f"{first} · Ref {line(reply.record_id, limit=80)}" if reply.record_id else first
