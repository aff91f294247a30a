"""What a reply is rendered with besides what is stored: links to policies, and where it goes.

The library is the only source of links in a reply. What is known of a policy was stored with the
answer; which hosts may be led to is the deployment's to say, now.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from urllib.parse import quote, urlsplit

from bot.replies.notices import NAME
from bot.replies.safe_text import is_trusted
from core.config.settings import Settings
from core.domain.answer import Answer
from core.domain.delivery import StoredReply
from core.domain.ontology import SectionRef
from core.domain.policy import AnswerSource
from core.language.interface.texts import Text
from core.language.languages import Language
from core.ports.starters import StarterSet

LONGEST_URL = 2_000
"""Characters of the address of a policy, beside what leads to a heading there."""
LONGEST_FRAGMENT = 300
"""Characters that lead from an address to a heading, encoded; a longer one is left out."""
CLASSES = ("Public", "Internal", "Confidential", "Strictly confidential")
"""Classes of sensitivity, from the least to the most, where the deployment names no others."""
HANDLE_ALIKE = Text(
    "Quoted from a policy that is classified “{name}”: treat it the same way.",
    "Zitat aus einer Richtlinie, die als „{name}“ eingestuft ist: Behandeln Sie es ebenso.",
)
_PDF, _MARKDOWN, _PAGES = (".pdf",), (".md", ".markdown"), (".html", ".htm", ".xhtml")
_NO_SLUG = re.compile(r"[^\w\- ]")
_IN_URLS = "-._~:/?#@!$&*+,;=%"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """How a source is classified, as a platform shows it beside what quotes it."""

    name: str
    """Of the class ("Internal")."""
    description: Text
    """What readers may do with it."""
    rank: int = 0
    """The highest of several sources holds for the whole reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """What is said of one policy."""

    url: str | None = None
    """Where its text can be opened; None if nowhere."""
    file_name: str = ""
    """Of the file that it was read from; empty if that is not known."""
    owner: str | None = None
    """Who answers for it; None if nobody is named."""
    verified_by: str | None = None
    """Who verified it; None: nobody."""
    sensitivity: Sensitivity | None = None
    """How it is classified; None if it is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """The policies of a reply, and the hosts that it may lead to."""

    shelves: Mapping[str, Shelf] = field(default_factory=dict[str, Shelf])
    """By the policy's key."""
    hosts: frozenset[str] = frozenset()
    """Lower case; an address elsewhere is never live, whoever stored it."""
    console: str | None = None
    """Address of the officers' console, without a path; None: there is none."""
    classes: tuple[str, ...] = CLASSES
    """Of sensitivity, from the least to the most."""

    def of(self, *answers: Answer | None) -> "Library":
        """Return the library with what was known of the policies of some answers."""
        told = [one for answer in answers if answer is not None for one in answer.sources]
        shelves = {one.policy_key: self._shelf(one) for one in told}
        return replace(self, shelves=shelves) if shelves else self

    def of_reply(self, reply: StoredReply) -> "Library":
        """Return the same for whatever a reply shows."""
        case, earlier = reply.case, reply.superseded
        return self.of(
            reply.answer, case.answer if case else None, earlier.answer if earlier else None
        )

    def _shelf(self, source: AnswerSource) -> Shelf:
        return Shelf(
            url=source.url,
            file_name=source.file_name,
            owner=source.owner,
            verified_by=source.verified_by,
            sensitivity=self._class(source.sensitivity) if source.sensitivity else None,
        )

    def _class(self, name: str) -> Sensitivity:
        """Return a class of sensitivity; one that is not on the list counts above all of it."""
        known = [one.casefold() for one in self.classes]
        place = name.strip().casefold()
        is_known = place in known
        name = self.classes[known.index(place)] if is_known else name.strip()
        return Sensitivity(
            name=name,
            description=HANDLE_ALIKE.format(name=name),
            rank=known.index(place) if is_known else len(known),
        )

    def url(self, place: SectionRef) -> str | None:
        """Return where a section can be opened; None if nowhere, or elsewhere."""
        shelf = self.shelf(place)
        if (base := self.trusted(shelf.url)) is None:
            return None
        url = address_at(base, shelf.file_name, place)
        return url if is_trusted(url, self.hosts) else base

    def trusted(self, url: str | None) -> str | None:
        """Return an address if a reply may lead to it."""
        if url is None or len(url) > LONGEST_URL:
            return None
        encoded = _encoded(url)
        return encoded if is_trusted(encoded, self.hosts) else None

    def page(self, path: str) -> str | None:
        """Return the address of a page of the officers' console; None: there is none."""
        return None if self.console is None else f"{self.console.rstrip('/')}{path}"

    def shelf(self, place: SectionRef) -> Shelf:
        """Return what is said of the policy of a section."""
        return self.shelves.get(place.policy_key, Shelf())


