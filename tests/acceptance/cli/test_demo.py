"""The demo shows each kind of outcome, and the pages show what the demo prints."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PAGES = ("README.md", "docs/answers.md")
"""Pages that show exchanges of the demo, each between `<!-- exchange … -->` and its end."""
LEFT_OUT = ("Ref ", "╭", "╰")
"""How lines begin that differ each time, or draw the box around a question."""


@pytest.fixture
def demo(citebound: Callable[..., Any]) -> str:
    """What the demo prints when nobody sits at the terminal."""
    done = citebound("demo")
    assert (done.code, done.err) == (0, "")
    return done.out


def test_the_demo_shows_each_kind_and_the_pages_show_whole_exchanges_of_it(demo: str) -> None:
    """From the question to the last line of the reply, with nothing left out or in between."""
    for headline in (
        "High confidence",
        "? One thing first",
        "Assumes: Germany",
        "✕ No answer: the policies contradict each other",
        "✕ No answer: not a question about policies",
        "→ This needs a person",
        "Go on with",
    ):
        assert headline in demo
    assert "13 added, 1 revised, 0 unchanged, 0 failed" in demo
    assert "Ask a question." not in demo
    typed = [line for line in demo.splitlines() if "citebound " in line]
    assert [line.partition("citebound ")[2].split()[0] for line in typed] == [
        *("ask", "chat", "audit", "ingest")
    ]
    assert re.search(r"citebound audit show [0-9a-f]{8}$", demo, re.MULTILINE)
    printed = [exchange_of(box) for box in demo.partition("Go on with")[0].split("╭")[1:]]
    with_reply = [[*asked, *chosen] for asked, chosen in pairwise(printed)]
    for page in PAGES:
        shown = exchanges(page)
        assert len(shown) == (ROOT / page).read_text().count("```\n> ") > 0
        for name, told in shown.items():
            assert told in [*printed, *with_reply], f"{page}: the demo prints no such {name!r}"


def exchange_of(box: str) -> list[str]:
    """Return a question, as a page shows it, and its reply, as the demo prints them."""
    _, *lines = box.splitlines()
    end = next(index for index, line in enumerate(lines) if line.startswith("╰"))
    question = " ".join(line.strip("│ ") for line in lines[:end])
    return told_lines([f"> {question}", *lines[end:]])


def exchanges(page: str) -> dict[str, list[str]]:
    """Return the lines of each exchange of a page, by its name."""
    marked = r"<!-- (exchange[^>]*) -->\n```\n(.*?)^```\n<!-- /\1 -->"
    found = re.finditer(marked, (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    return {one[1]: told_lines(one[2].splitlines()) for one in found}


def told_lines(lines: list[str]) -> list[str]:
    """Return what is said, without empty lines and what is drawn."""
    return [line.rstrip() for line in lines if line.strip() and not line.startswith(LEFT_OUT)]
