"""Whom a policy applies to, and what it replaces."""

import re
from dataclasses import dataclass

from core.ontology.extract.statements import Statement

_APPLIES = re.compile(
    r"\b(?:policy|supplement|rules?|rulebook|code|guidelines?|standard"
    r"|procedure)\b[^.]{0,40}\b(?:applies"
    r"|is binding|is mandatory|extends|covers|is applicable)\b(?!\s+not\b)",
    re.IGNORECASE,
)
_NOT = re.compile(r"\bdoes not (?:apply|cover|extend)\b|\bnot apply\b", re.IGNORECASE)
_REPLACES = re.compile(
    r"\b(?:replaces?|supersedes?|superseding|replacing)\s+(?:the\s+|all\s+)?"
    r"(?:(?P<title>(?:[A-Z][\w&-]*\s)(?:[\w&-]+\s){0,6}?(?:Policy|Procedure|Code|Rulebook"
    r"|Guidelines?))\s*,?\s*)?"
    r"(?:\(?(?:version|v\.?|edition)\s*(?P<version>\d+(?:\.\d+)*))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded:
    """What a policy replaces."""

    title: str
    """Title of another policy; empty for an earlier version of the same."""
    version: str
    """Label of the version; empty if unsaid."""


def applies_to(statement: Statement) -> bool:
    """Say whether a statement, or the list it is in, says whom the policy applies to."""
    if _NOT.search(statement.sentence):
        return False
    return _APPLIES.search(statement.sentence) is not None


def superseded_by(statement: Statement) -> Superseded | None:
    """Return what a statement says the policy replaces, or None."""
    match = _REPLACES.search(statement.words)
    if match is None or not (match["title"] or match["version"]):
        return None
    return Superseded(title=match["title"] or "", version=match["version"] or "")
