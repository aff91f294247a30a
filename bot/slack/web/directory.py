"""Who people are: employees, guests, somebody from outside. One memory for all conversations.

Of few people each is asked for alone; of many, the workspace is listed, from the page on where the
last listing stopped, and only until all of them are known. So a question costs what the people of
its conversation cost, however many the workspace has.
"""

import asyncio
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from sys import intern
from time import monotonic

from bot.audience_config import GUEST, SINGLE_CHANNEL_GUEST
from bot.call_results import Rejected
from bot.json_fields import maybe_object
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.payload import maybe
from bot.slack.web.calls import PagedList, Slack, body_of
from core.domain.errors import TransientError
from core.domain.json_value import Json

ALONE = 50
"""People that are asked for one by one. Slack answers some 100 such questions a minute (tier 4),
and gives out some 20 pages of the list (tier 2), of up to 999 people each."""
AGAIN = 20
"""People that are asked for again before each post."""
AT_ONCE = 8
"""Calls for single people that run side by side."""
MOST_KNOWN = 250_000
"""People that are remembered, some 100 bytes each: who was read first is forgotten first."""
WITH_LOCALE = {"include_locale": "true"}
"""Without it Slack tells of nobody what their client speaks; `users:read` suffices."""
PAGES_AGAIN = 1
"""Pages of the workspace's list up to which it is read again before each post: of a larger
workspace what is kept counts."""


@dataclass(frozen=True, slots=True)
class _Person:
    """What matters of somebody."""

    kind: str
    """`employee`, `guest`, `single_channel_guest`, `outsider`, `bot`, `unknown`."""
    read_at: float
    """By a clock that never goes back, in seconds."""
    locale: str
    """What their client speaks (`de-DE`); empty if Slack does not tell."""


