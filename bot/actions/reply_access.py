"""Find the reply that a button belongs to, and say who may read it.

Everything is looked up by id within the tenant of the request. What a callback says of channels is
only held against what is stored.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Protocol

from bot.actions.outcomes import Say
from bot.actions.press import Press
from bot.replies.notices import NOT_READABLE, ONLY_ASKER, OUTDATED
from core.domain.delivery import NoReaders, Readers
from core.domain.place import Place
from core.domain.policy import EVERYONE
from core.language.spans import VersionId
from core.ports.shown import ShownReplies, ShownReply

REMOVED_BEFORE = "This answer was removed before."


class Rooms(Protocol):
    """Who is where, as a platform knows it."""

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        """See `core.ports.Audience.readers`."""
        ...

    async def granted(self, place: Place, person: str, /) -> frozenset[str] | None:
        """Return the groups that a channel makes its members count as; None: they are not in it.

        A channel that anybody may join makes nobody count as anything.
        """
        ...


class ReplyAccess:
    """Finds replies, and checks who may read them."""

    def __init__(self, shown: ShownReplies, rooms: Rooms) -> None:
        self._shown = shown
        self._rooms = rooms

    async def find(self, press: Press) -> ShownReply | None:
        """Return the reply of a button; None: there is none, or it does not stand where pressed."""
        found = await self._shown.find(
            press.target, platform=press.who.platform, tenant=press.who.tenant
        )
        if found is None or press.room is None:
            return found
        return found if press.room in {found.place.channel, *found.shared_in} else None

    async def may_be_read(
        self, found: ShownReply, groups: Collection[str]
    ) -> frozenset[str] | None:
        """Return which groups are needed to read each policy cited; None: these do not suffice."""
        answer = found.reply.answer
        cited = {one.span.version_id for one in answer.citations} if answer else set[VersionId]()
        audiences = await self._shown.audiences(cited)
        needed: set[str] = set()
        for version in cited:
            for audience in audiences.get(version, (frozenset[str](),)):
                enough = audience & (frozenset(groups) | {EVERYONE})
                if not enough:
                    return None
                needed.add(EVERYONE if EVERYONE in enough else min(enough))
        return frozenset(needed)

    async def read(self, press: Press) -> ShownReply | Say:
        """Return the reply of a button to whoever may read it, until something else holds."""
        found = await self.find(press)
        if found is None or press.is_outside or not await self._may_read(found, press.who.person):
            return Say(words=NOT_READABLE)
        return Say(words=OUTDATED) if found.is_settled else found

    async def _may_read(self, found: ShownReply, person: str) -> bool:
        """Say whether somebody reads where a reply stands, and may read each policy it cites."""
        rooms = set(found.shared_in)
        if found.place.mode != "direct":
            rooms.add(found.place.channel)
        places = [replace(found.place, channel=one, thread=one, mode="channel") for one in rooms]
        told = [await self._rooms.granted(place, person) for place in places]
        seen = [groups for groups in told if groups is not None]
        if person != found.person and not seen:
            return False
        readers = await self._rooms.readers(found.place, person, is_direct=True)
        if not isinstance(readers, Readers):
            return False
        return await self.may_be_read(found, readers.groups.union(*seen)) is not None


def why_not_asker(found: ShownReply | None, press: Press) -> str:
    """Refuse what an asker alone does with an answer; empty: nothing is refused."""
    if found is None or press.is_outside:
        return NOT_READABLE
    if found.is_removed:
        return REMOVED_BEFORE
    if found.person != press.who.person:
        return ONLY_ASKER
    return OUTDATED if found.is_settled else ""


def is_report(found: ShownReply) -> bool:
    """Say whether a reply is the one to a report, which goes to Compliance in private."""
    answer = found.reply.answer
    return answer is not None and answer.is_report
