"""Which files of one run may be one policy."""

from datetime import date

import pytest

from core.ingest.compare import claim_of, find_key_conflicts
from core.ingest.prepare import NOTHING_GIVEN, Overrides, prepare

DE = "# Gifts\n\nGermany: EUR 50."
UK = "# Gifts\n\nUnited Kingdom: GBP 40."
ID = "---\npolicy id: CP-7\n---\n"
FIRST = Overrides(key="gifts", effective_from=date(2024, 1, 1))
SECOND = Overrides(key="gifts", effective_from=date(2025, 1, 1))


def clashes(*files: tuple[str, str, Overrides]) -> dict[int, str]:
    """Read the files, each with its name and what is said of it."""
    return find_key_conflicts(
        [
            claim_of(
                prepare(markdown.encode(), source_name=name, given=given), name=name, given=given
            )
            for name, markdown, given in files
        ]
    )


@pytest.mark.parametrize(
    ("files", "how"),
    [
        ((("de/gifts.md", DE), ("uk/gifts.md", UK)), "by its file name"),
        ((("de/a.md", ID + DE), ("uk/b.md", ID + UK)), "by its policy id"),
        ((("gifts-v1.md", DE), ("gifts-v2.md", UK)), "by its file name"),
    ],
)
def test_two_files_of_one_policy_are_both_refused(
    files: tuple[tuple[str, str], ...], how: str
) -> None:
    """Both are named, with the key, where it is from, and the cure; a third file is not."""
    found = clashes(*((*file, NOTHING_GIVEN) for file in files), ("cash.md", DE, NOTHING_GIVEN))
    assert found.keys() == {0, 1}
    for reason in found.values():
        assert all(name in reason for name, _ in files)
        assert how in reason
        assert "key_prefix for a folder" in reason


def test_days_that_documents_name_make_no_versions() -> None:
    """Germany's policy of 2024 and the United Kingdom's of 2025 are two policies."""
    dated = "---\neffective_from: 2024-01-01\n---\n"
    other = "---\neffective_from: 2025-01-01\n---\n"
    assert clashes(
        ("de/gifts.md", dated + DE, NOTHING_GIVEN), ("uk/gifts.md", other + UK, NOTHING_GIVEN)
    )


def test_versions_have_a_given_key_and_days_of_their_own() -> None:
    """Of two that begin on one day, or whenever they are ingested, nobody knows which holds."""
    assert not clashes(("v1.md", DE, FIRST), ("v2.md", UK, SECOND))
    for given in (FIRST, Overrides(key="gifts")):
        reason = clashes(("v1.md", DE, FIRST), ("v2.md", UK, given))[1]
        assert "effective_from" in reason


def test_one_file_in_two_places_is_one_file() -> None:
    """Unless something else is said of each: then it would be known as the last one said."""
    assert not clashes(("a/gifts.md", DE, NOTHING_GIVEN), ("b/gifts.md", DE, NOTHING_GIVEN))
    assert clashes(
        ("de/gifts.md", DE, Overrides(jurisdiction="DE")),
        ("uk/gifts.md", DE, Overrides(jurisdiction="GB")),
    )


def test_a_prefix_tells_them_apart() -> None:
    """So does a key for one of them."""
    assert not clashes(
        ("de/gifts.md", DE, Overrides(key_prefix="de")), ("uk/gifts.md", UK, NOTHING_GIVEN)
    )
    assert not clashes(
        ("de/a.md", ID + DE, Overrides(key_prefix="de")), ("uk/a.md", ID + UK, NOTHING_GIVEN)
    )
    assert not clashes(
        ("de/gifts.md", DE, Overrides(key="gifts-de")), ("uk/gifts.md", UK, NOTHING_GIVEN)
    )


def test_many_files_of_one_policy_are_said_in_a_line() -> None:
    """Four are named."""
    files = [(f"{n}/gifts.md", f"{DE} {n}", NOTHING_GIVEN) for n in range(9)]
    reason = clashes(*files)[4]
    assert reason.startswith("4/gifts.md and 0/gifts.md and 1/gifts.md and 2/gifts.md (and 5 more)")
