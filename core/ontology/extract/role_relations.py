"""Who approves, who is told, who a matter goes up to."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.domain.ontology import RelationType
from core.ontology.extract.roles import Role, find_roles

_WRITTEN = r"(?:(?:in writing|in advance|beforehand|formally|explicitly|expressly|also|first) )*"
_TO_ROLE: tuple[tuple[RelationType, re.Pattern[str]], ...] = (
    (
        RelationType.APPROVED_BY,
        re.compile(
            r"\b(?:(?:pre-?)?approved|authori[sz]ed|signed off|agreed|granted|countersigned) "
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
            r"\b(?:reports?|reported|reporting|disclosed?|discloses?|notified|submit(?:s|ted)?"
            r"|handed over"
            r"|hand(?:s)? over|sent?|addressed|declare[sd]?|made|returned)\b[^.;:]{0,80}?\bto\b"
            r"|\b(?:notif(?:y|ies)|inform(?:s)?|tells?|contact(?:s)?|consult(?:s)?|alerts?"
            r"|ask(?:s)?)\b",
            re.IGNORECASE,
        ),
    ),
)
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
_STOP = re.compile(
    r"[.;:]|\b(?:before|when|if|in|within|unless|is|are|must|may|for|under|who|which|has|have"
    r"|about|that|via"
    r"|using|at|on|prior|after|without|and (?:must|may|is|are|noted|then))\b"
)
_REACH = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A relation from what a sentence is about to a role."""

    type: RelationType
    """APPROVED_BY, REPORTS_TO or ESCALATES_TO."""
    role: Role
    """The role."""


def links_of(text: str, known: Mapping[str, str]) -> Iterator[Link]:
    """Yield who approves or is told, in a sentence without markup."""
    roles = find_roles(text, known)
    for type_, pattern in _TO_ROLE:
        for match in pattern.finditer(text):
            stop = _STOP.search(text, match.end())
            end = min(stop.start() if stop else len(text), match.end() + _REACH)
            for role in roles:
                is_owner = text[role.end :].startswith(("'", "\u2019"))
                if match.end() <= role.start < end and not is_owner:
                    yield Link(type=type_, role=role)
    for type_, pattern in _FROM_ROLE:
        for role in roles:
            if pattern.match(text[role.end : role.end + _REACH]):
                yield Link(type=type_, role=role)
