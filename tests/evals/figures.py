"""The figures in `docs/`: at which commit each was measured, and what `make bench` writes there.

    python -m tests.evals.figures           names those that are older than a hundred commits
    python -m tests.evals.figures write     measures anew what stands between marks, and writes it

"Measured at `COMMIT`" stands in the section of a figure, or the commit in a column of its table.
"Judged at `COMMIT`" is said of what people judged once, which no command repeats: it never gets
old. A block between `<!-- make bench: COMMAND -->` and `<!-- end -->` is what a command prints.
"""

import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_COMMITS = 100
"""After so many a figure is measured again, or goes."""
_NAMED = re.compile(r"\b([Mm]easured|[Jj]udged) at ((?:(?:, | and )?`[0-9a-f]{8}`)+)")
_COMMIT = re.compile(r"`([0-9a-f]{8})`")
_LAST_CELL = re.compile(r"\| `([0-9a-f]{8})` \|$")
_BLOCK = re.compile(r"(<!-- make bench: (?P<command>[^\n]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A commit that a page names for its figures."""

    page: str
    """Its name."""
    line: int
    """From 1."""
    commit: str
    """Eight figures of its hash."""
    is_judged: bool
    """Whether people judged: no command measures it again."""


def named_in(page: str, text: str) -> Iterator[Named]:
    """Return the commits that a page names for its figures."""
    for number, line in enumerate(text.splitlines(), 1):
        cell = _LAST_CELL.search(line)
        if cell is not None:
            yield Named(page=page, line=number, commit=cell[1], is_judged=False)
        for match in _NAMED.finditer(line):
            for commit in _COMMIT.findall(match[2]):
                is_judged = match[1] in {"Judged", "judged"}
                yield Named(page=page, line=number, commit=commit, is_judged=is_judged)


def commits_since(commit: str, root: Path = ROOT) -> int | None:
    """Return how many commits came after one; None: this history does not have it."""
    words = ["git", "-C", str(root), "rev-list", "--count", f"{commit}..HEAD", "--"]
    done = subprocess.run(words, check=False, capture_output=True, text=True)  # noqa: S603
    return int(done.stdout) if done.returncode == 0 else None


def stale(named: Iterator[Named], root: Path = ROOT) -> list[str]:
    """Return those that are to be measured again, a line each."""
    counts: dict[str, int] = {}
    lines: list[str] = []
    for figure in named:
        if figure.is_judged:
            continue
        if figure.commit not in counts:
            counts[figure.commit] = commits_since(figure.commit, root) or 0
        if counts[figure.commit] > MOST_COMMITS:
            age = f"measured at {figure.commit}, {counts[figure.commit]} commits ago"
            lines.append(f"{figure.page}:{figure.line}: {age}")
    return lines


def pages() -> Iterator[Named]:
    """Return what all pages name."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        yield from named_in(path.relative_to(ROOT).as_posix(), path.read_text())


def write() -> None:
    """Measure each block between marks, and write it where it stands."""
    head = ["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"]
    commit = subprocess.run(head, check=True, capture_output=True, text=True).stdout.strip()[:8]  # noqa: S603
    day = datetime.now(UTC).date()  # noqa: TID251  # no clock of the product
    load = os.getloadavg()[1]
    place = f"{os.cpu_count()} cores, Python {platform.python_version()}, load {load:.1f}"

    def measured(block: re.Match[str]) -> str:
        words = [sys.executable, "-m", *shlex.split(block["command"])]
        done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT)  # noqa: S603
        said = f"Measured at `{commit}` on {day}, {place}."
        return f"{block[1]}{said}\n\n{done.stdout}"

    for path in sorted((ROOT / "docs").glob("*.md")):
        text = path.read_text()
        written = _BLOCK.sub(measured, text)
        if written != text:
            path.write_text(written)


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        write()
    print(*stale(pages()), sep="\n")
