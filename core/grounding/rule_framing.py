"""The frame of a rule: a claim may not deny it, condition it anew, or give it to somebody else.

The words of the rule itself are the task of `polarity_kept`; these stand around them:

- denied: "It is not true that ...", "There is no rule against ...", "Some believe that ...";
- condition: "even if", "only", or a condition of which no source speaks, added to a rule;
- subject: of two clauses of one modality that name who must or may, both name the same.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.expressions import expression
from core.language.content_words import content_words, families, words
from core.language.modality import Modality, modalities

_RULE = (
    r"(?:rule|policy|section|provision|law|ban|prohibition|restriction|regulation|requirement|duty"
    r"|obligation|limit|cap)s?"
)
_DENIALS: tuple[re.Pattern[str], ...] = tuple(
    expression(rf"\b(?:{pattern})\b", re.IGNORECASE)
    for pattern in (
        r"(?:not|n['\u2019]t|never|no\s+longer|hardly|isn['\u2019]t)\s+(?:really\s+|quite\s+)?"
        r"(?:true|correct|right|accurate|the\s+case|valid|in\s+force)",
        r"(?:untrue|false|incorrect|wrong|myth|mistake|nonsense|doubtful|unclear|misunderstanding"
        r"|rumou?r)\s+(?:that|whether|to\s+(?:say|think|believe))",
        rf"no\s+(?:\w+\s+)?{_RULE}\s+(?:against|on|that|which|forbid\w*|prohibit\w*|requir\w+|says?)",
        r"nothing\s+(?:\w+\s+){0,5}?(?:forbids|prohibits|prevents|requires|stops|against|wrong)",
        r"(?:nobody|no\s+one|none)\s+(?:\w+\s+)?(?:says?|claims?|believes?|checks?|cares?)",
        r"(?:people|some|many|others|it\s+is|it['\u2019]s)\s+(?:\w+\s+)?"
        r"(?:say|said|claim|claimed|believe|believed|think|thought|assume|assumed)\s+that",
        r"(?:ignore|disregard|forget)\s+(?:that|the|this)",
        r"(?:used\s+to\s+be|formerly|until\s+recently|in\s+theory|contrary\s+to)",
    )
)

_ANYWAY = expression(
    r"\b(?:even\s+(?:if|when|though|without|with|after)|regardless(?:\s+of)?|irrespective\s+of"
    r"|no\s+matter|whether\s+or\s+not|whatever\s+(?:the|your|their|its)"
    r"|in\s+(?:every|any|all)\s+cases?|without\s+exception)\b",
    re.IGNORECASE,
)
_CONDITION_END = expression(
    r"[,;.!?](?:\s|$)|\s(?:must|may|shall|should|can|cannot|(?:has|have)\s+to)\b|$"
)
_HELD_ANYWAY = expression(
    r"\b(?:even|regardless|irrespective|no\s+matter|whether|whatever|still|always|any|all|every|also)\b",
    re.IGNORECASE,
)
"""What a source says where it holds in any case."""
_ONLY = expression(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE)
_LIMITED = expression(
    r"\b(?:only|solely|exclusively|unless|except|without|until|before|prior|must|shall|required?s?"
    r"|needs?|has\s+to|have\s+to|not|no|never|cannot|limited|other\s+than|under|up\s+to)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
"""What in a source may be told by "only"."""
_IDIOM = expression(
    r"\b(?:without\s+(?:(?:unreasonable|undue|any)\s+)?delay|once\s+(?:a|every|per))\b",
    re.IGNORECASE,
)
"""Conditions in form alone."""
_ADDED = expression(
    r"\b(?:unless|except(?:\s+(?:if|when|where|that|with))?|even\s+(?:if|when|though|without"
    r"|with)|(?:only\s+)?(?:if|when)|(?<!is\s)(?<!are\s)(?<!be\s)provided(?:\s+that)?|as\s+long\s+as"
    r"|only(?!\s+(?:\d|(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten)\b)))\b",
    re.IGNORECASE,
)
"""Conditions that are found if they are new: those that say when, not where or how."""
_NOBODY = frozenset({"nobod", "someb", "someo", "somet", "anyon", "anyth", "noth", "nothi"})
_NEARLY_ALL = 0.8
"""Share of the words of a claim, but for who acts, that the source must have."""
_MOST = 0.75
"""Share of the words before a new condition that the source must have: the rule is the source's."""
_PHRASE = expression(
    r"\b(?:about|against|at|between|by|for|from|in|of|on|that|to|under|which|who|with)\b",
    re.IGNORECASE,
)
"""What begins after a subject's noun and binds nobody ("cash from customers")."""
_ALIKE = 0.5
"""Share of an act's words from which another act is about the same."""

