"""A rule is read with all that belongs to it, and with nothing that belongs to another."""

import pytest

from core.domain.ontology import EntityType, RelationType
from core.ontology.extract.roles import find_roles
from tests.unit.ontology.test_strict_reading import facts, of_type, only

RULES = (EntityType.OBLIGATION, EntityType.PROHIBITION, EntityType.PERMISSION)
NUMBERS = (EntityType.THRESHOLD, EntityType.DEADLINE)


@pytest.mark.parametrize(
    "text",
    [
        "Travellers should tell their lead, and if they are ill, they must stay at home.",
        "Cards must be kept safe and the number and the code must never be told.",
        "If you learn of it, you must tell the club and you must refrain from dealing.",
    ],
)
def test_of_two_rules_in_a_sentence_no_part_is_told(text: str) -> None:
    """What belongs to which of them only a reader can say."""
    for type_ in RULES:
        for rule in of_type(facts(text), type_):
            assert {"action", "condition"}.isdisjoint(rule.attributes)
            assert rule.attributes["sentence"] == text


def test_one_of_several_conditions_frees_nobody() -> None:
    text = "No gift should be given unless {}:\n\n1. it is small; and\n2. it is recorded.\n"
    each = facts(text.format("it meets these conditions"))
    assert of_type(each, EntityType.EXCEPTION) == []
    assert {
        (one.attributes["modality"], one.attributes["sentence"].rstrip("."))
        for one in of_type(each, EntityType.PROHIBITION)
    } == {
        ("should_not", f"No gift should be given unless it meets these conditions it is {how}")
        for how in ("small", "recorded")
    }
    assert of_type(facts(text.format("one of these is met")), EntityType.EXCEPTION) != []


@pytest.mark.parametrize(
    "text",
    [
        "All staff, including its officers, must comply.",
        "Gifts that induce an employee to cheat must be returned.",
        "Budgets shall be sent for review by the Finance Committee.",
    ],
)
def test_who_is_only_spoken_of_is_not_bound(text: str) -> None:
    rule = only(facts(text), EntityType.OBLIGATION)
    assert rule.attributes.get("actor", "") in {"", "Staff"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Losses must be reported immediately.", "immediately"),
        ("Losses must be reported as soon as possible.", "as soon as possible"),
        ("Losses must be reported promptly.", "promptly"),
    ],
)
def test_a_deadline_without_a_number_is_as_strict_as_it_says(text: str, value: str) -> None:
    assert only(facts(text), EntityType.DEADLINE).attributes["value"] == value


@pytest.mark.parametrize(
    "text",
    [
        "As this requires a restart, all is lost.",
        "The new name should now be on the form.",
        "This should open a window.",
        "Keep a list of programs prohibited from use.",
        "This is not necessary.",
        "Add a paper showing you are allowed to sign.",
        "A vault is defined as a room that can be locked.",
        "The club may not reimburse these costs.",
        "The leave will not limit your rights.",
        "Other laws prohibit such payments.",
        "For example, you must be away for a week.",
        "You'd need to pick another word.",
        "You'll never get in trouble for it.",
        "A list should come up.",
        "Staff can refer to the guide.",
        "This is not, and should not be understood as, a promise.",
        "Search the pages (requires an account).",
        "A breach of these rules shall constitute a breach of the law.",
        "This policy shall apply to all of us.",
    ],
)
def test_what_only_sounds_like_a_rule(text: str) -> None:
    assert [one for type_ in RULES for one in of_type(facts(text), type_)] == []


def test_an_item_with_a_clause_of_its_own_is_what_its_introduction_says() -> None:
    found = facts("Users must not:\n\n- open systems they are not allowed to use\n- share keys\n")
    assert len(of_type(found, EntityType.PROHIBITION)) == 2
    assert of_type(found, EntityType.PERMISSION) == []


