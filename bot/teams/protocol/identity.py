"""Whose app and tenant something comes from, and who is a bot.

A conversation is in one of our tenants, or its activity is refused before it is read. The person
may still be from outside: a guest, or somebody of another company in a shared channel. What cannot
be told apart is outside.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.json_fields import Object, maybe_object
from bot.teams.protocol.payload import maybe
from bot.teams.setup import TeamsSetup
from core.config.teams import CLOUDS
from core.domain.errors import ContractError

PUBLIC_CLOUD = CLOUDS["public"].host
"""Where Teams takes replies."""
LONGEST_URL = 300
"""Characters: real ones have about 80."""
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?P<port>:[0-9]{1,5})?"
    r"(?P<path>/[A-Za-z0-9._~/-]*)?"
)
_LOOPBACK = frozenset({"localhost", "127.0.0.1"})


class ServiceUrls:
    """The list of hosts. Nothing that is not plainly on it is."""

    def __init__(
        self, hosts: Iterable[str] = (PUBLIC_CLOUD,), *, allows_loopback: bool = False
    ) -> None:
        """Take host names, reached by https on its own port.

        Args:
            hosts: without scheme and port.
            allows_loopback: also this machine, by http on any port: for tests and for the Agents
                Playground. Whoever sets it says where it is refused.

        Raises:
            ValueError: What is given is no host name.
        """
        self.hosts = frozenset(host.lower() for host in hosts)
        self._allows_loopback = allows_loopback
        if not all(_is_host(host) for host in self.hosts):
            raise ValueError("expected host names, such as smba.trafficmanager.net")

    def allows(self, url: str) -> bool:
        """Say whether the bot's token may be sent to an address."""
        found = _URL.fullmatch(url) if len(url) <= LONGEST_URL else None
        if found is None or ".." in (found["path"] or ""):
            return False
        if self._allows_loopback and found["scheme"] == "http" and found["host"] in _LOOPBACK:
            return True
        is_plain = found["scheme"] == "https" and found["port"] in (None, ":443")
        return is_plain and found["host"] in self.hosts

    def need(self, url: str) -> str:
        """Return the address.

        Raises:
            ContractError: It is not on the list.
        """
        if not self.allows(url):
            raise ContractError("expected a service URL on the list of hosts")
        return url


def _is_host(host: str) -> bool:
    found = _URL.fullmatch(f"https://{host}")
    return found is not None and found["port"] is None and found["path"] is None and "." in host


GUEST_ROLE = "guest"
OUTSIDE_ROLES = frozenset({GUEST_ROLE, "anonymous", "external"})
_BOT = "28:"
"""How ids of bots begin; those of people begin with `29:`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamsIdentity:
    """Who we are in Teams."""

    app_id: str
    """Ours, lower case; empty only where `is_anonymous`."""
    tenants: frozenset[str]
    """Ids of the tenants that we serve, lower case; empty only where `is_anonymous`."""
    service_urls: ServiceUrls = field(default_factory=ServiceUrls)
    """Where replies may go."""
    is_anonymous: bool = False
    """True: nobody proves who they are. For the local playground alone: see `UnsafeAnonymous`."""
    issuer: str = CLOUDS["public"].resource
    """Of tokens that the service itself makes; a token made with our own secret has another one."""
    lets_guests: bool = False
    """True: guests of our tenant may ask, as far as the audience admits them."""

    def has_tenant(self, tenant: str) -> bool:
        """Say whether a tenant is one that we serve."""
        return tenant.lower() in self.tenants or (self.is_anonymous and not self.tenants)

    def is_ours(self, account: Object, activity: Object) -> bool:
        """Say whether an account is our own bot: that to which the activity was sent."""
        held = maybe(account, "id")
        recipient = maybe(maybe_object(activity, "recipient"), "id")
        return bool(held) and held in {recipient, f"{_BOT}{self.app_id}"}

    def is_bot(self, account: Object) -> bool:
        """Say whether an account is a bot, ours or another."""
        return account.get("role") == "bot" or maybe(account, "id").startswith(_BOT)

    def is_outside(self, person: Object) -> bool:
        """Say whether somebody is from another company, or nobody knows.

        A directory id without a tenant is one of the conversation's own tenant: guests have one,
        too, and only the roster tells them, which the audience reads.
        """
        tenants = {maybe(person, key) for key in ("tenantId", "tenant") if person.get(key)}
        roles = {maybe(person, key).lower() for key in ("userRole", "role")}
        roles -= {GUEST_ROLE} if self.lets_guests else set[str]()
        is_known = bool(maybe(person, "aadObjectId"))
        return (
            not is_known
            or not all(self.has_tenant(tenant) for tenant in tenants)
            or bool(roles & OUTSIDE_ROLES)
        )


def identity_of(setup: TeamsSetup, *, lets_guests: bool = False) -> TeamsIdentity:
    """Return who we are, by our settings; `lets_guests`: see `TeamsIdentity`."""
    return TeamsIdentity(
        app_id=setup.app_id,
        tenants=frozenset({setup.tenant} - {""}),
        service_urls=ServiceUrls(setup.hosts, allows_loopback=setup.allows_loopback),
        is_anonymous=setup.is_anonymous,
        issuer=setup.cloud.resource,
        lets_guests=lets_guests,
    )
