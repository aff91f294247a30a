"""What a publication changed, for the record: the edition, the policy, and who may read it."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.ledger import Ledger
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.json_value import Json
from core.language.spans import VersionId
from core.ports import Publication

_VERSIONS = text(
    "SELECT id, number, title, label, encode(sha256, 'hex') AS sha256, audience, jurisdiction,"
    " tags, effective_from, effective_until, facts_by, url, sensitivity, review_by"
    " FROM citebound.policy_versions WHERE id = ANY(:versions)"
)
_FACTS = text("""
WITH stated AS (
  SELECT DISTINCT version_id = :new AS is_new, entity_id, relation_id
    FROM citebound.provenance WHERE version_id = ANY(:versions)),
counted AS (
  SELECT count(*) AS times, bool_or(is_new) AS is_new FROM stated
   GROUP BY entity_id, relation_id)
SELECT count(*) FILTER (WHERE is_new) AS opened, count(*) FILTER (WHERE NOT is_new) AS closed
  FROM counted WHERE times = 1
""")
"""Facts that one of two versions states and the other does not."""


async def record_publication(
    connection: AsyncConnection,
    ledger: Ledger,
    publication: Publication,
    *,
    edition: int,
    version_id: int,
    after: VersionId | None,
    operator: str,
) -> None:
    """Record an edition with the version that it brought, and what that changed.

    Args:
        connection: that of the publication, in its transaction.
        ledger: writes the records.
        publication: what was published.
        edition: in which.
        version_id: the stored version.
        after: the policy's newest version before; None: there was none.
        operator: who published.
    """
    versions = [one for one in (after, version_id) if one is not None]
    rows = (await connection.execute(_VERSIONS, {"versions": versions})).mappings().all()
    by_id = {row["id"]: row for row in rows}
    new, old = by_id[version_id], by_id.get(after)
    key = publication.metadata.key
    brought = {"policy": key, "policy_version": version_id, "sha256": new["sha256"]}
    cause = await record_edition(
        connection,
        ledger,
        edition=edition,
        versions=[brought],
        facts=await facts_changed(connection, new=version_id, old=after),
        operator=operator,
    )

    async def record(tag: Tag, says: Mapping[str, Json]) -> None:
        event = corpus_event(tag, f"policy:{key}", says, operator=operator, cause=cause)
        await ledger.event(connection, event, content={})

    about: dict[str, Json] = {"policy": key, "policy_version": version_id, "edition": edition}
    if old is None:
        await record(Tag.POLICY_ADDED, {**about, "after": _said(new)})
        return
    is_reread = publication.replaces is not None
    tag = Tag.ONTOLOGY_CORRECTED if is_reread else Tag.POLICY_REVISED
    says = {**about, "before": _said(old), "after": _said(new)}
    revived = {} if publication.revives is None else {"revives": publication.revives}
    await record(tag, {**says, **revived})
    before, now = _readers(old), _readers(new)
    if before != now:
        await record(Tag.ACCESS_CHANGED, {**about, "before": before, "after": now})


async def record_edition(
    connection: AsyncConnection,
    ledger: Ledger,
    *,
    edition: int,
    versions: list[Json],
    facts: Mapping[str, int],
    operator: str,
) -> str:
    """Record that an edition was published, and return the record's id."""
    says: dict[str, Json] = {"edition": edition, "versions": versions, "facts": facts}
    event = corpus_event(Tag.CORPUS_PUBLISHED, f"edition:{edition}", says, operator=operator)
    return await ledger.event(connection, event, content={})


async def facts_changed(
    connection: AsyncConnection, *, new: int | None, old: int | None
) -> dict[str, int]:
    """Count the facts that one version states and the other does not: opened and closed."""
    versions = [one for one in (new, old) if one is not None]
    row = (await connection.execute(_FACTS, {"new": new or 0, "versions": versions})).one()
    return {"opened": row.opened, "closed": row.closed}


def corpus_event(
    tag: Tag, subject: str, says: Mapping[str, Json], *, operator: str, cause: str | None = None
) -> Event:
    """Return an event of the corpus: it happens in no conversation."""
    return Event(
        tag=tag, actor=operator, actor_kind="operator", subject=subject, cause=cause, says=says
    )


def _said(row: RowMapping) -> dict[str, Json]:
    return {
        "number": row["number"],
        "title": row["title"],
        "version": row["label"],
        "sha256": row["sha256"],
        **_readers(row),
        "jurisdiction": row["jurisdiction"],
        "tags": list(row["tags"]),
        "effective_from": _day(row["effective_from"]),
        "effective_until": _day(row["effective_until"]),
        "facts_by": row["facts_by"],
        "url": row["url"],
        "sensitivity": row["sensitivity"],
        "review_by": _day(row["review_by"]),
    }


def _readers(row: Mapping[Any, Any]) -> dict[str, Json]:
    return {"audience": list(row["audience"])}


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