def library_of(settings: Settings) -> Library:
    """Return the library of a deployment, before anything is known of a reply."""
    hosts = frozenset((settings.link_hosts or "").split(",")) - {""} | settings.speak_up.hosts
    told = (one.strip() for one in (settings.sensitivity_classes or "").split(","))
    return Library(
        hosts=hosts,
        console=settings.console_url,
        classes=tuple(one for one in told if one) or CLASSES,
    )


def _encoded(url: str) -> str:
    """Return an address without characters that would end it in the markup of a platform.

    SharePoint leaves parentheses and apostrophes of a file's name as they are. In the host nothing
    changes what it is compared with: no host has such characters.
    """
    return quote(url, safe=_IN_URLS, errors="ignore")


def address_at(url: str, file_name: str, place: SectionRef) -> str:
    """Return the address of a section, of which a policy's address may say the place itself.

    Args:
        url: Where the policy can be opened.
        file_name: Of the file that it was read from: what its address may not tell.
        place: The section.
    """
    return url if "#" in url else f"{url}{_anchor(url, file_name, place)}"


def _anchor(url: str, file_name: str, place: SectionRef) -> str:
    """Return what leads from a policy's address to a section; empty: its format has nothing.

    A PDF opens at a page. Markdown, as forges and documentation sites render it, has an anchor for
    each heading, made of its words. On any other page that was HTML or Markdown, browsers find the
    heading by its text (a text fragment).
    """
    path = urlsplit(url).path.lower()
    kind = path if path.endswith((*_PDF, *_MARKDOWN, *_PAGES)) else file_name.lower()
    if kind.endswith(_PDF):
        return f"#page={place.page}" if place.page is not None else ""
    heading = " ".join(f"{place.number or ''} {place.title}".split())
    if not heading or len(heading) > LONGEST_FRAGMENT:
        return ""
    fragment = ""
    if path.endswith(_MARKDOWN):
        slug = _NO_SLUG.sub("", heading.lower()).replace(" ", "-")
        fragment = f"#{quote(slug, safe='', errors='ignore')}"
    elif kind.endswith((*_MARKDOWN, *_PAGES)):
        fragment = f"#:~:text={_as_directive(heading)}"
        dotted = " ".join(f"{place.number}. {place.title}".split())
        both = f"{fragment}&text={_as_directive(dotted)}"  # "4. Retention" as well as "4 Retention"
        if place.number is not None and len(both) <= LONGEST_FRAGMENT:
            return both
    return fragment if len(fragment) <= LONGEST_FRAGMENT else ""


def _as_directive(words: str) -> str:
    """Return words as a text fragment names them: a hyphen of theirs would be read as syntax."""
    return quote(words, safe="", errors="ignore").replace("-", "%2D")


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
    language: Language = Language.ENGLISH
    """In which the product's own words are drawn."""
    officers: tuple[str, ...] = ()
    """Teams' ids of officers, for whom the card of a case is kept fresh; 60 at most are used."""
