"""One HTTP exchange through the SDK, with what it leaves out put right.

The SDK (voyageai 0.5) opens a connection for every call unless it is given a session; prints and
then raises a foreign error where a reply breaks off; takes statuses that it does not know for
success; and drops `Retry-After`. It asks a context variable for its session: `Exchange` stands
there for one call, reads the reply whole, and remembers status and headers.

It also starts a process to name the machine, and takes half a second to load. Both are done in a
thread, by the first call.
"""

import importlib
import logging
import platform
import urllib.request
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession


def load_sdk() -> Any:
    """Return the SDK's module. Blocks for about 0.5 s the first time: call it off the loop."""
    sdk: Any = importlib.import_module("voyageai")
    # Below a warning it logs what is sent: text does not belong into logs.
    logging.getLogger("voyage").setLevel(logging.WARNING)
    tuple(platform.uname())  # the SDK reads it with each call; the first time starts a process
    return sdk


def new_session() -> "ClientSession":
    """Return a session that keeps connections."""
    aiohttp: Any = importlib.import_module("aiohttp")
    session: ClientSession = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
    return session


def _proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for a URL.

    The session could look itself, but then it looks for passwords in `~/.netrc` too, and refuses
    every call for a host that it finds there.
    """
    parts = urlsplit(url)
    if not parts.hostname or urllib.request.proxy_bypass(parts.hostname):
        return None
    return urllib.request.getproxies().get(parts.scheme)


class Exchange:
    """Stands in for the SDK's session during one call."""

    def __init__(self, session: "ClientSession") -> None:
        """Take the session that keeps the connections."""
        self._session = session
        self.status: int | None = None
        """Of the reply; None: there was none."""
        self.headers: Mapping[str, str] = {}
        """Of the reply."""

    async def request(self, **request: Any) -> "ClientResponse":
        """Send a request and read the reply, so that the SDK finds it read.

        Redirects are not followed: the key goes to no other host.
        """
        self.status, self.headers = None, {}
        request["proxy"] = _proxy_for(request["url"])
        response = await self._session.request(**request, allow_redirects=False)
        try:
            await response.read()
        except BaseException:
            response.close()
            raise
        self.status, self.headers = response.status, response.headers
        return response
