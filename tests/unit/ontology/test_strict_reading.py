"""What the rules read strictly: roles, conditions, deadlines of their own duty, real bans."""

import pytest

from core.domain.ontology import EntityType, ExtractedEntity, Extraction, RelationType
from core.ingest.prepare import prepare
from core.ontology.extract.roles import find_roles
from core.ontology.extract.rule_extractor import extract
from core.ports.extraction import SourceDocument


def facts(text: str) -> Extraction:
    prepared = prepare(f"# Policy\n\n## 1 Rules\n\n{text}\n".encode(), source_name="a.md")
    return extract(
        SourceDocument(
            text=prepared.document.text,
            sections=prepared.sections,
            policy_key="p",
            title="Policy",
            jurisdiction=None,
        )
    )


def of_type(found: Extraction, type_: EntityType) -> list[ExtractedEntity]:
    return [entity for entity in found.entities if entity.type is type_]


def only(found: Extraction, type_: EntityType) -> ExtractedEntity:
    (entity,) = of_type(found, type_)
    return entity


@pytest.mark.parametrize(
    "text",
    [
        "See HR-010 for more.",
        "Work Hours Employee's calendar times are shown.",
        "The Employee Handbook says more.",
        "Ultimate Beneficial Owners are checked.",
        "The Central Office is open.",
        "Gifts to government officials are reported.",
    ],
)
def test_what_is_no_role_of_the_organisation(text: str) -> None:
    assert {role.name for role in find_roles(text, {"HR": "Human Resources"})} <= {"Employees"}


def test_identifier_and_handbook_name_nobody() -> None:
    assert not find_roles("See HR-010 and the Employee Handbook.", {"HR": "Human Resources"})


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Staff may accept gifts only if the Manager agrees.", "only if the Manager agrees"),
        ("Gifts are allowed only with the consent of Legal.", "only with the consent of Legal"),
        ("Travel is permitted only after approval.", "only after approval"),
    ],
)
def test_allowed_only_if_is_a_condition(text: str, condition: str) -> None:
    permission = only(facts(text), EntityType.PERMISSION)
    assert permission.attributes["condition"] == condition


def test_deadline_belongs_to_the_duty_of_its_clause() -> None:
    found = facts(
        "Staff must report the payment to the Compliance Officer within 5 days, and must not"
        " tell the customer."
    )
    duty, ban = only(found, EntityType.OBLIGATION), only(found, EntityType.PROHIBITION)
    bound = {r.source for r in found.relations if r.type is RelationType.HAS_DEADLINE}
    told = {r.source for r in found.relations if r.type is RelationType.REPORTS_TO}
    assert duty.key in bound & told
    assert ban.key not in bound | told


def test_period_of_an_amount_is_no_deadline() -> None:
    found = facts("Gifts must not exceed the limit ($500 per event / $1,500 quarterly).")
    assert not of_type(found, EntityType.DEADLINE)
    assert {one.attributes["value"] for one in of_type(found, EntityType.THRESHOLD)} == {
        "500",
        "1500",
    }


@pytest.mark.parametrize(
    "text",
    [
        "Please do not hesitate to contact Legal.",
        "Don't be afraid to ask your manager.",
        "The handbook shows how we should conduct ourselves.",
        "The company gives us the equipment we need to do our jobs.",
        "Be aware that you may need to obtain approval.",
        "The company needs to know it.",
    ],
)
def test_what_forbids_or_requires_nothing(text: str) -> None:
    found = facts(text)
    assert not of_type(found, EntityType.PROHIBITION)
    duties = of_type(found, EntityType.OBLIGATION)
    assert not duties or text.startswith("The company needs")


def test_items_after_unless_are_conditions() -> None:
    found = facts(
        "Never sign a contract unless all of these are met:\n\n- You are authorized to do so.\n"
        "- Legal has approved it."
    )
    assert not of_type(found, EntityType.PERMISSION)
    bans = of_type(found, EntityType.PROHIBITION)
    assert len(bans) == 2
    assert all("unless all of these are met" in ban.attributes["sentence"] for ban in bans)


def test_agent_of_a_passive_is_bound_and_that_of_a_participle_is_not() -> None:
    bound = only(
        facts("Entries must be immediately flagged by the relevant Manager."), EntityType.OBLIGATION
    )
    assert bound.attributes["actor"] == "Manager"
    free = only(
        facts("There should be records of it, approved by the Legal Department."),
        EntityType.OBLIGATION,
    )
    assert "actor" not in free.attributes


def test_remark_in_brackets_is_no_condition() -> None:
    duty = only(
        facts("The request must state the name, the status (if applicable) and the purpose."),
        EntityType.OBLIGATION,
    )
    assert {"action", "condition"}.isdisjoint(duty.attributes)


@pytest.mark.parametrize(
    "hostile",
    [
        "be " * 2700,
        "if a, " * 1300,
        "so can " * 1100,
        "(x" * 4000,
        "unless " * 1100,
        "may need to " * 660,
    ],
)
def test_hostile_text_takes_no_time(hostile: str) -> None:
    facts(f"Staff must {hostile}.")


@pytest.mark.parametrize(
    ("text", "type_", "modality"),
    [
        (
            "No messages with remarks about race, age, or health shall be sent.",
            EntityType.PROHIBITION,
            "must_not",
        ),
        ("Staff should not accept vouchers.", EntityType.PROHIBITION, "should_not"),
        ("Staff must not accept vouchers.", EntityType.PROHIBITION, "must_not"),
    ],
)
def test_what_is_forbidden_keeps_its_force(text: str, type_: EntityType, modality: str) -> None:
    found = facts(text)
    assert only(found, type_).attributes["modality"] == modality
    assert of_type(found, EntityType.OBLIGATION) == []


@pytest.mark.parametrize(
    "text",
    [
        "Signed vendor contracts should be saved in the folder.",
        "For all vendor contracts, once both have signed, you'll need to save them.",
        "Approve: VP, Operations (note: Legal should also review changes)",
    ],
)
def test_who_only_stands_near_a_duty_is_not_bound_by_it(text: str) -> None:
    assert "actor" not in only(facts(text), EntityType.OBLIGATION).attributes


@pytest.mark.parametrize(
    "text",
    [
        "The officer marks it as done, adding any pertinent notes required.",
        "Save the file and you should be done.",
        "Expect delays during the last two weeks of a quarter.",
        "Pay attention to the monthly/yearly period options.",
    ],
)
def test_what_demands_nothing_is_no_duty_and_no_deadline(text: str) -> None:
    found = facts(text)
    assert of_type(found, EntityType.OBLIGATION) == []
    assert of_type(found, EntityType.DEADLINE) == []


def test_what_one_may_not_allow_is_forbidden() -> None:
    found = facts("Users may not allow anyone to use their account.")
    assert "allow anyone" in only(found, EntityType.PROHIBITION).attributes["sentence"]
    assert of_type(found, EntityType.PERMISSION) == []
