"""Postgres servers on ports of the loopback: a primary with a standby, or with a backup.

    with postgres_pair(database_url) as pair:      # holds what that database holds
        product(pair.url)                          # names both; whoever takes writes is used
        pair.primary.kill()
        pair.standby.promote()

    with postgres_with_backup(database_url) as backup:
        product(backup.primary.url(role=DatabaseRole.APP))
        backup.primary.shut_down()
        product(backup.restored("2026-11-23 10:15:00+00").url(role=DatabaseRole.APP))

A standby follows synchronously; a backup is whole, with the archived log of all changes since. The
binaries are those of the embedded Postgres. Data are thrown away.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import make_url

from core.adapters.postgres.engine.embedded_account import (
    ServerAccount,
    binary,
    run_as,
    server_account,
)
from core.adapters.postgres.engine.roles import (
    EMBEDDED_LOGINS,
    DatabaseRole,
    make_embedded_logins,
)
from tests.ports import free_port

DATABASE, USER = "citebound", "postgres"
CONFIGURATION = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
wal_level = replica
wal_log_hints = on
hot_standby = on
fsync = off
max_connections = 100
log_min_messages = fatal
"""
"""`fsync`: processes are killed here, never the machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One server."""

    data: Path
    """Its data, of the account's."""
    port: int
    """On the loopback."""
    account: ServerAccount
    """As whom it runs."""

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    def url(self, database: str = DATABASE, *, role: DatabaseRole | None = None) -> str:
        """Return the URL of this server alone, for the login of a role; None: the superuser."""
        return f"postgresql://{EMBEDDED_LOGINS[role] if role else USER}@{self.address}/{database}"

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        self._control("start", "-w", "-l", str(self.data / "log"), "-o", f"-p {self.port}")

    def promote(self) -> None:
        """Make a standby the primary, and wait until it takes writes."""
        self._control("promote", "-w")

    def shut_down(self) -> None:
        """End it in order; what it has logged is archived."""
        self._control("stop", "-m", "fast", "-w")

    def kill(self) -> None:
        """Kill it and all its processes at once, as a machine that is gone."""
        self._signal(signal.SIGKILL)
        (self.data / "postmaster.pid").unlink()

    def hang(self) -> None:
        """Let it stand still, with its connections open."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on where it stood still."""
        self._signal(signal.SIGCONT)

    def run(self, statement: str, database: str = DATABASE) -> None:
        """Run one statement as the superuser."""
        self._run(
            "psql", "--no-psqlrc", "--set=ON_ERROR_STOP=1", self.url(database), "-c", statement
        )

    def stop(self) -> None:
        """End it, whatever state it is in."""
        with suppress(FileNotFoundError, ProcessLookupError):
            self.kill()

    def _signal(self, number: int) -> None:
        first = int((self.data / "postmaster.pid").read_text().splitlines()[0])
        os.killpg(first, number)

    def _control(self, *words: str) -> None:
        self._run("pg_ctl", "-D", str(self.data), "-s", *words)

    def _run(self, program: str, *words: str) -> None:
        run_as([*binary(program, self.account), *words], self.account)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Both servers."""

    primary: Node
    """At first."""
    standby: Node
    """A commit is acknowledged once it is there."""

    @property
    def url(self) -> str:
        """Return the address of both, of which the one that takes writes is used by the product."""
        login = EMBEDDED_LOGINS[DatabaseRole.APP]
        return f"postgresql://{login}@{self.primary.address},{self.standby.address}/{DATABASE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A server, a whole backup of its beginning, and all changes since."""

    primary: Node
    """The server."""
    copy: Node
    """The backup, until it is restored."""
    archive: Path
    """Of the changes."""

    def restored(self, moment: str) -> Node:
        """Start the backup with all changes up to a moment, as Postgres writes it; return it."""
        recovery = {
            "restore_command": f"cp {self.archive}/%f %p",
            "recovery_target_time": moment,
            "recovery_target_action": "promote",
        }
        with (self.copy.data / "postgresql.auto.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in recovery.items())
        run_as(["touch", str(self.copy.data / "recovery.signal")], self.copy.account)
        self.copy.start()
        return self.copy


@contextmanager
def postgres_with_backup(source_url: str) -> Generator[Backup]:
    """Run a server with a copy of a database, backed up; at the end nothing of it is left."""
    with _nodes("primary", "copy") as (primary, copy):
        archive = primary.data.parent / "archive"
        run_as(["mkdir", str(archive)], primary.account)
        command = f"archive_mode = on\narchive_command = 'cp %p {archive}/%f'\n"
        _begin(primary, source_url, configuration=CONFIGURATION + command)
        _copy(copy, primary)
        yield Backup(primary=primary, copy=copy, archive=archive)


@contextmanager
def _nodes(*names: str) -> Generator[list[Node]]:
    account = server_account()
    folder = Path(tempfile.mkdtemp(prefix="citebound-pair-"))
    if account.is_other:
        os.chown(folder, account.uid, account.gid)
    nodes = [Node(data=folder / name, port=free_port(), account=account) for name in names]
    try:
        yield nodes
    finally:
        for node in nodes:
            node.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgres_pair(source_url: str) -> Generator[Pair]:
    """Run both, with a copy of a database; at the end nothing of them is left."""
    with _nodes("primary", "standby") as (primary, standby):
        _begin(primary, source_url)
        _follow(standby, primary)
        primary.run("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        primary.run("SELECT pg_reload_conf()")
        yield Pair(primary=primary, standby=standby)


def _begin(node: Node, source_url: str, *, configuration: str = CONFIGURATION) -> None:
    account, data = node.account, str(node.data)
    options = ("--auth=trust", f"--username={USER}", "--encoding=UTF8", "--locale=C", "--no-sync")
    run_as([*binary("initdb", account), "-D", data, *options], account)
    with (node.data / "postgresql.conf").open("a") as file:
        file.write(configuration)
    node.start()
    make_embedded_logins(node.url("postgres"))
    node.run(f"CREATE DATABASE {DATABASE}", "postgres")
    dump = node.data.parent / "dump"
    source = make_url(source_url).set(drivername="postgresql").render_as_string(hide_password=False)
    with dump.open("wb") as file:
        subprocess.run(  # noqa: S603  # our own words
            [*binary("pg_dump", account), "-Fc", source],
            check=True,
            stdout=file,
            user=account.uid if account.is_other else None,
        )
    dump.chmod(0o644)
    run_as(
        [*binary("pg_restore", account), "--exit-on-error", "-d", node.url(), str(dump)], account
    )


def _follow(node: Node, primary: Node) -> None:
    _copy(node, primary, "-R")
    node.start()


def _copy(node: Node, primary: Node, *more: str) -> None:
    source = f"{primary.url('postgres')}?application_name=standby"
    copying = ("-d", source, "-D", str(node.data), "-X", "stream", "-c", "fast", "--no-sync")
    run_as([*binary("pg_basebackup", node.account), *copying, *more], node.account)