@dataclass(frozen=True, slots=True)
class Directory:
    """Says what people are. Safe from many tasks."""

    slack: Slack
    identity: SlackIdentity
    _people: dict[str, _Person] = field(default_factory=dict, init=False)
    _listings: dict[str, PagedList] = field(default_factory=dict, init=False)
    """By workspace: those that have begun and are not over."""
    _whole: dict[str, PagedList] = field(default_factory=dict, init=False)
    """By workspace: the last one that was read to its end."""
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def kind_of(self, person: str, *, kept_s: float) -> str:
        """Return what somebody is, as of at most so long ago: see `_Person.kind`.

        Raises:
            TransientError: Slack could not say.
        """
        if not self._is_known(person, kept_s):
            asked = await self.slack.read("users.info", user=person, **WITH_LOCALE)
            is_nobody = isinstance(asked, Rejected) and asked.code == "user_not_found"
            user = {} if is_nobody else maybe_object(body_of(asked), "user")
            self._remember(person, "unknown" if is_nobody else self._kind(user), user)
        return self._people[person].kind

    def locale_of(self, person: str) -> str | None:
        """Return what somebody's client speaks, without asking; None: nobody has looked."""
        known = self._people.get(person)
        return None if known is None else known.locale

    async def kinds_of(
        self, people: Collection[str], *, team: str, kept_s: float
    ) -> Mapping[str, str]:
        """Return what each is.

        Args:
            people: their ids.
            team: the workspace in which they are seen; an organisation lists people by it.
            kept_s: how old what is known may be.

        Raises:
            BusyError: Slack asks to wait; what it has told meanwhile is remembered.
            TransientError: Slack could not say.
        """
        stale = self._stale(people, kept_s)
        if len(stale) > ALONE:
            await self._list(people, team, kept_s)
            stale = self._stale(people, kept_s)
        await self._ask_for(stale, kept_s)
        unknown = dict.fromkeys(people, "unknown")
        return unknown | dict(self.known(people, kept_s=math.inf))

    def known(self, people: Collection[str], *, kept_s: float) -> Mapping[str, str]:
        """Return what is known of people without asking."""
        return {one: self._people[one].kind for one in people if self._is_known(one, kept_s)}

    def may_look_again(self, people: Collection[str], *, team: str, kept_s: float) -> bool:
        """Say whether these can be read anew for a single post: few, or a small workspace."""
        if len(self._stale(people, kept_s)) <= AGAIN:
            return True
        whole = self._whole.get(team)
        return whole is not None and whole.pages <= PAGES_AGAIN

    async def _ask_for(self, people: Collection[str], kept_s: float) -> None:
        """Ask for each alone, some side by side; who was told of is remembered also if one fails.

        Raises:
            TransientError: The first that failed.
        """
        waiting = iter(sorted(people))
        failed: list[TransientError] = []

        async def ask() -> None:
            for one in waiting:
                if failed:
                    return
                try:
                    await self.kind_of(one, kept_s=kept_s)
                except TransientError as error:
                    failed.append(error)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(AT_ONCE, len(people))):
                group.create_task(ask())
        if failed:
            raise failed[0]

    async def _list(self, people: Collection[str], team: str, kept_s: float) -> None:
        """Read the list until all of these are known, or none of it is older than `kept_s`.

        One task reads at a time; whoever waited finds what it read.
        """
        if self.identity.is_whole and not team:
            return
        async with self._reading:
            is_anew = False
            while not (is_anew or self._is_listed(team, kept_s)) and self._stale(people, kept_s):
                is_anew = team not in self._listings
                if is_anew:
                    of_team = {"team_id": team} if self.identity.is_whole else {}
                    self._listings[team] = PagedList(
                        self.slack, "users.list", **of_team, **WITH_LOCALE
                    )
                await self._read_on(self._listings[team], people, team, kept_s)

    async def _read_on(
        self, listing: PagedList, people: Collection[str], team: str, kept_s: float
    ) -> None:
        """Read the rest of a listing, or as much of it as is needed."""
        try:
            while not listing.is_over and self._stale(people, kept_s):
                found = (await listing.page()).get("members")
                for one in found if isinstance(found, list) else ():
                    if isinstance(one, Mapping) and maybe(one, "id"):
                        self._remember(maybe(one, "id"), self._kind(one), one)
                if listing.is_over:
                    self._whole[team] = listing
        finally:
            if listing.is_over:
                del self._listings[team]

    def _is_listed(self, team: str, kept_s: float) -> bool:
        """Say whether the whole list was read lately: who is not known then, is not in it."""
        whole = self._whole.get(team)
        return whole is not None and monotonic() - whole.begun_at <= kept_s

    def _remember(self, person: str, kind: str, user: Mapping[str, Json]) -> None:
        self._people.pop(person, None)
        self._people[person] = _Person(kind, monotonic(), intern(maybe(user, "locale")))
        if len(self._people) > MOST_KNOWN:
            del self._people[next(iter(self._people))]

    def _stale(self, people: Collection[str], kept_s: float) -> list[str]:
        return [one for one in people if not self._is_known(one, kept_s)]

    def _is_known(self, person: str, kept_s: float) -> bool:
        known = self._people.get(person)
        return known is not None and monotonic() - known.read_at <= kept_s

    def _kind(self, user: Mapping[str, Json]) -> str:
        if user.get("is_stranger") is True:
            return "outsider"
        enterprise = maybe(maybe_object(user, "enterprise_user"), "enterprise_id")
        ours = self.identity.enterprise is not None and enterprise == self.identity.enterprise
        if not ours and maybe(user, "team_id") not in self.identity.teams:
            return "outsider"
        if user.get("is_bot") is True or maybe(user, "id") == "USLACKBOT":
            return "bot"
        if user.get("deleted") is True:
            return "unknown"
        if user.get("is_ultra_restricted") is True:
            return SINGLE_CHANNEL_GUEST
        return GUEST if user.get("is_restricted") is True else "employee"
