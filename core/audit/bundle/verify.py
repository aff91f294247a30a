#!/usr/bin/env python3
"""Check a bundle of records: needs Python 3.9 or later, and nothing else.

    python3 verify.py [FOLDER] [--key KEY] [--checkpoint FILE]

FOLDER is the unpacked bundle (default: where this file lies). Each record is shown to stand in the
ledger whose checkpoint is signed, each text to be the one that was recorded, each policy to be the
one that was published, and index.html to say what they say and nothing else.

What the bundle can't tell about itself: whether its key is the company's. Compare the key that is
printed with one that you have from elsewhere, or give it with --key; and the checkpoint with an
anchor, or give that with --checkpoint (a file with the same note). Nor can this program vouch for
itself: whoever can change the bundle can change it, too. Take a copy from elsewhere.

Exit codes: 0 all checks passed. 1 something is not as it was recorded. 2 not completed, also where
this program failed: then nothing is said of the bundle.
"""

import argparse
import base64
import bisect
import datetime
import hashlib
import html
import json
import pathlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Optional

if sys.version_info < (3, 9):  # noqa: UP036  # whoever runs it chooses the Python
    sys.stderr.write("Not completed: this program needs Python 3.9 or later.\n")
    sys.exit(2)

# Ed25519 by RFC 8032, section 5.1: slow, and enough for some signatures.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
I = pow(2, (P - 1) // 4, P)  # noqa: E741  # the name in RFC 8032


HASH_BYTES, SIGNATURE_BYTES, TIME_BYTES, ID_BYTES = 32, 64, 8, 4
CLOCKS_DIFFER_S = 60
"""As far as a record's time may be off."""
PLAIN, DATED = 1, 4
"""Types of signatures: of the note, and of the note with the time."""
PAGE = "index.html"
FILES = (
    "checkpoint.txt", "contents.jsonl", "keys.txt", "proofs.jsonl", "records.jsonl", "times.jsonl",
    "verify.py",
)  # fmt: skip
"""All that the page is made of, beside the policies."""
POLICY = re.compile(r"policies/([1-9][0-9]{0,17})\.txt")
"""The text of a version, by its number."""
BY_SYSTEMS = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""What file managers leave in a folder that somebody looks at."""
Point = tuple[int, int, int, int]
Json = dict[str, Any]
Bodies = dict[tuple[str, str], str]
"""Texts by record and field."""
Signed = Callable[[bytes, bytes, bytes], bool]
"""Says whether a signature holds: of a key, for a message."""


class NotAsRecordedError(Exception):
    """The bundle is not what it should be."""


class NotCompletedError(Exception):
    """Something is missing, or not for this program to judge."""


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


def _point(data: bytes) -> Optional[Point]:
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


def is_signed(key: bytes, signature: bytes, message: bytes) -> bool:
    """Say whether an Ed25519 signature holds (section 5.1.7)."""
    if len(key) != HASH_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    public, r = _point(key), _point(signature[:32])
    base = _point((4 * pow(5, P - 2, P) % P).to_bytes(HASH_BYTES, "little"))
    s = int.from_bytes(signature[32:], "little")
    if public is None or r is None or base is None or s >= L:
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    h = int.from_bytes(digest, "little") % L
    return _same(_times(s, base), _add(r, _times(h, public)))


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


class Note(NamedTuple):
    """A checkpoint, as its note says it."""

    body: str
    origin: str
    size: int
    root: bytes
    at: int
    """When it was signed: seconds since 1970, UTC."""
    plain: bytes
    dated: bytes
    """Both signatures by the bundle's key."""


class BundledRecord(NamedTuple):
    """A record with its place in the ledger."""

    data: bytes
    """What its leaf is the hash of."""
    document: Json
    named: str
    """The record that the proof is for."""
    leaf: int
    path: list[bytes]


class BundledText(NamedTuple):
    """A text that a record commits to."""

    record: str
    field: str
    salt: str
    """In hex."""
    body: str


class BundleFiles(NamedTuple):
    """What the files of a bundle say, before anything is proven."""

    files: dict[str, bytes]
    key: bytes
    note: Note
    entries: list[BundledRecord]
    texts: list[BundledText]
    times: list[Note]
    """Checkpoints around the records."""
    policies: dict[int, bytes]
    """Texts of policies, by their versions."""


def read_bundle(files: dict[str, bytes]) -> BundleFiles:
    """Read what the page is made of.

    Raises:
        NotAsRecordedError: A file is malformed.
        NotCompletedError: A file is missing.
    """
    _refuse([name for name in FILES if name not in files], "missing")
    name, key = read_key(_text(files, "keys.txt"))
    records, proofs = _lines(files, "records.jsonl"), _lines(files, "proofs.jsonl")
    if len(records) != len(proofs):
        raise NotAsRecordedError(f"there are {len(records)} records and {len(proofs)} proofs")
    notes = [_row("times.jsonl", line, note=str)["note"] for line in _lines(files, "times.jsonl")]
    numbered = {path: POLICY.fullmatch(path) for path in files}
    return BundleFiles(
        files=files,
        key=key,
        note=read_note(_text(files, "checkpoint.txt"), name, key),
        entries=[
            _entry(data, _row("proofs.jsonl", line, record=str, leaf=int, path=list))
            for data, line in zip(records, proofs)  # of equal length
        ],
        texts=[
            BundledText(**_row("contents.jsonl", line, record=str, field=str, salt=str, body=str))
            for line in _lines(files, "contents.jsonl")
        ],
        times=[read_note(note, name, key) for note in notes],
        policies={int(match[1]): files[path] for path, match in numbered.items() if match},
    )


def _entry(data: bytes, proof: Json) -> BundledRecord:
    path = [_unhex("proofs.jsonl", digits) for digits in proof["path"]]
    return BundledRecord(data, _object("records.jsonl", data), proof["record"], proof["leaf"], path)


def _malformed(name: str) -> NotAsRecordedError:
    return NotAsRecordedError(f"{name} is malformed")


def _refuse(names: list[str], why: str) -> None:
    if names:
        raise NotCompletedError(f"{', '.join(names)}: {why}")


def _text(files: dict[str, bytes], name: str) -> str:
    return files[name].decode("utf-8", "replace")


def _lines(files: dict[str, bytes], name: str) -> list[bytes]:
    *lines, rest = files[name].split(b"\n")
    if rest:
        raise _malformed(name)
    return lines


def _object(name: str, line: bytes) -> Json:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise _malformed(name) from None
    if not isinstance(row, dict):
        raise _malformed(name)
    return row  # pyright: ignore[reportUnknownVariableType]


def _row(name: str, line: bytes, **kinds: type) -> Json:
    """Return an object with exactly these fields."""
    row = _object(name, line)
    if {field: type(value) for field, value in row.items()} != kinds:
        raise _malformed(name)
    return row


def _unhex(name: str, digits: Any) -> bytes:
    try:
        return bytes.fromhex(digits)
    except (TypeError, ValueError):
        raise _malformed(name) from None


def _unbase64(name: str, encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except ValueError:
        raise _malformed(name) from None


def read_key(line: str) -> tuple[str, bytes]:
    """Return name and key of a line `name+id+base64`."""
    name, _, rest = line.strip().partition("+")
    key_id, _, encoded = rest.partition("+")
    raw = _unbase64("keys.txt", encoded)
    named = _key_id(name, raw[1:], PLAIN).hex()
    if len(raw) != HASH_BYTES + 1 or raw[0] != PLAIN or named != key_id:
        raise _malformed("keys.txt")
    return name, raw[1:]


def read_note(note: str, name: str, key: bytes) -> Note:
    """Return what a note says, with the signatures by a key; none is checked yet."""
    text, _, signatures = note.partition("\n\n")
    signed: dict[bytes, bytes] = {}
    for line in signatures.splitlines():
        _, _, rest = line.partition(" ")
        signer, _, encoded = rest.partition(" ")
        raw = _unbase64("a checkpoint", encoded)
        if signer == name:
            signed[raw[:ID_BYTES]] = raw[ID_BYTES:]
    plain, dated = (signed.get(_key_id(name, key, kind), b"") for kind in (PLAIN, DATED))
    match = re.fullmatch(r"([^\n]+)\n([0-9]{1,18})\n([^\n]+)", text)
    if match is None or not plain or len(dated) <= TIME_BYTES:
        raise NotAsRecordedError(f"a checkpoint is not signed by {name}, or malformed")
    return Note(
        body=text + "\n",
        origin=match[1],
        size=int(match[2]),
        root=_unbase64("a checkpoint", match[3]),
        at=int.from_bytes(dated[:TIME_BYTES], "big"),
        plain=plain,
        dated=dated[TIME_BYTES:],
    )


def _key_id(name: str, key: bytes, kind: int) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + key).digest()[:ID_BYTES]


def check_note(note: Note, key: bytes, signed: Signed = is_signed) -> None:
    """Show that a key signed and dated a note."""
    told = f"cosignature/v1\ntime {note.at}\n{note.body}".encode()
    if not signed(key, note.plain, note.body.encode()) or not signed(key, note.dated, told):
        raise NotAsRecordedError(f"a checkpoint of {note.origin} is not signed by the key")


def check_records(bundle: BundleFiles) -> None:
    """Show that each record stands in the tree, and none twice."""
    last, note = -1, bundle.note
    for data, document, named, leaf, path in bundle.entries:
        if leaf <= last or root_of(leaf, note.size, leaf_hash(data), path) != note.root:
            raise NotAsRecordedError(f"record {named} is not in the ledger as it stands here")
        if document["id"] != named:
            raise NotAsRecordedError("records and proofs are not in one order")
        last = leaf


def check_times(bundle: BundleFiles) -> None:
    """Show that each record's time fits the checkpoints around it.

    A checkpoint before it did not have the record yet, one after it did.
    """
    for entry in bundle.entries:
        written = datetime.datetime.strptime(entry.document["at"], "%Y-%m-%dT%H:%M:%S.%fZ")  # noqa: DTZ007
        at = written.replace(tzinfo=datetime.timezone.utc).timestamp()
        begins, ends = sealed_between(bundle, entry.leaf)
        begins, ends = at if begins is None else begins, at if ends is None else ends
        if not begins - CLOCKS_DIFFER_S <= at <= ends + CLOCKS_DIFFER_S:
            raise NotAsRecordedError(
                f"record {entry.named} is dated {entry.document['at']}, and was sealed at another"
                " time"
            )


def sealed_between(bundle: BundleFiles, leaf: int) -> tuple[Optional[int], Optional[int]]:
    """Return the times of the checkpoints before and after a leaf; None: there is none here."""
    seen = sorted((note.size, note.at) for note in bundle.times)
    n = bisect.bisect_right([size for size, _ in seen], leaf)
    return seen[n - 1][1] if n else None, seen[n][1] if n < len(seen) else None


def check_texts(bundle: BundleFiles) -> int:
    """Show that each text is the one that was recorded; return how many are not in the bundle."""
    promised: dict[tuple[str, str], str] = {
        (entry.named, field): digest
        for entry in bundle.entries
        for field, digest in entry.document.get("content", {}).items()
    }
    for record, field, salt, body in bundle.texts:
        told = _unhex("contents.jsonl", salt) + f"{field}\x00{body}".encode(
            "utf-8", "surrogatepass"
        )
        if promised.pop((record, field), None) != hashlib.sha256(told).hexdigest():
            raise NotAsRecordedError(
                f"the text {field!r} of record {record} is not the one that was recorded"
            )
    return len(promised)


def check_policies(bundle: BundleFiles) -> None:
    """Show that each policy's text is the one that was published, as records of this bundle say."""
    published = published_texts(entry.document for entry in bundle.entries)
    cited = cited_versions((text.field, text.body) for text in bundle.texts)
    absent = (cited & set(published)) - set(bundle.policies)
    _refuse([policy_file(version) for version in sorted(absent)], "missing")
    for version, data in bundle.policies.items():
        if published.get(version) != {hashlib.sha256(data).hexdigest()}:
            raise NotAsRecordedError(f"{policy_file(version)} is not the text that was published")


def cited_versions(texts: Iterable[tuple[str, str]]) -> set[int]:
    """Return the versions of policies that answers quote, of fields with their texts."""
    return {
        citation["version_id"]
        for field, body in texts
        if field == "answer_json"
        for citation in json.loads(body or "{}").get("citations", [])
    }


def published_texts(documents: Iterable[Json]) -> dict[int, set[str]]:
    """Return the hashes that records of publications have of texts, by version."""
    published: dict[int, set[str]] = {}
    for document in documents:
        if document["tag"] == "corpus:published":
            for version in document["versions"]:
                if "text_sha256" in version:
                    published.setdefault(version["policy_version"], set()).add(
                        version["text_sha256"]
                    )
    return published


def policy_file(version: int) -> str:
    """Return the name of the file with a version's text."""
    return f"policies/{version}.txt"


class BundleCheck(NamedTuple):
    """What was proven."""

    shown: list[str]
    """A line each."""
    lacks: list[str]
    """What this program could not judge."""


def check(
    files: dict[str, bytes],
    *,
    given_key: Optional[str] = None,
    given_note: Optional[str] = None,
    signed: Signed = is_signed,
) -> BundleCheck:
    """Check everything.

    Raises:
        NotAsRecordedError: Something is not as it was recorded.
        NotCompletedError: Something is missing.
    """
    try:
        return _checked(files, given_key, given_note, signed)
    except NotAsRecordedError as error:
        page = files.get(PAGE, b"")
        others = [n for n, data in files.items() if n != PAGE and _digest(data) not in page]
        if PAGE not in files or not others:
            raise
        raise NotAsRecordedError(
            f"{error}; the page was made of another {', '.join(others)}"
        ) from None


def _checked(
    files: dict[str, bytes], given_key: Optional[str], given_note: Optional[str], signed: Signed
) -> BundleCheck:
    bundle = read_bundle(files)
    key, text = (_text(files, name).strip() for name in ("keys.txt", "checkpoint.txt"))
    if given_key is not None and given_key.strip() != key:
        raise NotAsRecordedError("the bundle is not by the key that was given")
    if given_note is not None and given_note.strip() != text:
        raise NotAsRecordedError("the bundle's checkpoint is not the one that was given")
    for note in [bundle.note, *bundle.times]:
        check_note(note, bundle.key, signed)
    check_records(bundle)
    absent = check_texts(bundle)
    check_times(bundle)
    check_policies(bundle)
    origin, size, root = bundle.note.origin, bundle.note.size, bundle.note.root
    shown = [
        f"{len(bundle.entries)} records stand in {origin}, among {size}, as it was sealed at"
        f" {_utc(bundle.note.at)} UTC.",
        f"{len(bundle.texts)} texts are those that were recorded; {absent} are not in the bundle.",
        f"{len(bundle.policies)} policies are those that were published.",
        "The records' times fit the signed times around them.",
    ]
    if given_key is None:
        shown.append(f"The key, to be compared with one from elsewhere: {key}")
    if given_note is None:
        shown.append(
            f"The checkpoint, to be compared with an anchor: size {size}, root {root.hex()}"
        )
    return BundleCheck(shown, _check_made(bundle))


def _check_made(bundle: BundleFiles) -> list[str]:
    """Hold the page to the one that these files give; return what is another program's."""
    if bundle.files["verify.py"] != pathlib.Path(__file__).read_bytes():
        return [
            f"verify.py is not this program: {PAGE}, which it draws, was not checked. Another"
            " release made the bundle, or somebody changed it"
        ]
    _refuse([PAGE] if PAGE not in bundle.files else [], "missing")
    if bundle.files[PAGE] != page_of(bundle):
        raise NotAsRecordedError(f"{PAGE} is not the page that these files give")
    return []


# The page: all that it shows of a bundle is text, it has no script, and needs no network.
OUTCOMES = {
    "answered": ("Answered", "good"),
    "clarification": ("Asked back", "quiet"),
    "refused": ("Not answered", "warn"),
    "escalated": ("Escalated", "warn"),
    "failed": ("Failed", "bad"),
    "ignored": ("No question", "quiet"),
}
"""Words and colour of each outcome."""
EVENTS = {
    "message:received": "Question received",
    "message:edited": "Message edited",
    "message:deleted": "Message deleted",
    "question:answered": "Answer recorded",
    "question:refused": "Recorded without an answer",
    "question:escalated": "Recorded for a person",
    "question:failed": "Recorded as failed",
    "clarification:asked": "Question back recorded",
    "clarification:answered": "Question back answered",
    "clarification:expired": "Question back left unanswered",
    "assumption:stated": "Assumption stated",
    "assumption:revoked": "Assumption revoked",
    "conflict:found": "Conflict between policies found",
    "conflict:resolved": "Conflict resolved",
    "reply:posted": "Reply posted",
    "reply:updated": "Reply updated",
    "reply:withheld": "Reply withheld",
    "reply:uncertain": "Posting in doubt",
    "reply:abandoned": "Reply could not be posted",
    "reply:removed": "Reply removed",
    "feedback:given": "Feedback",
    "feedback:refused": "Feedback refused",
    "answer:reviewed": "Answer reviewed",
    "answer:superseded": "Answer superseded",
    "answer:affected": "Affected by a new edition",
    "answer:confirmed": "Found the same after a change",
    "contradiction:found": "Found to contradict another answer",
    "case:opened": "Case opened",
    "case:noted": "Note added to the case",
    "case:assigned": "Case claimed",
    "case:acknowledged": "Report acknowledged",
    "case:messaged": "Message about a report",
    "case:escalated": "Report escalated",
    "case:answered": "Case answered",
    "case:reminded": "Officers reminded of the case",
    "case:overdue": "Case overdue",
    "case:resolved": "Case resolved",
    "case:reopened": "Case reopened",
    "case:closed": "Case closed",
    "case:refused": "Refused",
    "precedent:proposed": "Precedent proposed",
    "precedent:approved": "Precedent approved",
    "precedent:refused": "Precedent refused",
    "precedent:applied": "Precedent told",
    "precedent:suspended": "Precedent suspended",
    "precedent:withdrawn": "Precedent withdrawn",
    "precedent:expired": "Precedent expired",
    "draft:accepted": "Test question accepted",
    "draft:mended": "Test question mended",
    "draft:dropped": "Test question dropped",
    "corpus:published": "Policies published",
}
"""What happened, by the tags of records."""
ERASED = "(erased)"
AROUND = 300
"""Characters of a policy that are shown before and after a quote."""
SHORT = 140
"""Characters of a question in the list of all."""
STYLE = """
:root { color-scheme: light dark; --good: #1c7a45; --warn: #8a5a00; --bad: #a8321f }
@media (prefers-color-scheme: dark) { :root { --good: #6fce97; --warn: #e3b25c; --bad: #f0907f } }
* { box-sizing: border-box }
body { margin: 0; overflow-wrap: anywhere; font: 1rem/1.55 system-ui, sans-serif }
main { max-width: 54rem; margin: 0 auto; padding: 2rem 1rem 4rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem }
h2 { font-size: 1.15rem; line-height: 1.35; margin: 0 0 .5rem }
h3 { font-size: .9rem; margin: 1.25rem 0 .35rem }
p, dd { margin: 0 0 .6rem }
code { font: .85em ui-monospace, monospace }
.card { border-top: 1px solid GrayText; padding: 1.1rem 0; margin: 0 0 1.1rem }
.figures { display: flex; flex-wrap: wrap; gap: .75rem 2rem; margin: 0 }
.figures dd { font-size: 1.35rem; font-weight: 600 }
table { border-collapse: collapse; width: 100%; font-size: .93rem }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem .4rem 0 }
.when, td .quiet { white-space: nowrap }
.tag { border: 1px solid; border-radius: 1rem; padding: 0 .6rem; margin-right: .35rem }
.good { color: var(--good) } .warn { color: var(--warn) } .bad { color: var(--bad) }
.quiet, .when, .lead, .proof, dt, th { opacity: .75; font-size: .9rem; font-weight: 400 }
.said, .asked, .text { white-space: pre-wrap }
.source, .officer { border-left: 3px solid; padding: .1rem 0 .1rem .9rem; margin: 0 0 .9rem }
.where { font-weight: 600 }
.text { font-family: Georgia, serif }
.trail { list-style: none; margin: 0; padding: 0; font-size: .93rem }
.trail li { display: flex; gap: .8rem; padding: .15rem 0 }
@media (max-width: 34rem) { thead { display: none } tr, td, .trail li { display: block } }
@media print { mark { text-decoration: underline } .source, .officer { break-inside: avoid } }
"""


def page_of(bundle: BundleFiles) -> bytes:
    """Return the page: what was asked, what was told, on which text, and how to check it."""
    bodies = {(text.record, text.field): text.body for text in bundle.texts}
    closing = {
        str(entry.document["trace_id"]): entry
        for entry in bundle.entries
        if entry.document.get("outcome") and entry.document.get("question")
    }
    stories = list(closing.values())
    told = {other.named for entry in stories for other in [entry, *_belonging(bundle, entry)]}
    others = [_event(entry) for entry in bundle.entries if entry.named not in told]
    promised = sum(len(entry.document.get("content", {})) for entry in bundle.entries)
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy"',
        " content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="referrer" content="no-referrer">',
        "<title>What was asked, and what was answered</title>",
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>",
        _summary(bundle, stories, bodies),
        *(_story(bundle, entry, bodies, n) for n, entry in enumerate(stories, 1)),
        *([] if stories else ['<p class="card">No question is among these records.</p>']),
        *([_section("Other records", _trail(others))] if others else []),
        _section("How to check this", _checks(bundle, promised - len(bundle.texts))),
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts).encode("utf-8", "xmlcharrefreplace")


