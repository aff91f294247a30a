"""`citebound eval documents`: each question is asked of its own document alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

PARKING = """# Parking

## 1 Places

1.1 Employees must park their bicycles in the yard behind the building.
"""
VOUCHERS = "Employees must not accept cash or vouchers in any amount."


def line(document: str, question: str, *gold: str) -> str:
    return json.dumps(
        {
            "document": document,
            "question": question,
            "expected_outcome": "answered" if gold else "refused",
            "gold_quotes": gold,
        }
    )


def test_a_document_is_asked_alone(
    citebound_process: Callable[..., Any], policies: Path, tmp_path: Path
) -> None:
    """What another document says is no answer; one that can't be read is named and counted."""
    (policies / "parking.md").write_text(PARKING)
    (policies / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    questions = tmp_path / "set" / "asked.jsonl"
    questions.parent.mkdir()
    vouchers = "May employees accept vouchers?"
    questions.write_text(
        "\n".join(
            [
                line("policies/gifts.md", vouchers, VOUCHERS),
                line("policies/parking.md", vouchers),
                line("policies/broken.pdf", vouchers),
                line("policies/none.md", vouchers),
            ]
        )
    )
    done = citebound_process("eval", "documents", "--questions", str(questions), "--json")
    said = json.loads(done.out)
    endings = {one["document"]: one["ending"] for one in said["questions"]}
    assert endings == {
        "policies/gifts.md": "answered right",
        "policies/parking.md": "declined",
        "policies/broken.pdf": "failed",
        "policies/none.md": "failed",
    }
    assert VOUCHERS in said["questions"][0]["text"]
    assert (said["right"], said["unanswerable"], said["declined"]) == (1, 3, 1)
    assert "policies/broken.pdf can't be ingested" in done.err
    assert "policies/none.md can't be ingested" in done.err
    assert done.code == 1

    asking = ("eval", "documents", "--questions", str(questions), "--only")
    no_reader = {"CITEBOUND_READER_MODEL": str(tmp_path)}
    assert citebound_process(*asking, "*.md", **no_reader).code == 3
    databases = tmp_path / "home" / "eval"
    shared = len([*databases.glob("*/*/base/*")])
    alone = citebound_process(*asking, "*.md", "--alone", "--without-reader", "--json", **no_reader)
    endings = {one["document"]: one["ending"] for one in json.loads(alone.out)["questions"]}
    assert endings == {
        "policies/gifts.md": "answered right",
        "policies/parking.md": "declined",
        "policies/none.md": "failed",
    }
    assert len([*databases.glob("*/*/base/*")]) >= shared + 2
    none = citebound_process(*asking, "nothing")
    assert (none.code, none.err.count("\n")) == (2, 1)
