"""Which times are deadlines, and which words that sound like a rule are none."""

import pytest

from core.domain.ontology import EntityType, RelationType
from tests.unit.ontology.test_strict_reading import facts, of_type, only

RULES = (EntityType.OBLIGATION, EntityType.PROHIBITION, EntityType.PERMISSION)


@pytest.mark.parametrize(
    "text",
    [
        "You are entitled to 16 weeks of parental leave.",
        "Most of us work a 38-hour week.",
        "New staff are shown round in their first month.",
        "She has worked here for 3 years.",
        "The daily operations of the plant must be described.",
        "We meet quarterly.",
        "You can take 5 days each year.",
        "A form can be used 2 times a week in 10 minute slots.",
        "Staff who joined in the last 6 months must answer.",
        "Help need not come all at once.",
        "Staff who joined before May 14, 2021 must apply.",
        "If you leave within 60 days, you must say so.",
        "Example 1: you must be away for 4 weeks.",
        "The rating of the immediately previous year must be kept.",
        "Part-time staff are immediately eligible.",
        "With the signature the options immediately convert to shares.",
    ],
)
def test_a_time_that_sets_no_deadline(text: str) -> None:
    assert of_type(facts(text), EntityType.DEADLINE) == []


@pytest.mark.parametrize(
    ("text", "comparison", "value", "unit"),
    [
        ("Losses must be reported within 2 hours.", "within", "2", "hour"),
        ("Receipts must be sent no longer than 20 days from the trip.", "within", "20", "day"),
        ("The data is deleted up to 60 days after the end.", "within", "60", "day"),
        ("We will answer within 10-14 days.", "within", "14", "day"),
        ("Tell us in no case later than 72 hours after the loss.", "within", "72", "hour"),
        ("You have 30 days from the notice to appeal.", "within", "30", "day"),
        ("Logs must be read twice daily.", "every", "0.5", "day"),
        ("The screen must lock after 10 minutes.", "after", "10", "minute"),
        ("You will need to wait 90 days before you may claim.", "after", "90", "day"),
        ("Logs are retained for at least 7 years after the audit.", "for", "7", "year"),
        ("The retention period is 5 years.", "for", "5", "year"),
        ("Access must be disabled for 30 days.", "for", "30", "day"),
        ("Leave must be asked for 4 weeks in advance.", "before", "4", "week"),
        ("Rights are reviewed on a monthly basis.", "every", "1", "month"),
        ("Keys must be changed every 90 days.", "every", "90", "day"),
        ("Lost badges must be reported immediately.", "within", "immediately", ""),
    ],
)
def test_a_time_is_read_as_its_words_say(text: str, comparison: str, value: str, unit: str) -> None:
    about = only(facts(text), EntityType.DEADLINE).attributes
    assert (about["comparison"], about["value"], about.get("unit", "")) == (comparison, value, unit)


@pytest.mark.parametrize(
    ("header", "comparison"),
    [("Retention period", "for"), ("Time to respond", "within"), ("How often", "every")],
)
def test_the_heading_of_a_column_says_what_a_time_is(header: str, comparison: str) -> None:
    found = facts(f"| Record | {header} |\n|---|---|\n| Invoices | 8 days |")
    assert only(found, EntityType.DEADLINE).attributes["comparison"] == comparison


def test_a_time_in_another_column_is_none() -> None:
    found = facts("| Record | Remark |\n|---|---|\n| Invoices | 8 days |")
    assert of_type(found, EntityType.DEADLINE) == []


@pytest.mark.parametrize(
    ("text", "comparison", "value"),
    [
        ("Staff must be paid no less than 90 % of the rate.", "at_least", "90"),
        ("Not less than 3 quotes are needed.", "at_least", "3"),
        ("Staff may take up to 8 weeks of unpaid leave.", "at_most", "8"),
        ("Visits must be no longer than 3 hours.", "", ""),
        ("Staff cannot save more than 5 days.", "at_most", "5"),
        ("Absences longer than 3 days need a note.", "above", "3"),
    ],
)
def test_a_limit_is_never_turned_round(text: str, comparison: str, value: str) -> None:
    found = of_type(facts(text), EntityType.THRESHOLD)
    assert [(one.attributes["comparison"], one.attributes["value"]) for one in found] == (
        [(comparison, value)] if comparison else []
    )


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("At least 3 people must sign.", "people"),
        ("More than two written offers are needed.", "written offers"),
        ("Scores of more than 8 and below are low.", None),
    ],
)
def test_what_is_counted_is_a_noun(text: str, unit: str | None) -> None:
    found = of_type(facts(text), EntityType.THRESHOLD)
    assert [one.attributes["unit"] for one in found] == ([unit] if unit else [])