def _summary(bundle: BundleFiles, stories: list[BundledRecord], bodies: Bodies) -> str:
    outcomes = Counter(_outcome(entry)[0] for entry in stories).most_common()
    figures = [("Questions", len(stories)), *outcomes, ("Sealed records", len(bundle.entries))]
    rows = "\n".join(
        f'<tr><td class="when">{_moment(entry)}</td><td><a href="#q{n}">'
        f"{_e(bodies.get((entry.named, 'question'), ERASED)[:SHORT])}</a></td>"
        f'<td>{_tag(entry)} <span class="quiet">{_e(_badge(entry))}</span></td></tr>'
        for n, entry in enumerate(stories, 1)
    )
    head = "".join(f"<th>{name}</th>" for name in ("Asked (UTC)", "Question", "Outcome"))
    table = f"\n<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    numbers = "".join(f"<div><dt>{_e(word)}</dt><dd>{count}</dd></div>" for word, count in figures)
    return (
        "<h1>What was asked, and what was answered</h1>\n"
        f'<p class="lead">From the record of <code>{_e(bundle.note.origin)}</code>, as it was'
        f" sealed on {_utc(bundle.note.at)} UTC.</p>\n"
        + _section("In short", f'<dl class="figures">{numbers}</dl>{table if stories[1:] else ""}')
    )


