"""What is documented is what is there: README, `docs/` and CHANGELOG held to the code."""

import re
import shlex
from dataclasses import fields
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from bot import cli
from bot.app.watchdog import EXIT_STILL
from bot.console.command_line import CITEBOUND, build_parser
from bot.console.commands.ask import EXIT_FAILED
from core.config.settings import Settings, source_variable
from core.domain.answer import Outcome, RefusalKind
from core.domain.audit import Tag

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = (README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
WITHIN_THE_LIMIT = 150
"""Lines of README: what does not fit belongs on a page."""
LARGEST_PICTURE = 150_000
"""Bytes."""
LARGEST_MOVING = 2_000_000
"""Of one that moves."""
LARGEST_SHEET = 500_000
"""Of a picture that a page only links."""
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
CODES = {0, 1, cli.EXIT_USAGE, cli.EXIT_BROKEN, cli.EXIT_EMPTY, cli.EXIT_INTERRUPTED} | {
    cli.EXIT_PIPE_CLOSED,
    cli.EXIT_OCCUPIED,
    cli.EXIT_PRIVILEGED,
    EXIT_STILL,
    EXIT_FAILED,
}
VARIABLES = {str(item.metadata["variable"]) for item in fields(Settings)}
IN_FILES = {
    f"{item.metadata['variable']}_FILE" for item in fields(Settings) if item.metadata["is_secret"]
}
"""Variables that name a file with a secret."""
IN_TESTS = {"CITEBOUND_SHARED_DATA", "CITEBOUND_TEST_BASE", "CITEBOUND_TEST_SEED"}
"""Variables that tests read, and the product does not."""
OF_SOURCES = {
    f"{source_variable(name)}{end}"
    for name in ("name", "handbook", "hr", "people", "compliance")
    for end in ("", "_FILE")
}
"""Variables that are named after a source of policies."""
_OURS = re.compile(r"\b(?:CITEBOUND|SLACK|VOYAGE|ANTHROPIC|APP)_[A-Z][A-Z0-9_]*\b")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"(?:bot|core|evals|tests|docs|samples|deploy|migrations)/[\w./-]*")


@cache
def text_of(name: str) -> str:
    """Return the text of a page."""
    return (ROOT / name).read_text()


def prose_of(name: str) -> str:
    """Return the text of a page without its blocks of code."""
    return _FENCE.sub("", text_of(name))


def anchors_of(name: str) -> set[str]:
    """Return the anchors of a page, as GitHub makes them of its headings."""
    titles = re.findall(r"^#+ (.+)$", prose_of(name), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def settings_table() -> str:
    """Return the table of settings as its page must have it."""
    lines = ["| variable | default | means |", "|---|---|---|"]
    for item in fields(Settings):
        default = "unset" if item.default is None else f"`{item.default}`"
        lines.append(f"| `{item.metadata['variable']}` | {default} | {item.metadata['meaning']} |")
    return "\n".join(lines) + "\n"


def commands() -> list[tuple[str, str]]:
    """Return each `citebound ...` of the pages, in code blocks and in backticks."""
    found: list[tuple[str, str]] = []
    for name in NAMES:
        lines = [line for text in _FENCE.findall(text_of(name)) for line in text.splitlines()]
        typed = [re.sub(r"^(?:[A-Z_]+=\S+ )+", "", line) for line in lines]
        inline = _CODE.findall(prose_of(name))
        found += [(name, one) for one in [*typed, *inline] if one.startswith("citebound ")]
    return list(dict.fromkeys(found))


def test_the_readme_is_short() -> None:
    """Whoever opens the repository reads it to its end."""
    assert len(text_of("README.md").splitlines()) <= WITHIN_THE_LIMIT


@pytest.mark.parametrize("name", NAMES[1:])
def test_each_page_is_reached_from_the_readme(name: str) -> None:
    """No page stands where nobody finds it."""
    assert f"]({name})" in text_of("README.md")


@pytest.mark.parametrize("name", NAMES)
def test_each_link_leads_somewhere(name: str) -> None:
    """To a file that is there and a heading that it has; no page depends on another site."""
    targets = set(_LINK.findall(prose_of(name)))
    assert len(targets) > 10 or name != "README.md"
    assert {target for target in targets if not leads_somewhere(name, target)} == set()


def leads_somewhere(name: str, target: str) -> bool:
    """Say whether a link of a page can be followed within the repository."""
    path, _, anchor = target.partition("#")
    file = ((ROOT / name).parent / path if path else ROOT / name).resolve()
    if "://" in target or not file.is_relative_to(ROOT) or not file.is_file():
        return False
    return not anchor or anchor in anchors_of(file.relative_to(ROOT).as_posix())


def test_each_picture_is_shown_and_small() -> None:
    """With words for whoever does not see it; or linked, if it is a sheet of many."""
    shown = {
        ((ROOT / name).parent / path).resolve()
        for name in NAMES
        for words, path in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text_of(name))
        if len(words) > 20
    }
    linked = {
        ((ROOT / name).parent / path).resolve()
        for name in NAMES
        for path in re.findall(r"(?<!!)\[[^\]]*\]\(([^)]+\.png)\)", text_of(name))
    }
    pictures = set((ROOT / "docs" / "images").iterdir())
    assert pictures
    assert pictures == shown | linked
    still = {picture for picture in shown if picture.suffix == ".png"}
    assert all(picture.stat().st_size <= LARGEST_PICTURE for picture in still)
    assert all(picture.stat().st_size <= LARGEST_MOVING for picture in shown - still)
    assert all(picture.stat().st_size <= LARGEST_SHEET for picture in linked)


