"""Write a bundle: records with what proves them, for somebody without our database."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.audit.bundle import verify
from core.audit.bundle.verify import BundledRecord, BundledText
from core.audit.checkpoint import PublicKey

EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of each entry, so that the same records give the same bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """What leaves the company."""

    note: str
    """The checkpoint that all paths lead to."""
    key: PublicKey
    """That signed it."""
    records: Sequence[BundledRecord]
    """By their places in the tree."""
    texts: Sequence[BundledText]
    """Those that may leave; others stay out, and the proofs hold."""
    policies: Mapping[int, str]
    """Texts of the versions that are quoted, as far as these records say what was published."""
    around: Sequence[str]
    """Checkpoints before and after each record, which bound its time."""


def write_bundle(bundle: Bundle, to: Path | BinaryIO) -> None:
    """Write a ZIP.

    Raises:
        OSError: It can't be written.
    """
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _files(bundle).items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data, zipfile.ZIP_DEFLATED)


def _files(bundle: Bundle) -> Mapping[str, bytes]:
    proofs: list[Mapping[str, object]] = [
        {"record": entry.named, "leaf": entry.leaf, "path": [part.hex() for part in entry.path]}
        for entry in bundle.records
    ]
    files = {
        "verify.py": Path(verify.__file__).read_bytes(),
        "checkpoint.txt": bundle.note.encode(),
        "keys.txt": f"{bundle.key.text()}\n".encode(),
        # A line is exactly what its leaf is the hash of.
        "records.jsonl": b"".join(entry.data + b"\n" for entry in bundle.records),
        "proofs.jsonl": _lines(proofs),
        "contents.jsonl": _lines([text._asdict() for text in bundle.texts]),
        "times.jsonl": _lines([{"note": note} for note in bundle.around]),
        **{verify.policy_file(n): text.encode() for n, text in bundle.policies.items()},
    }
    return {verify.PAGE: verify.page_of(verify.read_bundle(files)), **files}


def _lines(rows: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows).encode()
