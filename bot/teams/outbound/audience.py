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

from copy import copy
from dataclasses import replace

from bot.audience.group_members import GroupMembers, GroupSource, Person
from bot.audience.rule import AudienceRule
from bot.audience_config import AudienceConfig
from bot.teams.connector.addresses import ALONE
from bot.teams.connector.roster import Member, Rosters
from core.domain.conversation import Place
from core.domain.delivery import NoReaders, Readers

KEPT_S = 600.0
AGAIN_S = 2.0
"""Before a reply is posted: replies that follow each other closely share one look."""

_NOT_PRIVATE = (
    "CITEBOUND_TEAMS_CONFIG: the audience of channel %s does not count, because Teams does not say"
    " that the channel is private: use a private channel, or take its audience from the file"
)


class TeamsAudience:
    """See `core.ports.Audience`. Safe from many tasks."""

    def __init__(
        self, rosters: Rosters, rights: AudienceConfig, groups: GroupSource | None = None
    ) -> None:
        self._rosters = rosters
        self._rights = rights
        members = GroupMembers(rights, groups, named="the Entra group")
        self._rule = AudienceRule(rights=rights, members=members, warning=_NOT_PRIVATE)
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
        if asker is None:
            return NoReaders(may_read_direct=False, reason="unknown")
        lists = await self._rule.admitting(_person(asker), is_hurried=self.is_hurried)
        if isinstance(lists, NoReaders):
            return lists
        alone = lists.alone(_person(asker))
        if is_direct:
            return alone
        people = sorted(map(_person, roster.members), key=lambda person: person.kind)
        readers = self._rule.readers_in(
            place.channel, people, lists, own=alone.groups, is_private=roster.is_private
        )
        if place.mode == "direct" and isinstance(readers, Readers):
            is_crowded = len(roster.members) != 1
            return NoReaders(may_read_direct=False, reason="crowded") if is_crowded else alone
        return readers

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
