"""Links to messages, as Slack tells them; without one, what was to be linked is said plainly."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from bot.replies.safe_text import is_permalink
from bot.slack.inbound.payload import maybe
from bot.slack.web.calls import Slack, Told

LOOKED_UP_WITHIN_S = 1.0
"""Of the 3 s that Slack waits for what it sent: a link is no reason to fail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A message in Slack."""

    channel: str
    """Where it stands."""
    ts: str
    """The message."""


async def link_to(slack: Slack, spot: Spot) -> str | None:
    """Return a link to a message; None if Slack tells none in time."""
    (found,) = await links_to(slack, [spot])
    return found


async def links_to(slack: Slack, spots: Sequence[Spot | None]) -> list[str | None]:
    """Return a link to each, of all that Slack tells in time; none to what is nowhere."""
    found: list[str | None] = [None] * len(spots)

    async def look(number: int, spot: Spot) -> None:
        told = await slack.read("chat.getPermalink", channel=spot.channel, message_ts=spot.ts)
        url = maybe(told.body, "permalink") if isinstance(told, Told) else ""
        found[number] = url if is_permalink(url) else None

    try:
        async with asyncio.timeout(LOOKED_UP_WITHIN_S), asyncio.TaskGroup() as group:
            for number, spot in enumerate(spots):
                if spot is not None:
                    group.create_task(look(number, spot))
    except TimeoutError:
        pass
    return found
