"""Roles and countries that a text names: a claim may name only those that its sources name."""

import re
from collections.abc import Sequence

from core.domain.jurisdictions import country_name, jurisdictions_in

_HEADS = (
    "Officer|Manager|Director|Committee|Counsel|Department|Board|Team|Head|Council|Office|Desk"
    "|Controller|Partner|Lead|Supervisor|Auditor|Secretary|Executive|President|Ombudsman"
)
_TITLED = re.compile(
    rf"\b(?:(?:[A-Z][\w&-]*|of|and|the)\s+){{0,5}}(?:{_HEADS})s?\b"
    r"(?:\s+of\s+(?:the\s+)?[A-Z][\w&-]*(?:\s+[A-Z][\w&-]*)*)?"
    r"|\b(?:C[A-Z]{1,2}O|CISO|DPO|MLRO)\b"
)
_PLURAL = re.compile(rf"\b({_HEADS})s\b", re.IGNORECASE)
_OPENING = re.compile(
    r"^(?:(?:The|A|An|Each|Every|Any|No|Our|Your|If|When|Where|Unless|And|Or|of|and|the)\s+)+"
)


def missing_names(
    text: str, sources: Sequence[str], *, known: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the roles and countries that `text` names and none of `sources` does.

    Args:
        text: A claim.
        sources: Cited texts, and names that the ontology joins to them.
        known: Names of roles that are recognised in lower case too ("line manager").
    """
    around = _folded(" ".join(sources))
    flat = " ".join(text.split())
    named = {_OPENING.sub("", found.group()).strip() for found in _TITLED.finditer(flat)}
    named |= {name for name in known if _names(_folded(flat), name)}
    missing = sorted(name for name in named if name and not _names(around, name))
    stated = jurisdictions_in(" ".join(sources))
    missing += [country_name(code) for code in sorted(jurisdictions_in(text) - stated)]
    return tuple(missing)


def _folded(text: str) -> str:
    """Return the text on one line, in lower case, titles in the singular."""
    return _PLURAL.sub(r"\1", " ".join(text.split())).casefold()


def _names(folded: str, name: str) -> bool:
    """Say whether a folded text names somebody, as words of their own."""
    return re.search(rf"(?<!\w){re.escape(_folded(name))}s?(?!\w)", folded) is not None
