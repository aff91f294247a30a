"""Teams without any proof: for Microsoft's Agents Playground on one's own machine.

`setup` lets it be switched on by an explicit setting only, together with a loopback address to
listen on. Then programs of this machine are heard, and never a page in a browser: that could reach
the port, too, but not without an `Origin`, or else under a name that is not this machine's.
"""

import ipaddress
from collections.abc import Mapping

from bot.teams.auth.token_verifier import BROKEN, UNKNOWN, Principal, Reject, read_body
from bot.teams.protocol.identity import Home


def is_loopback(host: str) -> bool:
    """Say whether an address, with or without a port, is this machine alone."""
    name = host.removeprefix("[").partition("]")[0] if host.startswith("[") else host
    if name.count(":") == 1:
        name = name.partition(":")[0]
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


class UnsafeAnonymous:
    """Believes every program of this machine. See `tokens.Verifier`."""

    def __init__(self, home: Home) -> None:
        """Take who we are; `setup` says whether this may be.

        Raises:
            ValueError: The home is one where tokens are checked.
        """
        if not home.is_anonymous:
            raise ValueError("expected a home in which nobody proves anything")
        self._home = home

    async def verify(self, headers: Mapping[str, str], raw: bytes, /) -> Principal | Reject:
        """See `tokens.Verifier`."""
        folded = {name.lower(): value for name, value in headers.items()}
        if "origin" in folded or not is_loopback(folded.get("host", "")):
            return Reject(status=UNKNOWN, reason="browser")
        activity = read_body(raw)
        if activity is None:
            return Reject(status=BROKEN, reason="body")
        url = activity.get("serviceUrl")
        if not isinstance(url, str) or not self._home.service_urls.allows(url):
            return Reject(status=UNKNOWN, reason="service_host")
        return Principal(activity=activity, claims={})
