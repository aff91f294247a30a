"""What changed, in words: short, cut where there is much, and without what some may not read."""

from core.domain.policy_facts import SectionChanges
from core.ingest.changes import ChangedPolicy, CorpusChanges, change_line, change_lines, detail


def change(key: str, **about: object) -> ChangedPolicy:
    """Return what became of a policy."""
    given: dict[str, object] = {
        "key": key,
        "title": key.title(),
        "owner": None,
        "became": "revised",
        "is_public": True,
        **about,
    }
    return ChangedPolicy(**given)  # pyright: ignore[reportArgumentType]


def test_a_line_says_what_became_of_a_policy() -> None:
    """Sections by name, three of each kind, and numbers of facts."""
    sections = SectionChanges(
        added=("4 Travel",), changed=tuple(f"2.{n}" for n in range(1, 6)), removed=()
    )
    said = change_line(change("gifts", sections=sections, opened=3, closed=1, conflicts=("x", "y")))
    assert said == (
        "Gifts (gifts): new version; 5 sections changed (2.1, 2.2, 2.3, 2 more);"
        " 1 section added (4 Travel); facts: 3 new, 1 gone; 2 contradictions found: x; y"
    )
    assert change_line(change("gifts", became="withdrawn")) == "Gifts (gifts): withdrawn"
    assert change_line(change("gifts")) == "Gifts (gifts): new version; no section changed"
    moved = SectionChanges(added=(), changed=(), removed=(), moved=(("2 Limits", "3 Limits"),))
    figures = {"new_figures": ("at most 150 EUR",), "old_figures": ("at most 100 EUR",)}
    said = change_line(change("gifts", sections=moved, opened=2, closed=2, **figures))
    assert said == (
        "Gifts (gifts): new version; 1 section renumbered or renamed (2 Limits \u2192 3 Limits);"
        " facts: 2 new (at most 150 EUR), 2 gone (at most 100 EUR)"
    )
    owner = detail("owner", "", "Legal\nand " + "x" * 8_000)
    said = change_line(change("gifts", became="described", details=(owner,)))
    assert said.startswith("Gifts (gifts): same text; owner: none \u2192 Legal and xxx")
    assert len(said) < 150
    counted = change("gifts", conflicts=("secret",))
    assert "secret" not in change_line(counted, names_conflicts=False)


def test_what_says_what_it_said_is_worth_no_message() -> None:
    """All else is, also what was not compared."""
    said = [
        change("gifts"),
        change("gifts", became="reread"),
        change("gifts", became="described"),
        change("gifts", details=("owner: A \u2192 B",)),
        change("gifts", opened=1),
        change("gifts", is_counted=False),
        change("gifts", became="restored"),
        change("gifts", became="withdrawn"),
    ]
    assert [one.is_of_interest for one in said] == [False] * 3 + [True] * 5
    assert CorpusChanges(policies=tuple(said)).of_interest.policies == tuple(said[3:])


def test_much_is_cut_with_how_to_see_the_rest() -> None:
    """And what not everyone may read is counted alone."""
    policies = tuple(change(f"p{n}", is_public=n % 2 == 0) for n in range(10))
    changes = CorpusChanges(policies=policies, before=41)
    lines = change_lines(changes, most=3, names_all=False)
    assert [one.partition(":")[0] for one in lines[:3]] == ["P0 (p0)", "P2 (p2)", "P4 (p4)"]
    assert lines[3:] == [
        "and 2 more policies",
        "and 5 policies not for everyone: `citebound corpus changes --since edition:41` lists all",
    ]
    assert len(change_lines(changes, most=20, names_all=True)) == 10
    assert change_lines(CorpusChanges(), most=3, names_all=True) == []


def test_where_contradictions_are_counted_it_says_where_they_are_named() -> None:
    """They quote other policies, which not everybody who is told may read."""
    found = change("gifts", conflicts=("secret",))
    changes = CorpusChanges(policies=(found,), before=7)
    told, where = change_lines(changes, most=3, names_all=False, names_conflicts=False)
    assert told.endswith("1 contradiction found")
    assert where == "`citebound corpus changes --since edition:7` says what contradicts what"
    (named,) = change_lines(changes, most=3, names_all=True)
    assert named.endswith("1 contradiction found: secret")


def test_long_names_stay_short() -> None:
    """Whatever a document calls its sections."""
    names = tuple("x" * 8_000 + str(n) for n in range(500))
    sections = SectionChanges(added=names, changed=names, removed=names)
    assert len(change_line(change("gifts", sections=sections))) < 1_000
