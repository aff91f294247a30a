"""Facts on which rules branch.

The country and the kind of employment, in questions and in policy text.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from core.language.jurisdictions import jurisdictions_in, rules_of, without_jurisdictions

JURISDICTION = "jurisdiction"
EMPLOYMENT = "employment"

_EMPLOYMENTS: dict[str, str] = {
    "employee": r"(?:(?:i'm|i am|as|for|are|an?|any|all|permanent|full-time|part-time|two|our)"
    r"\s*+)?(?:employees?|permanent staff|staff members?)",
    "contractor": r"contractors?|freelancers?|external workers?|agency workers?",
}
_EMPLOYMENT_PATTERNS = {
    name: re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)
    for name, pattern in _EMPLOYMENTS.items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """What a text says of the country and of the kind of employment."""

    jurisdictions: frozenset[str] = frozenset()
    """ISO 3166 codes."""
    employments: frozenset[str] = frozenset()
    """`employee`, `contractor`."""

    def of(self, slot: str) -> frozenset[str]:
        """Return the values for a slot."""
        return self.jurisdictions if slot == JURISDICTION else self.employments


@lru_cache(maxsize=8_192)
def facets_of(text: str) -> Facets:
    """Read the facets of a text."""
    return Facets(
        jurisdictions=jurisdictions_in(text, with_cities=True),
        employments=frozenset(
            name for name, pattern in _EMPLOYMENT_PATTERNS.items() if pattern.search(text)
        ),
    )


def last_facets_of(parts: tuple[str, ...]) -> Facets:
    """Read the facets of a thread: for each, the last message that says something counts."""
    jurisdictions: frozenset[str] = frozenset()
    employments: frozenset[str] = frozenset()
    for part in parts:
        found = facets_of(part)
        # A country to which somebody goes is not the one whose rules hold for them.
        jurisdictions = rules_of(part) or jurisdictions
        employments = found.employments or employments
    return Facets(jurisdictions=jurisdictions, employments=employments)


def without_facets(text: str) -> str:
    """Return the text without the words that name a country or a kind of employment."""
    text = without_jurisdictions(text)
    for pattern in _EMPLOYMENT_PATTERNS.values():
        text = pattern.sub(" ", text)
    return text
