"""Who a text speaks of: groups of staff, and people outside with whom staff deal.

Policies and askers use different words for the same people ("public official", "civil servant"), so
words are gathered under one name each.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

STAFF = "employee"
"""Everybody who is employed: no group of its own."""

_GROUPS = """
employee: employee, staff, personnel, staff member, member of staff, team member, worker, workforce
contractor: contractor, freelancer, freelance, consultant, agency worker, temp, temporary worker,
    temporary employee, temporary staff, external worker, external staff, contingent worker,
    independent contractor, contract worker, contracting teammate, contract staff
intern: intern, apprentice, trainee, working student, student worker
manager: manager, supervisor, boss, team lead, line manager, people manager, superior, team leader
executive: executive, director, board member, senior management, board, trustee, ceo, cfo,
    board of directors, senior manager, senior leader, member of the board
part-timer: part-time employee, part-timer, part-time worker, part-time staff, part-time,
    part time employee, part time
newcomer: new hire, new joiner, new employee, new starter, new team member, newcomer
remote worker: remote worker, remote employee, teleworker, home worker, remote staff
volunteer: volunteer
driver: driver, chauffeur
buyer: buyer, procurement staff, purchasing staff
developer: developer, programmer, software engineer, engineer
sales staff: sales staff, sales representative, sales rep, salesperson, sales team, sales people
trader: trader, dealer
recruiter: recruiter, hiring manager, interviewer
researcher: researcher, scientist
pilot: pilot, crew member, cabin crew
nurse: nurse, physician, clinician
teacher: teacher, lecturer
student: student
non-exempt employee: non-exempt employee, nonexempt employee, hourly employee, hourly worker
exempt employee: exempt employee, salaried employee
"""
_OUTSIDE = """
public official: public official, government official, foreign official, civil servant,
    public servant, government employee, public sector, public office holder, public office,
    public body, government agency, public authority, politician, state official,
    official of a government, foreign public official, minister, mayor, councillor, diplomat,
    police officer, customs officer, government body, government entity, public employee,
    officials, state-owned, state-owned company, state-owned enterprise, member of parliament,
    elected official, civil service, council member, government customer, government client
authority: regulator, regulatory authority, supervisory authority, authorities, law enforcement,
    police, prosecutor, court, tax office
supplier: supplier, vendor, seller, service provider, subcontractor, bidder, tenderer
customer: customer, client, purchaser
partner: business partner, intermediary, distributor, reseller, agent, joint venture partner,
    commercial partner, business associate, business relation, partner
competitor: competitor, rival, competing company
relative: relative, family, family member, spouse, wife, husband, brother, sister, son, daughter,
    mother, father, parent, child, kid, cousin, aunt, uncle, nephew, niece, in-law, brother-in-law,
    sister-in-law, mother-in-law, father-in-law, girlfriend, boyfriend, fiance, domestic partner,
    relation, mom, mum, dad, grandparent, grandmother, grandfather, household
friend: friend, acquaintance
colleague: colleague, coworker, co-worker, teammate, workmate, fellow employee, peer
journalist: journalist, press, media, reporter
charity: charity, ngo, nonprofit, non-profit, charitable organisation, charitable organization
political party: political party, political candidate, political campaign, political organisation,
    political organization
applicant: applicant, job applicant, job candidate, candidate
investor: investor, shareholder
visitor: visitor, guest
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COVERING = _words(
    "anyone anybody everyone everybody nobody person people individual party outsider other"
    " whoever entity someone somebody stakeholder external"
)
"""Words that mean everybody outside, or nobody in particular."""
_ALL_STAFF = _words(
    "anyone anybody everyone everybody nobody person people individual personnel workforce whoever"
    " user all each"
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_BEFORE = re.compile(
    r"(?<!\w)(?:(?P<by>from|to|with|for|by|as|of|towards?|between|among|at|on behalf of)\s+)?"
    r"(?P<a>(?:an?|the|my|our|your|his|her|their|any|some|another|other|one|every|each|no|"
    r"this|that|these|those)\s+)?$",
    re.IGNORECASE,
)
"""A preposition and a determiner at the end of what stands before a noun."""
_REACH = 40
"""Characters before a noun that are read for them."""
_LONGEST = 5
"""Words of the longest name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Where a text names a kind of people."""

    name: str
    """The kind, by its first name ("public official")."""
    is_outside: bool
    """True: people outside, with whom staff deal; False: a group of staff."""
    start: int
    """First character of the noun, its determiner included."""
    end: int
    """Character after it."""
    noun_start: int
    """First character of the noun itself."""
    noun: str
    """The noun as written, without the determiner."""
    determiner: str
    """What stands right before it ("your"), in lower case; empty if nothing does."""
    preposition: str
    """What stands before it ("from"), in lower case; empty if nothing does."""


def _singular(word: str) -> str:
    """Return a noun in the singular, and in lower case, without its possessive."""
    word = word.casefold().replace("\u2019", "'").removesuffix("'s").removesuffix("'")
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("wives", "wife")):
        if word.endswith(ending):
            return word.removesuffix(ending) + rest
    return word if word.endswith(("ss", "us", "is")) else word.removesuffix("s")


