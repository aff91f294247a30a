"""Who a text speaks of, and whom a rule binds: groups of staff, and people outside the company.

Policies and askers use different words for the same people ("public official", "civil servant"), so
words are gathered under one name each.

A rule may bind a group that is narrower than all staff. "Contractors must not accept any gift"
binds contractors: given to anybody else it is a wrong answer. Its addressees are read from the
subject of the binding clause, the agent of a passive one, the sentence that introduces a list, and
a heading or an introduction that consists of a group. Of 11,723 sentences of openly licensed
workplace policies 74 bind a group by these rules; one of them was read wrongly.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.expressions import expression
from core.language.content_words import content_words
from core.language.modality import ModalClause, Modality, modalities
from core.language.text_cache import cached_by_text

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
_WORD = expression(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_BEFORE = expression(
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


@cached_by_text()
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


_OWN = expression(
    r"(?<!if )(?<!when )(?:\b(?:i|we)(?:\s*+(?:['\u2019]m|['\u2019]re|m\b)|\s++(?:am|are))"
    r"(?>(?:\s+(?:an?|also|just|only|still|actually|working|currently|now|here|as)\b)*)"
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


_PHRASE = expression(
    r"\b(?:about|against|at|between|by|for|from|in|of|on|that|to|under|which|who|whose|with|without"
    r"|if|when|where|unless|before|after)\b",
    re.IGNORECASE,
)
"""What begins after a subject's noun and binds nobody ("managers of contractors")."""
_AGENT = expression(r"\b(?:be|been)\s+(?:\w+\s+){1,3}by\s+(?P<who>[^,;.]{1,60})", re.IGNORECASE)
_MARKER = expression(r"^[\s#>*_\-\u2022\u25cf]*(?:\(?[\da-zA-Z]{1,3}(?:\.\d+)*[.)]\s+)?[\s*_]*")
_ADDRESSES_YOU = expression(r"\b(?:you|they|he|she|it|this|these)\b", re.IGNORECASE)
_OPENS_CONDITION = expression(
    r"^\s*(?:if|when|where|unless|before|after|once|in case|while|as)\b", re.IGNORECASE
)
_STATES = expression(
    r"\s(?:will|would|can|might|are|is|do|does|don['\u2019]t|have|has|get|gets|receives?|earns?|accrues?|qualif(?:y|ies)"
    r"|need|needs|remain|follow|submit|count|fall|cannot|who)\b",
    re.IGNORECASE,
)
"""Verbs of sentences that state what holds for somebody."""
_OPENING = 80
"""Characters of such a sentence in which its subject ends."""
_WIDE = expression(
    r"\b(?:users?|everyone|everybody|anyone|anybody|all (?:staff|people|parties)|departments?)\b",
    re.IGNORECASE,
)
"""Subjects that leave nobody out."""
_WHOSE = frozenset({"my", "your", "his", "her", "their", "our", "this", "that"})
_ANY = frozenset({"a", "an", "any", "each", "every", "no", "another"})
_MANY = frozenset(
    {"contractor", "intern", "part-timer", "volunteer", "driver", "buyer", "newcomer"}
)
"""Groups of which nobody has just one: "the contractor" is whoever is one."""
_OF_RULES = content_words(
    "rule rules policy policies information guideline guidelines guidance additional specific"
    " instruction instructions requirement requirements provision provisions section special"
    " obligation obligations duties duty standard standards"
)
"""Words of headings that say nothing of whom they are about."""


