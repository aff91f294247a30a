"""PgBouncer in transaction mode before a Postgres of the tests, where it is installed."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import make_url

from tests.ports import free_port

BEGUN_WITHIN_S = 60.0
PROGRAM = shutil.which("pgbouncer", path=f"{os.defpath}:/usr/sbin:/usr/local/sbin")
"""None: it is not installed."""
CONFIGURATION = """
[databases]
* = host={host} port={port}{user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listens}
unix_socket_dir =
auth_type = {auth}
auth_file = {users}
pool_mode = transaction
default_pool_size = {sessions}
max_client_conn = 500
"""


@contextmanager
def pgbouncer(
    url: str, *, sessions: int = 20, passwords: Mapping[str, str] | None = None
) -> Generator[str]:
    """Run it with so many sessions of the server; return the URL by way of it.

    Everything else is as it is installed: no startup parameter is ignored.

    Args:
        url: of the database.
        sessions: that it opens for a login and a database at most.
        passwords: of the logins that may come, each as itself; None: whoever comes is the login of
            the URL.
    """
    assert PROGRAM is not None
    to = make_url(url)
    host = str(to.host or to.query["host"])
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="citebound-pgbouncer-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        users = home / "users.txt"
        lines = (f'"{login}" "{word}"\n' for login, word in (passwords or {}).items())
        users.write_text("".join(lines))
        configuration = home / "pgbouncer.ini"
        configuration.write_text(
            CONFIGURATION.format(
                host=host,
                port=to.port or 5432,
                listens=port,
                sessions=sessions,
                user="" if passwords else f" user={to.username}",
                auth="scram-sha-256" if passwords else "any",
                users=users,
            )
        )
        # It refuses to run as root, as Postgres does, whose socket only its own user reaches.
        owner = Path(host).owner() if host.startswith("/") else "nobody"
        as_somebody = ["-u", owner] if os.getuid() == 0 else []
        process = subprocess.Popen(  # noqa: S603  # found by its name
            [PROGRAM, "-q", *as_somebody, str(configuration)], stderr=subprocess.DEVNULL
        )
        try:
            _wait_for(port)
            by_way = to.set(host="127.0.0.1", port=port, query={})
            yield by_way.render_as_string(hide_password=False)
        finally:
            process.terminate()
            process.wait(timeout=BEGUN_WITHIN_S)


def _wait_for(port: int) -> None:
    ends = time.monotonic() + BEGUN_WITHIN_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.05)  # noqa: TID251  # no loop runs here
        else:
            return
