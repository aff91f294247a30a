"""`citebound probe`: ask a process on this machine how it is."""

import sys
from http.client import HTTPConnection, HTTPException

from core.config.settings import Settings

ANSWERED_WITHIN_S = 4.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104
"""Addresses that listen everywhere, and where they are asked."""


def probe(*, asks_ready: bool) -> int:
    """Print what the process says, and return 0 if it is well, else 1."""
    settings = Settings.from_environment()
    host = EVERYWHERE.get(settings.operations_host, settings.operations_host)
    path = "/readyz" if asks_ready else "/livez"
    connection = HTTPConnection(host, settings.operations_port, timeout=ANSWERED_WITHIN_S)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        said = response.read().decode(errors="replace").strip()
    except (OSError, HTTPException) as error:
        sys.stdout.write(f"{host}:{settings.operations_port} does not answer: {error}\n")
        return 1
    finally:
        connection.close()
    sys.stdout.write(f"{said or path} {response.status}\n")
    return 0 if response.status == 200 else 1  # noqa: PLR2004
