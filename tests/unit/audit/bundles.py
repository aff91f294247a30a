"""A bundle as the product writes it, of records that no database holds."""

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from core.audit.bundle.verify import BundledRecord, BundledText
from core.audit.bundle.write import Bundle, write_bundle
from core.audit.canonical import Commitment, canonical, leaf_hash
from core.audit.checkpoint import Checkpoint, LedgerKey
from core.audit.merkle import Tree
from core.domain.json_value import Json

KEY = LedgerKey.generate("acme")
QUOTE = "Employees may accept gifts with a value of up to EUR 50."
BEFORE, AFTER = "2 Limits\n\n2.1 ", " The report names the giver."
POLICY = f"# Gifts\n\n{BEFORE}{QUOTE}{AFTER}"
SEALED_AT = int(datetime(2026, 3, 1, 10, 5, tzinfo=UTC).timestamp())
NOISE = [hashlib.sha256(bytes([n])).digest() for n in range(4)]
"""Leaves of records that are not in the bundle."""


class Recorded(NamedTuple):
    """A record without its proof, with its texts."""

    entry: BundledRecord
    texts: list[BundledText]


def record(
    n: int, tag: str, *, texts: Mapping[str, str], actor: str = "asker", **says: Json
) -> Recorded:
    """Return a record whose place is its number."""
    salted = [Commitment(field=name, salt=bytes(32), body=texts[name]) for name in texts]
    document: dict[str, Json] = {
        "v": 1, "id": str(UUID(int=n)), "tag": tag, "at": f"2026-03-01T10:0{n}:00.000000Z",
        "unit": "berlin", "actor": {"kind": actor, "ref": "ada" if actor == "officer" else "p-7"},
        "conversation": None, "seq": None, "subject": None, "cause": None, "release": "0.1.0",
        "trace_id": "t-1", "content": {text.field: text.digest() for text in salted}, **says,
    }  # fmt: skip
    id_ = str(UUID(int=n))
    return Recorded(
        BundledRecord(canonical(document), document, id_, n, []),
        [BundledText(id_, text.field, text.salt.hex(), text.body) for text in salted],
    )


def publication(*texts: str) -> Recorded:
    """Return the record of a publication of version 4, with the hash of its text if given one."""
    hashes = [{"text_sha256": hashlib.sha256(text.encode()).hexdigest()} for text in texts]
    versions: list[Json] = [
        {"policy": "gifts", "policy_version": 4, **each} for each in hashes or [{}]
    ]
    return record(
        0, "corpus:published", texts={}, actor="operator", trace_id=None, edition=3,
        versions=versions,
    )  # fmt: skip


def answered(question: str = "May I take a gift?", answer: str = "Up to EUR 50. [1]") -> Recorded:
    """Return the record of an answer with one quote."""
    start = POLICY.index(QUOTE)
    citation = {
        "n": 1, "quote": QUOTE, "version_id": 4, "char_start": start,
        "char_end": start + len(QUOTE), "title": f"Gifts {question}", "version": "2.0",
        "section": "2.1", "section_title": "", "page": 3,
    }  # fmt: skip
    return record(
        1, "question:answered", outcome="answered", question={"platform": "slack"},
        confidence={"badge": "high", "calibrated": 0.934}, run={"edition": 3, "reasoner": "rules"},
        texts={
            "question": question, "answer": answer, "assumptions": json.dumps({question: answer}),
            "answer_json": json.dumps({"citations": [citation]}),
        },
    )  # fmt: skip


def bundle_of(*records: Recorded, policies: Mapping[int, str] | None = None) -> Bundle:
    """Return a bundle of records whose leaves are their numbers, with all that proves them."""
    leaves = [*NOISE, *NOISE]
    for entry, _ in records:
        leaves[entry.leaf] = leaf_hash(entry.data)
    tree = Tree(leaves)
    sealed = Checkpoint(origin="acme/audit/1", size=len(leaves), root=tree.root())
    before = Checkpoint(origin="acme/audit/1", size=1, root=Tree(leaves[:1]).root())
    return Bundle(
        note=KEY.sign(sealed, at=SEALED_AT),
        key=KEY.public,
        records=[entry._replace(path=tree.proof(entry.leaf)) for entry, _ in records],
        texts=[text for _, texts in records for text in texts],
        policies={} if policies is None else policies,
        around=[KEY.sign(before, at=SEALED_AT - 280), KEY.sign(sealed, at=SEALED_AT)],
    )


def sample(reply: str = "Ask me first.", **words: str) -> Bundle:
    """Return a bundle with something in each of its files."""
    return bundle_of(
        publication(POLICY),
        answered(**words),
        record(2, "case:answered", actor="officer", texts={"reply": reply}),
        record(3, "reply:posted", texts={}),
        policies={4: POLICY},
    )


def files_of(bundle: Bundle) -> dict[str, bytes]:
    """Return the files of a bundle as they are written."""
    held = BytesIO()
    write_bundle(bundle, held)
    with zipfile.ZipFile(held) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def unpack(files: Mapping[str, bytes], folder: Path) -> Path:
    """Write files into a folder, and return it."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def lines(data: bytes) -> Sequence[bytes]:
    """Return the lines of a file, each with its end."""
    return data.splitlines(keepends=True)
