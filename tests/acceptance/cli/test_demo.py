"""The demo shows each kind of outcome, and the pages show what the demo prints."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
SHOWN = (
    ("README.md", "exchange"),
    ("docs/answers.md", "exchange clarification"),
    ("docs/answers.md", "exchange refusal"),
)
"""Page and name of each exchange that is shown."""


@pytest.fixture
def demo(citebound: Callable[..., Any]) -> str:
    """What the demo prints when nobody sits at the terminal."""
    done = citebound("demo")
    assert (done.code, done.err) == (0, "")
    return done.out


def test_the_demo_shows_each_kind_and_the_pages_quote_it(demo: str) -> None:
    """An answer, a clarification with its reply, refusals, an escalation; no chat by pipe."""
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
    printed = {line.strip(" │") for line in demo.splitlines()}
    for page, name in SHOWN:
        for line in exchange(page, name):
            assert line.removeprefix("> ").strip() in printed, f"{page}: no longer {line!r}"


def exchange(page: str, name: str) -> list[str]:
    """Return the lines of an exchange of a page."""
    text = (ROOT / page).read_text()
    marked = rf"<!-- {name} -->\n```\n(.*?)^```\n<!-- /{name} -->"
    found = re.search(marked, text, re.DOTALL | re.MULTILINE)
    assert found is not None, f"{page}: expected the markers of {name!r}"
    lines = [line for line in found[1].splitlines() if line.strip()]
    assert len(lines) > 10
    return lines
