"""Write a bundle: records with what proves them, for somebody without our database."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from core.audit.bundle.contents import Bundle
from core.audit.bundle.page import page_of

VERIFIER = Path(__file__).parent / "verify.py"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of each entry, so that the same records give the same bytes."""


def write_bundle(bundle: Bundle, path: Path) -> None:
    """Write a ZIP.

    Raises:
        OSError: It can't be written.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _files(bundle).items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data, zipfile.ZIP_DEFLATED)


def _files(bundle: Bundle) -> Mapping[str, bytes]:
    records = bundle.records
    return {
        "index.html": page_of(bundle).encode(),
        "verify.py": VERIFIER.read_bytes(),
        "checkpoint.txt": bundle.note.encode(),
        "keys.txt": f"{bundle.key.text()}\n".encode(),
        # A line is exactly what its leaf is the hash of.
        "records.jsonl": b"".join(record.canonical + b"\n" for record in records),
        "proofs.jsonl": _lines(
            [
                {
                    "record": record.record_id,
                    "leaf": record.leaf,
                    "path": [one.hex() for one in record.path],
                }
                for record in records
            ]
        ),
        "contents.jsonl": _lines(
            [
                {
                    "record": record.record_id,
                    "field": text.field,
                    "salt": text.salt.hex(),
                    "body": text.body,
                }
                for record in records
                for text in record.texts
            ]
        ),
        "times.jsonl": _lines([{"note": note} for note in bundle.around]),
        "sections.jsonl": _lines([asdict(passage) for passage in bundle.passages]),
    }


def _lines(rows: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows).encode()
