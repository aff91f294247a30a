"""What strict readers of other people's policies turned away is read as they read it.

Each sentence is ours, in the form of one that they called wrong.
"""

import pytest

from core.domain.ontology import EntityType, RelationType
from core.ontology.extract.roles import find_roles
from tests.unit.ontology.test_strict_reading import facts, of_type, only

RULES = (EntityType.OBLIGATION, EntityType.PROHIBITION, EntityType.PERMISSION)
NUMBERS = (EntityType.THRESHOLD, EntityType.DEADLINE)


@pytest.mark.parametrize(
    "text",
    [
        "This step cannot be undone.",
        "No one can predict what a court will say.",
        "We cannot guarantee that the event is safe.",
        "They have no way out, meaning they cannot leave the room.",
        "You may or may not need to sign again.",
        "The club reserves the right to prohibit visits.",
        "The company reserves the right to require a note.",
        "Do not expect to work longer on most days.",
        "We expect most chairs to last ten years.",
        "Our aim is to be the first choice of our members.",
        "It is our aim that rules should help people.",
        "It is not a foregone conclusion that a breach must be told.",
        "Not all papers are expected to be kept.",
        "You will probably have to leave the room.",
        "Your laptop should be ready on the first day.",
        "The public should know what is removed.",
        "Our staff will be able to answer.",
        "You may be entitled to sick pay.",
        "Share it with people who need it and are authorised to see it.",
        "See the form (login required).",
        "N/A = Not Required",
        "The board shall have the discretion to grant leave.",
        "Keys must not be used for any;",
        "We care for customers who should not feel discouraged.",
        "Clients are responsible for telling the press at the client's discretion.",
        "Unless allowed in writing, such activities are prohibited.",
        "If you are asked to, don't do it.",
        "You should receive a card 3 weeks after your request.",
        "To follow the law may not be sufficient.",
        "Some letters may not require a reply.",
        "A quick medium often requires an answer at once.",
        "This page lists rules, as allowed for by the statutes.",
        "The purpose of this policy is to define the terms that a race must meet to be held.",
        "This is a form (which may, in any case, be required before the start).",
        "Regular assessments are carried out for compliance against this policy.",
        "It should be noted that each case counts.",
        "You'll be advised of the reason.",
        "Breaches by staff may carry consequences.",
        "If any place is closer than that, then",
        "Delegates must send the following information:\n\n- A type is given to all large races.",
        "You should follow these guidelines:\n\n- Post focus",
    ],
)
def test_what_only_sounds_like_a_rule(text: str) -> None:
    found = facts(text)
    assert [one.name for type_ in RULES for one in of_type(found, type_)] == []


@pytest.mark.parametrize(
    "text",
    [
        "Managers cannot authorise payments above their limit.",
        "You cannot guarantee a return to any client.",
        "Employees cannot bind the company without a signature.",
        "You should not expect privacy from either.",
    ],
)
def test_what_people_cannot_do_is_forbidden(text: str) -> None:
    assert len(of_type(facts(text), EntityType.PROHIBITION)) == 1


def test_none_of_a_second_subject_may_either() -> None:
    text = "No member may sell it, and no part of the income shall go to a guest."
    assert of_type(facts(text), EntityType.OBLIGATION) == []
    second = "Members must pay, and no part of the net income of all the clubs shall go to a guest."
    assert len(of_type(facts(second), EntityType.PROHIBITION)) == 1


def test_a_subject_without_its_beginning_makes_no_rule() -> None:
    text = "You can only take leave to see a child or to help its mother - you cannot take more."
    assert of_type(facts(text), EntityType.PROHIBITION) == []


def test_a_whole_sentence_that_points_on_introduces_its_items() -> None:
    text = "Your letter should include the following information.\n\n- The reason for the visit"
    (found,) = of_type(facts(text), EntityType.OBLIGATION)[-1:]
    assert found.attributes["sentence"].endswith("The reason for the visit")


def test_a_full_share_of_something_is_kept() -> None:
    found = only(facts("Members on leave receive 100% of their pay."), EntityType.THRESHOLD)
    assert found.attributes["value"] == "100"


