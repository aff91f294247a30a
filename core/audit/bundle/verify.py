#!/usr/bin/env python3
"""Check a bundle of records: needs Python 3.9 or later, and nothing else.

    python3 verify.py [FOLDER] [--key KEY] [--checkpoint FILE]

FOLDER is the unpacked bundle (default: where this file lies). Each record is shown to stand in the
ledger whose checkpoint is signed, and each text to be the one that was recorded.

What the bundle can't tell about itself: whether its key is the company's. Compare the key that is
printed with one that you have from elsewhere, or give it with --key; and the checkpoint with an
anchor, or give that with --checkpoint (a file with the same note).

Exit codes: 0 all checks passed. 1 something is not as it was recorded. 2 not completed.
"""

from __future__ import annotations

import argparse
import base64
import bisect
import datetime
import hashlib
import json
import pathlib
import sys

# Ed25519 by RFC 8032, section 5.1: slow, and enough for two signatures.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
I = pow(2, (P - 1) // 4, P)  # noqa: E741  # the name in RFC 8032


HASH_BYTES, SIGNATURE_BYTES, TIME_BYTES, ID_BYTES = 32, 64, 8, 4
CLOCKS_DIFFER_S = 60
"""As far as a record's time may be off."""
PLAIN, DATED = 1, 4
"""Types of signatures: of the note, and of the note with the time."""
Point = tuple[int, int, int, int]


class NotAsRecordedError(Exception):
    """The bundle is not what it should be."""


def _add(a: Point, b: Point) -> Point:
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    e, g, h, f = f - e, h - g, h + g, e + f
    # (E, F, G, H) of section 5.1.4, in the order that the products need
    return (e * g % P, h * f % P, g * h % P, e * f % P)


def _times(scalar: int, point: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = _add(total, point)
        point = _add(point, point)
        scalar >>= 1
    return total


def _same(a: Point, b: Point) -> bool:
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def _point(data: bytes) -> Point | None:
    """Decode a point (section 5.1.3); None if it is none."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * I % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


def _base() -> Point:
    point = _point((4 * pow(5, P - 2, P) % P).to_bytes(HASH_BYTES, "little"))
    if point is None:
        raise NotAsRecordedError("this Python does not calculate as it should")
    return point


def is_signed(key: bytes, signature: bytes, message: bytes) -> bool:
    """Say whether an Ed25519 signature holds (section 5.1.7)."""
    if len(key) != HASH_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    public, r = _point(key), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if public is None or r is None or s >= L:
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    h = int.from_bytes(digest, "little") % L
    return _same(_times(s, _base()), _add(r, _times(h, public)))


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf (RFC 6962, section 2.1)."""
    return hashlib.sha256(b"\x00" + data).digest()


def root_of(index: int, size: int, leaf: bytes, path: list[bytes]) -> bytes:
    """Return the root that a path leads to (RFC 9162, section 2.1.3.2)."""
    if not 0 <= index < size:
        raise NotAsRecordedError("a proof is for no leaf of the tree")
    last, node, rest = size - 1, leaf, list(path)
    while last:
        if index & 1 or index < last:
            if not rest:
                raise NotAsRecordedError("a proof is too short")
            other = rest.pop(0)
            pair = other + node if index & 1 else node + other
            node = hashlib.sha256(b"\x01" + pair).digest()
        index >>= 1
        last >>= 1
    if rest:
        raise NotAsRecordedError("a proof is too long")
    return node


def read_key(line: str) -> tuple[str, bytes]:
    """Return name and key of a line `name+id+base64`."""
    name, _, rest = line.strip().partition("+")
    key_id, _, encoded = rest.partition("+")
    raw = base64.b64decode(encoded)
    named = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:ID_BYTES].hex()
    if len(raw) != HASH_BYTES + 1 or raw[0] != PLAIN or named != key_id:
        raise NotAsRecordedError(f"a line of keys.txt is no key: {line[:80]!r}")
    return name, raw[1:]


def open_note(note: str, name: str, key: bytes) -> tuple[str, int, bytes, int]:
    """Return origin, size, root and time of a note that this key has signed and dated."""
    text, _, signatures = note.partition("\n\n")
    body = text + "\n"
    found: dict[bytes, bytes] = {}
    for line in signatures.splitlines():
        _, signer, encoded = line.split(" ")
        raw = base64.b64decode(encoded)
        if signer == name:
            found[raw[:ID_BYTES]] = raw[ID_BYTES:]
    plain, dated = (found.get(_key_id(name, key, kind), b"") for kind in (PLAIN, DATED))
    at = int.from_bytes(dated[:TIME_BYTES], "big")
    told = f"cosignature/v1\ntime {at}\n{body}".encode()
    if not is_signed(key, plain, body.encode()) or not is_signed(key, dated[TIME_BYTES:], told):
        raise NotAsRecordedError(f"the checkpoint is not signed by {name}")
    origin, size, root, _ = body.split("\n")
    return origin, int(size), base64.b64decode(root), at


def _key_id(name: str, key: bytes, kind: int) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + key).digest()[:ID_BYTES]


def lines_of(folder: pathlib.Path, name: str) -> list[bytes]:
    """Return the lines of a file."""
    return (folder / name).read_bytes().split(b"\n")[:-1]


