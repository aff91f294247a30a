"""The parts of a rule are told where its sentence is plain, and else only the sentence."""

import pytest

from core.domain.ontology import EntityType
from tests.unit.ontology.test_strict_reading import facts, of_type

RULES = (EntityType.OBLIGATION, EntityType.PROHIBITION, EntityType.PERMISSION)


@pytest.mark.parametrize(
    ("text", "action", "condition"),
    [
        (
            "In the case of a fire, wardens must count the guests.",
            "wardens count the guests",
            "In the case of a fire",
        ),
        (
            "All votes shall have a date after which no paper is counted.",
            "All votes have a date after which no paper is counted",
            "",
        ),
        ("Real data must never be used in tests.", "Real data to be used in tests", ""),
        ("If you leave, do not take papers with you.", "take papers with you", "If you leave"),
        ("Harassment will not be tolerated.", "Harassment to be tolerated", ""),
        (
            "Papers must be kept in rooms without windows.",
            "Papers to be kept in rooms without windows",
            "",
        ),
        ("You must call before noon if it rains.", "You call before noon if it rains", ""),
        ("You must decide if it is urgent.", "You decide if it is urgent", ""),
        ("You must tell us 5 days before you leave.", "You tell us 5 days before you leave", ""),
        (
            "Accounts must be closed once somebody leaves or no longer requires them.",
            "Accounts to be closed once somebody leaves or no longer requires them",
            "",
        ),
        (
            "If a case is found, the club shall act when necessary.",
            "the club act when necessary",
            "If a case is found",
        ),
        (
            "Budgets shall be sent for review by the Finance Committee.",
            "Budgets to be sent for review by the Finance Committee",
            "",
        ),
    ],
)
def test_what_a_plain_rule_asks_and_when(text: str, action: str, condition: str) -> None:
    (rule,) = [one for type_ in RULES for one in of_type(facts(text), type_)]
    about = rule.attributes
    assert (about["action"], about.get("condition", "")) == (action, condition)


@pytest.mark.parametrize(
    ("text", "modalities"),
    [
        ("The form must say why the key is required for the visit.", "must"),
        (
            "The clerk shall begin by determining what notices are required or should be sent.",
            "must",
        ),
        ("It must list all threats and risks having to do with keys, and rate them.", "must"),
        ("Funds shall go to clubs as they now stand or as they may later be changed.", "must"),
        ("Rooms allowed to be rented shall be cleaned daily.", "must"),
        ("Minutes shall be kept in English and where a guest asks, in French.", "must"),
        ("A meal should be claimed once (i.e. if you host a dinner, it is an event).", "should"),
        ("Phones may only be used for work.", "must"),
        ("Nobody shall leave papers on a desk, and will lock the door.", "must_not"),
        ("No member may sell it, and no part of the income shall go to a guest.", "must_not"),
        ("No-one will be expected to work on Sundays.", "need_not"),
        ("A report must not be longer, e.g. if you travel, than a page.", "must_not"),
        (
            "Changes are generally not allowed, except for settings that you may set, to help.",
            "must_not",
        ),
        ("A meal must be claimed here (i.e. you must not claim it again).", "must"),
        ("You should ask what the rules permit and prohibit.", "should"),
        ("It shall consist of the chairs, and members as told in Part I. Votes may vary.", "must"),
        ("Papers must be sent to papers@example.ie", "must"),
        (
            "This should be billed each month and should not be claimed on the form.",
            "should, should_not",
        ),
        ("We cannot and do not allow it.", "must_not"),
        ("I will lock my phone and will not lend it.", "must_not"),
        ("Our code explains that bribery is not allowed.", "must_not"),
        ("Drafts must be read and, if needed, changed.", "must"),
        ("Tests are required if the code cannot be read.", "must"),
        ("Staff must use tools that can encrypt files.", "must"),
        ("You should begin with the point your readers should take home.", "should"),
        ("We expect that you have a good reason you need to travel.", "should"),
        ("They must answer within the time they have been allowed.", "must"),
        (
            "Leads must name the risks which need to be met before the start, and the others.",
            "must",
        ),
        ("No, you must pay by card.", "must"),
        ("A: You must send the form.", "must"),
        ("Displays are only allowed for engineers.", "may"),
        ("Legal is responsible for the review.", "must"),
        ("The company prohibits fraud and will act on it.", "must_not"),
        ("There is no need to print it.", "need_not"),
        ("We do not expect you to pay it back.", "need_not"),
        ("Subject to review under rule 2, the Finance Committee may review these terms.", "may"),
        ("The terms shall set the purpose, the price, and how the money may be used.", "must"),
        ("Holders should be aware that payments can be read by others.", "should"),
        ("The club shall not be obliged to pay.", "need_not"),
        ("For all risks that require care, a date must be set.", "must"),
        ("Users must take care that the data cannot be read.", "must"),
        ("Pages may not be used for ends prohibited by law.", "must_not"),
        ("Leads must tell all, train some if needed, and write a report.", "must"),
        ("Keys are secret and should not be shared.", "should_not"),
        ("Employees who travel by train must insure it.", "must"),
        ("In deciding on a gift, employees must ask.", "must"),
        ("The form must have a date and a letter confirming the trip is allowed.", "must"),
        ("Staff must be open, at which point the talk may end.", "must"),
        ("Harassment does not need to be seen.", "need_not"),
        ("You are entitled to leave for a child born on or after 15 December 1999.", "may"),
        ("No cards can be issued.", "must_not"),
    ],
)
def test_a_rule_of_many_parts_is_told_by_its_sentence(text: str, modalities: str) -> None:
    found = [one.attributes for type_ in RULES for one in of_type(facts(text), type_)]
    assert ", ".join(one["modality"] for one in found) == modalities
    assert all("action" not in one and one["sentence"] == text for one in found)


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("You should accept nothing from a supplier.", "should_not"),
        ("Staff must tell nobody.", "must_not"),
        ("Staff must have no debts.", "must_not"),
        ("Staff must pay no more than EUR 50.", "must"),
        ("You must ensure no one is hurt.", "must"),
    ],
)
def test_an_act_without_an_object_is_forbidden(text: str, modality: str) -> None:
    found = [one.attributes for type_ in RULES for one in of_type(facts(text), type_)]
    assert [one["modality"] for one in found] == [modality]


@pytest.mark.parametrize(
    ("text", "actor", "action"),
    [
        ("Employees and contractors must return it.", "Employees, Contractors", "return it"),
        ("The Legal Department must ask.", "Legal Department", "ask"),
        ("Before you meet staff, you must ask.", "", "you ask"),
        ("Members of the club and staff must pay.", "", "Members of the club and staff pay"),
        ("New employees must register.", "", "New employees register"),
    ],
)
def test_an_actor_is_the_whole_subject(text: str, actor: str, action: str) -> None:
    """Else the subject stays with the act."""
    (rule,) = [one for type_ in RULES for one in of_type(facts(text), type_)]
    about = rule.attributes
    assert (about["action"], about.get("actor", "")) == (action, actor)