@pytest.mark.parametrize(
    "text",
    [
        "Flights should be booked early.\n\n- Parking is paid for as well.",
        "Employees may ask for it using the following process:\n\n- The clerk opens a case.",
        "Tell us by one of these:\n\nThe channel must be one of the following:\n\n- Letter",
        "You should send it to:\n\n- your manager, or\n- the clerk of the club",
        "The result should be one of the following conclusions:\n\n- The loss requires a letter.",
        "Your request must include:\n\n- Optional: a picture of the room",
        "The process requires that:\n\n- Details are described in the annex below.",
    ],
)
def test_an_item_that_is_no_rule_by_itself(text: str) -> None:
    found = facts(text)
    rules = [one for type_ in RULES for one in of_type(found, type_)]
    assert [one.name for one in rules if len(one.spans) > 1] == []


@pytest.mark.parametrize(
    "text",
    [
        "Note that besides the $35 fee there may be other costs.",
        "In addition to the 40% that is paid first, members must sign.",
        "The price is EUR 40 a night and must be paid.",
        "| Expense | Price |\n|---|---|\n| Dinner | EUR 40 |",
        "The tool is 100% safe and must be used.",
        "You will receive a card 4 weeks after the day on which you enrol.",
        "An automated reminder is sent 3 days before the course ends.",
        "It is expected to happen within 3 years if rules are not kept.",
        "At least one-half of the members must agree.",
        "Leave may start no sooner than 15 days before the birth.",
    ],
)
def test_a_number_that_limits_nothing(text: str) -> None:
    found = facts(text)
    assert [one.attributes["value"] for type_ in NUMBERS for one in of_type(found, type_)] == []


@pytest.mark.parametrize(
    ("heading", "comparison"),
    [
        ("Maximum amount", "at_most"),
        ("Limit per day", "at_most"),
        ("Minimum", "at_least"),
        ("Costs over", "above"),
    ],
)
def test_the_heading_of_a_column_compares_its_amounts(heading: str, comparison: str) -> None:
    text = f"| Expense | {heading} |\n|---|---|\n| Dinner | EUR 40 |"
    assert only(facts(text), EntityType.THRESHOLD).attributes["comparison"] == comparison


@pytest.mark.parametrize(
    "text",
    [
        "You will receive a letter and must reply within 3 days.",
        "You must return the form within 3 days; you will receive a receipt.",
    ],
)
def test_a_duty_keeps_its_deadline_beside_what_comes(text: str) -> None:
    assert only(facts(text), EntityType.DEADLINE).attributes["value"] == "3"


@pytest.mark.parametrize(
    "text",
    [
        "If a gift does not exceed EUR 50, you may accept it.",
        "If a gift is not worth more than EUR 50, you may accept it.",
    ],
)
def test_what_does_not_exceed_a_sum_is_at_most_that(text: str) -> None:
    assert only(facts(text), EntityType.THRESHOLD).attributes["comparison"] == "at_most"


@pytest.mark.parametrize(
    "text",
    [
        "The company reserves the right to inspect bags, and staff must open them.",
        "You must lock the rooms that you work with.",
        "Do not assume that a gift is fine.",
    ],
)
def test_a_rule_beside_words_that_are_none_is_read(text: str) -> None:
    found = facts(text)
    assert len([one for type_ in RULES for one in of_type(found, type_)]) == 1


def test_each_item_of_a_list_with_and_or_is_a_duty() -> None:
    text = "Staff must report:\n\n- theft, and/or\n- fraud of any kind"
    assert len(of_type(facts(text), EntityType.OBLIGATION)) == 2


def test_hundred_of_a_currency_is_a_limit() -> None:
    found = only(facts("Gifts above EUR 100 must be declined."), EntityType.THRESHOLD)
    assert (found.attributes["comparison"], found.attributes["value"]) == ("above", "100")


def test_what_happens_too_often_in_a_case_limits_nothing() -> None:
    text = "If a party is not present for more than 3 hearings, the panel may decide alone."
    found = only(facts(text), EntityType.THRESHOLD)
    assert found.attributes["comparison"] == "above"


def test_a_term_that_does_not_exceed_a_time_does_not_begin_after_it() -> None:
    text = "Members shall hold office for a time not exceeding three years from their election."
    assert of_type(facts(text), EntityType.DEADLINE) == []


