"""Extract facts from documents: by rules, or by a model that reads section by section."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.domain.ontology import Extraction
from core.domain.policy import Section
from core.domain.proposals import ProposedFacts
from core.domain.run import TokenUse

BY_RULES = "rules"
"""Names the extractor where no model is used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """One document, as the input of extraction."""

    text: str
    """All of its text."""
    sections: tuple[Section, ...]
    """Its sections, covering the text."""
    policy_key: str
    """Identity of the policy."""
    title: str
    """The policy's title."""
    jurisdiction: str | None
    """ISO 3166 code if the policy applies in one jurisdiction only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionInput:
    """The input of a model for one section, or for one part of a long one."""

    title: str
    """The policy's title."""
    path: tuple[str, ...]
    """Headings from the outermost to the section's own."""
    text: str
    """The part's text, exactly as in the document."""

    @property
    def sha256(self) -> bytes:
        """Hash of the input: the same for the same section under the same headings."""
        shown = "\x00".join((self.title, *self.path, "", self.text))
        return hashlib.sha256(shown.encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionReading:
    """The unverified proposals of a model for a section, with tokens and costs."""

    proposals: ProposedFacts
    """Well-formed, but not checked against the text."""
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
    """Used nevertheless."""
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
        """Have the model read a section; a malformed reply is requested once more, never raised."""
        ...

    def estimate(self, text: SectionInput, /) -> TokenUse:
        """Return an estimate of the tokens of reading it."""
        ...

    def price(self, tokens: TokenUse, /) -> float | None:
        """Return the cost of tokens in US dollars; None if the price is not known."""
        ...


class ExtractedSections(Protocol):
    """Stores what a model proposed for a section, so that it is read once."""

    async def find(
        self, keys: Sequence[bytes], /, *, model: str, prompt: str
    ) -> dict[bytes, ProposedFacts]:
        """Return what is stored for these hashes of `SectionInput`, a model and a prompt."""
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
        """Store a reading at once, unless there is one already.

        `dropped` counts the proposals that the text does not support, by reason.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadSection:
    """A section whose facts are from the rules only."""

    heading: str
    """Number and title."""
    reason: str
    """Why, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingReport:
    """The result of a model's reading of a document."""

    parts: int
    """Sections, and parts of long ones, that have text to read."""
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
    """Proposals that the text does not support, by reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingUse:
    """Tokens and costs of reading, in all documents of a run."""

    read: int = 0
    """Sections read."""
    refused: int = 0
    """Malformed replies."""
    tokens: TokenUse = field(default_factory=lambda: TokenUse(fresh=0))
    """All, those of refused replies among them."""
    cost_usd: float | None = 0.0
    """None if the price of the model is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingPlan:
    """An estimate of reading a document."""

    parts: int
    """Sections, and parts of long ones, that have text to read."""
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
    """What extracted them: `BY_RULES`, or model and prompt (`claude-haiku-5-5 extract/1`)."""
    report: ReadingReport | None = None
    """None if no model was asked."""


class Extractor(Protocol):
    """Extracts the facts of a document."""

    @property
    def rereads(self) -> bool:
        """True if it may find more in a document that is stored already."""
        ...

    async def extract(self, document: SourceDocument, /) -> Extracted:
        """Return the facts; those of sections that a model does not read are from the rules."""
        ...
