"""What `ingest --json` prints."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from bot.console.ingest.extraction_progress import FilePlan, sum_of
from bot.console.ingest.ingest_files import Failed, FileResult, counts_of, status_of
from bot.console.ingest.vanished import Vanished
from core.adapters.postgres.corpus.withdrawals import PolicyFile
from core.domain.codec import json_of
from core.ingest.changes import CorpusChanges, change_json
from core.ingest.folder_listing import FileListing
from core.ports import Published
from core.ports.extraction import SectionReader


def plans_as_json(
    plans: Sequence[FilePlan],
    listing: FileListing,
    gone: Sequence[PolicyFile],
    reader: SectionReader | None,
) -> dict[str, object]:
    """Return what would be done with each file."""
    files: list[dict[str, object]] = []
    for plan in plans:
        result = plan.result
        if isinstance(result, Failed):
            files.append({"file": str(plan.path), "status": "failed", "reason": result.reason})
            continue
        files.append(
            {
                "file": str(plan.path),
                "status": result.status,
                "policy": result.previewed.metadata.key,
                "title": result.previewed.metadata.title,
                "sections": len(result.previewed.document.sections),
                "chunks": result.previewed.chunks,
                "entities": result.entities,
                "relations": result.relations,
                "reading": asdict(result.reading) if result.reading else None,
            }
        )
    reading = {"model": reader.model, **asdict(sum_of(plans))} if reader else None
    return {
        "files": [*files, *_skipped_as_json(listing)],
        "others": [str(one) for one in listing.others],
        "gone": [_gone_as_json(Vanished(file=one)) for one in gone],
        "reading": reading,
    }


def outcome_as_json(
    results: Sequence[FileResult],
    listing: FileListing,
    vanished: Sequence[Vanished],
    changes: CorpusChanges,
    *,
    reading: Mapping[str, object] | None,
) -> dict[str, object]:
    """Return what became of all files, and what that changed.

    Args:
        results: Of each file.
        listing: The files.
        vanished: Policies whose file is gone.
        changes: Policy by policy.
        reading: What a model read; None: it was not asked.
    """
    found: dict[str, object] = {
        "files": [*map(_as_json, results), *_skipped_as_json(listing)],
        **counts_of(results),
        "skipped": len(listing.skipped),
        "others": [str(one) for one in listing.others],
        "gone": [_gone_as_json(one) for one in vanished],
        "changes": [change_json(one) for one in changes.policies],
    }
    return found | ({"reading": reading} if reading else {})


def _skipped_as_json(listing: FileListing) -> list[dict[str, object]]:
    return [
        {"file": str(each.path), "status": "skipped", "reason": each.reason}
        for each in listing.skipped
    ]


def _gone_as_json(one: Vanished) -> dict[str, object]:
    return json_of(one, "policy=file.key file.title file=file.path withdrawn_in")


def _as_json(item: FileResult) -> dict[str, object]:
    done = item.result
    if isinstance(done, Failed):
        return {"file": str(item.path), "status": "failed", "reason": done.reason}
    found: dict[str, object] = {
        "file": str(item.path),
        "status": status_of(done).word,
        "policy": done.metadata.key,
        "title": done.metadata.title,
        "label": done.metadata.label,
        "version_id": done.result.version_id,
        "sections": done.sections,
        "notes": list(done.notes),
        "left_out": list(done.left_out),
    }
    if isinstance(done.result, Published):
        found |= json_of(done.result, "edition chunks chunks_embedded entities relations")
    if done.reading:
        found["reading"] = asdict(done.reading)
    return found