def _story(bundle: BundleFiles, entry: BundledRecord, bodies: Bodies, n: int) -> str:
    document = entry.document
    answer, assumed = (
        json.loads(bodies.get((entry.named, field)) or "{}")
        for field in ("answer_json", "assumptions")
    )
    belonging = _belonging(bundle, entry)
    officer = [
        other
        for other in belonging
        if other.document["actor"]["kind"] == "officer" and other.document["tag"] != "record:viewed"
    ]
    place = f"{document['actor']['ref']} in {str(document['question']['platform']).capitalize()}"
    asked = [_badge(entry), f"asked {document['at'][:16].replace('T', ' ')} UTC by {place}"]
    parts = [
        f'<article class="card" id="q{n}">',
        f'<h2 class="asked">{_e(bodies.get((entry.named, "question"), ERASED))}</h2>',
        f'<p>{_tag(entry)}<span class="quiet">{_e(" · ".join(filter(None, asked)))}</span></p>',
        *(
            f'<p class="quiet">Taken as given: {_e(name)}: {_e(value)}</p>'
            for name, value in sorted(dict(assumed).items())
        ),
        "<h3>What the asker was told</h3>",
        f'<p class="said">{_e(bodies.get((entry.named, "answer"), ERASED))}</p>',
        *_headed("On what text", [_source(bundle, c) for c in answer.get("citations", [])]),
        *_headed("What Compliance said", [_said(other, bodies) for other in officer]),
        *_headed("What happened", [_trail([_event(other) for other in belonging])]),
        f'<p class="proof">Record <code>{_e(entry.named)}</code>, place {entry.leaf} in the ledger,'
        f" hash <code>{leaf_hash(entry.data).hex()}</code>, sealed {_sealed(bundle, entry)}."
        f" {_e(_how(document))}</p>\n</article>",
    ]
    return "\n".join(parts)


