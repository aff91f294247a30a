"""Who reads what is posted in a place, as far as it is decided alike on every platform."""

import logging
from collections.abc import Collection
from dataclasses import dataclass, field

from bot.audience.group_members import GroupMembers, Memberships, Person
from bot.audience_config import AudienceConfig
from core.domain.delivery import NoReaders, Readers

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AudienceRule:
    """Decides it by groups and guests. Safe from many tasks."""

    rights: AudienceConfig
    members: GroupMembers
    warning: str
    """Logged once for a channel that is not private, but has an audience in the file: that does
    not count. `%s` is the channel."""
    _warned: set[str] = field(default_factory=set[str], init=False)

    async def admitting(self, asker: Person, *, is_hurried: bool) -> Memberships | NoReaders:
        """Return who belongs to which group, if the asker may ask."""
        if asker.kind not in {"employee"} | self.rights.guests.kinds:
            return NoReaders(may_read_direct=False, reason=asker.kind)
        lists = await self.members.now(is_hurried=is_hurried)
        return lists if lists.admits(asker) else lists.turned_away(asker)

    def readers_in(
        self,
        channel: str,
        people: Collection[Person],
        lists: Memberships,
        *,
        own: frozenset[str],
        is_private: bool,
    ) -> Readers | NoReaders:
        """Return who reads a place: in a private one by the groups that everybody there has.

        Args:
            channel: The place.
            people: Everybody there; the first who may not read along gives the reason.
            lists: Who belongs to which group.
            own: The groups of who asks there.
            is_private: True if nobody joins without being asked.
        """
        strange = next((person.kind for person in people if not lists.lets_read(person)), "")
        if strange:
            return NoReaders(may_read_direct=True, reason=f"{strange}_in_channel")
        scope = self.rights.scope_of(channel)
        if scope.audience and not is_private and channel not in self._warned:
            self._warned.add(channel)
            logger.error(self.warning, channel)
        return Readers(
            groups=lists.shared(people, own=own, granted=scope.audience)
            if is_private
            else frozenset(),
            jurisdiction=scope.jurisdiction,
            tags=scope.tags,
            is_private=is_private,
            are_groups_unread=is_private and bool(lists.unread),
        )
