"""What a bundle holds: records with what proves them, and the text around their quotes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.audit.checkpoint import PublicKey


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledText:
    """A text that a record commits to."""

    field: str
    salt: bytes
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledRecord:
    """A record with its place in the ledger."""

    record_id: str
    canonical: bytes
    leaf: int
    """Its place in the tree."""
    path: Sequence[bytes]
    """From its leaf to the root."""
    texts: Sequence[BundledText]
    """Those that may leave; others stay out, and the proofs hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A section of a policy's version, as it stood when it was quoted."""

    version_id: int
    policy: str
    title: str
    section: str | None
    """Its number; None: it has none."""
    sha256: str
    """Of the file that the version was read from, hex."""
    char_start: int
    """Where its text begins in that of the version."""
    text: str

    @property
    def char_end(self) -> int:
        """Where it ends."""
        return self.char_start + len(self.text)

    def holds(self, citation: Mapping[str, Any]) -> bool:
        """Say whether a quote stands here, word for word."""
        first, last = (citation[name] - self.char_start for name in ("char_start", "char_end"))
        is_here = citation["version_id"] == self.version_id and 0 <= first < last
        return is_here and self.text[first:last] == citation["quote"]

    def around(self, citation: Mapping[str, Any], most: int) -> tuple[str, str]:
        """Return so many characters before and after a quote at most."""
        first, last = (citation[name] - self.char_start for name in ("char_start", "char_end"))
        before, after = self.text[:first], self.text[last:]
        return (
            before if len(before) <= most else f"… {before[-most:]}",
            after if len(after) <= most else f"{after[:most]} …",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """What leaves the company."""

    note: str
    """The checkpoint that all paths lead to."""
    key: PublicKey
    """That signed it."""
    records: Sequence[BundledRecord]
    passages: Sequence[Passage]
    """Sections that quotes of these records stand in."""
    around: Sequence[str]
    """Checkpoints before and after each record, which bound its time."""
    about: str
    """What was asked for, for its first page."""
