"""Answers from the ontology alone: with what introduces an item, and with what limits a rule."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.cli.conftest import ROOT, Run

TRAVEL = ROOT / "samples" / "policies" / "travel.pdf"
PUBLISHED = ROOT.parent / "shared/data/workplace/documents/github/github-acceptable-use-policies.md"
LEAVE = """# Leave Policy

## 1 Carrying over

Employees may carry over up to five days of leave.

However, nothing is carried over without the approval of the line manager.

The calendar is public.
"""


def _asked(citebound: Run, file: Path, question: str) -> dict[str, Any]:
    """Ingest a policy without chunks, and ask a question of its facts alone."""
    assert citebound("ingest", str(file), "--no-rag").code == 0
    return json.loads(citebound("ask", question, "--no-rag", "--json").out)


def test_a_list_item_is_told_behind_what_introduces_it(citebound: Run) -> None:
    """ "- minibar, pay television and spa;" alone may be what is paid, or what is not."""
    told = _asked(citebound, TRAVEL, "Is the minibar reimbursed?")
    assert told["outcome"] == "answered"
    assert told["used_rag"] is False
    assert told["answer"].startswith("The following costs are never reimbursed")
    assert "minibar" in told["answer"]
    assert "never reimbursed" in told["citations"][0]["quote"]


@pytest.mark.shared_data
def test_a_published_list_is_told_behind_what_introduces_it(citebound: Run) -> None:
    """An item of a list that others wrote says for what its list is."""
    if not PUBLISHED.exists():
        pytest.skip("shared data absent")
    told = _asked(citebound, PUBLISHED, "Can researchers use public information from the service?")
    assert told["outcome"] == "answered"
    assert told["answer"].startswith("You may use information from our Service")
    assert told["citations"][1]["quote"].startswith("- Researchers may use public")


def test_a_rule_is_told_with_its_exception(citebound: Run, tmp_path: Path) -> None:
    """A confident ontology hides none: the exception of the section is evidence beside the rule."""
    file = tmp_path / "leave.md"
    file.write_text(LEAVE)
    told = _asked(citebound, file, "How many days of leave may employees carry over?")
    assert told["trace"]["gate"]["retrieve"] is False
    assert told["rag_chunks_used"] == []
    assert any("However" in one["quote"] for one in told["citations"]), told["answer"]
