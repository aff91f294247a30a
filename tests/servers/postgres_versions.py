"""A Postgres of each major version that is installed with pgvector, as an operator sets it up.

    with postgres_of(INSTALLED[17]) as server:
        product(server.url("citebound_bot"))    # by its password

The roles and logins are those of `docs/operate.md`. The data are thrown away.
"""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from core.adapters.postgres.engine.embedded_account import (
    POSTGRES_VERSIONS,
    run_as,
    server_account,
)
from core.adapters.postgres.engine.roles import DatabaseRole
from tests.ports import free_port

ROLES = Path(__file__).parents[2] / "deploy" / "sql" / "roles.sql"
LOGINS = {
    "citebound": DatabaseRole.OWNER,
    "citebound_bot": DatabaseRole.APP,
    "citebound_seal": DatabaseRole.SEQUENCER,
    "citebound_check": DatabaseRole.AUDITOR,
    "citebound_read": DatabaseRole.CONSOLE,
}
PASSWORD = "secret"  # noqa: S105  # of a server that lives for one test
DATABASE = "citebound"
DEBIAN = Path("/usr/lib/postgresql")
CONFIGURATION = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
log_min_messages = fatal
"""


def _installed() -> dict[int, Path]:
    """Return the folders of the programs, by major version."""
    found = {version: path for version, path in POSTGRES_VERSIONS.items() if path.is_dir()}
    for folder in DEBIAN.glob("[0-9]*"):
        shared = Path("/usr/share/postgresql") / folder.name / "extension"
        if (shared / "vector.control").exists():
            found[int(folder.name)] = folder / "bin"
    return found


INSTALLED = _installed()


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server with an empty database and the logins of a deployment."""

    port: int

    def url(self, login: str) -> str:
        """Return the URL of the database for a login."""
        return f"postgresql://{login}:{PASSWORD}@127.0.0.1:{self.port}/{DATABASE}"


@contextmanager
def postgres_of(programs: Path) -> Generator[Server]:
    """Run a server with the programs of a folder."""
    account = server_account()
    with TemporaryDirectory(prefix="citebound-version-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        shutil.chown(home, account.uid, account.gid)
        data, password = home / "data", home / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        options = ("--auth=scram-sha-256", "--username=postgres", f"--pwfile={password}")
        locale = ("--encoding=UTF8", "--locale=C", "--no-sync")
        run_as([str(programs / "initdb"), "-D", str(data), *options, *locale], account)
        with (data / "postgresql.conf").open("a") as file:
            file.write(CONFIGURATION)
        server = Server(port=free_port())
        control = [str(programs / "pg_ctl"), "-D", str(data), "-s", "-w"]
        run_as([*control, "start", "-l", str(home / "log"), "-o", f"-p {server.port}"], account)
        try:
            _prepare(server)
            yield server
        finally:
            run_as([*control, "stop", "-m", "immediate"], account)


def _prepare(server: Server) -> None:
    """Do what an administrator does once."""
    admin = server.url("postgres")
    with psycopg.connect(admin.replace(f"/{DATABASE}", "/postgres"), autocommit=True) as connection:
        connection.execute(ROLES.read_bytes())
        for login, role in LOGINS.items():
            connection.execute(f"CREATE ROLE {login} LOGIN PASSWORD '{PASSWORD}'".encode())
            connection.execute(f"GRANT {role} TO {login}".encode())
        connection.execute(f"CREATE DATABASE {DATABASE} OWNER citebound".encode())
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(b"CREATE EXTENSION vector")
