"""Who reads what is posted in a place of Teams.

- Somebody's own chat: the asker's groups.
- A private channel or a group chat: the groups that every member has.
- Any other channel: what everyone may read, whoever its members are. Anybody of the organisation
  may join a public team, and Teams does not tell an app which teams are.
- With a guest in it, somebody of another tenant, or somebody of whom Teams tells neither: nobody;
  the asker may ask directly.
- A guest or somebody from outside: nobody, anywhere.

Who is a member is kept for ten minutes while questions are answered, and read again before a reply
is posted (`when_posting`): meanwhile a guest may have come.
"""

import logging
from copy import copy
from dataclasses import replace

from bot.audience_config import AudienceConfig, ChannelScope
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

    def __init__(self, rosters: Rosters, rights: AudienceConfig) -> None:
        self._rosters = rosters
        self._rights = rights
        self._warned: set[str] = set()
        self.is_posting = False
        """True: members are read anew."""

    def when_posting(self) -> "TeamsAudience":
        """Return the same with the members read anew: for replies."""
        fresh = copy(self)
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
        if asker is None or kind != "employee":
            return NoReaders(may_read_direct=False, reason=kind)
        own = self._groups_of(asker)
        if is_direct:
            return Readers(groups=own, is_private=True)
        strange = sorted({one.kind for one in roster.members} - {"employee"})
        if strange:
            return NoReaders(may_read_direct=True, reason=f"{strange[0]}_in_channel")
        if place.mode == "direct":
            alone = len(roster.members) == 1
            if not alone:
                return NoReaders(may_read_direct=False, reason="crowded")
            return Readers(groups=own, is_private=True)
        scope = self._rights.scope_of(place.channel)
        return Readers(
            groups=self._shared(roster, own, scope, place.channel),
            jurisdiction=scope.jurisdiction,
            tags=scope.tags,
            is_private=roster.is_private,
        )

    def _shared(
        self, roster: Roster, own: frozenset[str], scope: ChannelScope, channel: str
    ) -> frozenset[str]:
        """Return the groups of all who read a channel; of one that is not private none."""
        if roster.is_private:
            return own.intersection(*map(self._groups_of, roster.members)) | scope.audience
        if scope.audience and channel not in self._warned:
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
        if roster.find(person) is None:
            return None
        return self._rights.scope_of(place.channel).audience if roster.is_private else frozenset()

    async def is_member(self, place: Place, person: str) -> bool:
        """Say whether somebody is in a conversation now.

        Raises:
            TransientError: Teams could not be asked.
        """
        return (await self._rosters.of(place, kept_s=AGAIN_S)).find(person) is not None

    def _groups_of(self, member: Member) -> frozenset[str]:
        """Return the groups of somebody, by whichever id the file names them."""
        return frozenset[str]().union(*(self._rights.groups_of(one) for one in member.ids))


def _own(place: Place, person: str) -> Place:
    """Return somebody's own chat, where they are found who are not, or no more, in a place."""
    alone = f"{ALONE}{person}"
    return replace(place, channel=alone, thread=alone, mode="direct")
