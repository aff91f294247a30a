"""Who reads what is posted in a place of Slack.

- A direct message with an employee: the asker's groups.
- A private channel or a group message: the groups that every member has.
- A public channel: what everyone may read, whoever its members are. Anybody may join it, and search
  finds what stands there.
- With a guest in it, or shared with another company: nobody; the asker may ask directly.
- Somebody from outside, a guest, a bot: nobody, anywhere.

Who is a member, and who is a guest, is kept for ten minutes while questions are answered, and read
again before a reply is posted (`when_posting`): meanwhile a channel may have become shared.
"""

import logging
from copy import copy
from dataclasses import dataclass

from bot.audience_config import AudienceConfig, ChannelScope
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.web.calls import Slack
from bot.slack.web.channels import Channel, ChannelKind, Channels
from bot.slack.web.directory import Directory
from core.domain.conversation import Place
from core.domain.delivery import NoReaders, Readers
from core.domain.errors import TransientError

KEPT_S = 600.0
AGAIN_S = 2.0
"""Before a reply is posted: replies that follow each other closely share one look."""
PERSON_AGAIN_S = 30.0
"""Before a reply is posted: somebody may have become a guest, or have left."""
OUTSIDE = frozenset({"guest", "outsider", "unknown"})
"""Kinds of people who keep a channel from being answered."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """How old what is known may be, in seconds."""

    room_s: float
    person_s: float


_KEPT = _Kept(room_s=KEPT_S, person_s=KEPT_S)
_AGAIN = _Kept(room_s=AGAIN_S, person_s=PERSON_AGAIN_S)


class SlackAudience:
    """See `core.ports.Audience`. Safe from many tasks."""

    def __init__(self, slack: Slack, identity: SlackIdentity, rights: AudienceConfig) -> None:
        self._identity = identity
        self._rights = rights
        self._directory = Directory(slack, identity)
        self._rooms = Channels(slack)
        self._warned: set[str] = set()
        self.is_posting = False
        """True: what is known is read anew."""

    def when_posting(self) -> "SlackAudience":
        """Return the same with what is known read anew: for replies and presses."""
        fresh = copy(self)
        fresh.is_posting = True
        return fresh

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        """See `Audience.readers`."""
        kept = _AGAIN if self.is_posting else _KEPT
        kind = await self._directory.kind_of(person, kept_s=kept.person_s)
        if kind != "employee":
            return NoReaders(may_read_direct=False, reason=kind)
        own = self._rights.groups_of(person)
        if is_direct or place.mode == "direct":
            return Readers(groups=own, is_private=True)
        room = await self._rooms.of(place.channel, kept_s=kept.room_s)
        if room.kind in {ChannelKind.SHARED, ChannelKind.UNKNOWN}:
            return NoReaders(may_read_direct=True, reason=f"{room.kind}_channel")
        stranger = await self._stranger(room, kept.person_s)
        if stranger:
            return NoReaders(may_read_direct=True, reason=f"{stranger}_in_channel")
        scope = self._rights.scope_of(place.channel)
        return Readers(
            groups=self._shared(room, own, scope, place.channel),
            jurisdiction=scope.jurisdiction,
            tags=scope.tags,
            is_private=room.kind is ChannelKind.PRIVATE,
        )

    def _shared(
        self, room: Channel, own: frozenset[str], scope: ChannelScope, channel: str
    ) -> frozenset[str]:
        """Return the groups of all who read a channel; of a public one none, whatever is set."""
        if room.kind is ChannelKind.PRIVATE:
            members = room.members - {self._identity.bot_user}
            return own.intersection(*map(self._rights.groups_of, members)) | scope.audience
        if scope.audience and channel not in self._warned:
            self._warned.add(channel)
            logger.error(
                "CITEBOUND_SLACK_CONFIG: the audience of channel %s does not count, because the"
                " channel is public: make it private, or take its audience from the file",
                channel,
            )
        return frozenset()

    def scope_of(self, channel: str) -> ChannelScope:
        """Return what the deployment says of a channel."""
        return self._rights.scope_of(channel)

    async def is_colleague(self, person: str) -> bool:
        """Say whether somebody of another workspace is of our organisation.

        Where Slack can't be asked, nobody is.
        """
        if self._identity.enterprise is None:
            return False
        try:
            kind = await self._directory.kind_of(person, kept_s=KEPT_S)
        except TransientError:
            return False
        return kind in {"employee", "guest"}

    @property
    def rooms(self) -> Channels:
        """What channels are."""
        return self._rooms

    async def is_member(self, channel: str, person: str) -> bool:
        """Say whether somebody is in a channel.

        Raises:
            TransientError: Slack could not be asked.
        """
        return person in (await self._rooms.of(channel, kept_s=AGAIN_S)).members

    async def granted(self, place: Place, person: str, /) -> frozenset[str] | None:
        """See `bot.actions.answers.Membership.granted`.

        Raises:
            TransientError: Slack could not be asked.
        """
        room = await self._rooms.of(place.channel, kept_s=AGAIN_S)
        if person not in room.members:
            return None
        is_private = room.kind is ChannelKind.PRIVATE
        return self._rights.scope_of(place.channel).audience if is_private else frozenset()

    async def _stranger(self, room: Channel, kept_s: float) -> str:
        """Return the kind of a member who keeps a channel from being answered; empty: none.

        One who is known already is enough: nobody else is asked for then.
        """
        others = sorted(room.members - {self._identity.bot_user})
        if not self._directory.may_look_again(others, team=room.team, kept_s=kept_s):
            kept_s = KEPT_S
        kinds = self._directory.known(others, kept_s=kept_s)
        if not OUTSIDE & set(kinds.values()):
            kinds = await self._directory.kinds_of(others, team=room.team, kept_s=kept_s)
        return next((kinds[one] for one in others if kinds.get(one) in OUTSIDE), "")