def _belonging(bundle: BundleFiles, entry: BundledRecord) -> list[BundledRecord]:
    """Return what came of a question, and of the officer's answer that was told for it."""
    told: Json = entry.document.get("precedent") or {}
    trace = entry.document["trace_id"]
    return [
        other
        for other in bundle.entries
        if other.document.get("trace_id") == trace
        or other.document.get("subject") == told.get("id", "")
    ]


def _source(bundle: BundleFiles, citation: Json) -> str:
    version, quote, eid = citation["version_id"], citation["quote"], str(citation.get("eid"))
    kind = {"slide": "slide", "sheet": "row of the sheet"}.get(eid.partition("_")[0], "page")
    named = {"version": "version", "section": "section", "section_title": "", "page": kind}
    place = [f"{word} {citation[name]}" for name, word in named.items() if citation.get(name)]
    where = ", ".join(part.strip() for part in [str(citation["title"]), *place])
    before = after = note = ""
    if version in bundle.policies:
        policy = bundle.policies[version].decode("utf-8", "replace")
        first, last = citation["char_start"], citation["char_end"]
        before, after = policy[:first], policy[last:]
        if len(before) > AROUND:
            before = "… " + before[-AROUND:].partition(" ")[2]
        if len(after) > AROUND:
            after = after[:AROUND].rpartition(" ")[0] + " …"
        note = f"From {policy_file(version)}, as it was published."
        if policy[first:last] != quote:
            before, after, note = "", "", "The policy that was published says something else here."
    return (
        f'<div class="source">\n<p class="where">[{_e(citation["n"])}] {_e(where)}</p>\n'
        f'<p class="text">{_e(before.lstrip())}<mark>{_e(quote)}</mark>{_e(after.rstrip())}</p>\n'
        f'<p class="quiet">{note}</p>\n</div>'
    )


