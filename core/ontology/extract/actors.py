"""Whom a rule binds, where the words that say so name roles and nothing else."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.ontology.extract.clauses import FRONTED, main_clauses, without_brackets
from core.ontology.extract.roles import RoleMention, find_roles

_PASSIVE = re.compile(
    r"\s*(?:\w+ly )?(?:not )?be(?:en)? (?:\w+ly )?(?!(?:pre-?)?approved|authori[sz]ed|granted)"
    r"(?:\w+(?:ed|en|wn|ne|de|pt|ld|nt|ut)|kept|held|made|paid|sent|read|set|met)\b"
    r"(?:(?!\b(?:unless|before|after|if|when|until|without|where|that|which|who|upon|once|and"
    r"|or)\b)[^,;:.]){0,160}?\bby (?:the |an? |their |its |each )?"
    r"(?:relevant |appropriate |responsible |respective |direct |designated |applicable )?",
    re.IGNORECASE,
)
"""A passive verb phrase up to its agent, in one clause; who approves is not who is bound."""
_OF_A_NOUN = re.compile(
    r"\b(?:for|upon|after|under|pending|subject to) (?:[\w'\u2019-]+ ){0,2}(?:\w+(?:tion|ment|al"
    r"|ing|sion|ance)"
    r"|reviews?|use|signature|vote) by (?:\w+ ){0,2}\Z",
    re.IGNORECASE,
)
"""Before the agent of a noun, and not of the verb ("returned for examination by the Committee")."""
_RECEIVES = re.compile(
    r"\s*(?:also |first )?be (?:\w+ly )?(?:provided|assigned|given|informed|notified|offered|issued"
    r"|told|advised|sent|paid|granted|reimbursed|supplied|screened|vetted|appointed"
    r"|designated|elected|nominated)\b",
    re.IGNORECASE,
)
"""After those to whom something is done ("employees shall be provided with gloves")."""
_HEADS_ITS_PHRASE = re.compile(
    r"\s*(?:$|[^\w\s]|(?:and|or|nor|who|whom|whose|that|which|of|in|on|at|with|within|without|from"
    r"|for|to|by|as|under|outside|if|when|where|whenever|is|are|do|does|will|must|may|shall|should"
    r"|can|not|never|then|also|both|each|all|only|alone|themselves|himself|herself|\w+(?:ed|ing"
    r"|ly))"
    r"\b)",
    re.IGNORECASE,
)
"""After a role that is who is spoken of, and not what kind of thing is ("vendor contracts")."""
_DEMANDED = re.compile(
    r"(?:requires?|expects?)\s(?P<whom>(?:[\w'\u2019-]+\s){1,8}?)to\b", re.IGNORECASE
)
"""Of whom something is demanded ("we require all suppliers to")."""
_SAID_OF = re.compile(
    r"\b(?:which|that|who|whom|whose)\s[^,;]{1,160}\Z|\b(?:including|such as|like)\s[^.;]{1,300}\Z"
    r"|\([^()]{0,80}\Z",
    re.IGNORECASE,
)
"""Before a role that is only named among others, or of whom something else is said."""
_DEPENDENT = re.compile(
    r"(?:\b(?:of|by|from|to|for|with|in|on|at|against|under|between|such as|like|including"
    r"|encourages?|asks?|allows?|permits?|enables?|helps?|reminds?|informs?|audits?|trains?)\b"
    r"|[\w]['\u2019]s?)"
    r"(?:\s(?:the|an?|each|any|all|its|their|our|relevant|both|every))*"
    r"(?:\s(?!(?:and|or)\b)[\w-]+){0,2}\s*$",
    re.IGNORECASE,
)
_JUST_NAMES = re.compile(
    r"(?:\W|\b(?:all|any|each|every|the|our|an?|both|its|their|your|and|or|as well as|of|these"
    r"|relevant|responsible|respective|appropriate|designated|authori[sz]ed|applicable|company"
    r"|will|shall|also|no|may|must|can|should|never|\w+ly)\b)*",
    re.IGNORECASE,
)
"""What stands between roles that are all bound."""


def actor_of(
    subject: str, trigger: str, after: str, lead_in: str, known: Mapping[str, str]
) -> RoleMention | None:
    """Return the role of which a norm speaks; whether that is who is bound, `bound_by` says.

    It is named in the subject, as the agent of a passive, or in what introduces the statement.
    """
    own = after_case(subject.strip())
    demanded = _DEMANDED.match(f"{trigger}{after}")
    if demanded:
        return next(iter(find_roles(demanded["whom"], known)), None)
    for text in (own, trigger):
        for role in find_roles(text, known):
            is_owner = text[role.end :].startswith(("'", "\u2019"))
            if text is own and _RECEIVES.match(after):
                break  # whoever gives it is bound
            if (
                not is_owner
                and _HEADS_ITS_PHRASE.match(text, role.end)
                and not _DEPENDENT.search(text[: role.start])
                and not _SAID_OF.search(text[: role.start])
            ):
                return role
    passive = _PASSIVE.match(after)
    if passive and not _OF_A_NOUN.search(passive[0]):
        roles = find_roles(after[passive.end() : passive.end() + 60], known)
        behind = after[passive.end() + roles[0].end :] if roles else ""
        if (
            roles
            and roles[0].start <= 1
            and behind[:1] not in {"'", "\u2019"}
            and _HEADS_ITS_PHRASE.match(behind)
        ):
            return roles[0]
    return _actor_of_lead_in(lead_in, known)


@dataclass(frozen=True, slots=True)
class BoundActors:
    """Whom a norm binds."""

    actors: tuple[RoleMention, ...] = ()
    """In order; empty if the words that say so name more or others than roles."""
    is_subject: bool = False
    """True if the actors are the whole subject of its clause."""


def bound_by(
    spoken_of: RoleMention | None,
    *,
    subject: str,
    trigger: str,
    after: str,
    lead_in: str,
    known: Mapping[str, str],
) -> BoundActors:
    """Return who a norm binds, if the words that say so name roles and nothing else.

    "Employees who travel", "the head of Sales or a deputy" and "new employees" are others than
    the role that they name.

    Args:
        spoken_of: The role of which the norm speaks.
        subject: What stands before the modal expression.
        trigger: The modal expression, which may have the subject in it ("no employee may").
        after: What follows it.
        lead_in: What introduces the statement, where that says who is bound.
        known: Abbreviations of roles.
    """
    if spoken_of is None:
        return BoundActors()
    demanded = _DEMANDED.match(f"{trigger}{after}")
    own = demanded["whom"] if demanded else after_case(subject.strip())
    for text in (own, trigger, _subject_of_lead_in(lead_in)):
        named = find_roles(text, known)
        if any(role.key == spoken_of.key for role in named):
            whole = _are_all(text, named)
            return BoundActors(named if whole else (), whole and text is own and not demanded)
    return BoundActors((spoken_of,))  # who does what is done: "flagged by the Manager"


def _are_all(text: str, named: Sequence[RoleMention]) -> bool:
    """Return whether a text names roles, and says nothing else of them."""
    for role in reversed(named):
        text = f"{text[: role.start]} {text[role.end :]}"
    return _JUST_NAMES.fullmatch(text) is not None


def _actor_of_lead_in(lead_in: str, known: Mapping[str, str]) -> RoleMention | None:
    """Return the subject of what introduces a list, if it is a role."""
    subject = _subject_of_lead_in(lead_in)
    for role in find_roles(subject, known):
        if _HEADS_ITS_PHRASE.match(subject, role.end) and not _DEPENDENT.search(
            subject[: role.start]
        ):
            return role
    return None


def after_case(text: str) -> str:
    """Return a text without the condition that it begins with."""
    fronted = FRONTED.match(without_brackets(text))
    return text[fronted.end() :] if fronted else text


def _subject_of_lead_in(lead_in: str) -> str:
    """Return what stands before the verb of what introduces a list."""
    triggers = [clause.trigger for clause in main_clauses(lead_in) if clause.trigger is not None]
    whole = lead_in[: triggers[0].char_start] if triggers else lead_in
    return after_case(whole)
