"""Check a bundle as whoever made it, or got it, can with keys and anchors of their own.

The bundle's own `verify.py` is not run: who hands over a bundle could have written another.
"""

import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.audit.bundle import verify
from core.audit.checkpoint import PublicKey, checkpoint_of
from core.domain.errors import ContractError, UsageError

NAMES = ("records.jsonl", "proofs.jsonl", "contents.jsonl", "checkpoint.txt", "keys.txt")
OPTIONAL = ("times.jsonl",)
"""Which bundles of earlier releases lack."""
LARGEST = 4 * 1024**3
"""Bytes of one file, unpacked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedBundle:
    """What became of it."""

    shown: Sequence[str]
    """What was proven, a line each."""
    problem: str | None
    """What is not as it was recorded; None: nothing."""
    is_anchored: bool
    """Whether an anchor has its checkpoint."""

    @property
    def result(self) -> str:
        """Return `intact`, `tampered` or `incomplete`."""
        if self.problem is not None:
            return "tampered"
        return "intact" if self.is_anchored else "incomplete"


def check_bundle(path: Path, keys: Sequence[PublicKey], anchored: Sequence[str]) -> CheckedBundle:
    """Check a bundle.

    Args:
        path: the ZIP.
        keys: that are trusted, from elsewhere.
        anchored: notes that stand outside the database.

    Raises:
        UsageError: It can't be read, or is no bundle.
    """
    with tempfile.TemporaryDirectory(prefix="citebound-bundle-") as name:
        folder = Path(name)
        _unpack(path, folder)
        try:
            return _checked(folder, keys, anchored)
        except verify.NotAsRecordedError as error:
            return CheckedBundle(shown=(), problem=str(error), is_anchored=False)
        except (ContractError, ValueError, KeyError, TypeError, IndexError, AttributeError):
            told = "a file of the bundle is malformed"
            return CheckedBundle(shown=(), problem=told, is_anchored=False)


def _checked(folder: Path, keys: Sequence[PublicKey], anchored: Sequence[str]) -> CheckedBundle:
    given = (folder / "keys.txt").read_text("utf-8").splitlines()
    trusted = next((key for key in keys if key.text() in given[:1]), None)
    if trusted is None:
        raise verify.NotAsRecordedError("the bundle is not by a key that is trusted")
    checkpoint = checkpoint_of((folder / "checkpoint.txt").read_text("utf-8"))
    if trusted.until is not None and checkpoint.position > trusted.until:
        raise verify.NotAsRecordedError("the bundle is signed by a key that had been retired")
    shown = verify.check(folder, trusted.text(), None)
    known = {one.position: one for one in map(checkpoint_of, anchored)}
    outside = known.get(checkpoint.position)
    if outside is not None and outside != checkpoint:
        raise verify.NotAsRecordedError("an anchor has another root of the bundle's checkpoint")
    return CheckedBundle(shown=shown, problem=None, is_anchored=outside is not None)


def _unpack(path: Path, folder: Path) -> None:
    """Take out what is checked, and nothing else that may be in there."""
    try:
        with zipfile.ZipFile(path) as archive:
            optional = [name for name in OPTIONAL if name in archive.namelist()]
            for name in (*NAMES, *optional):
                if archive.getinfo(name).file_size > LARGEST:
                    raise UsageError(f"{path}: {name} is too large")
                archive.extract(name, folder)
    except (OSError, KeyError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise UsageError(f"{path} is no bundle of records: {error}") from error
