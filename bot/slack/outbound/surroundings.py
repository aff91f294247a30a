"""What people wrote around a question in Slack.

That is the thread in which it names us, or the message that a shortcut asks about, with its thread.

Read by the worker, not by intake: no network call comes before a message is stored. Only where the
asker is a member, whatever a form says of its place; what bots wrote is left out, and so is what
was put to us, which we know.
"""

import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import cast

from bot.call_results import Succeeded
from bot.json_fields import maybe_object
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.interaction import ABOUT
from bot.slack.inbound.parse import is_by_person
from bot.slack.inbound.payload import maybe, names, split_quote, typed
from bot.slack.outbound.audience import SlackAudience
from bot.slack.web.calls import Slack
from core.domain.conversation import ContextMessage, Part, Surroundings, bounded
from core.domain.errors import TransientError
from core.domain.json_value import Json
from core.domain.message import OVERHEARD, Claimed

PAGE = "200"
PAGES = 3
"""Pages of a thread that are read: of a longer one, what stands after them is not."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spot:
    """What is to be read."""

    channel: str
    thread: str
    until: str
    """The `ts` at which it ends."""
    is_about: bool
    """True: the message with that `ts` is what the question is about."""


class SlackSurroundings:
    """See `core.ports.Platform.around`. Safe from many tasks."""

    def __init__(self, slack: Slack, audience: SlackAudience, identity: SlackIdentity) -> None:
        self._slack = slack
        self._audience = audience
        self._identity = identity

    async def around(self, claimed: Claimed, /) -> Surroundings:
        """Return what came with a message, and what stands before it."""
        spot = _spot(claimed)
        if spot is None:
            return Surroundings(messages=claimed.context)
        thread = await self._thread(spot, claimed.person)
        if thread is None:
            return Surroundings(messages=claimed.context, is_unread=not claimed.context)
        found = self._messages(thread, spot, claimed.person)
        has_about = any(one.part == "about" for one in found)
        carried = [one for one in claimed.context if one.part != "about" or not has_about]
        return Surroundings(messages=bounded([*found, *carried]))

    async def _thread(self, spot: _Spot, person: str) -> list[Mapping[str, Json]] | None:
        """Return a thread as far as it counts; None: it may not or can't be read."""
        try:
            if not await self._audience.is_member(spot.channel, person):
                return None
        except TransientError:
            return None
        found: list[Mapping[str, Json]] = []
        async for page in self._pages(spot):
            if page is None:
                return None
            found += page
        return found

    async def _pages(self, spot: _Spot) -> AsyncIterator[list[Mapping[str, Json]] | None]:
        cursor = ""
        for _ in range(PAGES):
            told = await self._slack.read(
                "conversations.replies",
                channel=spot.channel,
                ts=spot.thread,
                latest=spot.until,
                inclusive="true",
                limit=PAGE,
                cursor=cursor,
            )
            if not isinstance(told, Succeeded):
                logger.warning("a thread can't be read: %s", type(told).__name__)
                yield None
                return
            messages = told.body.get("messages")
            listed = messages if isinstance(messages, list) else []
            yield [cast("Mapping[str, Json]", one) for one in listed if isinstance(one, Mapping)]
            cursor = maybe(maybe_object(told.body, "response_metadata"), "next_cursor")
            if not cursor:
                return

    def _messages(
        self, thread: list[Mapping[str, Json]], spot: _Spot, person: str
    ) -> list[ContextMessage]:
        """Return the root, what people wrote since our last reply, and what is asked about."""
        found: list[tuple[str, ContextMessage]] = []
        for one in thread:
            ts = maybe(one, "ts")
            if not ts or _is_after(ts, spot):
                continue
            if (
                one.get("user") == self._identity.bot_user
                or one.get("app_id") == self._identity.app_id
            ):
                found = [kept for kept in found if kept[1].part == "root"]
            elif is_by_person(one) and not names(maybe(one, "text"), self._identity.bot_user):
                part = _part(ts, spot)
                text = split_quote(typed(maybe(one, "text"), bot_user=self._identity.bot_user)).rest
                is_own = one.get("user") == person
                found.append((ts, ContextMessage(text=text, part=part, is_own=is_own)))
        return [message for _, message in found]


def _spot(claimed: Claimed) -> _Spot | None:
    """Return what is to be read for a message; None: nothing stands around it."""
    facts, place = claimed.raw, claimed.place
    about = maybe_object(facts, ABOUT)
    if about:
        channel, ts = maybe(about, "channel"), maybe(about, "ts")
        thread = maybe(about, "thread") or ts
        return _Spot(channel=channel, thread=thread, until=ts, is_about=True) if channel else None
    own = maybe(facts, "ts")
    is_typed = "from_channel" not in facts  # what was pressed says from where
    if place.mode != "thread" or not is_typed or not own or facts.get(OVERHEARD) is True:
        return None
    return _Spot(channel=place.channel, thread=place.thread, until=own, is_about=False)


def _is_after(ts: str, spot: _Spot) -> bool:
    """Say whether a message does not stand before a question; of two it is the later one."""
    order = _order(ts), _order(spot.until)
    return order[0] > order[1] if spot.is_about else order[0] >= order[1]


def _order(ts: str) -> tuple[int, int]:
    seconds, _, micros = ts.partition(".")
    is_number = seconds.isdecimal() and micros.isdecimal()
    return (int(seconds), int(micros)) if is_number else (0, 0)


def _part(ts: str, spot: _Spot) -> Part:
    if spot.is_about and ts == spot.until:
        return "about"
    return "root" if ts == spot.thread else "earlier"
