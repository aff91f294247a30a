"""The proxy that the environment names."""

import urllib.request
from urllib.parse import urlsplit


def proxy_for(url: str) -> str | None:
    """Return the proxy for a URL; None: there is none.

    A session of aiohttp could look for itself, but then it looks for passwords in `~/.netrc` too,
    and refuses every call to a host that it finds there.
    """
    parts = urlsplit(url)
    if not parts.hostname or urllib.request.proxy_bypass(parts.hostname):
        return None
    return urllib.request.getproxies().get(parts.scheme)
