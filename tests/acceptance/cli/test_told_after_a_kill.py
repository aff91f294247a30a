"""What an ingestion changed is told of once, whatever becomes of its process."""

import asyncio
import dataclasses
import getpass
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from bot.app.process import Roles, running
from bot.console.commands import ingest
from bot.console.views.terminal import open_terminal
from core.bootstrap import bootstrap
from core.config.settings import Settings
from tests.databases import POLL_S, logins

WHO = getpass.getuser()
INTERRUPTED = f"ingested by {WHO} before the run was interrupted"
OFFICERS = {
    "CITEBOUND_OFFICERS": json.dumps(
        [{"login": "ada", "name": "Ada Lovelace", "accounts": ["slack/T1/UADA"]}]
    ),
    "CITEBOUND_CASE_CHANNEL": "slack/T1/C0CASES",
}
SIGNALLED = """
import os, signal, sys
from bot import cli
from core.adapters.postgres.corpus.corpus import PostgresCorpusStore
from core.adapters.postgres.corpus.withdrawals import PostgresWithdrawals
number, name, times = signal.Signals[sys.argv[1]], sys.argv[2], int(sys.argv[3])
store = PostgresCorpusStore if name == "publish" else PostgresWithdrawals
method, done = getattr(store, name), []
async def signalled(self, *args, **given):
    done.append(await method(self, *args, **given))
    if len(done) == times:
        os.kill(os.getpid(), number)
    return done[-1]
setattr(store, name, signalled)
sys.exit(cli.run(sys.argv[4:]))
"""
"""The command, which sends itself a signal once it has published or withdrawn so often."""

Run = Callable[..., Any]
pytestmark = pytest.mark.slow


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    """The same with officers, who hear of what changed in a channel."""
    return {**environment, **OFFICERS}