def _said(entry: BundledRecord, bodies: Bodies) -> str:
    text = bodies.get((entry.named, "reply")) or bodies.get((entry.named, "reason"), "")
    said = f'\n<p class="said">{_e(text)}</p>' if text else ""
    who = f"{_moment(entry)} UTC, officer {_e(entry.document['actor']['ref'])}: {_what(entry)}"
    return f'<div class="officer">\n<p class="quiet">{who}</p>{said}\n</div>'


def _checks(bundle: BundleFiles, absent: int) -> str:
    files = "".join(
        f"<tr><td>{_e(name)}</td><td><code>{_digest(data).decode()}</code></td></tr>\n"
        for name, data in sorted(bundle.files.items())
        if name != PAGE
    )
    lacks = (
        f" {absent} texts were erased or are not for whoever made this bundle." if absent else ""
    )
    return (
        "<p>This page is made by <code>verify.py</code> from the files below. Each record is one of"
        f" the {bundle.note.size} that the ledger had when it was sealed; whoever changes a letter"
        " breaks its proof. To check that, you need nothing but Python 3.9 or later:</p>\n"
        "<p><code>python3 verify.py</code></p>\n"
        "<p>It shows the key and the checkpoint that all proofs lead to. Compare both with what you"
        " have from elsewhere, such as a checkpoint that was kept outside the company's database,"
        " and use a <code>verify.py</code> from elsewhere:</p>\n"
        f"<p>Key: <code>{_e(bundle.files['keys.txt'].decode().strip())}</code></p>\n"
        f"<p>Checkpoint: size {bundle.note.size}, root"
        f" <code>{base64.b64encode(bundle.note.root).decode()}</code></p>\n"
        f'<p class="quiet">Names are pseudonyms, times are UTC.{lacks}</p>\n'
        f"<table>\n<thead><tr><th>File</th><th>SHA-256</th></tr></thead>\n<tbody>\n{files}"
        "</tbody>\n</table>"
    )


