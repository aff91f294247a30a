"""Who counts as using the embedded Postgres, and who may reach it."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from sqlalchemy import NullPool, create_engine, make_url, text

from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded
from core.adapters.postgres.engine.embedded_account import (
    binary,
    data_folder,
    make_private,
    server_account,
)
from core.domain.errors import ConfigError

COMMAND = """
    import sys
    from pathlib import Path
    import psycopg
    from core.adapters.postgres.engine.embedded import start_embedded
    url = start_embedded(Path(sys.argv[1]))
    with psycopg.connect(url) as connection:
        for _ in range(int(sys.argv[2])):
            connection.execute("SELECT pg_sleep(0.05)")
    print("used")
"""
HOLDER = """
    import sys
    from pathlib import Path
    import psycopg
    from core.adapters.postgres.engine.embedded import start_embedded
    url = start_embedded(Path(sys.argv[1]))
    with psycopg.connect(url) as connection:
        print("ready", flush=True)
        sys.stdin.readline()
        connection.execute("SELECT 1")
    print("used", flush=True)
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder for one server, which is stopped at the end."""
    folder = Path(tempfile.mkdtemp(prefix="citebound-embedded-"))
    folder.chmod(0o711)
    yield folder / "home"
    start_embedded(folder / "home", temporary=True)
    stop_embedded(folder / "home")
    shutil.rmtree(folder)


def python(source: str, *words: str) -> "subprocess.Popen[str]":
    """A process of its own that runs a few lines."""
    return subprocess.Popen(  # noqa: S603  # our own words
        [sys.executable, "-c", textwrap.dedent(source), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def servers(home: Path) -> list[int]:
    """Postmasters that run on the data below a home."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if str(home / "postgres") in (process.info["cmdline"] or [])
        and process.status() != psutil.STATUS_ZOMBIE
    ]


def trial(home: Path, commands: int) -> list[str]:
    """Errors of commands that start at once while one that was there before goes on."""
    holder = python(HOLDER, str(home))
    assert holder.stdout is not None
    assert holder.stdout.readline() == "ready\n"
    with ThreadPoolExecutor(commands) as pool:
        started = [python(COMMAND, str(home), str(number % 3)) for number in range(commands)]
        ended = list(pool.map(_ended, started))
    errors = [error for said, error in ended if said != "used\n"]
    said, error = holder.communicate("go\n", timeout=60)
    return errors if said == "used\n" else [*errors, error]


def _ended(process: "subprocess.Popen[str]") -> tuple[str, str]:
    return process.communicate(timeout=120)


def test_commands_that_start_at_once_lose_nobody(home: Path) -> None:
    """Eight commands at once join, leave, and never stop the server of one that still uses it."""
    for _ in range(3):
        assert trial(home, 8) == []
    assert servers(home) == []


@pytest.mark.nightly
@pytest.mark.timeout(1_800)
def test_forty_trials_of_eight_commands_lose_nobody(home: Path) -> None:
    """The same at length."""
    assert [error for _ in range(40) for error in trial(home, 8)] == []
    assert servers(home) == []


def test_a_killed_process_uses_the_server_no_more(home: Path) -> None:
    """The server outlives a user that was killed, and stops with the next that leaves."""
    holder = python(HOLDER, str(home))
    assert holder.stdout is not None
    holder.stdout.readline()
    holder.kill()
    holder.communicate()
    assert servers(home)
    assert python(COMMAND, str(home), "0").communicate(timeout=60)[0] == "used\n"
    assert servers(home) == []


def test_a_fork_that_ends_does_not_stop_the_server_of_its_parent(home: Path) -> None:
    """A child inherits the lock of its parent, not the right to stop."""
    url = start_embedded(home)
    child = os.fork()
    if child == 0:
        stop_embedded(home)
        os._exit(0)
    os.waitpid(child, 0)
    assert asked(url, "SELECT 1") == 1
    assert len(servers(home)) == 1
    stop_embedded(home)
    assert servers(home) == []


def test_a_start_that_was_killed_in_its_middle_is_made_up_for(home: Path) -> None:
    """Half a data folder, as a kill leaves it, is made anew."""
    home.mkdir(mode=0o711)
    (home / "postgres.new").mkdir()
    (home / "postgres.new" / "PG_VERSION").write_text("18")
    (home / "postgres").mkdir()
    assert asked(start_embedded(home), "SELECT 1") == 1


