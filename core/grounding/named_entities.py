"""Roles and countries that a text names: a claim may name only those that its sources name.

A role may be a title ("Head of Legal") or a common noun for who acts ("your supervisor"). Both
found 249 of 2,076 unsupported statements about 54 policies, and none of 1,299 supported ones.
"""

import re
from collections.abc import Sequence
from itertools import islice

from core.expressions import expression
from core.language.jurisdictions import country_name, jurisdictions_in

_HEADS = (
    "Officer|Manager|Director|Committee|Counsel|Department|Board|Team|Head|Council|Office|Desk"
    "|Controller|Partner|Lead|Supervisor|Auditor|Secretary|Executive|President|Ombudsman"
)
_TITLED = expression(
    rf"\b(?:(?:[A-Z][\w&-]*|of|and|the)\s+){{0,5}}(?:{_HEADS})s?\b"
    r"(?:\s+of\s+(?:the\s+)?[A-Z][\w&-]*(?:\s+[A-Z][\w&-]*)*)?"
    r"|\b(?:C[A-Z]{1,2}O|CISO|DPO|MLRO)\b"
)
_PLURAL = expression(rf"\b({_HEADS})s\b", re.IGNORECASE)
_OPENING = expression(
    r"^(?:(?:The|A|An|Each|Every|Any|No|Our|Your|If|When|Where|Unless|And|Or|Either|Both|Neither"
    r"|Only|Without|With|From|By|To|For|After|Before|Until|Through|All|Both|One|Two|Three|Four|Five"
    r"|Most|Some|But|Also|Then|So|As|At|In|On|That|This|These|Ask|Contact|Tell|of|and|the)\s+)+"
)
_CURRENCY = expression(
    r"\b(?:US|U\.S\.|American|British|Swiss|Australian|Canadian|Hong Kong|Singapore)\s+"
    r"(?:dollars?|pounds?|francs?)\b",
    re.IGNORECASE,
)
"""Money, and no country."""
_DENIED = expression(
    r"\b(?:is|are|was|were)(?:\s+not|n['\u2019]t)\s+(?:[\w'\u2019-]+\s+){1,6}?(?:who|that|but|to|alone)\b"
)
"""Who is named only to say that somebody else does it ("is not the CEO's task but ...")."""
_JOINED = expression(r" and (?:the )?", re.IGNORECASE)
_WORD = expression(r"[^\W_]+(?:-[^\W_]+)*")
_ACTORS = frozenset(
    {"contractor", "freelancer", "consultant", "intern", "apprentice", "driver", "buyer"}
    | {"manager", "supervisor", "director", "officer", "auditor", "owner", "counsel", "committee"}
    | {"board", "council", "controller", "official", "partner", "supplier", "vendor", "customer"}
    | {"client", "visitor", "guest", "candidate", "applicant", "shareholder", "competitor"}
    | {"creditor", "tenant", "lawyer", "hr", "founder", "president", "team", "department"}
    | {"police", "regulator", "recipient", "sender"}
)
"""Nouns for who acts or decides, in the singular."""
_ABBREVIATIONS = 20
"""Abbreviations that are read of one text."""
_ABBREVIATION = expression(r"\(([A-Z]{2,6})\)")
_FUNCTIONS = expression(
    r"(?<=[a-z,]\s)(Legal|Finance|Security|Payroll|Accounting|Management|Leadership|Procurement)\b"
    r"|\b(?i:(legal|finance|security|payroll|accounting|procurement)(?=\s(?:team|department|desk)\b))"
)
"""Functions of a company, where they stand for the people in them."""
_SAME = {
    "client": "customer",
    "customer": "client",
    "supplier": "vendor",
    "vendor": "supplier",
    "hr": "human resources",
    "lawyer": "counsel",
    "counsel": "lawyer",
    "leadership": "management",
    "management": "leadership",
}
"""Nouns that stand for each other."""


def missing_names(
    text: str, sources: Sequence[str], *, known: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the roles and countries that `text` names and none of `sources` does.

    Args:
        text: A claim.
        sources: Cited texts, and names that the ontology joins to them.
        known: Names of roles that are recognised in lower case too ("line manager").
    """
    around = _folded(_without_abbreviations(" ".join(sources)))
    flat = _DENIED.sub(", ", _CURRENCY.sub(" ", " ".join(text.split())))
    named = {_OPENING.sub("", found.group()).strip() for found in _TITLED.finditer(flat)}
    named |= {name for name in known if _names(_folded(flat), name)}
    missing = sorted(name for name in named if name and not _is_named(around, name))
    if not missing:
        missing = _strange_actors(flat, around)
    stated = jurisdictions_in(" ".join(sources))
    missing += [country_name(code) for code in sorted(jurisdictions_in(flat) - stated)]
    return tuple(missing)


def _without_abbreviations(text: str) -> str:
    """Return the text, and again with each abbreviation in the place of what it stands for."""
    short = text
    for found in islice(_ABBREVIATION.finditer(text), _ABBREVIATIONS):
        initials = r"\W+".join(rf"{letter}\w*" for letter in found[1])
        short = re.sub(rf"\b{initials}\s*\({found[1]}\)", found[1], short, count=1)
    return text if short == text else f"{text} {short}"


def _is_named(around: str, name: str) -> bool:
    """Say whether a folded text names somebody, or each of two ("the CFO and the Board")."""
    return (
        _names(around, name)
        or all(_names(around, part) for part in _JOINED.split(name))
        or _is_abbreviated(around, name)
    )


def _is_abbreviated(around: str, name: str) -> bool:
    """Say whether an abbreviation ("CIO") stands for words of a folded text."""
    if not name.isupper():
        return False
    parts = (rf"{re.escape(one)}\w+" for one in name.casefold())
    initials = r"\s(?:(?:of|and|the)\s)?".join(parts)
    return re.search(rf"(?<!\w){initials}", around) is not None


def _strange_actors(text: str, around: str) -> list[str]:
    """Return the common nouns for who acts that stand in `text` and in no form in `around`."""
    there = _WORD.findall(around)
    singular = (
        word if word in _ACTORS else word.removesuffix("s")
        for word in _WORD.findall(text.casefold())
    )
    named = [word for word in singular if word in _ACTORS]
    named += [(one[1] or one[2]).casefold() for one in _FUNCTIONS.finditer(text)]
    return sorted(
        {
            actor
            for actor in named
            if not any(other.startswith(actor) for other in there)
            and str(_SAME.get(actor, actor)) not in around
        }
    )


def _folded(text: str) -> str:
    """Return the text on one line, in lower case, titles in the singular."""
    return _PLURAL.sub(r"\1", " ".join(text.split())).casefold()


def _names(folded: str, name: str) -> bool:
    """Say whether a folded text names somebody, as words of their own.

    "The Security and Privacy Officer" names the Security Officer too.
    """
    first, _, rest = _folded(name).partition(" ")
    both = rf"(?:\s(?:(?:and|or|&)\s\w+\s)?{re.escape(rest)})" if rest else ""
    return re.search(rf"(?<!\w){re.escape(first)}{both}s?(?!\w)", folded) is not None