@pytest.mark.parametrize(
    "text",
    [
        "Refunds are not subject to income tax.",
        "The club is not a covered entity.",
        "The officer must review the exemption list.",
        "We are a tax-exempt charity.",
        "List it apart so that it does not count as working time.",
        "The travel rules take precedence.",
    ],
)
def test_what_only_sounds_like_an_exception(text: str) -> None:
    assert of_type(facts(text), EntityType.EXCEPTION) == []


@pytest.mark.parametrize(
    ("text", "type_", "related"),
    [
        ("The officer closes and approves the case.", RelationType.APPROVED_BY, False),
        ("Tools must be on devices approved by the Security Officer.", "APPROVED_BY", False),
        ("Tools must be approved by the Security Officer.", "APPROVED_BY", True),
        ("Requests must be submitted to the Compliance Officer for approval.", "REPORTS_TO", False),
        ("Deals must be submitted to the Compliance Officer for content.", "REPORTS_TO", False),
        ("No member of the Audit Committee may approve its own deal.", "APPROVED_BY", False),
        ("Plans must be submitted to the chair of the Audit Committee.", "REPORTS_TO", False),
        ("Losses must be submitted to the Audit Committee.", "REPORTS_TO", True),
        ("Nobody may disclose it to the Audit Committee.", "REPORTS_TO", False),
        ("Notify your supervisor of the date you wish to leave.", "REPORTS_TO", True),
        ("The form tells your manager that you are ill.", "REPORTS_TO", False),
    ],
)
def test_who_approves_and_who_is_told(text: str, type_: str, *, related: bool) -> None:
    """Only of rules: what another sentence says is not said of its whole section."""
    wanted = type_ if isinstance(type_, RelationType) else RelationType[type_]
    assert any(one.type is wanted for one in facts(text).relations) is related


def test_an_order_to_report_is_a_duty() -> None:
    found = only(facts("If you lose a key, notify your supervisor."), EntityType.OBLIGATION)
    assert found.attributes["condition"] == "If you lose a key"
    assert found.attributes["modality"] == "must"
    assert (
        only(facts("Please report it."), EntityType.OBLIGATION).attributes["modality"] == "should"
    )
    assert of_type(facts("Report templates are kept online."), EntityType.OBLIGATION) == []


@pytest.mark.parametrize(
    ("text", "actor"),
    [
        ("Employees shall be provided with gloves.", ""),
        ("Employees must be trained each year.", "Employees"),
        ("Access must be approved by the Security Team.", ""),
        ("Exceptions involving Directors must be reviewed twice.", ""),
        ("The club encourages employees to speak and must not punish anybody.", ""),
    ],
)
def test_who_is_bound(text: str, actor: str) -> None:
    found = facts(text)
    rules = [one for type_ in RULES for one in of_type(found, type_)]
    assert rules
    assert {one.attributes.get("actor", "") for one in rules} == {actor}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ask your project manager.", {"Project Manager"}),
        ("Ask your manager.", {"Manager"}),
        ("It starts with your window manager.", set[str]()),
        ("Work with the VP Brand and the HR Manager.", {"HR Manager"}),
        ("As our Human Resources Policy says.", set[str]()),
        ("Come to the Training Office Hours.", set[str]()),
        ("View OMB Team contacts.", {"OMB Team"}),
        ("A Code of Conduct Committee is formed.", {"Code of Conduct Committee"}),
        ("A Conduct Committee member resigned.", set[str]()),
        ("Guidelines for law enforcement personnel.", set[str]()),
        ("Signed by the Lead Tech Consultant.", set[str]()),
    ],
)
def test_offices_keep_the_words_that_tell_which(text: str, names: set[str]) -> None:
    assert {role.name for role in find_roles(text, {"HR": "Human Resources"})} == names


def test_a_company_in_brackets_is_no_definition_of_its_legal_form() -> None:
    found = facts('This is the policy of Example (Asia) Limited ("Example").')
    assert of_type(found, EntityType.DEFINITION) == []


def test_who_approved_the_policy_is_told_of_the_policy() -> None:
    text = "| Field | Value |\n|---|---|\n| Approved by | Audit Committee |"
    found = [one for one in facts(text).relations if one.type is RelationType.APPROVED_BY]
    assert [one.source.partition(":")[0] for one in found] == ["policy"]


