"""No permission passes where the text forbids: prohibitions in many forms, and their opposites."""

import pytest

from core.grounding.support import Grounds, ungrounded

PAIRS = [
    ("Visitors must not enter the archive.", "Visitors may enter the archive."),
    ("Drivers shall not lend the van to relatives.", "Drivers can lend the van to relatives."),
    ("Staff may not sell tools of the workshop.", "Staff may sell tools of the workshop."),
    ("You cannot store food in the laboratory.", "You can store food in the laboratory."),
    ("You can't film in the changing rooms.", "Yes, you can film in the changing rooms."),
    ("Do not tape notes to the sensors.", "You may tape notes to the sensors."),
    ("Don't feed the guard dogs.", "You can feed the guard dogs."),
    ("Please do not water the plants in the atrium.", "You are free to water the atrium's plants."),
    ("Never leave a ladder unattended.", "A ladder may be left unattended."),
    ("Smoking is prohibited in the warehouse.", "Smoking is allowed in the warehouse."),
    ("Smoking is prohibited in the warehouse.", "You may smoke in the warehouse."),
    (
        "Private parcels are forbidden in the mail room.",
        "Private parcels are fine in the mail room.",
    ),
    ("It is forbidden to paint the lockers.", "It is permitted to paint the lockers."),
    ("It is strictly prohibited to duplicate keys.", "You can duplicate keys."),
    ("No employee may open the safe alone.", "An employee may open the safe alone."),
    ("No bicycles are allowed in the lift.", "Bicycles are allowed in the lift."),
    ("No one is permitted to sleep in the depot.", "Anyone is permitted to sleep in the depot."),
    ("Nobody may move the fire hoses.", "Everybody may move the fire hoses."),
    ("Under no circumstances may samples leave the site.", "Samples may leave the site."),
    ("We do not allow pets in the office.", "We allow pets in the office."),
    ("We do not permit betting at work.", "Betting at work is permitted."),
    ("We don't tolerate shouting in the ward.", "Shouting in the ward is tolerated."),
    ("The museum does not accept cash for tickets.", "The museum accepts cash for tickets."),
    (
        "Interns are not allowed to sign for deliveries.",
        "Interns are allowed to sign for deliveries.",
    ),
    ("Interns are not permitted to sign orders.", "Interns may sign orders."),
    ("Agents are not authorised to grant rebates.", "Agents are authorised to grant rebates."),
    ("Guests are not entitled to a parking space.", "Guests are entitled to a parking space."),
    ("Volunteers are barred from the control room.", "Volunteers may go into the control room."),
    ("Drones are banned above the plant.", "Drones may fly above the plant."),
    ("Drones are banned above the plant.", "Drones are allowed above the plant."),
    ("Refrain from posting pictures of patients.", "You may post pictures of patients."),
    ("Avoid wearing rings at the press.", "You can wear rings at the press."),
    ("Staff shall refrain from tipping couriers.", "Staff may tip couriers."),
    ("Decline gifts from bidders.", "You may accept gifts from bidders."),
    (
        "The use of headphones in the yard is not acceptable.",
        "Headphones are acceptable in the yard.",
    ),
    ("Sharing badges is unacceptable.", "Sharing badges is acceptable."),
    ("This policy prohibits naps on night duty.", "This policy permits naps on night duty."),
    ("The rules forbid radios in the aisles.", "Radios are permitted in the aisles."),
    ("It is against company policy to copy exam papers.", "You may copy exam papers."),
    ("Neither staff nor guests may use the roof.", "Staff and guests may use the roof."),
    ("Fees must never be paid in cash.", "Fees may be paid in cash."),
    ("Minutes may under no circumstances be recorded.", "Minutes may be recorded."),
    ("Chemicals are not to be poured into the sink.", "Chemicals may be poured into the sink."),
    ("Trainees must not drive the crane unless supervised.", "Trainees may drive the crane alone."),
    (
        "No trainee may drive the crane without a permit.",
        "Trainees may drive the crane without a permit.",
    ),
    ("Work must not begin before the gate is locked.", "Work may begin before the gate is locked."),
    (
        "Vans shall not leave the yard until they are weighed.",
        "Vans may leave before they are weighed.",
    ),
    ("Sales of scrap are not allowed.", "Sales of scrap are okay."),
    ("Only nurses may open the cabinet.", "Anyone may open the cabinet."),
    ("You are not to discuss wages of others.", "You may discuss wages of others."),
    ("Using the company logo privately isn't allowed.", "You may use the company logo privately."),
    ("Subcontractors won't be given master keys.", "Subcontractors can be given master keys."),
    ("Employees mustn't hire their relatives.", "Employees can hire their relatives."),
    ("There is a ban on candles in the offices.", "Candles are allowed in the offices."),
    ("Retaliation is not tolerated.", "Retaliation is tolerated."),
    ("Off-label advice is strictly forbidden.", "Off-label advice can be given."),
    (
        "Employees shall not, directly or indirectly, bribe inspectors.",
        "Employees may bribe inspectors.",
    ),
    ("Claims without a receipt will not be paid.", "Claims without a receipt will be paid."),
    ("The following are prohibited:\n- gambling on site", "Gambling on site is permitted."),
    ("Tenants must not:\n- sublet their storage room", "Tenants may sublet their storage room."),
    ("You may not use the pool car for holidays.", "You may use the pool car for holidays."),
    ("You may not use the pool car for holidays.", "No problem: use the pool car for holidays."),
    ("Loans to directors are not granted.", "Loans to directors are granted."),
    ("Passwords must not be shared, even with managers.", "Passwords may be shared with managers."),
]


@pytest.mark.parametrize(("source", "claim"), PAIRS)
def test_no_opposite_of_a_prohibition_passes(source: str, claim: str) -> None:
    """Whatever words forbid, and whatever words allow."""
    assert any(ungrounded(claim, Grounds(texts=source.split("\n"))).values())


@pytest.mark.parametrize("source", sorted({source for source, _ in PAIRS}))
def test_a_prohibition_bears_itself_out(source: str) -> None:
    """Quoted, with what introduces it."""
    texts = source.split("\n")
    claim = " ".join(text.removeprefix("- ") for text in texts)
    assert not any(ungrounded(claim, Grounds(texts=texts)).values())
