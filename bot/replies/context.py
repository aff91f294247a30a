"""What a reply is rendered with besides what is stored: links to policies, and where it goes.

The library is the only source of links in a reply.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from urllib.parse import quote

from bot.replies.notices import NAME
from bot.replies.safe_text import is_trusted
from core.config.settings import Settings
from core.domain.ontology import SectionRef
from core.ports.starters import StarterSet

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
    console: str | None = None
    """Address of the officers' console, without a path; None: there is none."""

    def url(self, place: SectionRef) -> str | None:
        """Return where a section can be opened; None if nowhere, or elsewhere."""
        shelf = self.shelves.get(place.policy_key)
        if shelf is None or shelf.url is None:
            return None
        eid = quote(place.eid[:LONGEST_EID], safe="", errors="ignore")
        url = f"{shelf.url}#{eid}" if eid else shelf.url
        return url if is_trusted(url, self.hosts) else None

    def page(self, path: str) -> str | None:
        """Return the address of a page of the officers' console; None: there is none."""
        return None if self.console is None else f"{self.console.rstrip('/')}{path}"

    def owner(self, place: SectionRef) -> str | None:
        """Return who answers for the policy of a section."""
        shelf = self.shelves.get(place.policy_key)
        return shelf.owner if shelf else None

    def sensitivity(self, place: SectionRef) -> Sensitivity | None:
        """Return how the policy of a section is classified."""
        shelf = self.shelves.get(place.policy_key)
        return shelf.sensitivity if shelf else None


def library_of(settings: Settings) -> Library:
    """Return the links that the settings allow."""
    hosts = frozenset((settings.link_hosts or "").split(",")) - {""} | settings.speak_up.hosts
    return Library(console=settings.console_url, hosts=hosts)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderContext:
    """Where a reply goes, and what may be offered there."""

    library: Library = field(default_factory=Library)
    """Links and owners of policies, and how sensitive they are."""
    asker: str = ""
    """The platform's id of who asked; empty if nobody is to be named."""
    asker_name: str = ""
    """The name by which Teams mentions the asker; empty: nobody is mentioned there."""
    has_file: bool = False
    """True: something was attached to the question, and the reply says that it was not read."""
    is_public: bool = False
    """True: others than the asker read it."""
    may_share: bool = False
    """True: the asker may share the answer in the channel from which it was asked."""
    starters: StarterSet | None = None
    """Questions to begin with; None: not known."""
    app_name: str = NAME
    """What the app is called."""
    zone: tzinfo = UTC
    """Of who reads it, for times in texts that no client writes in its own; else of the officers'
    calendar."""
    tenant: str = ""
    """Where it is posted: people of this workspace or tenant alone can be mentioned."""
    people: Mapping[str, str] = field(default_factory=dict[str, str])
    """Teams' ids of who reads it, by name in lower case: of those whose name nobody else has."""
    officers: tuple[str, ...] = ()
    """Teams' ids of officers, for whom the card of a case is kept fresh; 60 at most are used."""
