"""Who belongs to the groups that a platform keeps: Slack's user groups, groups of Entra.

What is known of a group may be used for 15 minutes. From 5 minutes on it is read anew by the next
question, while all others go on with what is known; posts and presses, which have no time for that,
wait for it only where it is older than that. What can't be read in time is not known: nobody
belongs to the group then, and the answer says that groups could not be read.
"""

import asyncio
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from bot.audience_config import GUEST, SINGLE_CHANNEL_GUEST, AudienceConfig, Guests
from core.domain.delivery import GROUPS_UNREAD, NoReaders, Readers
from core.domain.errors import BusyError, TransientError

FRESH_S = 300.0
"""Younger lists are used as they are."""
OLDEST_S = 900.0
"""Older lists are not used at all: somebody may have been taken from the group since."""
RETRY_S = 20.0
"""Between two attempts to read a group that could not be read; the platform may ask for more."""
LONGEST_RETRY_S = 300.0
"""What the platform may ask for."""
WITHIN_S = 30.0
"""What one reading of a group may take: 100,000 members are some 100 pages."""

GUESTS = frozenset({GUEST, SINGLE_CHANNEL_GUEST})

logger = logging.getLogger(__name__)


class GroupSource(Protocol):
    """Reads groups of a platform."""

    async def members(self, group: str, /) -> frozenset[str]:
        """Return the ids of all members; of a group that there is not (any more), none.

        Raises:
            BusyError: The platform asks to wait.
            TransientError: It could not say.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who asks or reads."""

    ids: tuple[str, ...]
    """All ids by which the file or the platform may name them."""
    kind: str
    """`employee`, a kind of guest, `outsider`, `bot`, `unknown`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memberships:
    """Who belongs to which group, as it is known at one moment."""

    groups: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Group -> ids of its members."""
    unread: frozenset[str] = frozenset()
    """Groups of whose members some are not known now."""
    guests: Guests = field(default_factory=Guests)
    """Who of the guests may ask."""

    def of(self, person: Person) -> frozenset[str]:
        """Return the groups of somebody."""
        return frozenset(
            name for name in {*self.groups, *self._counted(person)} if self._has(person, name)
        )

    def admits(self, person: Person) -> bool:
        """Say whether somebody may ask: employees, and guests whom the file lets ask."""
        if person.kind == "employee":
            return True
        if person.kind not in self.guests.kinds:
            return False
        wanted = self.guests.groups
        return not wanted or any(_is_member(person, self.groups.get(one)) for one in wanted)

    def lets_read(self, person: Person) -> bool:
        """Say whether somebody's reading along keeps no answer from a place; bots ask nothing."""
        return person.kind == "bot" or self.admits(person)

    def alone(self, person: Person) -> Readers:
        """Return what somebody may read who reads alone."""
        return Readers(groups=self.of(person), is_private=True, are_groups_unread=bool(self.unread))

    def turned_away(self, person: Person) -> NoReaders:
        """Return why somebody may not ask who is not admitted."""
        is_open = person.kind in self.guests.kinds and bool(self.guests.groups & self.unread)
        reason = GROUPS_UNREAD if is_open else person.kind
        return NoReaders(may_read_direct=False, reason=reason)

    def shared(
        self, people: Collection[Person], *, own: frozenset[str], granted: frozenset[str]
    ) -> frozenset[str]:
        """Return the groups that all who read a private place have.

        Args:
            people: who reads it.
            own: the groups of who asks there.
            granted: groups that the file makes its members count as; no guest by that alone.
        """
        guests = [one for one in people if one.kind in GUESTS]
        return frozenset(
            name
            for name in own | granted
            if (name in own and all(self._has(one, name) for one in people))
            or (name in granted and all(self._has(one, name) for one in guests))
        )

    def _has(self, person: Person, name: str) -> bool:
        return name in self._counted(person) or _is_member(person, self.groups.get(name))

    def _counted(self, person: Person) -> frozenset[str]:
        return self.guests.count_as if person.kind in GUESTS else frozenset()


def _is_member(person: Person, members: frozenset[str] | None) -> bool:
    return members is not None and any(one in members for one in person.ids)


@dataclass(slots=True)
class _Known:
    """What is known of one group of the platform."""

    members: frozenset[str] = frozenset()
    read_at: float | None = None
    """When the reading began, by a clock that never goes back; None: never."""
    not_before: float = 0.0
    """No attempt before then, by the same clock."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def age_s(self) -> float:
        """Return how old it is."""
        return float("inf") if self.read_at is None else monotonic() - self.read_at


class GroupMembers:
    """Knows them, for one workspace or tenant. Safe from many tasks."""

    def __init__(self, rights: AudienceConfig, source: GroupSource | None, *, named: str) -> None:
        """Take the groups of the file.

        Args:
            rights: people and groups of the platform, by group.
            source: reads the latter; None: they can't be read.
            named: what the platform calls them, for the log.
        """
        self._rights = rights
        self._source = source
        self._named = named
        self._known = {one: _Known() for ids in rights.directory.values() for one in ids}

    async def now(self, *, is_hurried: bool = False) -> Memberships:
        """Return who belongs to which group. Raises nothing.

        `is_hurried`: whatever may be used is used, and nothing is read ahead of time.
        """
        if not self._known:
            return Memberships(groups=self._rights.groups, guests=self._rights.guests)
        kept_s = OLDEST_S if is_hurried else FRESH_S
        async with asyncio.TaskGroup() as group:
            for one, known in self._known.items():
                if known.age_s() > kept_s:
                    group.create_task(self._look(one))
        old = {one for one, known in self._known.items() if known.age_s() > OLDEST_S}
        directory = self._rights.directory
        read = {
            name: frozenset[str]().union(*(self._known[one].members for one in ids - old))
            for name, ids in directory.items()
        }
        own = self._rights.groups
        none = frozenset[str]()
        return Memberships(
            groups={name: own.get(name, none) | read.get(name, none) for name in {*own, *read}},
            unread=frozenset(name for name, ids in directory.items() if ids & old),
            guests=self._rights.guests,
        )

    async def _look(self, group: str) -> None:
        """Read a group anew if it is time for that and nobody else does."""
        known = self._known[group]
        if known.lock.locked() and known.age_s() <= OLDEST_S:
            return
        async with known.lock:
            if known.age_s() <= FRESH_S or monotonic() < known.not_before:
                return
            await self._read(group, known)

    async def _read(self, group: str, known: _Known) -> None:
        began_at, wait_s, why = monotonic(), RETRY_S, ""
        try:
            if self._source is None:
                raise TransientError("there is no access to them")  # noqa: TRY301
            async with asyncio.timeout(WITHIN_S):
                known.members = await self._source.members(group)
            known.read_at = began_at
        except BusyError as error:
            wait_s, why = min(max(error.after_s, 1.0), LONGEST_RETRY_S), str(error)
        except TransientError as error:
            why = str(error)
        except TimeoutError:
            why = "it takes too long"
        if why:
            known.not_before = monotonic() + wait_s
            is_used = known.age_s() <= OLDEST_S
            logger.warning(
                "%s %s can't be read: %s; %s",
                self._named,
                group,
                why,
                "what is known is used" if is_used else "nobody counts as of it",
            )
