"""Figures in `docs/` name the commit at which they were measured, and old ones are found."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.evals.figures import MOST_COMMITS, ROOT, commits_since, named_in, pages, stale

MEASURED = ("docs/quality.md", "docs/scale.md")
"""Pages of figures."""
_TOPIC = re.compile(r"^(?=#+ |\*\*[A-Z])", re.MULTILINE)
"""Where a topic begins: a heading, or a paragraph with its name in bold."""
_TREND = re.compile(r"<!-- trend -->.*?<!-- /trend -->", re.DOTALL)
"""Has a commit in each row."""


def without_commit(page: str, text: str) -> list[str]:
    """Return the first lines of topics that have a table of figures and name no commit."""
    topics = _TOPIC.split(_TREND.sub("", text))
    return [
        topic.splitlines()[0]
        for topic in topics
        if re.search(r"^\|.*\d", topic, re.MULTILINE) and not list(named_in(page, topic))
    ]


@pytest.mark.parametrize("page", MEASURED)
def test_tables_of_figures_name_their_commit(page: str) -> None:
    """No table of figures stands without a commit."""
    assert without_commit(page, (ROOT / page).read_text()) == []


def test_a_table_without_a_commit_is_found() -> None:
    """A table of figures is found that names no commit, and one of words is none."""
    table = "## Speed\n\n| ask | 1.2 s |\n\n## Kinds\n\n| a | b |\n"
    assert without_commit("page", table) == ["## Speed"]
    assert (
        without_commit("page", table.replace("Speed\n", "Speed\n\nMeasured at `0123abcd`.")) == []
    )


def test_each_row_of_the_first_table_names_its_commit() -> None:
    """A figure that is added to the first table of the page of quality names its commit."""
    section = (ROOT / MEASURED[0]).read_text().split("## Figures\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    assert rows
    assert [row for row in rows if not list(named_in("page", row))] == []


def test_commits_that_are_named_exist() -> None:
    """Each commit that a page names is one of this history."""
    _need_history(ROOT)
    assert [figure for figure in pages() if commits_since(figure.commit) is None] == []


@pytest.mark.nightly
def test_no_figure_is_old() -> None:
    """No figure is of a commit that is more than a hundred commits back.

    Nightly: whoever changes something else need not measure before they can go on. `make check`
    names the same figures.
    """
    _need_history(ROOT)
    assert stale(pages()) == []


def test_old_figures_are_found(tmp_path: Path) -> None:
    """A figure is found once more than a hundred commits came after it, unless people judged it."""
    stream = "".join(
        f"commit refs/heads/main\nmark :{number + 1}\ncommitter A <a@example.com> {number} +0000\n"
        "data 1\n.\n"
        for number in range(MOST_COMMITS + 2)
    )
    for words in (["init", "-q", "-b", "main"], ["fast-import", "--quiet"]):
        subprocess.run(["git", "-C", tmp_path, *words], input=stream.encode(), check=True)  # noqa: S603, S607
    listed = subprocess.run(  # noqa: S603
        ["git", "-C", tmp_path, "rev-list", "--reverse", "main"],  # noqa: S607
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    first, second = (line[:8] for line in listed.stdout.split()[:2])
    page = f"Measured at `{first}`.\n| ask | 1 s | `{second}` |\nJudged at `{first}`.\n"
    found = stale(named_in("page.md", page), tmp_path)
    assert found == [f"page.md:1: measured at {first}, {MOST_COMMITS + 1} commits ago"]


def _need_history(root: Path) -> None:
    asked = ["git", "-C", str(root), "rev-parse", "--is-shallow-repository"]
    done = subprocess.run(asked, check=False, capture_output=True, text=True)  # noqa: S603
    if done.stdout.strip() != "false":
        pytest.skip("history absent: take a whole clone to see at which commits figures were taken")
