"""What a verification of the ledger finds: problems by class, and one result."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum, unique
from typing import TypeAlias

from core.audit.anchors import Receipt
from core.audit.canonical import is_canonical, leaf_hash
from core.audit.checkpoint import (
    Checkpoint,
    PublicKey,
    RetiredKeyError,
    SealedCheckpoint,
    opened,
    signed_at,
)
from core.audit.merkle import Frontier
from core.domain.errors import ContractError
from core.domain.json_value import Json

CLOCKS_DIFFER_S = 60.0
"""As far as a record's time may be off the server's clock."""
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
    CONTENT_RESTORED = "content-restored"
    """A text that was erased, by a record of it, is there again."""
    LEAF_MISSING = "leaf-missing"
    """The places of the leaves have a gap."""
    NUMBER_MISSING = "number-missing"
    """The numbers of a conversation's records have a gap."""
    MESSAGE_NOT_CLOSED = "message-not-closed"
    """A message has no outcome, or several."""
    REPLY_MISSING = "reply-missing"
    """An outcome has no reply, or a post no record."""
    REPLY_TWICE = "reply-twice"
    """One reply is recorded as posted more than once."""
    NOT_CANONICAL = "not-canonical"
    """A record's bytes are not the one form that RFC 8785 gives them."""
    ROOT_DIFFERS = "root-differs"
    """The leaves do not lead to a signed root."""
    NOTE_INVALID = "note-invalid"
    """A checkpoint is malformed, by an unknown key, or not what its row says."""
    KEY_RETIRED = "key-retired"
    """A checkpoint is signed by a key that another had taken over from."""
    TIME_REVERSED = "time-reversed"
    """A checkpoint is older than the one before it."""
    CHECKPOINT_MISSING = "checkpoint-missing"
    """An anchor holds a checkpoint that the database does not."""
    ANCHOR_AHEAD = "anchor-ahead"
    """An anchor holds more sealed records than the database: its end was cut."""
    ANCHOR_DIFFERS = "anchor-differs"
    """An anchor holds another root than the database."""
    TIMESTAMP_INVALID = "timestamp-invalid"
    """A token of a timestamp authority is not for the checkpoint that it is kept with."""
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
    timestamps: int
    """Tokens of timestamp authorities that were checked."""
    contents: int
    erased: int
    """Texts that are gone as a record says."""
    took_ms: float

    @property
    def result(self) -> str:
        """Return `intact`, `tampered` or `incomplete`."""
        if self.count:
            return "tampered"
        return "incomplete" if self.lacks else "intact"

    def summary(self) -> dict[str, Json]:
        """Return what is recorded of it."""
        return {
            "result": self.result,
            "origin": self.newest.origin if self.newest else None,
            "size": self.newest.size if self.newest else 0,
            "root": self.newest.root.hex() if self.newest else None,
            "records": self.records,
            "problems": self.count,
            "classes": sorted({one.kind.value for one in self.problems}),
        }


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

    def extend(self, problems: Iterable[Problem]) -> None:
        """Note what was found elsewhere."""
        for one in problems:
            self.add(one.kind, one.detail, record=one.record, leaf=one.leaf)


LeafRow: TypeAlias = tuple[int, str, bytes, bytes | None, bytes | None]
"""A leaf with its record: place, id, hash in the tree; the record's bytes and its own hash, None
where there is no record."""


def check_leaves(rows: Sequence[LeafRow]) -> list[Problem]:
    """Hold leaves to the bytes of their records. Plain, so that another process can do it."""
    log = ProblemLog()
    for place, record, leaf, canonical, own in rows:
        if canonical is None:
            log.add(ProblemClass.RECORD_MISSING, "the record is gone", record=record, leaf=place)
        elif own != leaf or leaf_hash(canonical) != leaf:
            log.add(
                ProblemClass.RECORD_ALTERED,
                "the record's bytes do not hash to its leaf",
                record=record,
                leaf=place,
            )
        elif not is_canonical(canonical):
            log.add(
                ProblemClass.NOT_CANONICAL,
                "the record's bytes are not canonical JSON",
                record=record,
                leaf=place,
            )
    return log.problems