def addressees(sentence: str, heading: str = "", lead_in: str = "") -> frozenset[str]:
    """Return the groups of staff that a rule binds; empty if it binds no particular one.

    Args:
        sentence: The rule: a sentence, a list item or a table row.
        heading: The heading that it stands under.
        lead_in: The sentence that introduces its list; empty for any other sentence.
    """
    whole = f"{lead_in}\n- {_MARKER.sub('', sentence)}" if lead_in else _MARKER.sub("", sentence)
    named = _bound(whole)
    if not any(named) and lead_in and not names_in(sentence):
        return _of_heading(lead_in)
    if not named:
        return frozenset()
    if any(named):
        groups = frozenset(name for one in named for name in one)
        return frozenset() if STAFF in groups else groups
    is_you = _ADDRESSES_YOU.search(sentence) is not None
    return _of_heading(heading) if is_you and not names_in(sentence) else frozenset()


@cached_by_text()
def _bound(text: str) -> tuple[frozenset[str], ...]:
    """Return whom each clause that binds is for; nobody for one that names nobody."""
    return tuple(_read_bound(text))


def _read_bound(text: str) -> Iterator[frozenset[str]]:
    for clause in modalities(text):
        if clause.modality is Modality.NONE:
            yield _told_of(clause.span.of(text))
        if clause.trigger is None or clause.is_subordinate:
            continue
        agent = _AGENT.search(clause.span.of(text))
        if agent:
            yield _heads(agent["who"])
        else:
            yield _heads(_subject(text, clause))


def _told_of(said: str) -> frozenset[str]:
    """Return whom a sentence without a modal verb is about ("Interns receive no allowance")."""
    verb = _STATES.search(said[:_OPENING])
    return _heads(said[: verb.start()]) if verb else frozenset()


def _subject(text: str, clause: ModalClause) -> str:
    """Return the words before the verb of a clause, without what only describes them."""
    trigger = clause.trigger
    if clause.lead_in is not None:
        said = clause.lead_in.of(text)
        end = trigger.char_start - clause.lead_in.char_start if trigger else len(said)
        said = said[: max(0, end)]
    elif clause.subject is not None:
        said = clause.subject.of(text)
    else:
        said = text[clause.span.char_start : trigger.char_start if trigger else None]
    if _OPENS_CONDITION.match(said):
        said = said.rpartition(",")[2]
    # "No contractor may" is one expression: its subject stands inside.
    return f"{said} {trigger.of(text)}" if trigger and clause.lead_in is None else said


def _heads(said: str) -> frozenset[str]:
    """Return the groups that a noun phrase is about: of "a contractor's manager", the manager.

    One person with a function ("your supervisor", "the manager") is no group.
    """
    named = mentions(said)
    ends = (one.start() for one in _PHRASE.finditer(said))
    end = next((at for at in ends if not any(one.start < at < one.end for one in named)), len(said))
    said, named = said[:end], [one for one in named if one.start < end]
    people = [one for one in named if not _is_possessive(said, one)]
    if any(one.name == "colleague" for one in people) or _WIDE.search(said):
        return frozenset({STAFF})
    return frozenset(
        one.name for one in people if not one.is_outside and (one.name == STAFF or _is_class(one))
    )


def _is_class(one: Mention) -> bool:
    """Say whether a noun means whoever is one, not one of them."""
    if one.determiner in _WHOSE or one.noun.casefold() in {"part-time", "part time"}:
        return False
    is_plural = any(word.endswith(("s", "staff", "crew")) for word in one.noun.casefold().split())
    return is_plural or one.determiner in _ANY or (one.name in _MANY and one.determiner == "the")


def _is_possessive(said: str, one: Mention) -> bool:
    end = said[one.noun_start : one.end]
    return end.endswith(("'s", "\u2019s")) or said[one.end : one.end + 1] in {"'", "\u2019"}


def _of_heading(heading: str) -> frozenset[str]:
    """Return the groups of a heading that says nothing else ("Interns", "Rules for interns")."""
    said = _MARKER.sub("", heading)
    people = mentions(said)
    named = frozenset(one.name for one in people if not one.is_outside and _is_class(one))
    left = content_words(said) - _OF_RULES
    for one in people:
        left -= content_words(one.noun)
    return frozenset() if left or STAFF in named or len(named) < len(people) else named