def _section(title: str, content: str) -> str:
    return f'<section class="card">\n<h2>{title}</h2>\n{content}\n</section>'


def _headed(title: str, parts: list[str]) -> list[str]:
    return [f"<h3>{title}</h3>", *parts] if parts else []


def _trail(events: list[str]) -> str:
    return "\n".join(['<ol class="trail">', *events, "</ol>"])


def _event(entry: BundledRecord) -> str:
    when, record = f'<span class="when">{_moment(entry)}</span>', _e(entry.named)
    return f'<li>{when} <span>{_what(entry)} <code class="quiet">{record}</code></span></li>'


def _what(entry: BundledRecord) -> str:
    tag, rating = entry.document["tag"], entry.document.get("rating")
    what = EVENTS.get(tag, tag)
    return _e(f"{what}: {rating}" if isinstance(rating, str) else what)


def _outcome(entry: BundledRecord) -> tuple[str, str]:
    outcome = str(entry.document["outcome"])
    return OUTCOMES.get(outcome, (outcome, "quiet"))


def _tag(entry: BundledRecord) -> str:
    outcome, tone = _outcome(entry)
    return f'<span class="tag {tone}">{_e(outcome)}</span>'


def _badge(entry: BundledRecord) -> str:
    confidence: Json = entry.document.get("confidence") or {}
    badge, calibrated = confidence.get("badge"), confidence.get("calibrated")
    if badge is None:
        return ""
    sure = f" ({int(calibrated * 100)}%)" if isinstance(calibrated, (int, float)) else ""
    return f"{str(badge).capitalize()} confidence{sure}"


