"""Who reads what is posted in a place of Teams.

- Somebody's own chat: the asker's groups.
- A private channel or a group chat: the groups that every member has.
- Any other channel: what everyone may read, whoever its members are. Anybody of the organisation
  may join a public team, and Teams does not tell an app which teams are.
- A guest of the tenant whom the file lets ask is as good as an employee; but no channel makes a
  guest count as of a group.
- With any other guest in it, somebody of another tenant, or somebody of whom Teams tells neither:
  nobody; the asker may ask directly.
- Any other guest or somebody from outside: nobody, anywhere.

Who is a member is kept for ten minutes while questions are answered, and read again before a reply
is posted (`when_posting`): meanwhile a guest may have come.
"""

import logging
from copy import copy
from dataclasses import replace

from bot.audience.group_members import GroupMembers, GroupSource, Memberships, Person
from bot.audience_config import AudienceConfig
from bot.teams.connector.addresses import ALONE
from bot.teams.connector.roster import Member, Roster, Rosters
from core.domain.conversation import Place
from core.domain.delivery import NoReaders, Readers

KEPT_S = 600.0
AGAIN_S = 2.0
"""Before a reply is posted: replies that follow each other closely share one look."""

logger = logging.getLogger(__name__)


class TeamsAudience:
    """See `core.ports.Audience`. Safe from many tasks."""

    def __init__(
        self, rosters: Rosters, rights: AudienceConfig, groups: GroupSource | None = None
    ) -> None:
        self._rosters = rosters
        self._rights = rights
        self._members = GroupMembers(rights, groups, named="the Entra group")
        self._warned: set[str] = set()
        self.is_posting = False
        """True: members are read anew."""
        self.is_hurried = False
        """True: nobody waits for groups that may be read a little later."""

    def when_pressed(self) -> "TeamsAudience":
        """Return the same for presses, which Teams gives seconds."""
        quick = copy(self)
        quick.is_hurried = True
        return quick

    def when_posting(self) -> "TeamsAudience":
        """Return the same with the members read anew: for replies."""
        fresh = self.when_pressed()
        fresh.is_posting = True
        return fresh

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        """See `Audience.readers`."""
        kept_s = AGAIN_S if self.is_posting else KEPT_S
        roster = await self._rosters.of(place, kept_s=kept_s)
        asker = roster.find(person)
        if asker is None and is_direct:
            asker = (await self._rosters.of(_own(place, person), kept_s=kept_s)).find(person)
        kind = "unknown" if asker is None else asker.kind
        if asker is None or kind not in {"employee"} | self._rights.guests.kinds:
            return NoReaders(may_read_direct=False, reason=kind)
        lists = await self._members.now(is_hurried=self.is_hurried)
        if not lists.admits(_person(asker)):
            return lists.turned_away(_person(asker))
        alone = Readers(
            groups=lists.of(_person(asker)),
            is_private=True,
            are_groups_unread=bool(lists.unread),
        )
        if is_direct:
            return alone
        people = tuple(map(_person, roster.members))
        strange = sorted(one.kind for one in people if not lists.lets_read(one))
        if strange:
            return NoReaders(may_read_direct=True, reason=f"{strange[0]}_in_channel")
        if place.mode == "direct":
            is_crowded = len(roster.members) != 1
            return NoReaders(may_read_direct=False, reason="crowded") if is_crowded else alone
        scope = self._rights.scope_of(place.channel)
        return Readers(
            groups=self._shared(roster, people, alone.groups, lists, place.channel),
            jurisdiction=scope.jurisdiction,
            tags=scope.tags,
            is_private=roster.is_private,
            are_groups_unread=roster.is_private and alone.are_groups_unread,
        )

    def _shared(
        self,
        roster: Roster,
        people: tuple[Person, ...],
        own: frozenset[str],
        lists: Memberships,
        channel: str,
    ) -> frozenset[str]:
        """Return the groups of all who read a channel; of one that is not private none."""
        granted = self._rights.scope_of(channel).audience
        if roster.is_private:
            return lists.shared(people, own=own, granted=granted)
        if granted and channel not in self._warned:
            self._warned.add(channel)
            logger.error(
                "CITEBOUND_TEAMS_CONFIG: the audience of channel %s does not count, because Teams"
                " does not say that the channel is private: use a private channel, or take its"
                " audience from the file",
                channel,
            )
        return frozenset()

    async def granted(self, place: Place, person: str, /) -> frozenset[str] | None:
        """See `bot.actions.answers.Membership.granted`.

        Raises:
            TransientError: Teams could not be asked.
        """
        roster = await self._rosters.of(place, kept_s=AGAIN_S)
        member = roster.find(person)
        if member is None:
            return None
        is_granted = roster.is_private and member.kind == "employee"
        return self._rights.scope_of(place.channel).audience if is_granted else frozenset()

    async def is_member(self, place: Place, person: str) -> bool:
        """Say whether somebody is in a conversation now.

        Raises:
            TransientError: Teams could not be asked.
        """
        return (await self._rosters.of(place, kept_s=AGAIN_S)).find(person) is not None


def _person(member: Member) -> Person:
    """Return somebody by whichever id the file or Entra names them."""
    return Person(ids=tuple(member.ids), kind=member.kind)


def _own(place: Place, person: str) -> Place:
    """Return somebody's own chat, where they are found who are not, or no more, in a place."""
    alone = f"{ALONE}{person}"
    return replace(place, channel=alone, thread=alone, mode="direct")
