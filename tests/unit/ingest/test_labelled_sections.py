"""Titles and parents of sections in real policies, as a person labelled them.

Each line of `labelled_sections.jsonl` has a section's number, title, page and what it stands below,
as its document prints them; a title without a number begins its text.
"""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from core.ingest.prepare import Prepared, prepare

pytestmark = pytest.mark.shared_data

LABELS = Path(__file__).with_name("labelled_sections.jsonl")
RIGHT = 0.95
SECTIONS = 20


def plain(text: str | None) -> str:
    return " ".join((text or "").split()).casefold()


def is_right(found: Prepared, label: dict[str, str | int | None]) -> bool:
    """Return whether a section has the label's number, title and page, and stands where it says."""
    wanted = (plain(str(label["number"] or "")), plain(str(label["title"])), label["page"])
    return any(
        (plain(section.number), plain(section.title), section.page) == wanted
        and plain(section.path[-2] if len(section.path) > 1 else "") == plain(str(label["parent"]))
        for section in found.sections
    )


def test_titles_and_parents_are_right(shared: Path) -> None:
    by_file: defaultdict[str, list[dict[str, str | int | None]]] = defaultdict(list)
    for line in LABELS.read_text("utf-8").splitlines():
        label = json.loads(line)
        by_file[label["file"]].append(label)
    right = total = 0
    for name, labels in by_file.items():
        found = prepare((shared / "policies" / name).read_bytes(), source_name=name)
        wrong = [label for label in labels if not is_right(found, label)]
        right, total = right + len(labels) - len(wrong), total + len(labels)
        assert len(wrong) <= 1 + (1 - RIGHT) * len(labels), wrong
    assert total >= SECTIONS * len(by_file) - 1
    assert right >= RIGHT * total, f"{right} of {total}"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("boeing_conduct_guidelines.pdf", "Ethical Business Conduct Guidelines"),
        ("google_code_of_conduct.pdf", "Google Code of Conduct"),
        ("vanderbloemen_remote_work_policy.pdf", "REMOTE WORK POLICY"),
        ("adgm_aml_rulebook.txt", "Adgm aml rulebook"),
        ("FIN-001_expense_reimbursement.md", "Expense Reimbursement Policy"),
    ],
)
def test_policies_are_called_as_they_call_themselves(shared: Path, name: str, title: str) -> None:
    found = prepare((shared / "policies" / name).read_bytes(), source_name=name)
    assert found.metadata.title == title
