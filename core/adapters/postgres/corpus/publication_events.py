"""What a publication changed, for the record: the edition, the policy, and who may read it."""

from collections.abc import Mapping

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.published_texts import (
    STORED,
    digests,
    said_of,
    sha256_of,
)
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.errors import IntegrityError
from core.domain.json_value import Json
from core.language.spans import VersionId
from core.ports import Publication

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
    new = await _stored(connection, version_id)
    old = None if after is None else await _stored(connection, after)
    key = publication.metadata.key
    hashes = digests(new)
    if hashes["text_sha256"] != sha256_of(publication.document.text):
        raise IntegrityError(f"the database stored another text of {key!r} than it was given")
    brought = {"policy": key, "policy_version": version_id, **hashes}
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
        await record(Tag.POLICY_ADDED, {**about, "after": said_of(new)})
        return
    is_reread = publication.replaces is not None
    tag = Tag.ONTOLOGY_CORRECTED if is_reread else Tag.POLICY_REVISED
    says = {**about, "before": said_of(old), "after": said_of(new)}
    revived = {} if publication.revives is None else {"revives": publication.revives}
    await record(tag, {**says, **revived})
    before, now = ({"audience": said_of(row)["audience"]} for row in (old, new))
    if before != now:
        await record(Tag.ACCESS_CHANGED, {**about, "before": before, "after": now})


async def _stored(connection: AsyncConnection, version: int) -> RowMapping:
    given = {"after": version - 1, "most": 1}
    return (await connection.execute(STORED, given)).mappings().one()


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