@pytest.mark.parametrize(
    "text",
    [
        "If it is up to date, it won't show up.",
        "You will not lose your balance.",
        "Your manager will not see the note.",
        "The setup should be straightforward.",
        "Drugs are not compatible with the company's need to work safely.",
        "We will find out whether there is a need to tell anybody.",
        "Staff may be subject to dismissal.",
        "Further checks may also be required.",
        "These systems, while they may fail, do not stop the others.",
        "Several faults can raise the risk to an unacceptable level.",
        'Write: "I believe that the use is not authorised by the owner, or the law.',
        "Finally, don't forget to smile.",
        "The founders look into it and recommend a cure.",
        "A mail lists all of the steps that you will need to take.",
        "In some cases, the tool may not let you save it.",
        "You should already see it.",
        "Any steps the customer should take.",
        "This shows the voices that our group has to offer.",
        "We use two facts to tell which of all the checks need to be done.",
        "This includes tools you have never heard of.",
        "You will get the proper papers you will need your doctor to sign.",
        "For long trips:\n\n- Should the costs exceed 100 %, the team is asked.",
        "Say what they believe should have led to it.",
        "You can ask others without having to share your name.",
        "We pay for a car required for the work.",
        "Think of the harm should they occur.",
        "This won't be our last course.",
        "Help will not necessarily come at once.",
        "You only need the form to apply.",
        "We do not require or support phones of your own.",
    ],
)
def test_what_sounds_like_a_rule_and_binds_nobody(text: str) -> None:
    found = facts(text)
    assert [one.attributes["action"] for type_ in RULES for one in of_type(found, type_)] == []


def test_what_is_not_forbidden_is_no_ban() -> None:
    """The opposite of the text would be the worst fact."""
    found = facts("The company does not prohibit staff from hiking.")
    assert of_type(found, EntityType.PROHIBITION) == []


def test_how_soon_is_no_condition() -> None:
    duty = only(facts("Agents shall, without delay, tell the client."), EntityType.OBLIGATION)
    assert "condition" not in duty.attributes


def test_what_nobody_needs_is_free() -> None:
    freed = only(facts("No further approval is needed for small gifts."), EntityType.PERMISSION)
    assert freed.attributes["modality"] == "need_not"


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("Unless the law says otherwise, leave is unpaid.", "the law says otherwise"),
        ("Leave is unpaid, unless the law says otherwise.", "the law says otherwise"),
        ("Nobody other than the owner may sign.", "the owner may sign"),
    ],
)
def test_an_exception_ends_where_the_rule_begins(text: str, case: str) -> None:
    assert only(facts(text), EntityType.EXCEPTION).attributes["condition"] == case


def test_an_exception_of_a_whole_list_is_one() -> None:
    """And not one of each item, nor part of its words."""
    found = facts("You must show, unless the law says otherwise:\n\n- your badge\n- your bag")
    assert only(found, EntityType.EXCEPTION).attributes["condition"] == "the law says otherwise"
    assert len(of_type(found, EntityType.OBLIGATION)) == 2


@pytest.mark.parametrize(
    ("text", "freed"),
    [
        ("You must show your badge unless the law says otherwise.", 1),
        ("You must pay and may not leave, unless the law says otherwise.", 0),
        ("You must show:\n\n- your badge, unless you are ill\n- your bag", 0),
    ],
)
def test_an_exception_is_related_to_the_only_rule_of_its_sentence(text: str, freed: int) -> None:
    """Of several, only a reader can say which it frees from."""
    found = facts(text)
    assert len([one for one in found.relations if one.type is RelationType.EXEMPTS]) == freed


@pytest.mark.parametrize(
    "text",
    [
        "Guests of a host other than us are met at the door.",
        "Exempt employees get no overtime.",
        "Some posts do not meet the exemption tests.",
        "It is the same app, except that it keeps the keys.",
        "Say why it is not private data that is subject to this policy.",
    ],
)
def test_what_is_no_exception(text: str) -> None:
    assert of_type(facts(text), EntityType.EXCEPTION) == []


@pytest.mark.parametrize(
    ("text", "actor"),
    [
        ("Where goods come from a vendor:\n\n- Only known firms must be used.", ""),
        ("We require our suppliers to:\n\n- Pay fair wages.", "Suppliers"),
        ("During a fault that the Security Team finds, these steps must be taken:\n\n- Call.", ""),
        ("The end must be declared by the Security Team lead.", ""),
        ("Managers must:\n\n- Sign the form.", "Manager"),
        ("You must send to your manager:\n\n- The form.", ""),
        ("A list of approved vendors must be kept.", ""),
        ("Rooms, machines and personnel must be listed.", ""),
        ("Managers and staff must be trained.", "Manager, Staff"),
    ],
)
def test_who_is_bound_is_the_subject(text: str, actor: str) -> None:
    assert only(facts(text), EntityType.OBLIGATION).attributes.get("actor", "") == actor


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("Staff in Germany must register.", True),
        ("Canada employees must register.", True),
        ("For Germany, staff must register.", True),
        ("Calls must be made in U.S. business hours.", True),
        ("Staff must follow the rules on exports from Japan.", False),
        ("The E.U. Parliament must be told.", False),
    ],
)
def test_where_a_rule_applies(text: str, *, bound: bool) -> None:
    found = facts(text)
    duty = only(found, EntityType.OBLIGATION)
    places = [
        one.target
        for one in found.relations
        if one.source == duty.key
        and one.type is RelationType.APPLIES_TO
        and one.target.startswith("jurisdiction:")
    ]
    assert bool(places) is bound


@pytest.mark.parametrize(
    "text", ["Non-employees must register.", "The system agent must be updated."]
)
def test_what_only_sounds_like_a_role(text: str) -> None:
    assert of_type(facts(text), EntityType.ROLE) == []
