"""What channels are, and who is in them, kept for some minutes."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic

from bot.call_results import Rejected
from bot.json_fields import maybe_object
from bot.slack.inbound.payload import maybe
from bot.slack.web.calls import PagedList, Slack, body_of
from core.domain.json_value import Json


class ChannelKind(StrEnum):
    """Who reads a channel, as Slack describes it."""

    PRIVATE = "private"
    """Who was let in by name. Of a message of several people, too: whom they add begins another
    conversation, without its past."""
    PUBLIC = "public"
    """Anybody of the workspace: they may join, read what was posted before, and find it by
    search."""
    SHARED = "shared"
    """Another company, too, or it may at any moment."""
    UNKNOWN = "unknown"
    """Slack does not show it to the app."""


SHARED = ("is_ext_shared", "is_pending_ext_shared", "pending_connected_team_ids")
"""Each says of a channel that another company reads it, or may at any moment."""
BY_NAME = ("is_private", "is_mpim", "is_im")
"""Each says of a channel that nobody joins it uninvited."""
NOT_THERE = frozenset({"channel_not_found", "missing_scope"})
RESUMED_S = 300.0
"""How old what was read of a list of members may be for the rest to be added to it."""
MOST_KNOWN = 1_024
"""Channels that are remembered: the one that was read first is forgotten first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """What matters of a channel."""

    kind: ChannelKind
    """Who reads it; `UNKNOWN` also if Slack names no member."""
    members: frozenset[str] = frozenset()
    """Our app among them; empty of one that is shared or unknown, in which nobody is answered."""
    read_at: float
    """When its list of members was complete, by a clock that never goes back."""
    team: str = ""
    """The workspace that it is seen in: an organisation's people are listed by workspace."""


@dataclass(slots=True, kw_only=True)
class _Reading:
    """A list of members that is not complete."""

    listing: PagedList
    members: set[str] = field(default_factory=set[str])


class Channels:
    """Reads them. Safe from many tasks."""

    def __init__(self, slack: Slack) -> None:
        self._slack = slack
        self._rooms: dict[str, Channel] = {}
        self._readings: dict[str, _Reading] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def of(self, channel: str, *, kept_s: float) -> Channel:
        """Return a channel, as of at most so long ago.

        Raises:
            BusyError: Slack asks to wait; the rest of the members is then read on.
            TransientError: Slack could not say.
        """
        found = self._kept(channel, kept_s)
        if found is not None:
            return found
        async with self._lock(channel):
            found = self._kept(channel, kept_s)
            if found is None:
                found = await self._read(channel)
                self._rooms.pop(channel, None)
                self._rooms[channel] = found
                if len(self._rooms) > MOST_KNOWN:
                    del self._rooms[next(iter(self._rooms))]
        return found

    def _lock(self, channel: str) -> asyncio.Lock:
        """Return what lets one task at a time read a channel."""
        if len(self._locks) > 2 * MOST_KNOWN:
            self._locks = {name: lock for name, lock in self._locks.items() if lock.locked()}
        return self._locks.setdefault(channel, asyncio.Lock())

    def _kept(self, channel: str, kept_s: float) -> Channel | None:
        known = self._rooms.get(channel)
        return known if known is not None and monotonic() - known.read_at <= kept_s else None

    async def kind_of(self, channel: str) -> ChannelKind:
        """Return who reads a channel, as of now, without asking for its members.

        Raises:
            TransientError: Slack could not say.
        """
        return _kind(await self._described(channel))

    async def _described(self, channel: str) -> Mapping[str, Json] | None:
        """Return what Slack says of a channel; None: it does not show it to the app."""
        asked = await self._slack.read("conversations.info", channel=channel)
        if isinstance(asked, Rejected) and asked.code in NOT_THERE:
            return None
        return maybe_object(body_of(asked), "channel")

    async def _read(self, channel: str) -> Channel:
        described = await self._described(channel)
        kind = _kind(described)
        if described is None or kind not in {ChannelKind.PRIVATE, ChannelKind.PUBLIC}:
            return Channel(kind=kind, read_at=monotonic())
        members = await self._members(channel)
        return Channel(
            kind=kind if members else ChannelKind.UNKNOWN,
            members=members,
            read_at=monotonic(),
            team=maybe(described, "context_team_id"),
        )

    async def _members(self, channel: str) -> frozenset[str]:
        reading = self._readings.get(channel)
        if reading is None or monotonic() - reading.listing.begun_at > RESUMED_S:
            listing = PagedList(self._slack, "conversations.members", channel=channel)
            reading = self._readings[channel] = _Reading(listing=listing)
        try:
            while not reading.listing.is_over:
                found = (await reading.listing.page()).get("members")
                given = found if isinstance(found, list) else []
                reading.members |= {one for one in given if isinstance(one, str)}
        finally:
            if reading.listing.is_over:
                self._readings.pop(channel, None)
        return frozenset(reading.members)


def _kind(described: Mapping[str, Json] | None) -> ChannelKind:
    if described is None:
        return ChannelKind.UNKNOWN
    if any(described.get(flag) for flag in SHARED):
        return ChannelKind.SHARED
    is_by_name = any(described.get(flag) is True for flag in BY_NAME)
    return ChannelKind.PRIVATE if is_by_name else ChannelKind.PUBLIC
