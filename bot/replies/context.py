"""Where policies can be opened, and whose they are: the only source of links in a reply."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from bot.replies.safe_text import is_trusted
from core.domain.ontology import SectionRef

LONGEST_EID = 200
"""Characters of a section's identity that go into a link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """How a source is classified, as a platform shows it beside what quotes it."""

    name: str
    """Of the class ("Internal")."""
    description: str
    """What readers may do with it."""
    rank: int = 0
    """The highest of several sources holds for the whole reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """What is said of one policy."""

    url: str | None = None
    """Where its text can be opened, without a fragment; None if nowhere."""
    owner: str | None = None
    """Who answers for it; None if nobody is named."""
    sensitivity: Sensitivity | None = None
    """How it is classified; None if it is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """All policies, and the hosts that a reply may lead to."""

    shelves: Mapping[str, Shelf] = field(default_factory=dict[str, Shelf])
    """By the policy's key."""
    hosts: frozenset[str] = frozenset()
    """Lower case; an address elsewhere is never live, whoever stored it."""

    def url(self, place: SectionRef) -> str | None:
        """Return where a section can be opened; None if nowhere, or elsewhere."""
        shelf = self.shelves.get(place.policy_key)
        if shelf is None or shelf.url is None:
            return None
        eid = quote(place.eid[:LONGEST_EID], safe="", errors="ignore")
        url = f"{shelf.url}#{eid}" if eid else shelf.url
        return url if is_trusted(url, self.hosts) else None

    def owner(self, place: SectionRef) -> str | None:
        """Return who answers for the policy of a section."""
        shelf = self.shelves.get(place.policy_key)
        return shelf.owner if shelf else None

    def sensitivity(self, place: SectionRef) -> Sensitivity | None:
        """Return how the policy of a section is classified."""
        shelf = self.shelves.get(place.policy_key)
        return shelf.sensitivity if shelf else None
