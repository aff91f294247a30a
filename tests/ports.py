"""Ports for servers that are started by their number."""

import random
import socket

PORTS = range(10_000, 32_000)
"""Below those that Linux gives out by itself (32,768 to 60,999): between our look and the server's
`bind` no other test's server or connection is given the port."""


def free_port() -> int:
    """Return a port of the loopback that nobody listens on."""
    while True:
        port = random.choice(PORTS)  # noqa: S311  # no secret
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
