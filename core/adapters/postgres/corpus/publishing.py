"""Store one publication: edition, version, sections, chunks and cross-references.

Called within the transaction that holds the advisory lock `PUBLISHING`.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import RowMapping, bindparam, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.tables import (
    chunks,
    cross_references,
    editions,
    policies,
    policy_versions,
    sections,
)
from core.domain.errors import IntegrityError, OvertakenError
from core.domain.ontology import CrossReference
from core.language.spans import TextSpan, VersionId
from core.ontology.extract.policy_index import IndexedPolicy, IndexedSection, PolicyIndex, resolve
from core.ports import Publication

_NEWEST_VERSIONS = """
SELECT DISTINCT ON (v.policy_id) v.id, v.policy_id, p.key, v.title
  FROM citebound.policy_versions v JOIN citebound.policies p ON p.id = v.policy_id
 WHERE v.edition_until IS NULL ORDER BY v.policy_id, v.number DESC"""
_ALIASES = """
SELECT pr.version_id, e.aliases
  FROM citebound.entities e JOIN citebound.provenance pr ON pr.entity_id = e.id
 WHERE e.key = ANY(:policies) AND pr.version_id = ANY(:versions) AND cardinality(e.aliases) > 0"""
# References that may resolve differently now: those of the version just stored, unresolved ones,
# and those into its policy.
_OPEN = """
SELECT x.id, x.policy, x.number, x.target_policy_id, x.target_eid, p.key AS source, s.ordinal
  FROM citebound.cross_references x
  JOIN citebound.policy_versions v ON v.id = x.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  JOIN citebound.sections s ON s.id = x.section_id
 WHERE x.version_id = :version OR x.target_policy_id IS NULL
    OR x.target_policy_id = (SELECT policy_id FROM citebound.policy_versions WHERE id = :version)"""
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
    newest = await connection.scalar(select(func.max(editions.c.number)))
    edition = (newest or 0) + 1
    await connection.execute(editions.insert().values(number=edition, note=note))
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
            url=given.url,
            sensitivity=given.sensitivity,
            review_by=given.review_by,
            verified_by=given.verified_by,
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
    """Store a version's chunks, after checking that each is exactly the text at its span."""
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
    """Return the hash by which equal texts are embedded once."""
    return hashlib.sha256(content.encode()).digest()


async def store_references(
    connection: AsyncConnection,
    publication: Publication,
    version_id: int,
    section_ids: Mapping[int, int],
) -> None:
    """Store a version's references as written."""
    rows = [
        {
            "version_id": version_id,
            "section_id": section_ids[reference.section_ordinal],
            "char_start": reference.span.char_start,
            "char_end": reference.span.char_end,
            "policy": reference.policy,
            "number": reference.number,
        }
        for reference in publication.extraction.references
    ]
    if rows:
        await connection.execute(cross_references.insert(), rows)


async def resolve_references(connection: AsyncConnection, version_id: int) -> None:
    """Resolve again every reference that the new version may affect."""
    rows = (await connection.execute(text(_OPEN), {"version": version_id})).mappings().all()
    if not rows:
        return
    index, policy_ids = await _index(connection)
    changes = [change for row in rows if (change := _change(row, index, policy_ids)) is not None]
    if changes:
        await connection.execute(
            cross_references.update()
            .where(cross_references.c.id == bindparam("row_id"))
            .values(target_policy_id=bindparam("policy_id"), target_eid=bindparam("eid")),
            changes,
        )


def _change(
    row: RowMapping, index: PolicyIndex, policy_ids: Mapping[str, int]
) -> dict[str, object] | None:
    reference = CrossReference(
        span=TextSpan(char_start=0, char_end=1),
        section_ordinal=row["ordinal"],
        policy=row["policy"],
        number=row["number"],
    )
    target = resolve(reference, source_policy_key=row["source"], policies=index)
    if target is None:
        return None
    before = (row["target_policy_id"], row["target_eid"])
    after = (policy_ids[target.policy_key], target.eid)
    if after == before or (after[0] == before[0] and _holds(after[1], before[1])):
        return None
    return {"row_id": row["id"], "policy_id": after[0], "eid": after[1]}


def _holds(outer: str | None, inner: str | None) -> bool:
    """Return whether a section, or the whole policy (None), contains another section."""
    return inner is not None and (outer is None or inner.startswith(f"{outer}__"))


async def _index(connection: AsyncConnection) -> tuple[PolicyIndex, dict[str, int]]:
    newest = (await connection.execute(text(_NEWEST_VERSIONS))).mappings().all()
    named = await connection.execute(
        text(_ALIASES),
        {
            "policies": [f"policy:{row['key']}" for row in newest],
            "versions": [row["id"] for row in newest],
        },
    )
    aliases = {row.version_id: row.aliases for row in named}
    found = await connection.execute(
        text(
            "SELECT version_id, eid, number FROM citebound.sections"
            " WHERE version_id = ANY(:versions) ORDER BY version_id, ordinal"
        ),
        {"versions": [row["id"] for row in newest]},
    )
    sections: dict[int, list[IndexedSection]] = defaultdict(list)
    for section in found:
        sections[section.version_id].append(IndexedSection(eid=section.eid, number=section.number))
    index = PolicyIndex.of(
        IndexedPolicy(
            key=row["key"],
            title=row["title"],
            aliases=tuple(aliases.get(row["id"], ())),
            sections=tuple(sections[row["id"]]),
        )
        for row in newest
    )
    return index, {row["key"]: row["policy_id"] for row in newest}
