"""Files of labels: one clear line for whatever else they hold, whoever reads them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.domain.errors import UsageError
from evals.measuring.questions import load_questions
from evals.statements import load_statements


@pytest.mark.parametrize("load", [load_questions, load_statements])
@pytest.mark.parametrize("content", [b"\xff", b"{", b"[" * 100_000, b"7", b"{}"])
def test_a_line_of_something_else_is_named(
    tmp_path: Path, load: Callable[[Path], object], content: bytes
) -> None:
    """Bytes that are no text, no JSON, nested without end, or another JSON; blank lines count."""
    path = tmp_path / "labels.jsonl"
    path.write_bytes(b"\n" + content + b"\n")
    with pytest.raises(UsageError, match=r"labels\.jsonl:2: not a "):
        load(path)
    with pytest.raises(UsageError, match="No such file"):
        load(tmp_path / "absent.jsonl")
