import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.ontology import NORMS, EntityType, ExtractedEntity, Extraction, RelationType
from core.ontology.extract.rule_extractor import extract
from core.ports.extraction import SourceDocument
from tests.properties import examples
from tests.unit.ontology.markdown import sections_of

_TEXT = """# Gifts Policy

| Document control | |
|---|---|
| Policy ID | COMP-007 |
| Policy owner | Chief Compliance Officer (CCO) |
| Approved by | Audit and Risk Committee |

## 1. Scope

This policy applies to all employees and contractors in Germany. It does not apply to suppliers.
It replaces version 1.0.

## 2. Definitions

| Term | Definition |
|---|---|
| **Gift** | Anything of value. See below. |
| Third-Party Intermediary (TPI) | An agent. |

"Hospitality" means meals where the host attends.

## 3. Rules

### 3.1 Limits

Employees may accept gifts of up to EUR 75 per year without approval. A gift above EUR 75 must not
be accepted unless the Local Compliance Officer has approved it. Gifts must be entered in the gifts
register within five (5) business days.

Employees must not:

- accept cash;
- accept loans.

### 3.2 Reporting

Contractors must report every gift to their line manager immediately. The CCO must review the
register annually. A breach may lead to dismissal. No employee may travel first class.

### 3.3 Matrix

| Amount | Approver |
|---|---|
| Up to EUR 1,000 | Line manager |
| Above EUR 1,000 | CFO approval required |

## 4. Change history

Limit lowered from EUR 100.
"""


def _extraction(text: str = _TEXT) -> Extraction:
    return extract(
        SourceDocument(
            text=text,
            sections=sections_of(text),
            policy_key="gifts",
            title="Gifts Policy",
            jurisdiction=None,
        )
    )


def _of(type_: EntityType) -> dict[str, ExtractedEntity]:
    return {entity.name: entity for entity in _extraction().entities if entity.type is type_}


def _relations(type_: RelationType) -> set[tuple[str, str]]:
    read = _extraction()
    names = {entity.key: entity.name for entity in read.entities}
    return {
        (names[found.source], names[found.target])
        for found in read.relations
        if found.type is type_
    }


def test_the_policy_says_what_it_is() -> None:
    """The policy has its identifier, owner and title's place."""
    policy = _of(EntityType.POLICY)["Gifts Policy"]
    assert policy.key == "policy:gifts"
    assert policy.aliases == ("COMP-007",)
    assert policy.attributes["owner"] == "Chief Compliance Officer (CCO)"
    assert policy.spans[0].of(_TEXT) == "Gifts Policy"


@pytest.mark.parametrize(
    ("type_", "names"),
    [
        (
            EntityType.PROHIBITION,
            {
                "A gift above EUR 75 must not be accepted unless the Local Compliance Officer has"
                " approved it.",
                "Employees must not accept cash;",
                "Employees must not accept loans.",
                "No employee may travel first class.",
            },
        ),
        (
            EntityType.PERMISSION,
            {"Employees may accept gifts of up to EUR 75 per year without approval."},
        ),
        (EntityType.DEFINITION, {"Gift", "Third-Party Intermediary", "Hospitality"}),
        (EntityType.JURISDICTION, {"Germany"}),
        (EntityType.RECORD, {"gifts register"}),
    ],
)
def test_facts_by_type(type_: EntityType, names: set[str]) -> None:
    """Norms, definitions, places and records are read, and nothing else of their type."""
    assert set(_of(type_)) == names


def test_measures_compare() -> None:
    """Thresholds and deadlines have value, unit and comparison."""
    read = [
        tuple(entity.attributes.get(name, "") for name in ("comparison", "value", "unit"))
        for type_ in (EntityType.THRESHOLD, EntityType.DEADLINE)
        for entity in _of(type_).values()
    ]
    assert read == [
        ("at_most", "75", "EUR"),
        ("above", "75", "EUR"),
        ("at_most", "1000", "EUR"),
        ("above", "1000", "EUR"),
        ("within", "5", "business day"),
        ("within", "immediately", ""),
        ("every", "1", "year"),
    ]


def test_a_list_item_has_its_lead_in() -> None:
    """An item's norm is read with the lead-in, and has both spans."""
    norm = _of(EntityType.PROHIBITION)["Employees must not accept cash;"]
    assert [span.of(_TEXT) for span in norm.spans] == ["Employees must not:", "- accept cash;"]
    assert norm.attributes["actor"] == "Employees"
    assert "action" not in norm.attributes  # it is told by the sentence


