"""The rows of one publication: edition, version, sections, chunks. Written under `PUBLISHING`."""

import hashlib
from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.tables import (
    chunks,
    editions,
    policies,
    policy_versions,
    sections,
)
from core.domain.errors import IntegrityError, OvertakenError
from core.language.spans import VersionId
from core.ports import Publication

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


async def refuse_overtaken(
    connection: AsyncConnection, publication: Publication, after: VersionId | None
) -> None:
    """Refuse what was decided without having seen the newest version, or that it was withdrawn."""
    key = publication.metadata.key
    newest = (await connection.execute(_NEWEST, {"key": key})).one_or_none()
    found = (newest.id, newest.withdrawn_in) if newest else (None, None)
    if found != (after, publication.revives):
        raise OvertakenError(
            f"another ingestion of this policy was faster: expected {after!r} to be the newest"
            f" version of {key!r}, got {found[0]!r}"
        )


async def open_edition(connection: AsyncConnection, note: str) -> int:
    """Begin the next state of the corpus; whoever does so holds the lock `PUBLISHING`."""
    newest = await connection.scalar(select(func.max(editions.c.number)))
    edition = (newest or 0) + 1
    await connection.execute(editions.insert().values(number=edition, note=note))
    return edition


async def end_version(connection: AsyncConnection, replaced: VersionId, edition: int) -> None:
    """Let earlier editions keep a version that this one has anew."""
    await connection.execute(
        policy_versions.update()
        .where(policy_versions.c.id == replaced)
        .values(edition_until=edition)
    )


async def insert_version(
    connection: AsyncConnection, publication: Publication, edition: int, on_day: date
) -> tuple[int, int]:
    """Store the row of a version, and return its id and its number."""
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
    version_id = await connection.scalar(
        policy_versions.insert()
        .values(
            policy_id=policy_id,
            number=number,
            edition_from=edition,
            title=given.title,
            label=given.label,
            owner=given.owner,
            jurisdiction=given.jurisdiction,
            audience=sorted(given.audience),
            tags=sorted(given.tags),
            effective_from=effective_from,
            effective_until=given.effective_until,
            upload_id=given.upload_id,
            source_name=publication.source_name,
            media_type=publication.document.media_type,
            sha256=hashlib.sha256(publication.original).digest(),
            original=publication.original,
            text=publication.document.text,
            page_starts=list(publication.document.page_starts),
            notes=list(publication.document.notes),
            facts_hash=publication.extraction.sha256(),
            facts_by=publication.facts_by,
        )
        .returning(policy_versions.c.id)
    )
    if version_id is None:
        raise IntegrityError("the database returned no id for a new version")
    return version_id, number


async def _policy_id(connection: AsyncConnection, key: str) -> int | None:
    known = await connection.scalar(select(policies.c.id).where(policies.c.key == key))
    return known or await connection.scalar(
        policies.insert().values(key=key).returning(policies.c.id)
    )


def _begin(before: date | None, until: date | None, on_day: date) -> date | None:
    """Return when a later version begins to hold that does not say so itself.

    It holds from now on: the earlier one stays right for the past. If it is over by now, it says
    when the policy ended: it takes the earlier one's place, and nothing follows its end.
    """
    if until is None or until > on_day:
        return on_day
    return before if before is None or before < until else None


async def note_file(connection: AsyncConnection, key: str, path: str) -> None:
    """Keep which file a policy was read from last."""
    await connection.execute(_NOTE_FILE, {"key": key, "path": path})


async def insert_sections(
    connection: AsyncConnection, publication: Publication, version_id: int
) -> dict[int, int]:
    """Store a version's sections, and return their ids by ordinal."""
    if not publication.sections:
        raise IntegrityError(f"{publication.source_name} has no sections")
    await connection.execute(
        sections.insert(),
        [
            {
                "version_id": version_id,
                "ordinal": section.ordinal,
                "eid": section.eid,
                "number": section.number,
                "title": section.title,
                "path": list(section.path),
                "level": section.level,
                "page": section.page,
                "char_start": section.char_start,
                "body_start": section.body_start,
                "char_end": section.char_end,
            }
            for section in publication.sections
        ],
    )
    rows = await connection.execute(
        select(sections.c.ordinal, sections.c.id).where(sections.c.version_id == version_id)
    )
    return {row.ordinal: row.id for row in rows}


async def insert_chunks(
    connection: AsyncConnection,
    publication: Publication,
    version_id: int,
    section_ids: Mapping[int, int],
) -> None:
    """Store a version's chunks, each of which is exactly the text at its span."""
    rows: list[dict[str, Any]] = []
    for chunk in publication.chunks:
        if (
            chunk.text != publication.document.text[chunk.char_start : chunk.char_end]
            or not chunk.text
        ):
            raise IntegrityError(f"chunk {chunk.chunk_id} is not the text at its span")
        rows.append(
            {
                "version_id": version_id,
                "section_id": section_ids[chunk.section_ordinal],
                "chunk_id": chunk.chunk_id,
                "chunk_index": chunk.chunk_index,
                "section_title": chunk.section_title,
                "page_number": chunk.page_number,
                "char_start": chunk.char_start,
                "char_end": chunk.char_end,
                "text": chunk.text,
                "content_hash": content_hash(chunk.text),
            }
        )
    if rows:
        await connection.execute(chunks.insert(), rows)


def content_hash(content: str) -> bytes:
    """Return what equal texts share, so that each is embedded once."""
    return hashlib.sha256(content.encode()).digest()
