"""What is documented is what is there."""

import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest

from bot import cli
from bot.app.watchdog import EXIT_STILL
from bot.console import help_texts
from bot.console.arguments import build_parser
from bot.console.commands.ask import EXIT_FAILED
from core.config import Settings
from core.domain.answer import Outcome, RefusalKind
from core.domain.audit import Tag

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
CODES = {0, 1, cli.EXIT_USAGE, cli.EXIT_BROKEN, cli.EXIT_EMPTY, cli.EXIT_INTERRUPTED} | {
    cli.EXIT_PIPE_CLOSED,
    cli.EXIT_OCCUPIED,
    EXIT_STILL,
    EXIT_FAILED,
}


def block(name: str) -> str:
    """Return what stands between the markers of a block."""
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", README, re.DOTALL)
    assert found is not None, f"expected the markers of {name!r}"
    return found[1]


def settings_table() -> str:
    """Return the table of settings as the README must have it."""
    lines = ["| variable | default | means |", "|---|---|---|"]
    for item in fields(Settings):
        default = "unset" if item.default is None else f"`{item.default}`"
        lines.append(f"| `{item.metadata['variable']}` | {default} | {item.metadata['meaning']} |")
    return "\n".join(lines) + "\n"


def commands() -> list[str]:
    """Return each `citebound ...` of the README, in code blocks and in backticks."""
    blocks = re.findall(r"^```\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    lines = [line for text in blocks for line in text.splitlines() if line.startswith("citebound ")]
    inline = re.findall(r"`(citebound [^`]+)`", README)
    return [command for command in [*lines, *inline] if not command.endswith(" ...")]


def test_the_settings_table_is_that_of_the_settings() -> None:
    """No setting is undocumented, no documented one is missing, no default differs."""
    assert block("settings") == settings_table()


@pytest.mark.parametrize("command", commands())
def test_each_command_of_the_readme_parses(command: str) -> None:
    """What the README says can be typed."""
    words = shlex.split(command.replace("PATH...", "PATH"))[1:]
    if "--help" in words:
        with pytest.raises(SystemExit) as exit_:
            build_parser().parse_args(words)
        assert exit_.value.code == 0
    elif words != ["eval", "retrieval"]:
        build_parser().parse_args(words)


@pytest.mark.parametrize("code", sorted(CODES))
def test_each_exit_code_is_documented(code: int) -> None:
    """README, help and module agree on the codes."""
    assert re.search(rf"^\| {code} \|", README, re.MULTILINE)
    assert re.search(rf"^  {code} ", help_texts.TOP_EXAMPLES, re.MULTILINE)
    assert re.search(rf"^    {code}:", cli.__doc__ or "", re.MULTILINE)


@pytest.mark.parametrize("word", [*Outcome, *RefusalKind, *Tag])
def test_each_outcome_refusal_and_tag_is_named(word: str) -> None:
    """Whoever reads the record finds its words explained."""
    assert f"`{word}`" in README


@pytest.mark.parametrize("target", re.findall(r"\bmake ([a-z]+)\b", README))
def test_each_make_target_exists(target: str) -> None:
    """The README's commands are those of the Makefile."""
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_ci_runs_the_tests_and_checks_of_the_readme() -> None:
    """What is checked before landing is what the README names."""
    script = (ROOT / ".ci" / "run").read_text()
    assert "set -euo pipefail" in script
    assert "\nmake test\nmake check\n" in script


def test_the_readme_keeps_its_order() -> None:
    """From what it is and an exchange to decisions and limits."""
    titles = re.findall(r"^## (.+)$", README, re.MULTILINE)
    assert titles == [
        "A real exchange",
        "Moving parts and the one path",
        "Run it",
        "Settings",
        "Glossary",
        "The record",
        "Measured quality",
        "Decisions",
        "Limits",
    ]


def test_the_changelog_has_a_sentence_an_entry() -> None:
    """Outcomes for those who run it, one sentence each."""
    entries = re.split(r"^- ", CHANGELOG, flags=re.MULTILINE)[1:]
    assert entries
    assert all(entry.rstrip().endswith(".") for entry in entries)
