"""Store one publication: edition, version, sections and chunks.

Called within the transaction that holds the advisory lock `PUBLISHING`.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.json_rows import bytes_in_json, insert_rows
from core.adapters.postgres.engine.rows import row_of
from core.adapters.postgres.engine.tables import (
    chunks,
    policies,
    policy_versions,
    sections,
)
from core.domain.errors import DocumentError, IntegrityError, OvertakenError
from core.domain.policy import EVERYONE, PolicyMetadata
from core.ingest import READING
from core.language.spans import VersionId
from core.ports import Publication

_NEXT_EDITION = text(
    "INSERT INTO citebound.editions (number, note)"
    " SELECT coalesce(max(number), 0) + 1, :note FROM citebound.editions RETURNING number"
)
_NEWEST = text(
    "SELECT v.id, (SELECT max(w.edition) FROM citebound.withdrawals w"
    "  WHERE w.policy_id = v.policy_id AND w.edition > v.edition_from) AS withdrawn_in"
    " FROM citebound.policy_versions v JOIN citebound.policies p ON p.id = v.policy_id"
    " WHERE p.key = :key AND v.edition_until IS NULL ORDER BY v.number DESC LIMIT 1"
)
_NOTE_FILE = text(
    "INSERT INTO citebound.policy_files AS known (policy_id, path)"
    " SELECT id, :path FROM citebound.policies WHERE key = :key"
    " ON CONFLICT (policy_id) DO UPDATE SET path = excluded.path"
    " WHERE known.path <> excluded.path"
)

_NOTE_READERS = text(
    "INSERT INTO citebound.policy_readers (policy_id, edition_from, audience, source)"
    " SELECT id, :edition, :audience, :source FROM citebound.policies p WHERE key = :key"
    " AND NOT EXISTS (SELECT FROM citebound.policy_readers r"
    "  WHERE r.policy_id = p.id AND r.edition_until IS NULL)"
)


_LIKE_NAME = text(
    "SELECT n AS name, k AS known FROM unnest(CAST(:names AS text[])) n JOIN ("
    "  SELECT CAST(:everyone AS text) AS k UNION"
    "  SELECT unnest(audience) FROM citebound.policy_versions"
    "   WHERE edition_until IS NULL AND policy_id <> :policy) known"
    " ON lower(n) = lower(k) AND n <> k ORDER BY n, k LIMIT 1"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRow:
    """A version's row."""

    policy_id: int
    """Of which policy."""
    version_id: int
    """Its id."""
    number: int
    """Which of the policy's versions, from 1."""


async def refuse_overtaken(
    connection: AsyncConnection, publication: Publication, after: VersionId | None
) -> None:
    """Refuse a publication that is not based on the newest version or withdrawal."""
    key = publication.metadata.key
    newest = (await connection.execute(_NEWEST, {"key": key})).one_or_none()
    found = (newest.id, newest.withdrawn_in) if newest else (None, None)
    if found != (after, publication.revives):
        raise OvertakenError(
            f"another ingestion of this policy was faster: expected {after!r} to be the newest"
            f" version of {key!r}, got {found[0]!r}"
        )


async def open_edition(connection: AsyncConnection, note: str) -> int:
    """Begin the next edition; the caller holds the lock `PUBLISHING`."""
    edition = await connection.scalar(_NEXT_EDITION, {"note": note})
    if not isinstance(edition, int):
        raise IntegrityError("the database returned no number for a new edition")
    return edition


async def end_version(connection: AsyncConnection, replaced: VersionId, edition: int) -> None:
    """End a version with the edition that replaces it; earlier editions keep it."""
    await connection.execute(
        policy_versions.update()
        .where(policy_versions.c.id == replaced)
        .values(edition_until=edition)
    )