def check_records(folder: pathlib.Path, size: int, root: bytes) -> dict[tuple[str, str], str]:
    """Show that each record stands in the tree; return what the records say of their texts."""
    records = lines_of(folder, "records.jsonl")
    proofs = lines_of(folder, "proofs.jsonl")
    if len(records) != len(proofs):
        raise NotAsRecordedError(f"there are {len(records)} records and {len(proofs)} proofs")
    promised: dict[tuple[str, str], str] = {}
    for data, line in zip(records, proofs):  # noqa: B905  # Python 3.9; of equal length
        document, proof = json.loads(data), json.loads(line)
        path = [bytes.fromhex(one) for one in proof["path"]]
        if proof["record"] != document["id"]:
            raise NotAsRecordedError("records and proofs are not in one order")
        if root_of(proof["leaf"], size, leaf_hash(data), path) != root:
            raise NotAsRecordedError(
                f"record {document['id']} is not in the ledger as it stands here"
            )
        for field, digest in document.get("content", {}).items():
            promised[document["id"], field] = digest
    return promised


def check_times(folder: pathlib.Path, name: str, key: bytes) -> str:
    """Show that each record's time fits the checkpoints around it; return what was shown.

    A checkpoint before it did not have the record yet, one after it did.
    """
    path = folder / "times.jsonl"
    if not path.exists():
        return "When the records were written is not shown: the bundle has no checkpoints for it."
    notes = [open_note(json.loads(line)["note"], name, key) for line in lines_of(folder, path.name)]
    seen = sorted((size, at) for _, size, _, at in notes)
    sizes = [size for size, _ in seen]
    proofs = [json.loads(line)["leaf"] for line in lines_of(folder, "proofs.jsonl")]
    for data, leaf in zip(lines_of(folder, "records.jsonl"), proofs):  # noqa: B905  # Python 3.9
        document, n = json.loads(data), bisect.bisect_right(sizes, leaf)
        written = datetime.datetime.strptime(document["at"], "%Y-%m-%dT%H:%M:%S.%fZ")  # noqa: DTZ007
        at = written.replace(tzinfo=datetime.timezone.utc).timestamp()  # noqa: UP017  # Python 3.9
        begins = seen[n - 1][1] if n else at
        ends = seen[n][1] if n < len(seen) else at
        if not begins - CLOCKS_DIFFER_S <= at <= ends + CLOCKS_DIFFER_S:
            raise NotAsRecordedError(
                f"record {document['id']} is dated {document['at']}, and was sealed at another time"
            )
    return "The records' times fit the signed times around them."


def check_texts(folder: pathlib.Path, promised: dict[tuple[str, str], str]) -> tuple[int, int]:
    """Show that each text is the one that was recorded; return how many are here, and not."""
    lines = lines_of(folder, "contents.jsonl")
    for line in lines:
        text = json.loads(line)
        record, name = text["record"], text["field"]
        told = bytes.fromhex(text["salt"]) + name.encode() + b"\x00" + text["body"].encode()
        if promised.pop((record, name), None) != hashlib.sha256(told).hexdigest():
            raise NotAsRecordedError(
                f"the text {name!r} of record {record} is not the one that was recorded"
            )
    return len(lines), len(promised)


def check(folder: pathlib.Path, given_key: str | None, given_note: str | None) -> list[str]:
    """Check everything, and return what was shown."""
    keys = (folder / "keys.txt").read_text("utf-8").splitlines()
    if given_key is not None and given_key.strip() not in keys:
        raise NotAsRecordedError("the bundle is not by the key that was given")
    note = (folder / "checkpoint.txt").read_text("utf-8")
    if given_note is not None and given_note.strip() != note.strip():
        raise NotAsRecordedError("the bundle's checkpoint is not the one that was given")
    trusted = given_key or keys[0]
    origin, size, root, at = open_note(note, *read_key(trusted))
    promised = check_records(folder, size, root)
    count = len(lines_of(folder, "records.jsonl"))
    here, absent = check_texts(folder, promised)
    times = check_times(folder, *read_key(trusted))
    when = datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat()
    shown = [
        f"{count} records stand in {origin}, among {size}, as it was sealed at {when}.",
        f"{here} texts are those that were recorded; {absent} are not in the bundle.",
        times,
    ]
    if given_key is None:
        shown.append(f"The key, to be compared with one from elsewhere: {trusted}")
    if given_note is None:
        shown.append(
            f"The checkpoint, to be compared with an anchor: size {size}, root {root.hex()}"
        )
    return shown


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = pathlib.Path(__file__).parent
    parser.add_argument("folder", nargs="?", default=here, type=pathlib.Path)
    parser.add_argument("--key", help="the key to trust, as a line of keys.txt")
    parser.add_argument("--checkpoint", type=pathlib.Path, help="a file with the anchored note")
    given = parser.parse_args()
    try:
        note = given.checkpoint.read_text("utf-8") if given.checkpoint else None
        shown = [*check(given.folder, given.key, note), "All checks passed."]
        code = 0
    except NotAsRecordedError as problem:
        shown, code = [f"NOT AS RECORDED: {problem}"], 1
    except OSError as error:
        shown, code = [f"Not completed: {error}"], 2
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        shown, code = ["NOT AS RECORDED: a file of the bundle is malformed"], 1
    sys.stdout.write("".join(f"{line}\n" for line in shown))
    return code


if __name__ == "__main__":
    sys.exit(main())
