"""The real command in a process of its own, on a database of its own."""

import getpass
import io
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot import cli
from core.adapters.postgres.engine.roles import DatabaseRole
from tests.databases import admit_officer, as_role, login_variables, role_of

ROOT = Path(__file__).parents[3]
GIFTS = """# Gifts Policy

## 1 Scope

1.1 This policy applies to all employees and contractors of the group.

## 2 Limits

2.1 Employees may accept gifts with a value of up to EUR 50 per giver and calendar year.

2.2 Employees must report gifts above EUR 50 to the Compliance Officer within 5 working days.

2.3 Contractors must not accept gifts.

## 3 Cash

3.1 Employees must not accept cash or vouchers in any amount.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def environment(tmp_path: Path, database_url: str) -> dict[str, str]:
    """What the command finds around it: a database, and a home that is not the user's."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "CITEBOUND_HOME": str(tmp_path / "home"),
        **login_variables(database_url),
        "PYTHONPATH": str(ROOT),
    }


def _login(words: tuple[str, ...], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the login of a command; who runs the tests is an officer of all units."""
    url = environment["CITEBOUND_MIGRATION_URL"]
    role = role_of(words)
    if role is DatabaseRole.CONSOLE:
        admit_officer(url, getpass.getuser())
    return {"DATABASE_URL": as_role(url, role)}


@pytest.fixture
def citebound_process(environment: Mapping[str, str], tmp_path: Path) -> Run:
    """Run `citebound` in a process of its own, with words, standard input and other settings."""

    def run(*words: str, stdin: str = "", **settings: str) -> Done:
        done = subprocess.run(  # noqa: S603  # our own words
            [sys.executable, "-m", "bot", *words],
            input=stdin,
            env={**environment, **_login(words, environment), **settings},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return Done(code=done.returncode, out=done.stdout, err=done.stderr)

    return run


@pytest.fixture
def citebound(
    environment: Mapping[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Run the same in this process, which spares the start."""

    def run(*words: str, stdin: str = "", **settings: str) -> Done:
        for name, value in {**environment, **_login(words, environment), **settings}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        monkeypatch.setattr(sys, "excepthook", sys.excepthook)
        capsys.readouterr()
        code = cli.run(words)
        captured = capsys.readouterr()
        return Done(code=code, out=captured.out, err=captured.err)

    return run


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    """A folder with one policy."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "gifts.md").write_text(GIFTS)
    return folder
