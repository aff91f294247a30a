"""What `ingest` is told about a policy: within limits, in the forms of documents, or taken away."""

from datetime import date

import pytest

from bot import cli
from bot.console.command_line import build_parser


@pytest.mark.parametrize(
    ("option", "word", "cause"),
    [
        ("--owner", "x" * 5_000, "expected at most 200 characters"),
        ("--sensitivity", "x" * 61, "expected at most 60 characters"),
        ("--verified-by", "x" * 201, "expected at most 200 characters"),
        ("--title", "x" * 5_000, "expected at most 200 characters"),
        ("--title", " ", "expected a text, got nothing"),
        ("--key", "", "expected a text, got nothing"),
        ("--label", "", "expected a text, got nothing"),
        ("--upload-id", "", "expected a text, got nothing"),
        ("--url", f"https://a.example.com/{'x' * 5_000}", "expected at most 1,500 characters"),
        ("--url", "http://a.example.com/", "expected an address like https"),
        ("--review-by", "31.02.2026", "there is no such day"),
        ("--review-by", "01/02/2026", "day and month can't be told apart"),
        ("--effective-from", "", "expected a date like"),
        ("--jurisdiction", "x" * 5_000, "expected an ISO 3166 code"),
    ],
)
def test_what_can_not_be_is_refused_with_its_cause(
    option: str, word: str, cause: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, code 2, and nothing long is repeated."""
    with pytest.raises(SystemExit) as exit_:
        cli.run(["ingest", "x.md", f"{option}={word}"])
    assert exit_.value.code == 2
    said = capsys.readouterr().err
    assert f"argument {option}: {cause}" in said
    assert said.count("\n") == 1
    assert len(said) < 260


@pytest.mark.parametrize("word", ["2026-01-31", "31.01.2026", "31 January 2026", " 31/01/2026 "])
def test_a_date_may_be_written_as_in_a_document(word: str) -> None:
    """Where day and month can be told apart."""
    said = build_parser().parse_args(["ingest", "x.md", "--review-by", word])
    assert said.review_by == date(2026, 1, 31)


@pytest.mark.parametrize("option", ["owner", "sensitivity", "url", "review_by", "verified_by"])
def test_an_empty_option_takes_a_value_away(option: str) -> None:
    """It is not the same as none; without it nothing is said."""
    word = f"--{option.replace('_', '-')}="
    assert getattr(build_parser().parse_args(["ingest", "x.md", word]), option) == ""
    assert getattr(build_parser().parse_args(["ingest", "x.md"]), option) is None
