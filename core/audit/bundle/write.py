"""Write a bundle: records with what proves them, for somebody without our database."""

import html
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.audit.checkpoint import PublicKey

VERIFIER = Path(__file__).parent / "verify.py"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of each entry, so that the same records give the same bytes."""
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Records</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto }}
article {{ border-top: 1px solid #999; padding: 1rem 0 }}
pre {{ white-space: pre-wrap; font: inherit }}
dt {{ font-weight: 600 }} dd {{ margin: 0 0 .5rem }}
</style>
<h1>Records</h1>
<p>{about}</p>
<p>To check them, run <code>python3 verify.py</code> in this folder. It needs Python alone.</p>
{articles}
</html>
"""


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
class Bundle:
    """What leaves the company."""

    note: str
    """The checkpoint that all paths lead to."""
    key: PublicKey
    """That signed it."""
    records: Sequence[BundledRecord]
    about: str
    """What was asked for, for its first page."""


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
        "index.html": _page(bundle).encode(),
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
    }


def _lines(rows: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows).encode()


def _page(bundle: Bundle) -> str:
    articles = "".join(map(_article, bundle.records))
    return PAGE.format(about=html.escape(bundle.about), articles=articles)


def _article(record: BundledRecord) -> str:
    document: dict[str, Any] = json.loads(record.canonical)
    citations: list[dict[str, str]] = document.get("citations", [])
    bodies = {text.field: text.body for text in record.texts}
    shown: dict[str, str | None] = {
        "What": document["tag"],
        "When": document["at"],
        "Question": bodies.get("question"),
        "Answer": bodies.get("answer"),
        "Badge": (document.get("confidence") or {}).get("badge"),
        "Rests on": "; ".join(
            f"{one['policy']} {one['section'] or ''} (version {one['version']})"
            for one in citations
        ),
    }
    rows = "".join(
        f"<dt>{name}</dt><dd><pre>{html.escape(value)}</pre></dd>"
        for name, value in shown.items()
        if value
    )
    return f"<article><h2>{html.escape(record.record_id)}</h2><dl>{rows}</dl></article>\n"
