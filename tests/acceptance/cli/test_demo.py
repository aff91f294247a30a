"""The demo shows each kind of outcome, and the README shows what the demo prints."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).parents[3] / "README.md").read_text()


@pytest.fixture
def demo(citebound: Callable[..., Any]) -> str:
    """What the demo prints when nobody sits at the terminal."""
    done = citebound("demo")
    assert (done.code, done.err) == (0, "")
    return done.out


def test_the_demo_shows_each_kind_and_the_readme_quotes_it(demo: str) -> None:
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
    for line in exchange():
        assert line.removeprefix("> ").strip() in printed, f"the demo no longer prints {line!r}"


def exchange() -> list[str]:
    """Return the lines of the README's exchange."""
    found = re.search(r"<!-- exchange -->\n(.*?)<!-- /exchange -->", README, re.DOTALL)
    assert found is not None
    blocks = re.findall(r"^```\n(.*?)^```", found[1], re.DOTALL | re.MULTILINE)
    assert len(blocks) == 3
    return [line for block in blocks for line in block.splitlines() if line.strip()]
