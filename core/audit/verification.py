"""What a verification of the ledger finds: problems by class, and one result."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique

from core.audit.checkpoint import Checkpoint, PublicKey, SealedCheckpoint, opened
from core.audit.merkle import EMPTY, Frontier
from core.domain.errors import ContractError

LISTED = 1_000
"""Problems that are named; more are counted."""


@unique
class ProblemClass(StrEnum):
    """What is wrong with a part of the ledger."""

    RECORD_MISSING = "record-missing"
    """A sealed record is not in the database."""
    RECORD_ALTERED = "record-altered"
    """A record's bytes do not hash to its leaf."""
    RECORD_LEFT_OUT = "record-left-out"
    """A record lies below the horizon that was sealed, and has no leaf."""
    COLUMN_ALTERED = "column-altered"
    """A column is not what the record's bytes say."""
    CITATION_ALTERED = "citation-altered"
    """The citations are not those of the record's bytes."""
    CONTENT_ALTERED = "content-altered"
    """A text is not the one that was recorded."""
    CONTENT_MISSING = "content-missing"
    """A text that a record commits to is gone."""
    CONTENT_UNKNOWN = "content-unknown"
    """A text that no record commits to."""
    LEAF_MISSING = "leaf-missing"
    """The places of the leaves have a gap."""
    NUMBER_MISSING = "number-missing"
    """The numbers of a conversation's records have a gap."""
    ROOT_DIFFERS = "root-differs"
    """The leaves do not lead to a signed root."""
    NOTE_INVALID = "note-invalid"
    """A checkpoint is malformed, by an unknown key, or not what its row says."""
    TIME_REVERSED = "time-reversed"
    """A checkpoint is older than the one before it."""
    CHECKPOINT_MISSING = "checkpoint-missing"
    """An anchor holds a checkpoint that the database does not."""
    ANCHOR_AHEAD = "anchor-ahead"
    """An anchor holds more sealed records than the database: its end was cut."""
    ANCHOR_DIFFERS = "anchor-differs"
    """An anchor holds another root than the database."""
    SCHEMA_ALTERED = "schema-altered"
    """A trigger, function or column of the ledger is not this release's."""
    UNREADABLE = "unreadable"
    """A part of the ledger can't be read as what it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong."""

    kind: ProblemClass
    """Its class."""
    detail: str
    """What, without the text of anybody."""
    record: str | None = None
    """The record it concerns."""
    leaf: int | None = None
    """Its place in the tree, or the size of a checkpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The outcome of a verification."""

    problems: Sequence[Problem]
    """The first `LISTED`."""
    count: int
    """Problems in all."""
    warnings: Sequence[str]
    """Why less than everything was proven."""
    lacks: Sequence[str]
    """What was missing for the verification to be complete: no result without it."""
    newest: Checkpoint | None
    """The last checkpoint in the database."""
    sealed_until: int | None
    """When it was signed: seconds since 1970, UTC."""
    unsealed: int
    """Records that wait to be sealed: what happens to them is not found."""
    records: int
    """Sealed records that were checked."""
    checkpoints: int
    anchors: int
    """Notes outside the database that were compared."""
    contents: int
    took_ms: float

    @property
    def result(self) -> str:
        """Return `intact`, `tampered` or `incomplete`."""
        if self.count:
            return "tampered"
        return "incomplete" if self.lacks else "intact"


@dataclass(slots=True)
class ProblemLog:
    """Problems as they are found."""

    problems: list[Problem] = field(default_factory=list[Problem])
    count: int = 0

    def add(self, kind: ProblemClass, detail: str, *, record: str | None = None,
            leaf: int | None = None) -> None:  # fmt: skip
        """Note a problem."""
        self.count += 1
        if len(self.problems) < LISTED:
            self.problems.append(Problem(kind=kind, detail=detail, record=record, leaf=leaf))