def _how(document: Json) -> str:
    run: Json = document.get("run") or {}
    edition = f"edition {run['edition']} of the policies" if run.get("edition") else ""
    made = f"answered by {run['reasoner']}" if run.get("reasoner") else ""
    made = "answered by an officer" if document.get("precedent") else made
    parts = [edition, made, f"release {document['release']}"]
    return ", ".join(part for part in parts if part).capitalize() + "."


def _sealed(bundle: BundleFiles, entry: BundledRecord) -> str:
    begins, ends = sealed_between(bundle, entry.leaf)
    after = "" if begins is None else f"after {_utc(begins)} and "
    return f"{after}before {_utc(bundle.note.at if ends is None else ends)} UTC"


def _moment(entry: BundledRecord) -> str:
    return _e(entry.document["at"][:16].replace("T", " "))


def _utc(at: int) -> str:
    moment = datetime.datetime.fromtimestamp(at, datetime.timezone.utc)
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _e(text: object) -> str:
    return html.escape(str(text))


def read_folder(folder: pathlib.Path) -> dict[str, bytes]:
    """Return the files of an unpacked bundle.

    Raises:
        NotCompletedError: There are other files beside them, which nothing is proven of.
        OSError: One can't be read.
    """
    paths = [path for path in folder.iterdir() if path.name not in BY_SYSTEMS]
    paths += [path for sub in paths if sub.name == "policies" for path in sub.iterdir()]
    names = {path.relative_to(folder).as_posix(): path for path in paths if path.name != "policies"}
    refuse_others(list(names))
    return {name: path.read_bytes() for name, path in names.items()}