@pytest.mark.parametrize(
    "text",
    [
        "Tools can cost up to $700, which is not much.",
        "Some approvals can take up to 3 weeks to complete.",
        "Over the 6-month period all is quiet.",
        "As there are at least 10 clubs, the model is new.",
        "Requests can be sent for more than one team.",
        "After the 18 weeks your pay will fall.",
        "This locks the screen after 30 minutes.",
        "Leave may be taken immediately after the birth.",
        "The rules apply if somebody leaves within 90 days of the start.",
        "For example, you may ask for up to $360.",
        "A parent must take at least the first 2 weeks after the birth.",
        "<key>Nice</key> <integer>5</integer> is more than <b>3 lines</b>.",
        "Those who have worked here at least 12 months prior to the date are invited.",
    ],
)
def test_a_number_that_limits_nothing(text: str) -> None:
    assert [one for type_ in NUMBERS for one in of_type(facts(text), type_)] == []


@pytest.mark.parametrize(
    ("text", "comparison"),
    [
        ("Costs with no receipts above $75 may be deducted.", "above"),
        ("No gifts above $75 may be accepted.", "at_most"),
        ("You are assigned a 'User Limit' of $75.", "at_most"),
        ("The allowance is $75 or what you paid, whichever is lower.", "at_most"),
        ("The fee is $75 or the cost, whichever is greater.", "at_least"),
        ("Each team has a budget of $75.", "at_most"),
        ("Gifts should not exceed the following:\n\n- Year 2: $75\n", "at_most"),
    ],
)
def test_how_an_amount_compares(text: str, comparison: str) -> None:
    assert only(facts(text), EntityType.THRESHOLD).attributes["comparison"] == comparison


def test_two_amounts_of_one_comparison_compare_alike() -> None:
    for text in (
        "Fares over $750 at home or $1,650 abroad must be approved.",
        "Costs of more than 3% of the sum, or $5000, whichever is lower, must be approved.",
    ):
        found = of_type(facts(text), EntityType.THRESHOLD)
        assert [one.attributes["comparison"] for one in found] == ["above", "above"]


def test_of_a_range_ahead_of_something_the_first_time_counts() -> None:
    found = only(facts("Requests must be sent 5 to 6 days in advance."), EntityType.DEADLINE)
    assert (found.attributes["comparison"], found.attributes["value"]) == ("before", "5")


def test_hours_that_add_up_to_a_sum_are_no_limit() -> None:
    found = facts("Days may be long, but must add up to 40 hours per week.")
    assert of_type(found, EntityType.THRESHOLD) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Losses must be reported to the Security Officer.", True),
        ("If you suspect an incident, contact the Security Officer.", True),
        ("For advice, contact the Security Officer.", False),
        ("Ask the Security Officer which form to use.", False),
        ("Keys must be returned to the Security Officer.", False),
    ],
)
def test_who_is_told_of_something(text: str, *, told: bool) -> None:
    found = facts(text)
    assert any(one.type is RelationType.REPORTS_TO for one in found.relations) is told


def test_what_goes_on_for_pages_without_a_stop_states_nothing() -> None:
    """Else a file of megabytes in one line would be read for hours."""
    rule = "Staff must report gifts above EUR 50 within 5 days"
    assert of_type(facts(" and ".join([rule] * 20)), EntityType.THRESHOLD) != []
    assert of_type(facts(" and ".join([rule] * 200)), EntityType.THRESHOLD) == []


def test_outsiders_are_roles_only_where_a_rule_binds_them() -> None:
    assert of_type(facts("Some vendors are small."), EntityType.ROLE) == []
    (role,) = of_type(facts("Vendors must sign the code."), EntityType.ROLE)
    assert role.name == "Vendors"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("See Password Managers and the Security Team.", {"Security Team"}),
        ("Use a password manager.", set[str]()),
        ("Start the Device Manager.", set[str]()),
        ("Join the Domain Controller.", set[str]()),
        ("Eligible Team Members are paid.", set[str]()),
        ("Assist Security Officer as needed.", {"Security Officer"}),
        ("Ask your People Partner and Manager.", {"Manager"}),
        ("The NC Office is locked.", set[str]()),
        ("Tell the Director of Financial Management.", {"Director of Financial Management"}),
        ("Pay no government employee.", set[str]()),
        ("The April Board of Directors meets.", {"Board of Directors"}),
        ("The Resource and Planning Analyst reads it.", {"Resource and Planning Analyst"}),
    ],
)
def test_programs_places_and_verbs_are_no_roles(text: str, names: set[str]) -> None:
    assert {role.name for role in find_roles(text, {})} == names
