import pytest

from core.domain.ontology import EntityType
from core.ontology.extract.policy_index import IndexedPolicy, IndexedSection, PolicyIndex
from core.ontology.graphs.conflicts import Conflict, find_conflicts, find_conflicts_of
from core.ontology.graphs.graph import build_graph
from core.ontology.graphs.lint import FoundReference, Report, lint
from tests.unit.ontology.markdown import sections_of
from tests.unit.ontology.snapshots import Source, snapshot_of


def _policy(key: str, *sentences: str, jurisdiction: str | None = None) -> Source:
    body = "\n\n".join(f"## {n} Part {n}\n\n{text}" for n, text in enumerate(sentences, start=1))
    return Source(
        key=key,
        title=f"{key.title()} Policy",
        jurisdiction=jurisdiction,
        text=f"# {key.title()} Policy\n\n{body}\n",
    )


def _report(*sources: Source) -> Report:
    index = PolicyIndex.of(
        IndexedPolicy(
            key=source.key,
            title=source.title,
            sections=tuple(
                IndexedSection(eid=section.eid, number=section.number)
                for section in sections_of(source.text)
            ),
        )
        for source in sources
    )
    references = [
        FoundReference(policy_key=source.key, words=found.span.of(source.text), reference=found)
        for source in sources
        for found in source.extraction().references
    ]
    return lint(build_graph(snapshot_of(*sources)), references, index)


def _conflicts(*sources: Source) -> tuple[Conflict, ...]:
    return _report(*sources).conflicts


def test_two_retention_periods_conflict() -> None:
    """Another time for the same thing is a conflict, with both quotes and places."""
    (conflict,) = _conflicts(
        _policy("travel", "Expense receipts must be kept for 7 years."),
        _policy("records", "Expense receipts must be kept for 10 years."),
    )
    assert conflict.kind == "value"
    assert (conflict.first.place.policy_key, conflict.second.place.policy_key) == (
        "travel",
        "records",
    )
    assert {conflict.first.text, conflict.second.text} == {
        "Expense receipts must be kept for 7 years.",
        "Expense receipts must be kept for 10 years.",
    }


def test_allowed_against_forbidden_is_a_conflict() -> None:
    """The same act allowed and forbidden is a conflict."""
    (conflict,) = _conflicts(
        _policy("a", "Employees may accept cash gifts."),
        _policy("b", "Employees must not accept cash gifts."),
    )
    assert (conflict.kind, conflict.reason) == ("modality", "may against must not")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Expense receipts must be kept for 7 years.", "Contracts must be kept for 10 years."),
        ("Receipts must be kept for 12 months.", "Receipts must be kept for one year."),
        ("Employees may accept small gifts.", "Contractors must not accept small gifts."),
        ("Gifts up to EUR 50 may be accepted.", "Gifts above EUR 50 must not be accepted."),
        (
            "Employees may accept gifts if approved.",
            "Employees must not accept gifts unless asked.",
        ),
    ],
)
def test_no_conflict(first: str, second: str) -> None:
    """Other things, equal times, other people, other cases do not conflict."""
    assert _conflicts(_policy("a", first), _policy("b", second)) == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # Numbers that name a thing, and the same rule in other figures of the same kind.
        ("Form 3 must be filed within 4 days.", "Form 2 must be filed within 3 days."),
        (
            "Send annex 1 to the auditor within 5 days.",
            "Send annex 2 to the auditor within 9 days.",
        ),
        # Another name.
        (
            "Reports to the Audit Committee must be filed within 5 days.",
            "Reports to the Works Council must be filed within 9 days.",
        ),
        # Another case.
        (
            "Employees receive 8 hours of pay for a holiday when on a flexible schedule.",
            "Employees receive 12 hours of pay for a holiday when on a compressed week.",
        ),
        # Too little said, and the same rule said twice in other words.
        ("A doctor's note is required.", "A doctor's note is not required."),
        (
            "Employees must not engage in conduct that may raise questions as to its honesty.",
            "Employees are not to engage in conduct that may raise questions as to its honesty.",
        ),
    ],
)
def test_rules_of_other_things_do_not_conflict(first: str, second: str) -> None:
    """Each looked like a conflict in a real policy, in other words."""
    assert _conflicts(_policy("a", first), _policy("b", second)) == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Passwords must be changed every 90 days.", "Passwords must be changed every 180 days."),
        (
            "A data breach must be reported to the privacy team within 24 hours.",
            "A data breach must be reported to the privacy team within 72 hours.",
        ),
        (
            "Employees may work from abroad for up to 20 days per year.",
            "Employees may work from abroad for up to 30 days per year.",
        ),
        (
            "Visitors must be accompanied at all times.",
            "Visitors need not be accompanied at all times.",
        ),
        (
            "Personal devices must not be used for company email.",
            "Personal devices may be used for company email.",
        ),
        (
            "Gifts worth more than EUR 50 must be declined.",
            "Gifts worth more than EUR 100 must be declined.",
        ),
        (
            "Expenses must be claimed within 30 days of the trip.",
            "Expenses must be claimed within 60 days after the trip.",
        ),
        (
            "Access rights are reviewed quarterly by the system owner.",
            "Access rights are reviewed annually by the system owner.",
        ),
        (
            "Contractors must complete the security training before they get access.",
            "Contractors need not complete the security training before they get access.",
        ),
    ],
)
def test_rules_that_contradict_each_other_are_found(first: str, second: str) -> None:
    """What keeps false conflicts out leaves real ones in."""
    assert len(_conflicts(_policy("a", first), _policy("b", second))) == 1