async def insert_version(
    connection: AsyncConnection, publication: Publication, edition: int, on_day: date
) -> StoredRow:
    """Store the row of a version."""
    given = publication.metadata
    policy_id = await _policy_id(connection, given.key)
    newest = (
        await connection.execute(
            select(policy_versions.c.number, policy_versions.c.effective_from)
            .where(policy_versions.c.policy_id == policy_id)
            .order_by(policy_versions.c.number.desc())
            .limit(1)
        )
    ).one_or_none()
    number = newest.number + 1 if newest else 1
    effective_from = given.effective_from
    if effective_from is None and newest is not None and publication.replaces is None:
        effective_from = _begin(newest.effective_from, given.effective_until, on_day)
    await _refuse_like_names(connection, given, policy_id)
    row = row_of(
        given,
        policy_id=policy_id,
        number=number,
        edition_from=edition,
        effective_from=effective_from,
        source_name=publication.source_name,
        media_type=publication.document.media_type,
        sha256=hashlib.sha256(publication.original).digest(),
        original=publication.original,
        text=publication.document.text,
        page_starts=list(publication.document.page_starts),
        notes=[*publication.document.left_out, *publication.document.notes],
        facts_hash=publication.extraction.sha256(),
        facts_by=publication.facts_by,
        reading=READING,
    )
    del row["key"]  # it names the policy
    version_id = await connection.scalar(
        policy_versions.insert().values(row).returning(policy_versions.c.id)
    )
    if version_id is None:
        raise IntegrityError("the database returned no id for a new version")
    return StoredRow(policy_id=policy_id, version_id=version_id, number=number)


async def _policy_id(connection: AsyncConnection, key: str) -> int:
    known = await connection.scalar(select(policies.c.id).where(policies.c.key == key))
    found = known or await connection.scalar(
        policies.insert().values(key=key).returning(policies.c.id)
    )
    if found is None:
        raise IntegrityError(f"the database returned no id for the policy {key!r}")
    return found


async def _refuse_like_names(
    connection: AsyncConnection, given: PolicyMetadata, policy_id: int
) -> None:
    """Refuse a group that differs from another policy's in case alone: they share no member."""
    names = {"names": sorted(given.audience), "everyone": EVERYONE, "policy": policy_id}
    like = (await connection.execute(_LIKE_NAME, names)).first()
    if like is not None:
        raise DocumentError(
            f"its audience {like.name!r} and {like.known!r} differ in case alone: write it as"
            f" {like.known!r}, or give one of both groups another name"
        )


def _begin(before: date | None, until: date | None, on_day: date) -> date | None:
    """Return the first day of a later version that does not state one.

    It is in force from now on, and the earlier one stays in force for the past. If its end has
    passed already, it replaces the earlier one, so that the policy has ended on that day.
    """
    if until is None or until > on_day:
        return on_day
    return before if before is None or before < until else None


async def note_file(connection: AsyncConnection, key: str, path: str) -> None:
    """Store which file a policy was read from last."""
    await connection.execute(_NOTE_FILE, {"key": key, "path": path})


async def note_readers(connection: AsyncConnection, publication: Publication, edition: int) -> None:
    """Let a policy's source say who reads it from its first version on."""
    said = publication.readers
    if said is not None:
        given = {
            "key": publication.metadata.key,
            "edition": edition,
            "audience": sorted(said.groups),
            "source": said.source,
        }
        await connection.execute(_NOTE_READERS, given)


async def insert_sections(
    connection: AsyncConnection, publication: Publication, version_id: int
) -> dict[int, int]:
    """Store a version's sections, and return their ids by ordinal."""
    if not publication.sections:
        raise IntegrityError(f"{publication.source_name} has no sections")
    rows = [row_of(section, version_id=version_id) for section in publication.sections]
    await insert_rows(connection, sections, rows)
    stored = await connection.execute(
        select(sections.c.ordinal, sections.c.id).where(sections.c.version_id == version_id)
    )
    return {row.ordinal: row.id for row in stored}


async def insert_chunks(
    connection: AsyncConnection,
    publication: Publication,
    version_id: int,
    section_ids: Mapping[int, int],
) -> None:
    """Store a version's chunks, after checking that each is exactly the text at its span."""
    rows: list[dict[str, Any]] = []
    for chunk in publication.chunks:
        if (
            chunk.text != publication.document.text[chunk.char_start : chunk.char_end]
            or not chunk.text
        ):
            raise IntegrityError(f"chunk {chunk.chunk_id} is not the text at its span")
        rows.append(
            row_of(
                chunk,
                version_id=version_id,
                section_id=section_ids[chunk.section_ordinal],
                content_hash=bytes_in_json(content_hash(chunk.text)),
            )
        )
    await insert_rows(connection, chunks, rows)


def content_hash(content: str) -> bytes:
    """Return the hash by which equal texts are embedded once."""
    return hashlib.sha256(content.encode()).digest()
