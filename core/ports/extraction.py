"""Facts out of documents: by rules, or by a model that reads section by section."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.domain.ontology import Extraction
from core.domain.policy import Section
from core.domain.proposals import ProposedFacts
from core.domain.run import TokenUse

BY_RULES = "rules"
"""Who reads facts where no model does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """One document, as facts are read from it."""

    text: str
    """All of its text."""
    sections: tuple[Section, ...]
    """Its sections, covering the text."""
    policy_key: str
    """Identity of the policy."""
    title: str
    """The policy's title."""
    jurisdiction: str | None
    """ISO 3166 code if the policy holds in one place alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionInput:
    """What a model is shown of one section, or of one part of a long one."""

    title: str
    """The policy's title."""
    path: tuple[str, ...]
    """Headings from the outermost to the section's own."""
    text: str
    """The part's text, exactly as it stands in the document."""

    @property
    def sha256(self) -> bytes:
        """Hash of all that is shown: the same for the same section under the same headings."""
        shown = "\x00".join((self.title, *self.path, "", self.text))
        return hashlib.sha256(shown.encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionReading:
    """What a model proposes for a section, unverified, and what it used."""

    proposals: ProposedFacts
    """Of the right shape; nothing else is known of them."""
    tokens: TokenUse
    """Of all replies, refused ones among them."""
    cost_usd: float | None
    """None if the price of the model is not known."""
    refused: int = 0
    """Replies that were refused before this one: 0 or 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRead:
    """A section that the model did not read."""

    reason: str
    """In one line."""
    tokens: TokenUse = field(default_factory=lambda: TokenUse(fresh=0))
    """What was used nevertheless."""
    cost_usd: float | None = 0.0
    """None if the price of the model is not known."""
    refused: int = 0
    """Replies that were refused."""


class SectionReader(Protocol):
    """A model that proposes the facts of one section."""

    @property
    def model(self) -> str:
        """The provider's name of the model."""
        ...

    @property
    def prompt(self) -> str:
        """Name and version of the prompt (`extract/1`)."""
        ...

    async def read(self, text: SectionInput, /) -> SectionReading | NotRead:
        """Ask the model, once more if its reply has not the right shape; never raises for it."""
        ...

    def estimate(self, text: SectionInput, /) -> TokenUse:
        """Return about what reading it would use."""
        ...

    def price(self, tokens: TokenUse, /) -> float | None:
        """Return what tokens cost in US dollars; None if the price is not known."""
        ...


class ExtractedSections(Protocol):
    """What a model proposed for a section, kept so that it is asked once."""

    async def find(
        self, keys: Sequence[bytes], /, *, model: str, prompt: str
    ) -> dict[bytes, ProposedFacts]:
        """Return what is kept under these hashes of `SectionInput` for a model and a prompt."""
        ...

    async def put(
        self,
        key: bytes,
        reading: SectionReading,
        /,
        *,
        model: str,
        prompt: str,
        dropped: Mapping[str, int],
    ) -> None:
        """Keep a reading, at once. One that is kept already stays as it is.

        `dropped` counts the proposals that the text does not bear out, by reason.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadSection:
    """A section whose facts are those of the rules alone."""

    heading: str
    """Number and title."""
    reason: str
    """Why, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingReport:
    """What a model's reading of a document came to."""

    parts: int
    """Sections, and parts of long ones, that have something to read."""
    read: int
    """Read now."""
    kept: int
    """Read before: no call was made."""
    unread: tuple[UnreadSection, ...]
    """Left to the rules, in text order."""
    entities: int
    """Entities that the rules had not found."""
    relations: int
    """Relations that the rules had not found."""
    dropped: Mapping[str, int]
    """Proposals that the text does not bear out, by reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingUse:
    """What reading used, in all documents of a run."""

    read: int = 0
    """Sections read."""
    refused: int = 0
    """Replies not of the shape asked for."""
    tokens: TokenUse = field(default_factory=lambda: TokenUse(fresh=0))
    """All, those of refused replies among them."""
    cost_usd: float | None = 0.0
    """None if the price of the model is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingPlan:
    """What reading a document would take."""

    parts: int
    """Sections, and parts of long ones, that have something to read."""
    to_read: int
    """Those that were not read before."""
    tokens: TokenUse
    """Estimated."""
    cost_usd: float | None
    """Estimated; None if the price of the model is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """The facts of one document."""

    extraction: Extraction
    """The facts."""
    by: str
    """Who read them: `BY_RULES`, or model and prompt (`claude-haiku-5-5 extract/1`)."""
    report: ReadingReport | None = None
    """None if no model was asked."""


class Extractor(Protocol):
    """Reads the facts of a document."""

    @property
    def rereads(self) -> bool:
        """True if it may find more in a document that is stored already."""
        ...

    async def extract(self, document: SourceDocument, /) -> Extracted:
        """Return the facts. What a model does not read is left to the rules."""
        ...
