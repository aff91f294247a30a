"""The script that fits what the rules accept, on results written for it."""

import ast
import json
from pathlib import Path

import pytest

from evals.fit_acceptance import BY_WORDS, MEASURES, main

SCORES = (0.2, 0.35, 0.5, 0.65, 0.8)


def results(folder: Path, *, is_read: bool) -> str:
    """Write results of two documents whose better measured answers are the right ones."""
    asked = [
        {
            "document": document,
            "expected": ["answered"],
            "quoted": score + nudge > 0.5,
            "features": {
                "sentence": score,
                "whole": 1 - score / 2,
                "lead": nudge,
                "coverage": 0.5,
                "read": float(is_read),
            },
        }
        for document in ("a.md", "b.md")
        for score in SCORES
        for nudge in (0.0, 0.1)
    ]
    path = folder / "results.json"
    path.write_text(json.dumps({"questions": asked}))
    return str(path)


@pytest.mark.parametrize(("is_read", "names"), [(True, MEASURES), (False, BY_WORDS)])
def test_coefficients_are_printed_as_they_are_written(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    is_read: bool,
    names: tuple[str, ...],
) -> None:
    """Plain numbers, to be copied; without a reader only those measures that differ then."""
    main([results(tmp_path, is_read=is_read)])
    printed = capsys.readouterr().out
    weights = ast.literal_eval(printed.partition("weights=")[2].strip())
    assert tuple(weights) == names
    assert weights["sentence"] > 0
    assert "wrong at most 5%: right " in printed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "No such file"),
        ("{", "not what"),
        ("[1]", "not what"),
        ('{"questions": []}', "nothing to fit"),
    ],
)
def test_what_can_not_be_fitted_is_one_line(tmp_path: Path, text: str | None, said: str) -> None:
    """A file that is missing or of another kind is named, without a traceback."""
    path = tmp_path / "results.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SystemExit, match=said) as ended:
        main([str(path)])
    assert "\n" not in str(ended.value)