_STAFF = frozenset({"employee", "staff", "personnel", "worker", "colleague", "people", "person"})
_OTHERS = frozenset(
    {"contractor", "freelancer", "consultant", "intern", "apprentice", "agent", "driver", "buyer"}
    | {"manager", "supervisor", "director", "officer", "auditor", "owner", "approver", "counsel"}
    | {"committee", "board", "council", "controller", "partner", "supplier", "vendor"}
    | {"customer", "client", "visitor", "guest", "user", "candidate", "applicant", "shareholder"}
    | {"competitor", "creditor", "tenant"}
)
_ROLES = {word: word for word in _OTHERS} | dict.fromkeys(_STAFF, "employee")
"""Nouns for who acts, in the singular; one name for all who are employed."""


@dataclass(frozen=True, slots=True)
class _Ruled:
    """A clause with who must or may."""

    modality: Modality
    """What it makes of the act."""
    roles: frozenset[str]
    """Whom it binds; empty if it names nobody."""
    words: frozenset[str]
    """The act."""


def framing_kept(claim: str, sources: Sequence[str]) -> str | None:
    """Say how `claim` denies, conditions or assigns a rule otherwise than its sources, or None."""
    if any(_folded(claim) in _folded(source) for source in sources):
        return None
    claim = _IDIOM.sub(" ", claim)
    joined = "\n".join(sources)
    return (
        _denied(claim, joined)
        or _conditioned(claim, joined)
        or _added(claim, joined)
        or _assigned(claim, joined)
    )


def _denied(claim: str, source: str) -> str | None:
    for pattern in _DENIALS:
        found = pattern.search(claim)
        if found and not pattern.search(source):
            return f"no source says {found[0]!r}"
    return None


def _conditioned(claim: str, source: str) -> str | None:
    if _ANYWAY.search(claim) and not _HELD_ANYWAY.search(source):
        return "no source says that it holds in any case"
    if _ONLY.search(claim) and not _LIMITED.search(source):
        return "no source says 'only'"
    return None


def _added(claim: str, source: str) -> str | None:
    """Name a condition of which the source says nothing, added to a rule that it has."""
    there = families(source)
    for match in _ADDED.finditer(claim):
        end = _CONDITION_END.search(claim, match.end())
        said = claim[match.end() : end.start() if end else len(claim)]
        about, rule = families(said) - _NOBODY, families(claim[: match.start()])
        if about and rule and not about & there and len(rule & there) >= _MOST * len(rule):
            return f"no source says {match[0]}{said!r}"
    return None


def _assigned(claim: str, source: str) -> str | None:
    said = families(claim) - families(" ".join(_OTHERS | _STAFF))
    if len(said & families(source)) < _NEARLY_ALL * len(said):
        return None
    known = tuple(_ruled(source))
    for one in _ruled(claim):
        shares = [(_share(one.words, other.words), other) for other in known if _same(one, other)]
        best = max((share for share, _ in shares), default=0.0)
        nearest = [other for share, other in shares if share == best >= _ALIKE]
        if one.roles and nearest and all(_differ(one, other) for other in nearest):
            return f"claim is about {_list(one.roles)}, source about {_list(nearest[0].roles)}"
    return None


def _same(one: _Ruled, other: _Ruled) -> bool:
    return one.modality is other.modality


def _differ(one: _Ruled, other: _Ruled) -> bool:
    """Say whether two clauses name who they bind, and not the same."""
    return bool(other.roles) and not one.roles & other.roles


def _ruled(text: str) -> Iterator[_Ruled]:
    """Yield the main modal clauses of a text with the roles in their subjects."""
    for clause in modalities(text):
        if clause.trigger is None or clause.is_subordinate:
            continue
        subject = clause.lead_in or clause.subject
        before = text[clause.span.char_start : clause.trigger.char_end]
        said = subject.of(text) if subject else before.rpartition(",")[2]
        rest = text[clause.trigger.char_end : clause.span.char_end]
        yield _Ruled(clause.modality, _roles(_PHRASE.split(said)[0]), content_words(rest))


def _roles(text: str) -> frozenset[str]:
    found = {_ROLES.get(word) or _ROLES.get(word.removesuffix("s")) for word in words(text)}
    return frozenset(role for role in found if role is not None)


def _list(roles: frozenset[str]) -> str:
    return " and ".join(sorted(roles))


def _share(wanted: frozenset[str], other: frozenset[str]) -> float:
    return len(wanted & other) / len(wanted) if wanted else 0.0


def _folded(text: str) -> str:
    return f" {' '.join(words(text))} "
