"""The session of a thread in the agent's tab: whether we work, wait for somebody, or are done.

While one is processing Slack shows Stop; what Stop means comes as an event. Nothing that fails here
fails anything, and a Slack without sessions is asked again with the next message only.
"""

from bot.replies.safe_text import line
from bot.slack.web.calls import Slack
from core.domain.answer import Outcome
from core.domain.case import CaseState
from core.domain.delivery import Delivery, Notice, StoredReply
from core.domain.place import Place

METHOD = "agents.sessions.setStatus"
ACTIVE, PROCESSING, SUSPENDED, CLOSED = "active", "processing", "suspended", "closed"
TITLE = 200


async def begin(slack: Slack, place: Place, *, title: str) -> None:
    """Say that we work; the title counts only if this begins the session."""
    if place.mode == "direct":
        await slack.write(
            METHOD,
            channel_id=place.channel,
            thread_ts=place.thread,
            status=PROCESSING,
            title=line(title, limit=TITLE) or None,
        )


async def settle(slack: Slack, delivery: Delivery) -> None:
    """Say what the asker may expect, now that something is posted to them."""
    status = status_after(delivery.reply)
    if status is not None and delivery.place.mode == "direct":
        place = delivery.place
        await slack.write(METHOD, channel_id=place.channel, thread_ts=place.thread, status=status)


def status_after(reply: StoredReply) -> str | None:
    """Return what a session becomes; None: nothing else than it is."""
    if reply.officer_reply is not None:
        return CLOSED
    if reply.news is not None:
        waits = reply.news.state in {CaseState.OPEN, CaseState.CLAIMED}
        return SUSPENDED if waits else ACTIVE
    if reply.answer is not None:
        return SUSPENDED if reply.answer.outcome is Outcome.CLARIFICATION else ACTIVE
    return ACTIVE if reply.notice is Notice.STOPPED else None
