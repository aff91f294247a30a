"""Cross-references in Postgres.

Stored as written, resolved again whenever a publication may have given them a target. A target is
never taken away: a section that the newest version lacks still stands in an older one, which some
edition or day reads.
"""

from collections import defaultdict
from collections.abc import Mapping

from sqlalchemy import RowMapping, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.tables import cross_references
from core.domain.ontology import CrossReference
from core.language.spans import TextSpan
from core.ontology.extract.policy_index import IndexedPolicy, IndexedSection, PolicyIndex, resolve
from core.ports import Publication

_NEWEST = """
SELECT DISTINCT ON (v.policy_id) v.id, v.policy_id, p.key, v.title
  FROM citebound.policy_versions v JOIN citebound.policies p ON p.id = v.policy_id
 WHERE v.edition_until IS NULL ORDER BY v.policy_id, v.number DESC"""

_ALIASES = """
SELECT pr.version_id, e.aliases
  FROM citebound.entities e JOIN citebound.provenance pr ON pr.entity_id = e.id
 WHERE e.key = ANY(:policies) AND pr.version_id = ANY(:versions) AND cardinality(e.aliases) > 0"""

# What may have changed: references of the version just stored, those that led nowhere, and those
# into its policy.
_OPEN = """
SELECT x.id, x.policy, x.number, x.target_policy_id, x.target_eid, p.key AS source, s.ordinal
  FROM citebound.cross_references x
  JOIN citebound.policy_versions v ON v.id = x.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  JOIN citebound.sections s ON s.id = x.section_id
 WHERE x.version_id = :version OR x.target_policy_id IS NULL
    OR x.target_policy_id = (SELECT policy_id FROM citebound.policy_versions WHERE id = :version)"""


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
    """Give every reference that the new version may concern the target it has now."""
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
    """Say whether a section, or the whole policy (None), only holds another section."""
    return inner is not None and (outer is None or inner.startswith(f"{outer}__"))


async def _index(connection: AsyncConnection) -> tuple[PolicyIndex, dict[str, int]]:
    newest = (await connection.execute(text(_NEWEST))).mappings().all()
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
