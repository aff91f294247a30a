"""Who approves something or is told of it: relations to roles, from the words around them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.domain.ontology import RelationType
from core.language.text_cache import word_set, words_of
from core.ontology.extract.roles import OUTSIDE, RoleMention, find_roles

_REACH = 110
_WRITTEN = r"(?:(?:in writing|in advance|beforehand|formally|explicitly|expressly|also|first) )*"
_TO_ROLE: tuple[tuple[RelationType, re.Pattern[str]], ...] = (
    (
        RelationType.APPROVED_BY,
        re.compile(
            r"(?:(?:\A|\b(?:be|been|being|is|are|was|were|if|unless|and|or|not|get|\w+ly|first) )"
            r"(?:pre-?)?approved|\b(?:authori[sz]ed|signed off|agreed|granted|countersigned)) "
            rf"{_WRITTEN}by\b"
            r"|\b(?:approval|consent|authori[sz]ation|permission|sign-off|agreement|clearance)s?"
            r" (?:is |must be |has been )?(?:(?:obtained|given|granted|required) )?(?:of|from|by)\b"
            r"|\brequires? (?:the )?(?:prior )?(?:written )?(?:approval"
            r"|review)[^.;,]{0,40}?(?:of|from|by)\b",
            re.IGNORECASE,
        ),
    ),
    (
        RelationType.ESCALATES_TO,
        re.compile(
            r"\bescalat(?:e[sd]?|ion|ing)\b[^.;]{0,80}?\bto\b|\breferred to\b", re.IGNORECASE
        ),
    ),
    (
        RelationType.REPORTS_TO,
        re.compile(
            r"\b(?:(?<!direct )reports?|reported|reporting|disclosed?|discloses?|notified"
            r"|submit(?:s|ted)?|sent?|addressed|declare[sd]?"
            r"|(?:reports?|disclosures?|complaints?|requests?|notifications?"
            r"|declarations?)[^.;:]{0,40}?"
            r"\bmade)\b[^.;:]{0,80}?\bto\b"
            r"|\b(?:notif(?:y|ies)|inform(?:s)?|tells?|alerts?)\b"
            r"|\b(?:incidents?|breach(?:es)?|suspect(?:s|ed)?|concerns?|lost|stolen|violations?"
            r"|fraud"
            r"|compromised|emergency|accidents?|harassment|misconduct)\b[^.;]{0,120}?\bcontacts?\b",
            re.IGNORECASE,
        ),
    ),
)
_TO_ROLE_WORDS: Mapping[RelationType, frozenset[str]] = {
    RelationType.APPROVED_BY: word_set(
        "approved preapproved authorised authorized signed agreed granted countersigned approval"
        " approvals consent consents authorisation authorisations authorization authorizations"
        " permission permissions sign agreement agreements clearance clearances require requires"
    ),
    RelationType.ESCALATES_TO: word_set(
        "escalate escalates escalated escalation escalating referred"
    ),
    RelationType.REPORTS_TO: word_set(
        "report reports reported reporting disclose discloses disclosed notified submit submits"
        " submitted sen sent addressed declare declares declared made"
        " notify notifies inform informs tell tells alert alerts contact contacts"
    ),
}
"""Words of which all matches of each have one."""
_FROM_ROLE: tuple[tuple[RelationType, re.Pattern[str]], ...] = (
    (
        RelationType.APPROVED_BY,
        re.compile(
            r"^(?:['\u2019]s?)? (?:prior )?(?:written )?(?:approval|consent|permission"
            r"|authori[sz]ation"
            r"|sign-?off|review)\b(?! (?:of|from|by))"
            r"|^ (?:has|have) (?:\w+ ){0,2}?(?:approved|agreed|authori[sz]ed|consented|granted"
            r"|permitted)\b"
            r"|^ (?:approves?|may (?:approve|grant|authori[sz]e|permit)|must approve"
            r"|authori[sz]es?)\b",
            re.IGNORECASE,
        ),
    ),
)
_RELATING: frozenset[str] = word_set(
    "approval consent permission authorisation authorization sign signoff review approved agreed"
    " authorised authorized consented granted permitted approves approve authorises authorizes"
    " grant authorise authorize permit"
).union(*_TO_ROLE_WORDS.values())
"""Words of which a sentence has one that relates something to a role."""
_STOP = re.compile(
    r"[.;:]|\b(?:before|when|if|in|within|unless|is|are|must|may|for|under|who|which|has|have"
    r"|about|that|via"
    r"|using|at|on|prior|after|without|and (?:must|may|is|are|noted|then))\b"
)
_NOT_TOLD = OUTSIDE | {"Contractors", "Consultants", "Employees", "Interns", "Apprentices"}
"""To whom things are given or paid, but nothing is reported, and who approves nothing."""


_ONE_OF_THEM = re.compile(
    r"\b(?:chair(?:man|person|woman)?|head|secretary|members?|president|rest) of (?:the |our )?\Z",
    re.IGNORECASE,
)
"""Before a body that is only named to say who is told ("the chair of the committee")."""
_NOBODY = re.compile(r"\W*(?:no|nobody|none|neither|no-one)\b", re.IGNORECASE)
_FOR_APPROVAL = re.compile(
    r",? (?:[\w-]+ ){0,3}?for (?:[\w-]+ ){0,2}?(?:approval|review|consideration|signature|content"
    r"|checking|comments?|advice|input)\b",
    re.IGNORECASE,
)
"""After a role to which something is sent, and not reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleRelation:
    """A relation from the subject of a sentence to a role."""

    type: RelationType
    """APPROVED_BY, REPORTS_TO or ESCALATES_TO."""
    role: RoleMention
    """The role."""


def _asks(text: str, match: re.Match[str], role: RoleMention) -> bool:
    """Return whether somebody else is told, or only asked: a question, or to approve something."""
    if _ONE_OF_THEM.search(text, 0, role.start):
        return True
    is_contact = match[0].casefold().endswith(("contact", "contacts"))
    if is_contact and "questions" in words_of(text):
        return True
    return _FOR_APPROVAL.match(text, role.end) is not None


def role_relations_of(text: str, known: Mapping[str, str]) -> Iterator[RoleRelation]:
    """Yield the roles that approve or are notified, in a sentence without markup."""
    named = () if _RELATING.isdisjoint(words_of(text)) else find_roles(text, known)
    roles = [role for role in named if role.name not in _NOT_TOLD]
    if not roles:
        return
    for type_, pattern in _TO_ROLE:
        if _TO_ROLE_WORDS[type_].isdisjoint(words_of(text)):
            continue
        for match in pattern.finditer(text):
            stop = _STOP.search(text, match.end())
            end = min(stop.start() if stop else len(text), match.end() + _REACH)
            for role in roles:
                is_owner = text[role.end :].startswith(("'", "\u2019"))
                if match.end() <= role.start < end and not (
                    is_owner or (type_ is RelationType.REPORTS_TO and _asks(text, match, role))
                ):
                    yield RoleRelation(type=type_, role=role)
    for type_, pattern in _FROM_ROLE:
        for role in roles:
            if pattern.match(text[role.end : role.end + _REACH]) and not _NOBODY.match(text):
                yield RoleRelation(type=type_, role=role)
