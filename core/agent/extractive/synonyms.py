"""Words that employees use for the words of policies."""

import re
from functools import cache

from core.domain.content_words import stem

_GROUPS = """
gift present giveaway freebie
employee staff worker personnel colleague
manager boss supervisor superior lead
trip travel journey
hotel accommodation lodging
phone telephone smartphone mobile handset tablet device
laptop computer notebook pc device
lost lose loss stolen theft steal
tell inform notify report declare disclose
declare disclose declaration disclosure
keep kept retain retained retention store stored archive
destroy destruction delete deletion erase dispose disposal shred
buy purchase procure procurement
quote quotation offer bid
euro eur
pound gbp
abroad foreign
home remote remotely teleworking telework
meal dinner lunch breakfast hospitality
pay payment paid
reimburse reimbursed refund claim
expense cost spend spending
car vehicle
mileage kilometre km mile
authority regulator
client customer
vendor supplier contractor
sister brother wife husband spouse partner relative relation family daughter son mother father
job employment occupation
secondary side second outside
holiday leave vacation absence
approve approval approved permission consent authorise authorised sign-off
usb stick removable media drive
wifi wi-fi wireless network
email mail e-mail
password passphrase credential
review check reviewed recheck
often frequency every
hand submit submitted send
plug connect connected
enter record recorded entered register registered
share shares stock securities
doctor medical
buyer procurement
choose select selection
penalty sanction consequence disciplinary
begin start commence
stop end terminate
help support assistance
document paper file record
bin waste dispose
chat message messenger
ai chatgpt generative
boss manager
freelancer contractor
wage salary pay
rule policy
expire expiry
train training course
anonymous anonymously anonymity
retaliation reprisal detriment payback
whistleblower reporter
tender bid bidder
screening screen due-diligence
beneficial owner ownership
furniture desk chair table
cafe restaurant train public
call conversation talk speak
authority supervisory
authority regulator
paper document
external outside
phone call
sanction embargo
minimum least
private personal own
"""


@cache
def _groups() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _GROUPS.strip().splitlines():
        group = {stem(word) for word in re.findall(r"\S+", line)}
        for word in group:
            table.setdefault(word, set()).update(group)
    return {word: frozenset(group - {word}) for word, group in table.items()}


def alternatives(word: str) -> frozenset[str]:
    """Return stems that mean nearly the same as this stem in policies; without the stem itself."""
    return _groups().get(word, frozenset())