@pytest.mark.parametrize(
    ("text", "modalities"),
    [
        ("Each employee shall be entitled to ten days of leave.", {"may"}),
        ("Leave can be taken by staff when a child is ill and requires care.", {"may"}),
        ("The terms shall set the purpose and how employees may use it.", {"must"}),
        ("The form must say why employees may use the key.", {"must"}),
        ("Employees may pick the tools and the keys they must use.", {"may"}),
        ("To see if it is bad and prohibits a visit, staff must ask.", {"must"}),
        ("Users must:\n\n- list systems they may not use", {"must"}),
        ("Staff may not and must not leave.", {"must_not"}),
        ("Guards are advised to act so:\n\n- If it is lost then it must be told.", {"must"}),
    ],
)
def test_each_clause_has_its_own_modality(text: str, modalities: set[str]) -> None:
    found = [one for type_ in RULES for one in of_type(facts(text), type_)]
    assert {one.attributes["modality"] for one in found} == modalities


@pytest.mark.parametrize(
    "text",
    [
        "Rooms cannot be booked more than 90 days in advance.",
        "The club will close promptly at 12:00.",
        "You should receive the sum by wire 2-3 weeks following your request.",
        "- Say why a rule is not met (i.e. sent later than 60 days after the visit)",
        "Fares, with fair tips (10 - 15%), are reimbursable.",
        "The charge goes up to $200 an hour after midnight.",
    ],
)
def test_numbers_that_limit_nobody(text: str) -> None:
    assert [one.name for type_ in NUMBERS for one in of_type(facts(text), type_)] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The systems manager must ask.", {"Systems Manager"}),
        ("A senior manager decides.", {"Senior Manager"}),
        ("Misuse of a staff discount card is noted.", set[str]()),
        ("It is a human resources related incident.", set[str]()),
        ("The chief financial officers of the clubs decide.", set[str]()),
        ("It is told by the University of Bath Police Department.", set[str]()),
        ("The Chair of the Audit Committee decides.", {"Audit Committee"}),
        ("Rules of the Ash & Elm Council Committee hold.", {"Ash & Elm Council Committee"}),
        ("Tell the Secretary of Department of Health & Human Services.", set[str]()),
        ("They run for other Town, Parish and County Council seats.", set[str]()),
    ],
)
def test_a_name_is_not_cut(text: str, names: set[str]) -> None:
    assert {role.name for role in find_roles(text, {})} == names


@pytest.mark.parametrize(
    "text",
    [
        "The hall cannot be used unless this is permitted by the Hall Manager.",
        "A Responsible Officer must be appointed.",
        "No member of the club or staff may approve a deal.",
        "Employees who travel by train must insure it.",
        "The chair or an employee must sign.",
        "It should be declined when travelling within the United States.",
    ],
)
def test_who_is_named_beside_a_rule_is_not_bound(text: str) -> None:
    applied = [one for one in facts(text).relations if one.type is RelationType.APPLIES_TO]
    assert applied == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Staff must not copy data except for the following cases. Delete it.\n\n- A backup", 1),
        ("Access needs at least two of the following three:\n\n- A card\n- A key", 0),
        ("They are responsible for:\n\n- Users are all who have a key.\n- Their keys", 1),
        ("The guardian must ensure that the child \u2013\n\n- is safe\n- is fed", 2),
    ],
)
def test_items_are_read_with_what_introduces_them(text: str, count: int) -> None:
    found = [one for type_ in RULES for one in of_type(facts(text), type_)]
    assert len(found) == count


def test_a_title_in_quotes_does_not_end_a_sentence() -> None:
    text = "In addition to part \u201c2. Other Duties,\u201d staff must wear a badge."
    assert only(facts(text), EntityType.OBLIGATION).attributes["sentence"] == text


@pytest.mark.parametrize(
    "text",
    [
        "Seniors have priority over juniors except as follows.",
        "Tools must not be used for other than their purpose.",
    ],
)
def test_what_excepts_nothing(text: str) -> None:
    assert of_type(facts(text), EntityType.EXCEPTION) == []


def test_a_number_before_a_number_in_words_counts_nothing() -> None:
    found = facts("You must send it at least (1) one week before the event.")
    assert of_type(found, EntityType.THRESHOLD) == []
    assert only(found, EntityType.DEADLINE).attributes["value"] == "1"
