"""What counts as code, and that it does not grow."""

from tests.size import accepted, code_lines, measured


def test_docstrings_comments_and_blanks_do_not_count() -> None:
    """Those below a field included."""
    lines = [
        '"""Module."""',
        "",
        "# Why.",
        "LIMIT = 3",
        '"""What it is."""',
        "def limit() -> int:",
        '    """Say it,',
        '    in two lines."""',
        "    return LIMIT  # the only one",
    ]
    assert code_lines("\n".join(lines)) == 3


def test_there_is_no_more_code_than_was_accepted() -> None:
    """Whoever adds something pays for it elsewhere."""
    assert sum(lines for _, lines, _ in measured()) <= accepted()
