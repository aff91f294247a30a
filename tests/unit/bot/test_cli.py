"""The command line: words to values, errors to one line and a code."""

import argparse
import importlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from bot import cli
from bot.console import options
from bot.console.command_line import CITEBOUND, build_parser
from bot.console.options import Command, ask_options, parser_of, scope_options
from core.domain.errors import (
    CiteboundError,
    ConfigError,
    ContractError,
    EmptyCorpusError,
    IntegrityError,
    TransientError,
    UsageError,
)
from evals.measures import EVALS

HEAVY = ("sqlalchemy", "onnxruntime", "networkx", "lxml", "numpy", "pypdfium2", "docx", "psycopg")


def commands(top: Command) -> Iterator[Command]:
    """A command and all below it."""
    yield top
    for child in top.commands:
        yield from commands(child)


def paths(top: Command, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Command]]:
    """A command and all below it, each with what is typed after `citebound`."""
    yield words, top
    for child in top.commands:
        yield from paths(child, (*words, child.name))


COMMANDS = [*commands(CITEBOUND), *commands(EVALS)]


@pytest.mark.parametrize(
    "words",
    [
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
        ["eval", "run", "--questions", "q", "--limit", "none"],
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


GROUPS = [one for one in COMMANDS if one.commands]


@pytest.mark.parametrize("group", GROUPS, ids=lambda one: one.name)
def test_a_group_alone_prints_its_help(
    group: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Examples come first, then the commands, each once; it is no error to ask for nothing."""
    words = {id(one): path for path, one in paths(CITEBOUND)}.get(id(group))
    monkeypatch.setattr(sys, "argv", ["citebound"])
    with pytest.raises(SystemExit) as exit_:
        cli.run(words or [], None if words is not None else parser_of(EVALS))
    shown = capsys.readouterr()
    assert (exit_.value.code, shown.err) == (0, "")
    listed = re.findall(r"^  ([a-z-]+)  ", shown.out.partition("\noptions:")[0], re.MULTILINE)
    assert listed == [one.name for one in group.commands]
    assert shown.out.index("examples:") < shown.out.index(f"\n  {group.commands[0].name}  ")


def test_the_help_begins_with_three_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever types `citebound` alone sees what to type next."""
    with pytest.raises(SystemExit):
        cli.run([])
    first, *_ = capsys.readouterr().out.partition("\nstart here:")
    assert [words[1] for words in example_commands(first)] == ["demo", "ingest", "ask"]


def test_help_imports_nothing_heavy() -> None:
    """The parser alone is light: `--help` must be quick."""
    program = (
        "import sys, bot.cli;"
        "from bot.console.command_line import build_parser; build_parser();"
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
    class Module:
        @staticmethod
        def doctor(**_values: object) -> int:
            raise error

    def load(_name: str) -> type[Module]:
        return Module

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
    scope = scope_options(**given(arguments))
    assert scope.tags == {"a", "b", "c"}
    assert scope.jurisdiction == "DE"
    assert scope.groups == {"everyone", "f", "g", "h"}


def test_two_jurisdictions_are_a_contradiction() -> None:
    """One conversation has one jurisdiction."""
    arguments = build_parser().parse_args(
        ["ask", "x", "--scope", "jurisdiction=DE", "--jurisdiction", "GB"]
    )
    with pytest.raises(UsageError, match="DE and GB"):
        scope_options(**given(arguments))


def test_as_of_is_a_day_or_an_edition() -> None:
    """Both ways to look back are understood."""
    assert options.as_of("2025-01-31") == date(2025, 1, 31)
    assert options.as_of("edition:3") == options.Edition(number=3)
    by_edition = ask_options(
        **given(build_parser().parse_args(["ask", "x", "--as-of", "edition:3"]))
    )
    assert (by_edition.scope.edition, by_edition.scope.as_of) == (3, None)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.short or command.name)
def test_each_example_in_the_help_parses(command: Command) -> None:
    """What the help teaches can be typed."""
    examples = example_commands(command.examples)
    assert examples
    for program, *words in examples:
        (build_parser() if program == "citebound" else parser_of(EVALS)).parse_args(words)


@pytest.mark.parametrize("function", [one.function for one in COMMANDS if one.function])
def test_each_command_names_a_function(function: str) -> None:
    """What is imported when a command is chosen is there."""
    module, _, name = function.partition(":")
    assert callable(getattr(importlib.import_module(module), name))


def given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The values of the options that say what to rest on."""
    names = ("scope", "jurisdiction", "group", "as_of")
    return {name: value for name, value in vars(arguments).items() if name in names}


def example_commands(text: str) -> list[list[str]]:
    """Return the words of each example, comments, pipes and the interpreter taken off."""
    joined = text.replace("\\\n", " ")
    found: list[list[str]] = []
    for line in joined.splitlines():
        command = line.split("| ")[-1].strip().split("   ")[0]
        command = command.removeprefix("python -m ")
        if command.startswith(("citebound ", "evals ")):
            found.append(shlex.split(command))
    return found