def test_one_policy_tells_its_cases_apart() -> None:
    """Items and neighbouring sections are cases of one rule; sentences far apart are not."""
    own_form, other_form = (
        "- Our form: 2 business days for review",
        "- Our form: 5 business days for review",
    )
    assert _conflicts(_policy("contracts", own_form, other_form)) == ()
    parts = [
        "# Records Policy\n\n## 1 Receipts\n\n### 1.1 Keeping",
        "Expense receipts must be kept for 7 years.",
        "## 2 Archive\n\n### 2.1 Terms",
        "Expense receipts must be kept for 10 years.",
    ]
    nested = Source(key="records", title="Records Policy", text="\n\n".join(parts))
    assert [conflict.kind for conflict in _conflicts(nested)] == ["value"]


def test_cases_of_one_section_do_not_conflict() -> None:
    """A section may tell the cases of a rule apart."""
    text = "Contracts must be kept for 6 years. Sealed contracts must be kept for 12 years."
    assert _conflicts(_policy("records", text)) == ()


def test_jurisdictions_do_not_conflict() -> None:
    """Two countries differ, and a policy that gives way to supplements does not conflict."""
    general = _policy(
        "gifts", "Gifts up to EUR 75 may be accepted.", "Local supplements take precedence."
    )
    local = [
        _policy("gifts-de", "Gifts up to EUR 35 may be accepted.", jurisdiction="DE"),
        _policy("gifts-gb", "Gifts up to EUR 50 may be accepted.", jurisdiction="GB"),
    ]
    assert _conflicts(general, *local) == ()
    strict = _policy("gifts", "Gifts up to EUR 75 may be accepted.")
    assert len(_conflicts(strict, local[0])) == 1


def test_references_to_nowhere() -> None:
    """A section or policy that is not there is named; a law is not."""
    report = _report(
        _policy("a", "See section 9.9 and section 1.", "See the Travel Policy and the Bribery Act.")
    )
    assert [(found.found.words, found.reason) for found in report.dangling] == [
        ("section 9.9", "'A Policy' has no section '9.9'"),
        ("Travel Policy", "no policy is called 'Travel Policy'"),
    ]


def test_near_names_and_two_meanings_are_duplicates() -> None:
    """Names that differ by a letter, and terms with two meanings, are shown."""
    report = _report(
        _policy("a", '"Gift" means anything of value.', "The Data Protection Officer must act."),
        _policy("b", '"Gift" means a present.', "The Data Protection Office must act."),
    )
    assert {found.reason for found in report.duplicates} == {
        "one term, two meanings",
        "nearly the same name",
    }
    assert report.counts[EntityType.DEFINITION] == 2
    assert report.isolated == ()


def test_conflicts_of_some_versions_are_those_of_all_that_they_have_a_part_in() -> None:
    """And where too many rules are nearly alike, nothing is compared."""
    sources = [
        _policy(f"p{number}", f"Employees must report gifts within {number} days.")
        for number in range(2, 6)
    ]
    graph = build_graph(snapshot_of(*sources))
    all_of_them = find_conflicts(graph)
    one = all_of_them[0].first.span.version_id
    own = find_conflicts_of(graph, {one}, giving_way=frozenset(), most_pairs=1_000)
    assert own is not None
    sides = [{each.first.span.version_id, each.second.span.version_id} for each in all_of_them]
    assert list(own) == [each for each, side in zip(all_of_them, sides, strict=True) if one in side]
    assert 0 < len(own) < len(all_of_them)
    assert find_conflicts_of(graph, {one}, giving_way=frozenset(), most_pairs=1) is None