@pytest.mark.parametrize("name", NAMES)
def test_each_path_exists(name: str) -> None:
    """A file or a folder that a page names can be opened."""
    paths = {one for one in _CODE.findall(prose_of(name)) if _PATH.fullmatch(one)}
    assert {path for path in paths if not (ROOT / path).exists()} == set()
    assert len(paths) > 40 or name != "docs/architecture.md"


def test_the_settings_table_is_that_of_the_settings() -> None:
    """No setting is undocumented, no documented one is missing, no default differs."""
    found = re.search(
        r"<!-- settings -->\n(.*?)<!-- /settings -->", text_of("docs/settings.md"), re.DOTALL
    )
    assert found is not None
    assert found[1] == settings_table()


@pytest.mark.parametrize("name", NAMES)
def test_each_setting_named_exists(name: str) -> None:
    """What a page tells to set is read."""
    named = set(_OURS.findall(text_of(name)))
    assert named - VARIABLES - IN_FILES - IN_TESTS - OF_SOURCES == set()


@pytest.mark.parametrize(("name", "command"), commands())
def test_each_command_of_the_pages_parses(name: str, command: str) -> None:
    """What the pages say can be typed; of one that is named without its arguments, its help."""
    words = shlex.split(command.replace("PATH...", "PATH"), comments=True)[1:]
    is_only_named = words[-1] == "..." or (words[0] == "eval" and len(words) == 2)
    if not is_only_named and "--help" not in words:
        build_parser().parse_args(words)
        return
    with pytest.raises(SystemExit) as exit_:
        build_parser().parse_args([*(word for word in words[:2] if word[0] != "-"), "--help"])
    assert exit_.value.code == 0, f"{name}: {command}"


def test_each_command_there_is_stands_on_a_page() -> None:
    """What can be typed is documented somewhere."""
    told = {shlex.split(one, comments=True)[1] for _, one in commands()}
    assert len(told) > 8
    assert {command.name for command in CITEBOUND.commands} - told == set()


@pytest.mark.parametrize("code", sorted(CODES))
def test_each_exit_code_is_documented(code: int) -> None:
    """Page, help and module agree on the codes."""
    assert re.search(rf"^\| {code} \|", text_of("docs/operate.md"), re.MULTILINE)
    assert re.search(rf"^    {code}: ", build_parser(cli.EXIT_CODES).format_help(), re.MULTILINE)
    assert re.search(rf"^    {code}:", cli.__doc__ or "", re.MULTILINE)


@pytest.mark.parametrize("word", [*Outcome, *RefusalKind, *Tag])
def test_each_outcome_refusal_and_tag_is_named(word: str) -> None:
    """Whoever reads the record finds its words explained."""
    assert f"`{word}`" in text_of("docs/record.md")


def test_no_tag_is_named_that_is_not_written() -> None:
    """The table of tags lists no others."""
    named = re.findall(r"`([a-z]+:[a-z_]+)`", prose_of("docs/record.md"))
    assert set(named) == set(Tag)


def test_each_make_target_exists() -> None:
    """The commands of the pages are those of the Makefile; prose that says "make" is no command."""
    pages = "\n".join(map(text_of, NAMES))
    typed = set(re.findall(r"(?:`|^)make ([a-z-]+)", pages, re.MULTILINE))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert len(typed) > 3
    assert typed - targets == set()


def test_ci_runs_the_tests_and_checks_of_the_readme() -> None:
    """What is checked before landing is what the pages name."""
    script = (ROOT / ".ci" / "run").read_text()
    assert "set -euo pipefail" in script
    assert "\nmake test\nmake check\n" in script


def test_the_readme_keeps_its_order() -> None:
    """From what it is and for whom to where to read on."""
    titles = re.findall(r"^## (.+)$", prose_of("README.md"), re.MULTILINE)
    assert titles == [
        "Who it is for",
        "Why not …",
        "Try it",
        "How an answer comes about",
        "What to expect",
        "Where to go next",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_headings_nest(name: str) -> None:
    """One title a page, and no level is left out."""
    levels = [len(marks) for marks in re.findall(r"^(#+) ", prose_of(name), re.MULTILINE)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_changelog_has_a_sentence_an_entry() -> None:
    """Outcomes for those who run it, one sentence each."""
    without_headings = re.sub(r"^#+ .+$", "", CHANGELOG, flags=re.MULTILINE)
    entries = re.split(r"^- ", without_headings, flags=re.MULTILINE)[1:]
    assert entries
    assert all(entry.rstrip().endswith(".") for entry in entries)
