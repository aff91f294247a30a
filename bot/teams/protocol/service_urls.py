"""To which addresses a reply may go: posting sends the bot's token there.

The address comes with each activity. It is checked when a reference is stored and again when it is
used, since the list may have become shorter in between.
"""

import re
from collections.abc import Iterable

from core.domain.errors import ContractError

PUBLIC_CLOUD = "smba.trafficmanager.net"
"""Where Teams takes replies; sovereign clouds have hosts of their own."""
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
