"""What a document's header says of the policy: identifier, owner."""

import re
from dataclasses import dataclass

from core.ontology.extract.policy_names import self_names
from core.ontology.extract.statements import clean

_OWNER = re.compile(
    r"^[^\w\n]*+(?:policy |document )?owner\W{0,30}[|:]\W{0,30}(?P<owner>[^|\n]{3,60})",
    re.IGNORECASE | re.MULTILINE,
)
_WITHIN = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderFacts:
    """What the header says."""

    owner: str
    """The role that answers for the policy; empty if unsaid."""
    aliases: tuple[str, ...]
    """Identifier and short names of the policy."""


def header_facts(text: str) -> HeaderFacts:
    """Read the header of a document."""
    owner = _OWNER.search(clean_lines(text[:_WITHIN]))
    return HeaderFacts(owner=owner["owner"].strip() if owner else "", aliases=self_names(text))


def clean_lines(text: str) -> str:
    """Return `text` without markup, line by line."""
    return "\n".join(clean(line) for line in text.split("\n"))