@pytest.fixture
def begun(environment: Mapping[str, str], tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Start a command that gets a signal once it has done something so often."""

    def run(number: str, what: str, times: int, *words: str) -> subprocess.Popen[bytes]:
        given = (sys.executable, "-c", SIGNALLED, number, what, str(times), *words)
        return subprocess.Popen(  # noqa: S603  # this program itself
            given,
            env=dict(environment),
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    return run


def folder_of(path: Path, *names: str) -> Path:
    """A folder of small policies."""
    path.mkdir(exist_ok=True)
    for name in names:
        rule = f"1.1 Staff must report {name} within 3 days."
        (path / f"{name}.md").write_text(f"# {name.title()}\n\n## 1 Rules\n\n{rule}\n")
    return path


def told(url: str) -> list[tuple[str, list[str]]]:
    """Return each message to officers: its first line, and the policies of the others.

    The record holds the same, in the same order.
    """
    engine = create_engine(url)
    with engine.connect() as connection:
        notices = list(
            connection.scalars(
                text(
                    "SELECT reply->>'subject' FROM citebound.outbox"
                    " WHERE reply->>'notice' = 'policies_changed' ORDER BY id"
                )
            )
        )
        records = connection.execute(
            text("SELECT doc, actor FROM audit.record WHERE tag = 'corpus:changed' ORDER BY at, id")
        ).all()
    engine.dispose()
    said = [
        (first, [line.split("(")[1].split(")")[0] for line in lines])
        for first, *lines in (one.splitlines() for one in notices)
    ]
    assert [[one["policy"] for one in each.doc["policies"]] for each in records] == [
        keys for _, keys in said
    ]
    assert {each.actor for each in records} <= {WHO}
    return said


def test_the_next_ingestion_tells_of_one_that_was_killed(
    citebound: Run, begun: Run, tmp_path: Path, database_url: str
) -> None:
    """Of all that it had published, once and apart from what it does itself; a dry run does not."""
    folder = folder_of(tmp_path / "many", "a", "b", "c", "d")
    assert begun("SIGKILL", "publish", 2, "ingest", str(folder)).wait() == -signal.SIGKILL
    assert citebound("ingest", str(folder), "--dry-run").code == 0
    assert told(database_url) == []
    done = citebound("ingest", str(folder))
    assert "an earlier ingestion was interrupted: its changes to 2 policies have now" in done.err
    assert "2 added, 0 revised, 2 unchanged" in done.out
    both = [(INTERRUPTED, ["a", "b"]), (f"ingested by {WHO}", ["c", "d"])]
    assert told(database_url) == both
    assert "interrupted" not in citebound("ingest", str(folder)).err
    assert told(database_url) == both


async def test_a_process_that_works_tells_of_one_that_was_killed(
    begun: Run, tmp_path: Path, database_url: str
) -> None:
    """Without anybody ingesting again."""
    folder = folder_of(tmp_path / "many", "a", "b", "c")
    killed = begun("SIGKILL", "publish", 2, "ingest", str(folder))
    assert await asyncio.to_thread(killed.wait) == -signal.SIGKILL
    settings = Settings(
        **logins(database_url),
        officers=OFFICERS["CITEBOUND_OFFICERS"],
        case_channel=OFFICERS["CITEBOUND_CASE_CHANNEL"],
    )
    async with (
        bootstrap(settings) as service,
        running(service, (), Roles(serves=False)),
        asyncio.timeout(60.0),
    ):
        while not (found := await asyncio.to_thread(told, database_url)):  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)
    assert found == [(INTERRUPTED, ["a", "b"])]


def test_withdrawals_before_a_kill_are_told(
    citebound: Run, begun: Run, tmp_path: Path, database_url: str
) -> None:
    """Those that were done; the same command withdraws and tells of the rest."""
    folder = folder_of(tmp_path / "many", "a", "b", "c", "d", "e")
    citebound("ingest", str(folder))
    for name in ("a", "b", "c", "d"):
        (folder / f"{name}.md").unlink()
    words = ("ingest", str(folder), "--sync", "--yes")
    assert begun("SIGKILL", "withdraw", 2, *words).wait() == -signal.SIGKILL
    assert citebound(*words).code == 0
    assert told(database_url)[1:] == [
        (INTERRUPTED, ["a", "b"]),
        (f"ingested by {WHO}", ["c", "d"]),
    ]


def test_withdrawals_before_an_interruption_are_told_at_once(
    citebound: Run, begun: Run, tmp_path: Path, database_url: str
) -> None:
    """With what was published before them, in one message."""
    folder = folder_of(tmp_path / "many", "a", "b", "c")
    citebound("ingest", str(folder))
    for name in ("a", "b", "c"):
        (folder / f"{name}.md").unlink()
    folder_of(folder, "new")
    words = ("ingest", str(folder), "--sync", "--yes")
    assert begun("SIGINT", "withdraw", 2, *words).wait() == 130
    assert told(database_url)[1:] == [(INTERRUPTED, ["a", "b", "new"])]


def test_two_at_once_tell_each_of_its_own(
    citebound: Run, begun: Run, tmp_path: Path, database_url: str
) -> None:
    """Also while one of them stands still: it tells of all that it did once it goes on."""
    mine, other = folder_of(tmp_path / "mine", "a", "b"), folder_of(tmp_path / "other", "x")
    still = begun("SIGSTOP", "publish", 1, "ingest", str(mine))
    try:
        assert os.WIFSTOPPED(os.waitpid(still.pid, os.WUNTRACED)[1])
        assert citebound("ingest", str(other)).err == ""
        assert told(database_url) == [(f"ingested by {WHO}", ["x"])]
    finally:
        still.send_signal(signal.SIGCONT)
        assert still.wait() == 0
    assert told(database_url)[1:] == [(f"ingested by {WHO}", ["a", "b"])]


def test_nobody_else_tells_while_somebody_is_asked(
    citebound: Run,
    citebound_process: Run,
    tmp_path: Path,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run goes on until its question is answered, and tells of all of it in one message."""
    mine, other = folder_of(tmp_path / "mine", "a", "b"), folder_of(tmp_path / "other", "x")
    citebound("ingest", str(mine))
    (mine / "a.md").unlink()
    folder_of(mine, "c")
    terminal = open_terminal

    def at_a_terminal() -> Any:
        return dataclasses.replace(terminal(), is_interactive=True)

    def confirmed(*_: object) -> bool:
        assert citebound_process("ingest", str(other)).code == 0
        assert told(database_url)[1:] == [(f"ingested by {WHO}", ["x"])]
        return True

    monkeypatch.setattr(ingest, "open_terminal", at_a_terminal)
    monkeypatch.setattr(ingest, "confirmed", confirmed)
    citebound("ingest", str(mine), "--sync")
    assert told(database_url)[2:] == [(f"ingested by {WHO}", ["a", "c"])]
