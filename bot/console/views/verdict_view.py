"""What `citebound audit verify` found, as text and as JSON."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from rich.text import Text

from core.adapters.postgres.record.record_proof import VerifiedRecord
from core.audit.checkpoint import Checkpoint
from core.audit.verification import Problem, Verification
from core.domain.codec import json_of

HEADINGS = {
    "intact": "Intact.",
    "tampered": "Not intact.",
    "incomplete": "Not verified: something is missing.",
}


def verdict_json(found: Verification) -> dict[str, object]:
    """Return a verification of the ledger."""
    return json_of(
        found,
        "result origin size root sealed_until restored unsealed erased checked problems"
        " problem_count=count warnings lacks took_ms",
        **_checkpoint_json(found.newest),
        sealed_until=_written(found.sealed_until),
        checked=json_of(found, "records checkpoints anchors timestamps contents"),
        problems=_problems(found.problems),
        took_ms=round(found.took_ms),
    )


def _checkpoint_json(checkpoint: Checkpoint | None) -> dict[str, object]:
    return {
        "origin": checkpoint.origin if checkpoint else None,
        "size": checkpoint.size if checkpoint else 0,
        "root": checkpoint.root.hex() if checkpoint else None,
    }


def record_verdict_json(found: VerifiedRecord) -> dict[str, object]:
    """Return a verification of one record, with its proof."""
    return json_of(
        found,
        "result record=record_id tag at leaf origin size root path anchors citations contents"
        " erased problems warnings lacks took_ms",
        **_checkpoint_json(found.checkpoint),
        problems=_problems(found.problems),
        took_ms=round(found.took_ms),
    )


def verdict_lines(found: Verification) -> list[Text]:
    """Return a verification of the ledger as lines."""
    until = _written(found.sealed_until)
    sealed = f", sealed until {until}" if until else ""
    checked = (
        f"{found.records} records{sealed}; {found.checkpoints} checkpoints,"
        f" {found.anchors} of anchors, {found.timestamps} timestamps, {found.contents} texts,"
        f" {found.erased} erased."
    )
    more = found.count - len(found.problems)
    return [
        Text(_heading(found), style="bold"),
        Text(checked),
        *(Text(f"Loss: {restoration.said()}") for restoration in found.restored),
        *_problem_lines(found.problems),
        *([Text(f"and {more} more")] if more else []),
        *_remarks(found.lacks, found.warnings),
    ]


def _heading(found: Verification) -> str:
    if found.result != "intact" or not found.restored or found.newest is None:
        return HEADINGS[found.result]
    records = ", ".join(restoration.record for restoration in found.restored)
    what = (
        "the loss"
        if any(restored.checkpoints for restored in found.restored)
        else "a clock that ran ahead"
    )
    generation = found.newest.position[0]
    return f"Intact since generation {generation}; {what} is explained by record {records}."


def record_verdict_lines(found: VerifiedRecord) -> list[Text]:
    """Return a verification of one record as lines."""
    place = "not sealed yet" if found.leaf is None else f"leaf {found.leaf}"
    checkpoint = found.checkpoint
    proof = (
        [
            f"Proven by {len(found.path)} hashes to the root of {checkpoint.size} records in"
            f" {checkpoint.origin}; {found.anchors} anchored checkpoints cover it.",
            f"Root {checkpoint.root.hex()}",
            *(f"  {one.hex()}" for one in found.path),
        ]
        if checkpoint and found.path and not found.problems
        else []
    )
    return [
        Text(HEADINGS[found.result], style="bold"),
        Text(f"{found.record_id}  {found.tag}  {found.at.isoformat()}, {place};"),
        Text(f"{found.citations} citations, {found.contents} texts, {found.erased} erased."),
        *map(Text, proof),
        *_problem_lines(found.problems),
        *_remarks(found.lacks, found.warnings),
    ]


def _problems(found: Sequence[Problem]) -> list[dict[str, object]]:
    return [
        {"class": one.kind.value, "record": one.record, "leaf": one.leaf, "detail": one.detail}
        for one in found
    ]


def _problem_lines(found: Iterable[Problem]) -> Iterator[Text]:
    for one in found:
        parts = (
            f"record {one.record}" if one.record else "",
            f"leaf {one.leaf}" if one.leaf is not None else "",
        )
        where = " ".join(part for part in parts if part)
        yield Text(f"{one.kind.value}  {where}{': ' if where else ''}{one.detail}")


def _remarks(lacks: Iterable[str], warnings: Iterable[str]) -> Iterator[Text]:
    yield from (Text(f"Lacking: {what}") for what in lacks)
    yield from (Text(f"Note: {what}") for what in warnings)


def _written(at: int | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat()
