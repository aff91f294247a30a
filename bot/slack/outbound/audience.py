"""Who reads what is posted in a place of Slack.

- A direct message with an employee: the asker's groups.
- A private channel or a group message: the groups that every member has.
- A public channel: what everyone may read, whoever its members are. Anybody may join it, and search
  finds what stands there.
- A guest of ours whom the file lets ask is as good as an employee; but no channel makes a guest
  count as of a group.
- With any other guest in it, or shared with another company: nobody; the asker may ask directly.
- Somebody from outside, any other guest, a bot: nobody, anywhere.

Who is a member, and who is a guest, is kept for ten minutes while questions are answered, and read
again before a reply is posted (`when_posting`): meanwhile a channel may have become shared.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from bot.audience.group_members import GUESTS, GroupMembers, Memberships, Person
from bot.audience.rule import AudienceRule
from bot.audience_config import AudienceConfig, ChannelScope
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.web.calls import Slack
from bot.slack.web.channels import Channel, ChannelKind, Channels
from bot.slack.web.directory import Directory
from bot.slack.web.user_groups import SlackUserGroups
from core.domain.conversation import Place
from core.domain.delivery import NoReaders, Readers
from core.domain.errors import TransientError

KEPT_S = 600.0
AGAIN_S = 2.0
"""Before a reply is posted: replies that follow each other closely share one look."""
PERSON_AGAIN_S = 30.0
"""Before a reply is posted: somebody may have become a guest, or have left."""
_PUBLIC = (
    "CITEBOUND_SLACK_CONFIG: the audience of channel %s does not count, because the channel is"
    " public: make it private, or take its audience from the file"
)


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
        groups = SlackUserGroups(slack, identity)
        members = GroupMembers(rights, groups, named="user group")
        self._rule = AudienceRule(rights=rights, members=members, warning=_PUBLIC)
        self._rooms = Channels(slack)
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
        asker = Person(ids=(person,), kind=kind)
        lists = await self._rule.admitting(asker, is_hurried=self.is_posting)
        if isinstance(lists, NoReaders):
            return lists
        alone = lists.alone(asker)
        if is_direct or place.mode == "direct":
            return alone
        room = await self._rooms.of(place.channel, kept_s=kept.room_s)
        if room.kind in {ChannelKind.SHARED, ChannelKind.UNKNOWN}:
            return NoReaders(may_read_direct=True, reason=f"{room.kind}_channel")
        people = await self._people(room, kept.person_s, lists)
        is_private = room.kind is ChannelKind.PRIVATE
        return self._rule.readers_in(
            place.channel, people, lists, own=alone.groups, is_private=is_private
        )

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
        return kind == "employee" or kind in GUESTS

    @property
    def directory(self) -> Directory:
        """Who people are."""
        return self._directory

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
        audience = self._rights.scope_of(place.channel).audience
        if not audience or room.kind is not ChannelKind.PRIVATE:
            return frozenset()
        kind = await self._directory.kind_of(person, kept_s=PERSON_AGAIN_S)
        return audience if kind == "employee" else frozenset()

    async def _people(self, room: Channel, kept_s: float, lists: Memberships) -> tuple[Person, ...]:
        """Return who is in a channel, in order.

        One who is known already, and keeps it from being answered, is enough: nobody else is asked
        for then.
        """
        others = sorted(room.members - {self._identity.bot_user})
        if not self._directory.may_look_again(others, team=room.team, kept_s=kept_s):
            kept_s = KEPT_S
        known = _named(others, self._directory.known(others, kept_s=kept_s))
        if not all(map(lists.lets_read, known)):
            return known
        return _named(others, await self._directory.kinds_of(others, team=room.team, kept_s=kept_s))


def _named(people: Sequence[str], kinds: Mapping[str, str]) -> tuple[Person, ...]:
    return tuple(Person(ids=(one,), kind=kinds[one]) for one in people if one in kinds)