def refuse_others(names: list[str]) -> None:
    """Refuse files that a bundle does not have, or has once.

    Raises:
        NotCompletedError: There is one.
    """
    own = {name for name in names if name in (*FILES, PAGE) or POLICY.fullmatch(name)}
    others = sorted({name for name in names if name not in own or names.count(name) > 1})
    _refuse(others, "no part of the bundle, and not proven; a bundle lies in a folder of its own")


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
        note = given.checkpoint.read_text("utf-8", "replace") if given.checkpoint else None
        checked = check(read_folder(given.folder), given_key=given.key, given_note=note)
        shown, code = [*checked.shown, *(f"Not completed: {lack}." for lack in checked.lacks)], 2
        if not checked.lacks:
            shown, code = [*shown, "All checks passed."], 0
    except NotAsRecordedError as problem:
        shown, code = [f"NOT AS RECORDED: {problem}"], 1
    except (NotCompletedError, OSError) as error:
        shown, code = [f"Not completed: {error}"], 2
    except Exception as error:  # whatever it is, it is no finding about the bundle
        failure = f"{type(error).__name__}: {error}, on Python {sys.version.split()[0]}"
        shown, code = [f"This program failed, and says nothing of the bundle ({failure})."], 2
    sys.stdout.buffer.write("".join(f"{line}\n" for line in shown).encode("utf-8", "replace"))
    return code


if __name__ == "__main__":
    sys.exit(main())
