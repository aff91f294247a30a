"""Officers as an operator makes them, and what they type: `audit grant-officer`, `sql`, `shell`."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import psycopg
import pytest
from sqlalchemy import make_url

from core.adapters.postgres.engine.embedded_account import own_psql
from tests.acceptance.cli.conftest import ROOT, Run
from tests.children import watched

ASK = ("--purpose", "ticket 4711")
WITHIN_S = 60


@pytest.fixture
def officer(citebound: Run, new_login: Callable[[], str], database_url: str) -> dict[str, str]:
    """What the commands of an officer find around them: a database for their own login."""
    login = new_login()
    assert citebound("audit", "grant-officer", login, "--unit", "default").code == 0
    own = make_url(database_url).set(username=login)
    return {"DATABASE_URL": own.render_as_string(hide_password=False)}


def test_an_officer_is_made_listed_and_unmade(
    citebound: Run, new_login: Callable[[], str], database_url: str
) -> None:
    """The password is printed once, with what a client needs."""
    login = new_login()
    granted = citebound("audit", "grant-officer", login, "--unit", "berlin,paris")
    assert re.search(r"^Password, shown this once: \S{32}$", granted.out, re.MULTILINE)
    folder = make_url(database_url).query["host"]
    assert f"postgresql://{login}@{folder}:5432/" in granted.out
    assert "not recorded" in granted.out
    again = citebound("audit", "grant-officer", login, "--unit", "*", "--json")
    assert json.loads(again.out)["password"] is None
    listed = json.loads(citebound("audit", "officers", "--json").out)
    assert [(one["units"], one["can_log_in"]) for one in listed if one["officer"] == login] == [
        (["*"], True)
    ]
    assert citebound("audit", "revoke-officer", login).code == 0
    assert "revoked" in citebound("audit", "officers").out
    unknown = citebound("audit", "revoke-officer", login)
    assert (unknown.code, unknown.err.count("\n")) == (2, 1)


def test_a_statement_is_a_table_a_file_or_json(citebound: Run, officer: dict[str, str]) -> None:
    """Piped it is CSV, in which no cell is a formula; what was read stands in the log."""
    statement = "SELECT '=1+1' AS said, -1 AS number, '{\"a\": [1]}'::jsonb AS doc, NULL AS nothing"
    piped = citebound("audit", "sql", statement, *ASK, **officer)
    assert piped.out == 'said,number,doc,nothing\n\'=1+1,-1,"{""a"": [1]}",\n'
    found = json.loads(citebound("audit", "sql", "--json", statement, *ASK, **officer).out)
    assert found["rows"] == [{"said": "=1+1", "number": -1, "doc": {"a": [1]}, "nothing": None}]
    cut = citebound("audit", "sql", "SELECT generate_series(1, 9)", *ASK, "--limit", "2", **officer)
    assert (cut.out, cut.err) == (
        "generate_series\n1\n2\n",
        "2 rows; there are more: --limit shows them\n",
    )
    log = json.loads(
        citebound("audit", "sql", "--json", "SELECT * FROM v_access_log", *ASK, **officer).out
    )
    assert [row["purpose"] for row in log["rows"]] == ["ticket 4711"] * 4


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("DELETE FROM audit.record", *ASK), 2, "one SELECT is taken"),
        (("SELECT 1",), 2, "--purpose"),
        (("SELECT 1", "--purpose", "two\nlines"), 2, "printable"),
        (("SELECT 1", *ASK, "--officer", "anna"), 2, "DATABASE_URL names the login"),
        (("SELECT 1", *ASK, "--csv", "--json"), 2, "not allowed with"),
    ],
)
def test_what_can_t_be_done_is_said_in_one_line(
    citebound_process: Run, officer: dict[str, str], words: tuple[str, ...], code: int, said: str
) -> None:
    """With its cause, and where it stands."""
    done = citebound_process("audit", "sql", *words, **officer)
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
    assert said in done.err


def test_one_who_is_no_officer_is_told_how_to_become_one(citebound: Run) -> None:
    """Nor is whoever owns the database."""
    done = citebound("audit", "sql", "SELECT 1", *ASK)
    assert (done.code, done.out) == (3, "")
    assert "is not an officer" in done.err


def test_the_prompt_takes_statements_of_several_lines(
    citebound: Run, officer: dict[str, str]
) -> None:
    """Also from a pipe; an error is no end, nor is the end of the input without a semicolon."""
    typed = (
        "ticket 1\n\\d v_refusals\nSELECT 1 AS first,\n 2;\nSELEC;\n\\nonsense\nSELECT 3 AS last"
    )
    done = citebound("audit", "sql", stdin=typed, **officer)
    assert done.code == 0
    assert "Questions" not in done.out
    assert re.search(r"kind +text +The refusal", done.out)
    assert re.search(r"first +\?column\?\n +1 +2\n1 row", done.out)
    assert re.search(r"last\n +3\n1 row\n$", done.out)
    assert re.findall(r"^error: (.+?);", done.err, re.MULTILINE) == [
        "syntax error at or near \"SELEC\", at line 1, column 1: 'SELEC'",
        "\\nonsense is no command",
    ]


class _Keys:
    """A terminal with somebody at it."""

    def __init__(self, environment: dict[str, str], *words: str) -> None:
        self._seen = ""
        ours, self._keys = pty.openpty()[::-1]
        self._process = subprocess.Popen(  # noqa: S603  # our own words
            [sys.executable, "-m", "bot", *words],
            env={**environment, "TERM": "xterm", "COLUMNS": "100"},
            stdin=ours,
            stdout=ours,
            stderr=ours,
            start_new_session=True,
            preexec_fn=_take_terminal,  # noqa: PLW1509  # no thread runs yet
        )
        os.close(ours)

    def type(self, text: str) -> None:
        os.write(self._keys, text.encode())

    def see(self, words: str) -> str:
        """Read on until something stands there, and return what was read."""
        assert self._shows(words, within_s=WITHIN_S), self._seen
        before, _, self._seen = self._seen.partition(words)
        return before

    def interrupt(self, words: str) -> None:
        """Press Ctrl-C until something stands there, as people do.

        One that comes between the prompt and Python's wait for a key is seen with the next key.
        """
        for _ in range(WITHIN_S):
            self.type("\x03")
            if self._shows(words, within_s=1):
                break
        self.see(words)

    def _shows(self, words: str, *, within_s: float) -> bool:
        until = time.monotonic() + within_s
        while words not in self._seen:
            left_s = until - time.monotonic()
            if left_s <= 0 or not select.select([self._keys], [], [], left_s)[0]:
                return False
            self._seen += os.read(self._keys, 65_536).decode()
        return True

    def end(self) -> int:
        code = self._process.wait(WITHIN_S)
        os.close(self._keys)
        return code


def _take_terminal() -> None:
    import fcntl  # noqa: PLC0415  # in the child alone
    import termios  # noqa: PLC0415

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_ctrl_c_ends_the_statement_and_not_the_prompt(
    environment: dict[str, str], officer: dict[str, str]
) -> None:
    """And forgets what is being typed."""
    keys = _Keys({**environment, **officer}, "audit", "sql", *ASK)
    keys.see("audit=> ")
    keys.type("SELECT pg_sleep(50)::text;\n")
    keys.see("Reading")
    keys.interrupt("audit=> ")
    keys.type("SELECT nonsense\n")
    keys.see("audit-> ")
    keys.interrupt("audit=> ")
    keys.type("SELECT 'still ' || 'here';\n")
    keys.see("still here")
    keys.see("audit=> ")
    keys.type("\\q\n")
    assert keys.end() == 0


def test_the_embedded_database_is_opened_to_psql(environment: dict[str, str]) -> None:
    """As its owner, an officer, with the views; it is closed at the end, and that it was open is
    recorded."""
    own = {name: value for name, value in environment.items() if not name.endswith("_URL")}
    with watched(
        subprocess.Popen(  # noqa: S603  # our own words
            [sys.executable, "-m", "bot", "audit", "shell", *ASK],
            env=own,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline().partition('"')[2].partition('"')[0]
        done = subprocess.run(  # noqa: S603  # our own words
            [own_psql(), line, "-Atc", "SELECT purpose, statement FROM audit.v_access_log"],
            capture_output=True,
            text=True,
            check=False,
        )
        process.send_signal(signal.SIGINT)
        assert process.wait(WITHIN_S) == 0
    assert (done.stdout, done.stderr) == ("ticket 4711|audit shell\n", "")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(line)


def test_a_server_needs_no_shell(citebound: Run) -> None:
    """It is open to whoever has a login."""
    done = citebound("audit", "shell", *ASK)
    assert (done.code, done.err.count("\n")) == (2, 1)