def _table(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in text.replace("\n    ", " ").strip().splitlines():
        name, _, words = line.partition(":")
        for said in words.split(","):
            yield name, tuple(_singular(word) for word in said.split())


_NAMES: dict[tuple[str, ...], tuple[str, bool]] = {
    **{said: (name, False) for name, said in _table(_GROUPS)},
    **{said: (name, True) for name, said in _table(_OUTSIDE)},
}
GROUPS = frozenset(name for name, is_outside in _NAMES.values() if not is_outside) - {STAFF}
"""The groups of staff that have rules of their own."""
_SINGULARS = frozenset({"official", "authority", "relation", "board", "press", "peer"})
"""Words that, alone, are rarely people ("official duties", "the authority to sign")."""


def mentions(text: str) -> tuple[Mention, ...]:
    """Return who a text names, in order; of names that overlap the longest."""
    found = list(_WORD.finditer(text))
    words = [_singular(match[0]) for match in found]
    named: list[Mention] = []
    at = 0
    while at < len(found):
        size = _size(words, at)
        if size == 0 or (size == 1 and found[at][0].casefold() in _SINGULARS):
            at += 1
            continue
        first, last = found[at], found[at + size - 1]
        before = _BEFORE.search(text[max(0, first.start() - _REACH) : first.start()])
        name, is_outside = _NAMES[tuple(words[at : at + size])]
        determiner = before["a"] or "" if before else ""
        named.append(
            Mention(
                name=name,
                is_outside=is_outside,
                start=first.start() - len(determiner),
                end=last.end(),
                noun_start=first.start(),
                noun=text[first.start() : last.end()],
                determiner=determiner.strip().casefold(),
                preposition=(before["by"] or "").casefold() if before else "",
            )
        )
        at += size
    return tuple(named)


def _size(words: list[str], at: int) -> int:
    """Return of how many words the longest name consists that begins at a word; 0: of none."""
    sizes = range(min(_LONGEST, len(words) - at), 0, -1)
    return next((size for size in sizes if tuple(words[at : at + size]) in _NAMES), 0)


def names_in(text: str) -> frozenset[str]:
    """Return the kinds of people that a text names."""
    return frozenset(one.name for one in mentions(text))


def synonyms(name: str) -> tuple[str, ...]:
    """Return the words for a kind of people, each in the singular."""
    return tuple(" ".join(said) for said, (own, _) in _NAMES.items() if own == name)


def covers_everybody(text: str, *, is_outside: bool) -> bool:
    """Say whether a text speaks of everybody ("anyone", "third parties"; "all personnel")."""
    wide = _COVERING if is_outside else _ALL_STAFF
    return any(_singular(match[0]) in wide for match in _WORD.finditer(text))


_OWN = re.compile(
    r"(?<!if )(?<!when )(?:\b(?:i|we)(?:\s*+(?:['\u2019]m|['\u2019]re|m\b)|\s++(?:am|are))"
    r"(?:\s+(?:an?|also|just|only|still|actually|working|currently|now|here|as)\b)*+"
    r"|\bi\s++work\s++(?:here\s++)?as(?:\s++an?)?|\A(?:\W*+(?:and|ok|but|or)\W++)?as\s++an?)\s++\Z",
    re.IGNORECASE,
)
"""What stands before a group to which a writer says that they belong ("I'm a contractor")."""


def own_group(text: str) -> str | None:
    """Return the one group of staff to which the writer of a text says that they belong."""
    told = {
        one.name
        for one in mentions(text)
        if not one.is_outside
        and _OWN.search(text[max(0, one.noun_start - _REACH) : one.noun_start])
    }
    return next(iter(told)) if len(told) == 1 else None
