"""Who reads what is posted in a place of Slack (platforms, 2.4).

- A direct message with an employee: the asker's groups.
- A channel or group message: the groups that every member has.
- With a guest in it, or shared with another company: nobody; the asker may ask directly.
- Somebody from outside, a guest, a bot: nobody, anywhere.

Who is a member, and who is a guest, is kept for ten minutes while questions are answered, and read
again before a reply is posted: that is what `PostingAudience` is for.
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from time import monotonic

from bot.payload import maybe_object
from bot.rights import ChannelScope, Rights
from bot.slack.calls import Limited, Outcome, Refused, Slack, Told, Unclear
from bot.slack.payload import maybe
from bot.slack.sender import Home
from core.domain.chat import Place
from core.domain.delivery import NoReaders, Readers
from core.domain.errors import BusyError, TransientError
from core.domain.run import Json

KEPT_S = 600.0
AGAIN_S = 2.0
"""Before a reply is posted: replies that follow each other closely share one look."""
PERSON_AGAIN_S = 30.0
"""Before a reply is posted: somebody may have become a guest, or have left."""
FEW = 20
"""Members that are asked for one by one; of more, the whole workspace is listed."""
LISTED_AGAIN = 5
"""Pages of the workspace's list up to which it is read again before a reply is posted to more than
`FEW`. Slack gives out some 20 a minute: of a larger workspace, what is kept counts."""
PAGE = "200"
SHARED = ("is_ext_shared", "is_pending_ext_shared", "pending_connected_team_ids")
"""Each says of a channel that another company reads it, or may at any moment."""
LONGEST = 500
"""Pages of a listing: a cursor that never ends would be read for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Person:
    """What matters of somebody."""

    kind: str
    """`employee`, `guest`, `outsider`, `bot`, `unknown`."""
    read_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """What matters of a channel."""

    trouble: str
    """Why nobody is answered there, in a word; empty: nothing is wrong."""
    members: frozenset[str]
    read_at: float
    team: str = ""
    """The workspace that it is seen in: an organisation's people are listed by workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """How old what is known may be, in seconds."""

    room_s: float
    person_s: float


_KEPT = _Kept(room_s=KEPT_S, person_s=KEPT_S)
_AGAIN = _Kept(room_s=AGAIN_S, person_s=PERSON_AGAIN_S)


class SlackAudience:
    """See `core.ports.Audience`. Safe from many tasks."""

    def __init__(self, slack: Slack, home: Home, rights: Rights) -> None:
        """Take where to ask, who we are, and who belongs to which group."""
        self._slack = slack
        self._home = home
        self._rights = rights
        self._people: dict[str, _Person] = {}
        self._rooms: dict[str, _Room] = {}
        self._listed_pages = 0

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        """See `Audience.readers`."""
        return await self._look(place, person, is_direct=is_direct, kept=_KEPT)

    async def look_again(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        """Say who reads, from what is known as of now.

        Raises:
            TransientError: Slack could not be asked.
        """
        return await self._look(place, person, is_direct=is_direct, kept=_AGAIN)

    async def _look(
        self, place: Place, person: str, /, *, is_direct: bool, kept: _Kept
    ) -> Readers | NoReaders:
        asker = await self._person(person, kept.person_s)
        if asker.kind != "employee":
            return NoReaders(may_read_direct=False, reason=asker.kind)
        own = self._rights.groups_of(person)
        if is_direct or place.mode == "direct":
            return Readers(groups=own)
        room = await self._room(place.channel, kept.room_s)
        trouble = room.trouble or await self._strangers(room, kept.person_s)
        if trouble:
            return NoReaders(may_read_direct=True, reason=trouble)
        scope = self._rights.scope_of(place.channel)
        shared = own.intersection(
            *(self._rights.groups_of(one) for one in room.members - {self._home.bot_user})
        )
        return Readers(
            groups=shared | scope.audience, jurisdiction=scope.jurisdiction, tags=scope.tags
        )

    def scope_of(self, channel: str) -> ChannelScope:
        """Return what the deployment says of a channel."""
        return self._rights.scope_of(channel)

    async def is_colleague(self, person: str) -> bool:
        """Say whether somebody of another workspace is of our organisation.

        Where Slack can't be asked, nobody is.
        """
        if self._home.enterprise is None:
            return False
        try:
            return (await self._person(person, KEPT_S)).kind in {"employee", "guest"}
        except TransientError:
            return False

    async def is_member(self, channel: str, person: str) -> bool:
        """Say whether somebody is in a channel.

        Raises:
            TransientError: Slack could not be asked.
        """
        return person in (await self._room(channel, AGAIN_S)).members

    async def _strangers(self, room: _Room, kept_s: float) -> str:
        """Say what member of a channel keeps it from being answered; empty: none."""
        others = room.members - {self._home.bot_user}
        await self._read_people(others, room.team, kept_s)
        for one in sorted(others):
            kind = self._people[one].kind
            if kind in {"guest", "outsider", "unknown"}:
                return f"{kind}_in_channel"
        return ""

    async def _read_people(self, people: Collection[str], team: str, kept_s: float) -> None:
        """See to it that each was read lately."""
        stale = [one for one in people if not self._is_known(one, kept_s)]
        if len(stale) > FEW and self._listed_pages > LISTED_AGAIN:
            kept_s = KEPT_S
            stale = [one for one in people if not self._is_known(one, kept_s)]
        if len(stale) > FEW:
            await self._list_people(team)
        failed: list[TransientError] = []

        async def read(one: str) -> None:
            try:
                await self._person(one, kept_s)
            except TransientError as error:
                failed.append(error)

        for first in range(0, len(stale), FEW):
            async with asyncio.TaskGroup() as group:
                for one in stale[first : first + FEW]:
                    group.create_task(read(one))
            if failed:
                raise failed[0]

    def _is_known(self, person: str, kept_s: float) -> bool:
        known = self._people.get(person)
        return known is not None and monotonic() - known.read_at <= kept_s

    async def _person(self, person: str, kept_s: float) -> _Person:
        if not self._is_known(person, kept_s):
            body = _body(await self._slack.read("users.info", user=person), {"user_not_found"})
            kind = "unknown" if body is None else self._kind(maybe_object(body, "user"))
            self._people[person] = _Person(kind=kind, read_at=monotonic())
        return self._people[person]

    async def _list_people(self, team: str) -> None:
        """Read everybody at once; who is not listed is asked for alone."""
        of_team = {"team_id": team} if self._home.is_whole else {}
        if self._home.is_whole and not team:
            return
        pages = 0
        async for body in self._pages("users.list", **of_team):
            pages += 1
            found = body.get("members")
            for one in found if isinstance(found, list) else ():
                if isinstance(one, Mapping) and maybe(one, "id"):
                    told = _Person(kind=self._kind(one), read_at=monotonic())
                    self._people[maybe(one, "id")] = told
        self._listed_pages = pages

    def _kind(self, user: Mapping[str, Json]) -> str:
        if user.get("is_stranger") is True:
            return "outsider"
        enterprise = maybe(maybe_object(user, "enterprise_user"), "enterprise_id")
        ours = self._home.enterprise is not None and enterprise == self._home.enterprise
        if not ours and maybe(user, "team_id") not in self._home.teams:
            return "outsider"
        if user.get("is_bot") is True or maybe(user, "id") == "USLACKBOT":
            return "bot"
        if user.get("deleted") is True:
            return "unknown"
        is_guest = user.get("is_restricted") is True or user.get("is_ultra_restricted") is True
        return "guest" if is_guest else "employee"

    async def _room(self, channel: str, kept_s: float) -> _Room:
        known = self._rooms.get(channel)
        if known is None or monotonic() - known.read_at > kept_s:
            known = self._rooms[channel] = await self._read_room(channel)
        return known

    async def _read_room(self, channel: str) -> _Room:
        asked = await self._slack.read("conversations.info", channel=channel)
        body = _body(asked, {"channel_not_found", "missing_scope"})
        if body is None:
            return _Room(trouble="unknown_channel", members=frozenset(), read_at=monotonic())
        told = maybe_object(body, "channel")
        if any(told.get(flag) for flag in SHARED):
            return _Room(trouble="shared_channel", members=frozenset(), read_at=monotonic())
        members: set[str] = set()
        async for page in self._pages("conversations.members", channel=channel):
            found = page.get("members")
            members |= (
                {one for one in found if isinstance(one, str)} if isinstance(found, list) else set()
            )
        return _Room(
            trouble="" if members else "unknown_channel",
            members=frozenset(members),
            read_at=monotonic(),
            team=maybe(told, "context_team_id"),
        )

    async def _pages(self, method: str, **given: str):
        cursor = ""
        for _ in range(LONGEST):
            body = _body(await self._slack.read(method, limit=PAGE, cursor=cursor, **given), set())
            if body is None:
                return
            yield body
            cursor = maybe(maybe_object(body, "response_metadata"), "next_cursor")
            if not cursor:
                return


class PostingAudience:
    """The same, read anew, for replies and presses: meanwhile a channel may have become shared."""

    def __init__(self, audience: SlackAudience) -> None:
        """Take the audience that reads it."""
        self._audience = audience

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        """See `Audience.readers`."""
        return await self._audience.look_again(place, person, is_direct=is_direct)

    async def is_member(self, room: str, person: str, /) -> bool:
        """See `SlackAudience.is_member`."""
        return await self._audience.is_member(room, person)

    def scope_of(self, channel: str, /) -> ChannelScope:
        """See `SlackAudience.scope_of`."""
        return self._audience.scope_of(channel)


def _body(outcome: Outcome, nobody: set[str]) -> Mapping[str, Json] | None:
    """Return what Slack said; None for a refusal that means nobody.

    Raises:
        BusyError: It may be asked later.
        TransientError: It could not say.
    """
    match outcome:
        case Told():
            return outcome.body
        case Refused() if outcome.code in nobody:
            return None
        case Refused():
            raise TransientError(f"Slack does not say who reads: {outcome.code}")
        case Limited():
            words = "Slack asks us to wait before it says who reads"
            raise BusyError(words, after_s=outcome.after_s)
        case Unclear():
            raise TransientError("Slack could not be asked who reads")