class TreeCheck:
    """Builds the tree anew from its leaves, in order, and keeps the roots that are asked for."""

    def __init__(self, log: ProblemLog, sizes: Iterable[int]) -> None:
        self._findings = log
        self._frontier = Frontier()
        self._sizes = set(sizes)
        self._next = 0
        self.roots: dict[int, bytes] = {0: EMPTY}
        """The root at each size that was asked for, as far as there are leaves."""
        self.frontiers: dict[int, tuple[bytes, ...]] = {0: ()}
        """Likewise the subtrees that the tree grew on from."""

    @property
    def size(self) -> int:
        """Return how many leaves were read."""
        return self._frontier.size

    def add(self, place: int, record: str, leaf: bytes, canonical: bytes | None) -> None:
        """Check the next leaf against its record, and put it into the tree."""
        if place != self._next:
            self._findings.add(
                ProblemClass.LEAF_MISSING, f"leaf {self._next} is missing", leaf=self._next
            )
        self._next = place + 1
        if canonical is None:
            self._findings.add(
                ProblemClass.RECORD_MISSING, "the record is gone", record=record, leaf=place
            )
        elif hashlib.sha256(b"\x00" + canonical).digest() != leaf:
            self._findings.add(
                ProblemClass.RECORD_ALTERED,
                "the record's bytes do not hash to its leaf",
                record=record,
                leaf=place,
            )
        self._frontier.add(leaf)
        if self._frontier.size in self._sizes:
            self.roots[self._frontier.size] = self._frontier.root()
            self.frontiers[self._frontier.size] = tuple(self._frontier.subtrees)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCheckpoint:
    """A row of `audit.checkpoint`."""

    origin: str
    """By its generation."""
    size: int
    root: bytes
    frontier: tuple[bytes, ...]
    note: str


def open_stored(
    rows: Sequence[StoredCheckpoint], keys: Sequence[PublicKey], log: ProblemLog
) -> list[SealedCheckpoint]:
    """Check the notes of the database, in order, and return those that are sound."""
    sound: list[SealedCheckpoint] = []
    for row in rows:
        try:
            sealed = opened(row.note, keys)
        except ContractError as error:
            log.add(ProblemClass.NOTE_INVALID, str(error), leaf=row.size)
            continue
        expected = Checkpoint(origin=row.origin, size=row.size, root=row.root)
        if sealed.checkpoint != expected:
            log.add(ProblemClass.NOTE_INVALID, "the note is not what its row says", leaf=row.size)
            continue
        if sound and sealed.signed_at < sound[-1].signed_at:
            log.add(
                ProblemClass.TIME_REVERSED,
                "the checkpoint is older than the one before it",
                leaf=row.size,
            )
        sound.append(sealed)
    return sound


def compare_roots(rows: Sequence[StoredCheckpoint], tree: TreeCheck, log: ProblemLog) -> None:
    """Hold the checkpoints of the database to the tree that its leaves make."""
    for row in rows:
        made = tree.roots.get(row.size), tree.frontiers.get(row.size)
        if made != (row.root, row.frontier):
            log.add(
                ProblemClass.ROOT_DIFFERS,
                "the leaves do not lead to the signed root",
                leaf=row.size,
            )


def compare_anchors(
    anchored: Sequence[SealedCheckpoint],
    rows: Sequence[StoredCheckpoint],
    tree: TreeCheck,
    log: ProblemLog,
) -> None:
    """Hold the database to the checkpoints that stand outside it."""
    kept = {(row.origin, row.size) for row in rows}
    for one in anchored:
        size = one.checkpoint.size
        if size > tree.size:
            log.add(
                ProblemClass.ANCHOR_AHEAD,
                f"an anchor of {one.checkpoint.origin} holds {size} sealed records, the database"
                f" {tree.size}",
                leaf=size,
            )
        elif tree.roots.get(size) != one.checkpoint.root:
            log.add(
                ProblemClass.ANCHOR_DIFFERS,
                f"an anchor of {one.checkpoint.origin} holds another root",
                leaf=size,
            )
        elif (one.checkpoint.origin, size) not in kept:
            log.add(
                ProblemClass.CHECKPOINT_MISSING,
                f"an anchor holds a checkpoint of {one.checkpoint.origin} that is gone",
                leaf=size,
            )