class TreeCheck:
    """Builds the tree anew from its leaves, in order, and keeps the roots that are asked for."""

    def __init__(
        self, log: ProblemLog, sizes: Iterable[int], *, begin: "StoredCheckpoint | None" = None
    ) -> None:
        """Begin with nothing, or with what a signed checkpoint says of the leaves before it."""
        self._findings = log
        self._frontier = Frontier(begin.size, [*begin.frontier]) if begin else Frontier()
        self._sizes = set(sizes)
        self._next = self._frontier.size
        self.roots: dict[int, bytes] = {self._next: self._frontier.root()}
        """The root at each size that was asked for, as far as there are leaves."""
        self.frontiers: dict[int, tuple[bytes, ...]] = {self._next: tuple(self._frontier.subtrees)}
        """Likewise the subtrees that the tree grew on from."""

    @property
    def size(self) -> int:
        """Return how many leaves were read."""
        return self._frontier.size

    def add(self, place: int, leaf: bytes) -> None:
        """Put the next leaf into the tree."""
        if place != self._next:
            self._findings.add(
                ProblemClass.LEAF_MISSING, f"leaf {self._next} is missing", leaf=self._next
            )
        self._next = place + 1
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
    """Check the notes of the database, in order, and return those that are sound.

    Within a generation each is signed by the key that the one before it ended with; one that two
    keys signed hands over to the second.
    """
    sound: list[SealedCheckpoint] = []
    for row in rows:
        try:
            sealed = opened(row.note, keys)
        except RetiredKeyError as error:
            log.add(ProblemClass.KEY_RETIRED, str(error), leaf=row.size)
            continue
        except ContractError as error:
            log.add(ProblemClass.NOTE_INVALID, str(error), leaf=row.size)
            continue
        expected = Checkpoint(origin=row.origin, size=row.size, root=row.root)
        if sealed.checkpoint != expected:
            log.add(ProblemClass.NOTE_INVALID, "the note is not what its row says", leaf=row.size)
            continue
        _compare_with_last(sealed, sound[-1] if sound else None, log)
        sound.append(sealed)
    return sound


def _compare_with_last(
    sealed: SealedCheckpoint, last: SealedCheckpoint | None, log: ProblemLog
) -> None:
    if last is None:
        return
    size = sealed.checkpoint.size
    if sealed.signed_at < last.signed_at:
        log.add(
            ProblemClass.TIME_REVERSED, "the checkpoint is older than the one before it", leaf=size
        )
    is_same_tree = sealed.checkpoint.origin == last.checkpoint.origin
    if is_same_tree and last.signers[-1] not in sealed.signers:
        log.add(
            ProblemClass.KEY_RETIRED,
            "the checkpoint is not signed by the key that had taken over before it",
            leaf=size,
        )


def begin_after(
    rows: Sequence[StoredCheckpoint], sealed: Sequence[SealedCheckpoint], since: int | date
) -> StoredCheckpoint | None:
    """Return the checkpoint that a partial verification begins with; None: with the first record.

    Its root is signed, and its frontier leads to that root: what lies before it needs not be read
    to verify what follows.
    """
    if isinstance(since, int):
        before = [one.checkpoint.size for one in sealed if one.checkpoint.size <= since]
    else:
        midnight = datetime(since.year, since.month, since.day, tzinfo=UTC).timestamp()
        before = [one.checkpoint.size for one in sealed if one.signed_at < midnight]
    chosen = next((row for row in reversed(rows) if before and row.size == max(before)), None)
    try:
        sound = chosen and Frontier(chosen.size, [*chosen.frontier]).root() == chosen.root
    except ContractError:
        sound = False
    return chosen if sound else None


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


StampedAt = Callable[[bytes, str], datetime]
"""Says when an authority saw a note, by its token; raises `ContractError` if it never did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedReceipts:
    """What became of the receipts that the ledger keeps."""

    checked: int
    """Tokens of timestamp authorities."""
    warnings: Sequence[str]
    """Why less was checked than is there."""


def compare_receipts(
    receipts: Sequence[Receipt], stamped_at: StampedAt | None, log: ProblemLog
) -> CheckedReceipts:
    """Hold the checkpoints of the database to what anchors handed out for them."""
    checked, unchecked = 0, 0
    for one in receipts:
        size = one.position[1]
        if one.note is None:
            log.add(
                ProblemClass.CHECKPOINT_MISSING,
                f"the anchor {one.target} has a checkpoint that is gone",
                record=one.record_id,
                leaf=size,
            )
        elif one.token is not None and stamped_at is None:
            unchecked += 1
        elif one.token is not None and stamped_at is not None:
            checked += 1
            try:
                _compare_times(one.note, stamped_at(one.token, one.note))
            except ContractError as error:
                log.add(ProblemClass.TIMESTAMP_INVALID, str(error), record=one.record_id, leaf=size)
    untrusted = f"{unchecked} timestamps were not checked: CITEBOUND_LEDGER_TSA_ROOTS is unset"
    return CheckedReceipts(checked=checked, warnings=[untrusted] if unchecked else [])


def _compare_times(note: str, stamped: datetime) -> None:
    """Refuse a checkpoint that claims to be younger than its timestamp."""
    at = signed_at(note)
    if at is None or stamped.timestamp() < at - CLOCKS_DIFFER_S:
        raise ContractError(f"the checkpoint is dated after its timestamp of {stamped.isoformat()}")
