"""What a recorded restoration explains: an older backup was restored, and the ledger went on.

`citebound audit rebase` opens a new generation and records why (`ledger:restored`, sealed in that
generation). What anchors hold of earlier generations beyond the restored checkpoint is then a loss
that has an explanation, and so is a clock that had run ahead: a generation is a line of time of its
own. What the restored checkpoint covers is explained by nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.audit.checkpoint import Position


@dataclass(slots=True, kw_only=True)
class Restoration:
    """One recorded restoration, and what it was needed to explain."""

    record: str
    """Id of its record, which says why."""
    generation: int
    """That the ledger went on in."""
    kept: int
    """Records under the last checkpoint before it: what was restored."""
    checkpoints: int = 0
    """Of anchors, that the database lacks since then."""
    reached: int = 0
    """Records under the largest of them."""
    dated_ahead: int = 0
    """Checkpoints before it whose times do not follow on each other."""

    def said(self) -> str:
        """Return the loss in a sentence."""
        lost = f"anchors hold {self.checkpoints} checkpoints, up to {self.reached} records, that"
        ahead = f"{self.dated_ahead} checkpoints before it are dated out of order"
        parts = [f"{lost} were lost after the first {self.kept}"] if self.checkpoints else []
        parts += [ahead] if self.dated_ahead else []
        what = "; ".join(parts)
        return f"before generation {self.generation}: {what}; record {self.record} explains it"


@dataclass(frozen=True, slots=True)
class Restorations:
    """All of a ledger, the oldest first."""

    restored: Sequence[Restoration] = ()

    @classmethod
    def of(cls, records: Iterable[tuple[str, int]], stored: Sequence[Position]) -> "Restorations":
        """Return them as sealed records of them and the checkpoints of the database say.

        Args:
            records: id and generation of each record.
            stored: positions of all checkpoints, in order.
        """
        return cls(
            [
                Restoration(
                    record=record,
                    generation=generation,
                    kept=max((size for before, size in stored if before < generation), default=0),
                )
                for record, generation in records
                if any(position[0] == generation for position in stored)
            ]
        )

    @property
    def needed(self) -> list[Restoration]:
        """Return those without which something would be a problem."""
        return [it for it in self.restored if it.checkpoints or it.dated_ahead]

    def explain_loss(self, lost: Position) -> bool:
        """Say whether one of them explains that an anchor's checkpoint is not the database's."""
        generation, size = lost
        for restoration in self.restored:
            if generation < restoration.generation and size > restoration.kept:
                restoration.checkpoints += 1
                restoration.reached = max(restoration.reached, size)
                return True
        return False

    def explain_time(self, dated: Position) -> bool:
        """Say whether one of them explains that a checkpoint is dated out of order."""
        for restoration in self.restored:
            if dated[0] < restoration.generation:
                restoration.dated_ahead += 1
                return True
        return False
