"""The command line: words to values, errors to one line and a code."""

import argparse
import shlex
import subprocess
import sys
from datetime import date

import pytest

from bot import cli
from bot.console.arguments import help_texts, values
from bot.console.arguments.arguments import build_parser
from bot.console.arguments.options import ask_options, scope_options
from core.domain.errors import (
    CiteboundError,
    ConfigError,
    ContractError,
    EmptyCorpusError,
    IntegrityError,
    TransientError,
    UsageError,
)

HEAVY = ("sqlalchemy", "onnxruntime", "networkx", "lxml", "numpy", "pypdfium2", "docx", "psycopg")
HELPS = [value for value in vars(help_texts).values() if isinstance(value, help_texts.Help)]


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["unknown"],
        ["ask"],
        ["ask", "x", "--as-of", "yesterday"],
        ["ask", "x", "--as-of", "edition:0"],
        ["ask", "x", "--as-of", "edition:x"],
        ["ask", "x", "--scope", "colour=red"],
        ["ask", "x", "--scope", "tags="],
        ["ask", "x", "--jurisdiction", "Germany"],
        ["ask", "x", "--group", ","],
        ["ask", "x", "--thread", "a\x1b[2J"],
        ["ingest"],
        ["ingest", "x", "--effective-from", "2025-02-30"],
        ["audit", "list", "--limit", "0"],
        ["audit", "list", "--outcome", "lost"],
        ["corpus"],
        ["eval", "retrieval", "--dataset", "other", "--documents", "d", "--questions", "q"],
    ],
)
def test_a_wrong_word_is_one_line_and_code_2(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong usage names the word and where help is, on one line."""
    with pytest.raises(SystemExit) as exit_:
        cli.run(words)
    assert exit_.value.code == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert captured.err.startswith("citebound: error: ")
    assert captured.err.count("\n") == 1
    assert "--help" in captured.err


def test_help_imports_nothing_heavy() -> None:
    """The parser alone is light: `--help` must be quick."""
    program = (
        "import sys, bot.cli;"
        "from bot.console.arguments.arguments import build_parser; build_parser();"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(  # noqa: S603  # our own words
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 2),
        (ConfigError("x"), 3),
        (TransientError("x"), 3),
        (IntegrityError("x"), 3),
        (ContractError("x"), 3),
        (EmptyCorpusError(), 4),
    ],
)
def test_each_error_has_its_code(error: CiteboundError, code: int) -> None:
    """Scripts tell errors apart by code."""
    assert cli.exit_code(error) == code


def _raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    class Command:
        def run(self, _arguments: argparse.Namespace, /) -> int:
            raise error

    def load(_name: str) -> Command:
        return Command()

    monkeypatch.setattr(cli.importlib, "import_module", load)


def test_an_error_is_one_line_without_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cause and cure, nothing else; line ends and escapes of foreign text are taken out."""
    _raising(monkeypatch, ConfigError("no\nserver\x1b[2J; start it"))
    assert cli.run(["doctor"]) == 3
    assert capsys.readouterr().err == "citebound: error: no server[2J; start it\n"


def test_debug_adds_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--debug` shows where an error came from."""
    _raising(monkeypatch, ConfigError("x"))
    assert cli.run(["doctor", "--debug"]) == 3
    assert "Traceback" in capsys.readouterr().err


def test_an_error_within_a_group_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Task groups wrap errors; the code is that of the error inside."""
    _raising(monkeypatch, ExceptionGroup("g", [ExceptionGroup("h", [EmptyCorpusError()])]))
    assert cli.run(["doctor"]) == 4


def test_an_unknown_error_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of ours reaches the interpreter, which ends with code 1."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    _raising(monkeypatch, ExceptionGroup("g", [KeyError("x")]))
    with pytest.raises(ExceptionGroup):
        cli.run(["doctor"])


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """An interruption says so and has the shell's code."""
    _raising(monkeypatch, KeyboardInterrupt())
    assert cli.run(["doctor"]) == 130
    assert capsys.readouterr().err == "citebound: interrupted\n"


def test_scopes_add_up() -> None:
    """Tags of several `--scope` are joined, groups too, and everyone is always one."""
    arguments = build_parser().parse_args(
        [
            "ask",
            "x",
            "--scope",
            "tags=a,b",
            "--scope",
            "c",
            "--scope",
            "jurisdiction=de",
            "--group",
            "f,g",
            "--group",
            "h",
        ]
    )
    scope = scope_options(arguments)
    assert scope.tags == {"a", "b", "c"}
    assert scope.jurisdiction == "DE"
    assert scope.groups == {"everyone", "f", "g", "h"}


def test_two_jurisdictions_are_a_contradiction() -> None:
    """One conversation has one jurisdiction."""
    arguments = build_parser().parse_args(
        ["ask", "x", "--scope", "jurisdiction=DE", "--jurisdiction", "GB"]
    )
    with pytest.raises(UsageError, match="DE and GB"):
        scope_options(arguments)


def test_as_of_is_a_day_or_an_edition() -> None:
    """Both ways to look back are understood."""
    assert values.as_of("2025-01-31") == date(2025, 1, 31)
    assert values.as_of("edition:3") == values.Edition(number=3)
    by_edition = ask_options(build_parser().parse_args(["ask", "x", "--as-of", "edition:3"]))
    assert (by_edition.scope.edition, by_edition.scope.as_of) == (3, None)


@pytest.mark.parametrize("texts", HELPS, ids=lambda texts: texts.short)
def test_each_example_in_the_help_parses(texts: help_texts.Help) -> None:
    """What the help teaches can be typed."""
    commands = example_commands(texts.examples)
    assert commands
    for words in commands:
        build_parser().parse_args(words)


def example_commands(text: str) -> list[list[str]]:
    """Return the words after `citebound` of each example, comments and pipes taken off."""
    joined = text.replace("\\\n", " ")
    found: list[list[str]] = []
    for line in joined.splitlines():
        command = line.split("| ")[-1].strip().split("   ")[0]
        if command.startswith("citebound "):
            found.append(shlex.split(command)[1:])
    return found
