"""What a verification of the ledger finds: problems by class, and one result."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum, unique
from typing import TypeAlias

from core.audit.canonical import canonical_document, is_instant, leaf_hash
from core.audit.checkpoint import (
    Checkpoint,
    PublicKey,
    RetiredKeyError,
    SealedCheckpoint,
    opened,
)
from core.audit.merkle import Frontier
from core.audit.restorations import Restoration, Restorations
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
    RECORD_MISDATED = "record-misdated"
    """A record's time lies outside the signed times of the checkpoints around it."""
    RECORD_UNSEALED = "record-unsealed"
    """Records wait to be sealed for longer than a minute."""
    XID_AHEAD = "xid-ahead"
    """A record has the number of a transaction that did not begin: it would never be sealed."""
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
    TIME_AHEAD = "time-ahead"
    """A checkpoint is dated in the future."""
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
    TEXT_ALTERED = "text-altered"
    """A stored policy is not what was published."""
    OFFICER_ALTERED = "officer-altered"
    """An officer has other rights than the record says, or a pseudonym stands for somebody else."""
    RIGHTS_ALTERED = "rights-altered"
    """A role has members or settings on the server that no deployment needs."""
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
    restored: Sequence[Restoration]
    """Recorded restorations that explain what would else be problems."""
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
            "explained_by": [one.record for one in self.restored],
        }


@dataclass(slots=True)
class ProblemLog:
    """Problems as they are found."""

    restorations: Restorations = field(default_factory=Restorations)
    """What they explain is no problem."""
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


LeafTime: TypeAlias = tuple[int, str, str | None]
"""Place and record of a leaf, and the time that the record's bytes say; None: they say none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLeaves:
    """What was found of some leaves."""

    problems: Sequence[Problem]
    times: Sequence[LeafTime]
    """Of those without a problem."""


def check_leaves(rows: Sequence[LeafRow]) -> CheckedLeaves:
    """Hold leaves to the bytes of their records. Plain, so that another process can do it."""
    log = ProblemLog()
    times: list[LeafTime] = []
    for place, record, leaf, canonical, own in rows:
        if canonical is None:
            log.add(ProblemClass.RECORD_MISSING, "the record is gone", record=record, leaf=place)
        elif own != leaf or leaf_hash(canonical) != leaf:
            said = "the record's bytes do not hash to its leaf"
            log.add(ProblemClass.RECORD_ALTERED, said, record=record, leaf=place)
        elif (document := canonical_document(canonical)) is None:
            said = "the record's bytes are not canonical JSON"
            log.add(ProblemClass.NOT_CANONICAL, said, record=record, leaf=place)
        else:
            at = document.get("at")
            times.append((place, record, at if is_instant(at) else None))
    return CheckedLeaves(problems=log.problems, times=times)


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

    @property
    def checkpoint(self) -> Checkpoint:
        """What its note has to say."""
        return Checkpoint(origin=self.origin, size=self.size, root=self.root)


def open_stored(
    rows: Sequence[StoredCheckpoint], keys: Sequence[PublicKey], log: ProblemLog, *, now: float
) -> list[SealedCheckpoint]:
    """Check the notes of the database, in order, and return those that are sound.

    None is dated after `now`, seconds since 1970, UTC, by the clock of whoever verifies.

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
        if sealed.checkpoint != row.checkpoint:
            log.add(ProblemClass.NOTE_INVALID, "the note is not what its row says", leaf=row.size)
            continue
        _check_time(sealed, now, log)
        _compare_with_last(sealed, sound[-1] if sound else None, log)
        sound.append(sealed)
    return sound


def _check_time(sealed: SealedCheckpoint, now: float, log: ProblemLog) -> None:
    """Refuse a checkpoint of the future, unless a restoration tells of it."""
    ahead_s = sealed.signed_at - now
    position = sealed.checkpoint.position
    if ahead_s > CLOCKS_DIFFER_S and not log.restorations.explain_time(position):
        log.add(
            ProblemClass.TIME_AHEAD,
            f"the checkpoint is dated {ahead_s:.0f} s after this machine's clock: if that is right,"
            " Postgres' was ahead; once both are right, `citebound audit rebase` records it",
            leaf=position[1],
        )


def _compare_with_last(
    sealed: SealedCheckpoint, last: SealedCheckpoint | None, log: ProblemLog
) -> None:
    if last is None or sealed.checkpoint.origin != last.checkpoint.origin:
        return
    size = sealed.checkpoint.size
    is_older = sealed.signed_at < last.signed_at
    if is_older and not log.restorations.explain_time(sealed.checkpoint.position):
        log.add(
            ProblemClass.TIME_REVERSED,
            f"the checkpoint is {last.signed_at - sealed.signed_at} s older than the one before it;"
            " if a clock was put right, `citebound audit rebase` records it",
            leaf=size,
        )
    if last.signers[-1] not in sealed.signers:
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
    signed = max((row.size for row in rows), default=tree.size)
    if tree.size > signed:
        said = f"{tree.size - signed} leaves are under no signed root"
        log.add(ProblemClass.ROOT_DIFFERS, said, leaf=signed)