def test_who_approves_and_who_is_told() -> None:
    """Approval and reporting lines lead to roles."""
    approved = {target for _, target in _relations(RelationType.APPROVED_BY)}
    assert approved == {
        "Audit and Risk Committee",
        "Local Compliance Officer",
        "Line Manager",
        "Chief Financial Officer",
    }
    assert {target for _, target in _relations(RelationType.REPORTS_TO)} == {"Line Manager"}


def test_whom_the_policy_applies_to() -> None:
    """Scope, exemption and the version replaced are relations."""
    policy = {
        target for source, target in _relations(RelationType.APPLIES_TO) if source == "Gifts Policy"
    }
    assert policy == {"Employees", "Contractors", "Germany"}
    assert ("It does not apply to suppliers.", "Suppliers") in _relations(RelationType.EXEMPTS)
    assert _relations(RelationType.SUPERSEDES) == {("Gifts Policy", "Gifts Policy 1.0")}


def test_abbreviations_are_aliases() -> None:
    """A role has one entity, whichever of its names is used."""
    assert _of(EntityType.ROLE)["Chief Compliance Officer"].aliases == ("CCO",)


_LINES = st.sampled_from(
    [*_TEXT.split("\n"), "# X", "Staff must:", "(a) go;", "| A | B |", "\u00e9 must not\u2028 be"]
)


@examples(60)
@given(st.lists(_LINES, max_size=14).map("\n".join))
def test_extraction_is_well_formed(text: str) -> None:
    """Keys are unique, names short, ends present, and every span lies in the text."""
    read = _extraction(text)
    keys = [entity.key for entity in read.entities]
    assert len(keys) == len(set(keys))
    assert all(entity.name and len(entity.name) <= 160 for entity in read.entities)
    ends = [(found.source, found.type, found.target) for found in read.relations]
    assert len(ends) == len(set(ends))
    assert {key for source, _, target in ends for key in (source, target)} <= set(keys)
    for fact in (*read.entities, *read.relations):
        assert fact.spans
        assert all(0 <= span.char_start < span.char_end <= len(text) for span in fact.spans)
        assert all(span.of(text).strip() == span.of(text) for span in fact.spans)


def _norms(text: str) -> set[tuple[str, str]]:
    read = _extraction(f"# Rules\n\n## 1 Rules\n\n{text}\n")
    return {
        (entity.type.value, entity.attributes["sentence"])
        for entity in read.entities
        if entity.type in NORMS
    }


@pytest.mark.parametrize(
    "sentence",
    [
        "Do not share passwords.",
        "No employee may accept cash.",
        "No gifts shall be given to officials.",
        "Employees are not permitted to smoke.",
        "Employees may not require anybody to waive rights.",
        "Employees must not allow visitors to film.",
        "Employees should never be permitted to bet.",
        "Bets of employees should, by default, be prohibited.",
        "Under no circumstances may staff borrow money.",
    ],
)
def test_a_prohibition_is_never_stored_as_another_rule(sentence: str) -> None:
    """One verb phrase is one rule, also behind a bullet or under a lead-in that forbids."""
    assert _norms(sentence) == {("Prohibition", sentence)}
    assert _norms(f"Note the following.\n\n\u2022 {sentence}") >= {
        ("Prohibition", f"Note the following. {sentence}")
    }


@pytest.mark.parametrize(
    "sentence",
    [
        "Remote work from abroad isn't allowed for employees.",
        "Employees can't carry over days.",
        "We will notify users unless prohibited by law.",
        "We may not have collected the information.",
        "Retention is storage which can be accessed by employees.",
        "Can employees accept gifts?",
    ],
)
def test_what_allows_nothing_is_no_permission_and_what_forbids_nothing_no_prohibition(
    sentence: str,
) -> None:
    """A negated permission, a condition, a relative clause, a chance, a printed question."""
    stored = {type_ for type_, _ in _norms(sentence)}
    assert "Permission" not in stored
    assert not stored & {"Prohibition"} or "allowed" in sentence or "can't" in sentence


def test_items_are_read_with_all_that_introduces_them() -> None:
    """Two levels up stands what forbids; a list of what is allowed may forbid too."""
    text = "You must not:\n\n1. accept\n   (a) cash\n\n"
    text += "Employees may:\n\n- keep mugs\n- not keep cash\n"
    found = _norms(text)
    assert ("Prohibition", "You must not accept cash") in found
    assert ("Permission", "Employees may keep mugs") in found
    assert ("Prohibition", "Employees may not keep cash") in found