def test_only_the_owner_of_the_data_is_let_in(home: Path) -> None:
    """The socket stands in a folder closed to others, and the kernel is asked who calls."""
    url = start_embedded(home)
    folder = Path(str(make_url(url).query["host"]))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert asked(url, "SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules") == (
        "peer,reject"
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="not root: nobody else can be tried")
def test_another_user_of_the_machine_is_refused_even_in_an_open_folder(home: Path) -> None:
    """Without the closed folder the kernel's word for who calls still holds."""
    url = start_embedded(home)
    folder = Path(str(make_url(url).query["host"]))
    folder.chmod(0o777)
    try:
        done = subprocess.run(  # noqa: S603  # our own words
            [*binary("psql", server_account()), url, "-c", "SELECT 1"],
            user="nobody",
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        folder.chmod(0o700)
    assert done.returncode != 0
    assert "peer authentication failed" in done.stderr.casefold()


def test_a_long_path_keeps_its_socket_to_its_owner(home: Path) -> None:
    """Where the home's path is too long for a socket, its folder is private all the same."""
    long = home / ("long-" * 20) / "home"
    long.parent.mkdir(parents=True, mode=0o711)
    home.chmod(0o711)
    url = start_embedded(long, temporary=True)
    try:
        folder = Path(str(make_url(url).query["host"]))
        assert folder != long / "postgres"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert asked(url, "SELECT 1") == 1
    finally:
        stop_embedded(long)


def test_a_socket_folder_that_somebody_made_first_is_refused(tmp_path: Path) -> None:
    """A folder that others may enter, or a link, is never used for the socket."""
    account = server_account()
    open_to_others = tmp_path / "open"
    open_to_others.mkdir(mode=0o755)
    os.chown(open_to_others, account.uid, account.gid)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    for folder in (open_to_others, link):
        with pytest.raises(ConfigError, match="open to others"):
            make_private(folder, account)


def test_folders_that_are_not_ours_keep_their_rights(tmp_path: Path) -> None:
    """A home below a closed folder works, and the folder stays closed."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    before = [(path, path.stat().st_mode) for path in (closed, *closed.parents)]
    url = start_embedded(closed / "home", temporary=True)
    try:
        assert asked(url, "SELECT 1") == 1
        assert [(path, path.stat().st_mode) for path, _ in before] == before
    finally:
        stop_embedded(closed / "home")


def test_a_home_into_which_others_may_write_is_refused(tmp_path: Path) -> None:
    """Whoever may write there could put other data in the place of ours."""
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o777)
    with pytest.raises(ConfigError, match="chmod go-w"):
        start_embedded(home)


@pytest.mark.skipif(os.geteuid() != 0, reason="not root: its data lie in the home")
def test_data_of_a_home_that_was_removed_are_not_taken_for_a_new_ones() -> None:
    """Whoever removes a home begins anew, or says that the data were meant to stay."""
    closed = Path(tempfile.mkdtemp(prefix="citebound-closed-"))  # nobody else may enter it
    home = closed / "home"
    start_embedded(home)
    stop_embedded(home)
    data = data_folder(home, server_account())
    assert data.parent != home
    shutil.rmtree(home)
    with pytest.raises(ConfigError, match=rf"rm -r {data}; .* touch {home}/\.users"):
        start_embedded(home)
    (home / ".users").touch()
    start_embedded(home, temporary=True)
    stop_embedded(home)
    assert not data.exists()
    shutil.rmtree(closed)


def test_a_path_with_spaces_and_commas_works(home: Path) -> None:
    """A folder may be called anything."""
    odd = home / "It's a, home %41"
    home.mkdir(mode=0o711)
    url = start_embedded(odd, temporary=True)
    try:
        assert asked(url, "SELECT 1") == 1
    finally:
        stop_embedded(odd)


@pytest.mark.parametrize("character", list('"$`\\\n'))
def test_a_path_that_a_shell_would_read_is_refused(tmp_path: Path, character: str) -> None:
    """Postgres' own commands put the path into a line of a shell."""
    with pytest.raises(ConfigError, match="set CITEBOUND_HOME elsewhere"):
        start_embedded(tmp_path / f"a{character}b")
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_is_told_to_end_leaves_no_server_behind(home: Path) -> None:
    """SIGTERM ends a command like Ctrl-C: the server stops with it."""
    documents = home.parent / "documents"
    documents.mkdir()
    for number in range(200):
        words = f"# Policy {number}\n\nStaff must keep receipt {number} for {number} days.\n"
        (documents / f"policy-{number}.md").write_text(words)
    command = subprocess.Popen(  # noqa: S603  # our own words
        [sys.executable, "-m", "bot", "ingest", str(documents)],
        env=os.environ | {"CITEBOUND_HOME": str(home)},  # noqa: TID251
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert command.stdout is not None
    assert "policy-" in command.stdout.readline()
    command.send_signal(signal.SIGTERM)
    command.communicate(timeout=60)
    assert command.returncode == 143
    assert servers(home) == []


def asked(url: str, statement: str) -> object:
    """What the database answers."""
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"), poolclass=NullPool)
    with engine.connect() as connection:
        return connection.execute(text(statement)).scalar_one()
