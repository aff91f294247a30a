"""Check a bundle as whoever made it, or got it, can with keys and anchors of their own.

The bundle's own `verify.py` is not run: who hands over a bundle could have written another.
"""

import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.audit.bundle import verify
from core.audit.checkpoint import PublicKey, checkpoint_of, is_signature
from core.domain.errors import UsageError

UNREADABLE = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""What reading a ZIP raises; `RuntimeError` where it is encrypted, or packed in an unknown way."""
LARGEST = 4 * 1024**3
"""Bytes of all files, unpacked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedBundle:
    """What became of it."""

    shown: Sequence[str] = ()
    """What was proven, a line each."""
    problem: str | None = None
    """What is not as it was recorded; None: nothing."""
    lacks: Sequence[str] = ()
    """What was missing for it to be intact."""

    @property
    def result(self) -> str:
        """Return `intact`, `tampered` or `incomplete`."""
        if self.problem is not None:
            return "tampered"
        return "incomplete" if self.lacks else "intact"


def check_bundle(path: Path, keys: Sequence[PublicKey], anchored: Sequence[str]) -> CheckedBundle:
    """Check a bundle.

    Args:
        path: the ZIP.
        keys: that are trusted, from elsewhere.
        anchored: notes that stand outside the database.

    Raises:
        UsageError: It can't be read, or is no bundle.
    """
    if not keys:
        return CheckedBundle(lacks=["no public key of the ledger is known"])
    try:
        return _checked(_unpacked(path), keys, anchored)
    except verify.NotAsRecordedError as error:
        return CheckedBundle(problem=str(error))
    except verify.NotCompletedError as error:
        return CheckedBundle(lacks=[str(error)])


def _checked(
    files: dict[str, bytes], keys: Sequence[PublicKey], anchored: Sequence[str]
) -> CheckedBundle:
    bundle = verify.read_bundle(files)
    trusted = next((key for key in keys if key.key == bundle.key), None)
    if trusted is None:
        raise verify.NotAsRecordedError("the bundle is not by a key that is trusted")
    checked = verify.check(files, given_key=trusted.text(), signed=is_signature)
    checkpoint = checkpoint_of(files["checkpoint.txt"].decode())
    if trusted.until is not None and checkpoint.position > trusted.until:
        raise verify.NotAsRecordedError("the bundle is signed by a key that had been retired")
    known = {one.position: one for one in map(checkpoint_of, anchored)}
    outside = known.get(checkpoint.position)
    if outside is not None and outside != checkpoint:
        raise verify.NotAsRecordedError("an anchor has another root of the bundle's checkpoint")
    lacks = [] if outside else ["no anchor has the bundle's checkpoint"]
    return CheckedBundle(shown=checked.shown, lacks=[*checked.lacks, *lacks])


def _unpacked(path: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            verify.refuse_others([entry.filename for entry in entries])
            if sum(entry.file_size for entry in entries) > LARGEST:
                raise UsageError(f"{path} is too large")
            return {entry.filename: archive.read(entry) for entry in entries}
    except UNREADABLE as error:
        raise UsageError(f"{path} is no bundle of records: {error}") from error
