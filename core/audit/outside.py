"""Hold the database to what stands outside it: notes of anchors, timestamps of authorities."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.audit.anchors import Receipt
from core.audit.checkpoint import SealedCheckpoint, signed_at
from core.audit.verification import (
    CLOCKS_DIFFER_S,
    ProblemClass,
    ProblemLog,
    StoredCheckpoint,
    TreeCheck,
)
from core.domain.errors import ContractError


def compare_anchors(
    anchored: Sequence[SealedCheckpoint],
    rows: Sequence[StoredCheckpoint],
    tree: TreeCheck,
    log: ProblemLog,
) -> None:
    """Hold the database to the checkpoints that stand outside it."""
    kept = {(row.origin, row.size) for row in rows}
    for note in anchored:
        size = note.checkpoint.size
        agrees = tree.roots.get(size) == note.checkpoint.root
        if agrees and (note.checkpoint.origin, size) in kept:
            continue
        if log.restorations.explain_loss(note.checkpoint.position):
            continue
        if size > tree.size:
            log.add(
                ProblemClass.ANCHOR_AHEAD,
                f"an anchor of {note.checkpoint.origin} holds {size} sealed records, the database"
                f" {tree.size}",
                leaf=size,
            )
        elif not agrees:
            log.add(
                ProblemClass.ANCHOR_DIFFERS,
                f"an anchor of {note.checkpoint.origin} holds another root",
                leaf=size,
            )
        else:
            log.add(
                ProblemClass.CHECKPOINT_MISSING,
                f"an anchor holds a checkpoint of {note.checkpoint.origin} that is gone",
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
    for receipt in receipts:
        size, record = receipt.position[1], receipt.record_id
        if receipt.note is None:
            if not log.restorations.explain_loss(receipt.position):
                log.add(
                    ProblemClass.CHECKPOINT_MISSING,
                    f"the anchor {receipt.target} has a checkpoint that is gone",
                    record=record,
                    leaf=size,
                )
        elif receipt.token is not None and stamped_at is None:
            unchecked += 1
        elif receipt.token is not None and stamped_at is not None:
            checked += 1
            try:
                _compare_times(receipt.note, stamped_at(receipt.token, receipt.note))
            except ContractError as error:
                log.add(ProblemClass.TIMESTAMP_INVALID, str(error), record=record, leaf=size)
    untrusted = f"{unchecked} timestamps were not checked: CITEBOUND_LEDGER_TSA_ROOTS is unset"
    return CheckedReceipts(checked=checked, warnings=[untrusted] if unchecked else [])


def _compare_times(note: str, stamped: datetime) -> None:
    """Refuse a checkpoint that claims to be younger than its timestamp."""
    at = signed_at(note)
    if at is None or stamped.timestamp() < at - CLOCKS_DIFFER_S:
        raise ContractError(f"the checkpoint is dated after its timestamp of {stamped.isoformat()}")
