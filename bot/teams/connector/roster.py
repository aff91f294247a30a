"""Who is in a Teams conversation, as Teams tells: read page by page, kept for some minutes."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from time import monotonic

from bot.audience_config import GUEST
from bot.call_results import Rejected, Succeeded
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.connector import Address, Transport
from bot.teams.connector.http_client import Object
from bot.teams.protocol.conversations import NAME, ROOT
from bot.teams.protocol.identity import GUEST_ROLE, OUTSIDE_ROLES, TeamsIdentity
from bot.teams.protocol.payload import maybe, objects, words
from core.domain.conversation import Place
from core.domain.errors import TransientError
from core.domain.officers import Account, Officers

GONE = frozenset({"BotNotInConversationRoster", "ConversationNotFound"})
"""Codes: we are not in that conversation, or no more, and are not told who is. To ask again is no
use; any other refusal may pass."""
PAGES = 500
"""A list whose pages never end would be read for ever."""
MOST_KNOWN = 4_096
"""Conversations that are remembered: the one that was first read is forgotten first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """Somebody in a conversation."""

    id: str
    """As activities name them (`29:…`)."""
    aad: str
    """Object id of the directory, lower case; empty if it is not told."""
    kind: str
    """`employee`, `guest`, `outsider`, `unknown`."""
    name: str = ""
    """As Teams shows it; empty if it is not told."""

    @property
    def ids(self) -> frozenset[str]:
        """All by which a file may name them."""
        return frozenset({self.id, self.aad, self.aad.upper()}) - {""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """Those in a conversation, without bots."""

    members: tuple[Member, ...]
    """Empty if nobody is told: then nobody is known."""
    read_at: float
    """When, by a clock that never goes back."""
    is_private: bool = False
    """See `Reference.is_private`."""

    def find(self, person: str) -> Member | None:
        """Return a member by either id."""
        for one in self.members:
            if person in {one.id, one.aad}:
                return one
        return None


class Rosters:
    """Reads them. Safe from many tasks."""

    def __init__(self, transport: Transport, addresses: Addresses, identity: TeamsIdentity) -> None:
        self._transport = transport
        self._addresses = addresses
        self._identity = identity
        self._known: dict[tuple[str, str], Roster] = {}

    async def of(self, place: Place, *, kept_s: float) -> Roster:
        """Return who is in a conversation, as of at most so long ago.

        Raises:
            TransientError: Teams could not say.
        """
        key = (place.tenant, place.channel)
        known = self._known.get(key)
        if known is None or monotonic() - known.read_at > kept_s:
            began_at = monotonic()
            members = [one async for one in self._read(place)]
            is_private = await self._addresses.is_private(place)
            known = self._known[key] = Roster(
                members=tuple(members), read_at=began_at, is_private=is_private
            )
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]
        return known

    def name_of(self, place: Place, person: str) -> str:
        """Return what somebody was called when the list was last read; empty: nobody knows."""
        known = self._known.get((place.tenant, place.channel))
        found = None if known is None else known.find(person)
        return "" if found is None else found.name

    def by_name(self, place: Place) -> Mapping[str, str]:
        """Return the ids of who was there when the list was last read, by name in lower case.

        Of several with one name nobody is told.
        """
        names = [" ".join(one.name.lower().split()) for one in self.known(place)]
        people = zip(names, self.known(place), strict=True)
        return {name: one.id for name, one in people if name and names.count(name) == 1}

    def known(self, place: Place) -> tuple[Member, ...]:
        """Return who was there when the list was last read; empty: nobody knows."""
        known = self._known.get((place.tenant, place.channel))
        return () if known is None else known.members

    def forget(self, tenant: str, channel: str) -> None:
        """Read it anew next time: its members have changed."""
        self._known.pop((tenant, channel), None)

    async def _read(self, place: Place) -> AsyncIterator[Member]:
        at = await self._addresses.of(place)
        if isinstance(at, Rejected):
            return
        if not isinstance(at, Address):
            raise TransientError("it is not known where the conversation is")
        whole = replace(at, conversation=at.conversation.partition(ROOT)[0])
        page = ""
        for _ in range(PAGES):
            told = await self._transport.members(whole, page=page)
            if isinstance(told, Rejected) and told.code in GONE:
                return
            if isinstance(told, Rejected):
                raise TransientError(f"Teams does not say who reads: {told.code}")
            if not isinstance(told, Succeeded):
                raise TransientError("Teams could not be asked who reads")
            for one in objects(told.body, "members"):
                if not self._identity.is_bot(one):
                    yield self._member(one)
            page = words(told.body, "continuationToken")
            if not page:
                return
        raise TransientError("the list of who reads does not end")

    def _member(self, told: Object) -> Member:
        aad = maybe(told, "aadObjectId") or maybe(told, "objectId")
        return Member(
            id=maybe(told, "id"),
            aad=aad.lower(),
            kind=self._kind(told, aad),
            name=words(told, "name"),
        )

    def _kind(self, told: Object, aad: str) -> str:
        tenant, role = maybe(told, "tenantId"), maybe(told, "userRole").lower()
        if tenant and not self._identity.has_tenant(tenant):
            return "outsider"
        if role in OUTSIDE_ROLES:
            # Who is anonymous or external is no guest of the tenant, whatever it tells of them.
            return GUEST if role == GUEST_ROLE and tenant and aad else "outsider"
        return "employee" if tenant and role and aad else "unknown"


def officers_in(place: Place, rosters: Rosters, officers: Officers) -> tuple[str, ...]:
    """Return Teams' own ids of officers in a conversation, as its list was last read."""

    def is_officer(person: str) -> bool:
        account = Account(platform=NAME, tenant=place.tenant, person=person)
        return bool(person) and officers.find(account) is not None

    known = rosters.known(place)
    return tuple(one.id for one in known if is_officer(one.id) or is_officer(one.aad))
