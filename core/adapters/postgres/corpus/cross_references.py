"""Store the references of a version to other sections and policies, and what they resolve to.

A publication changes what references resolve to only by its own: by what it refers to, by its
sections, and by its names. So only those references are resolved again that it may affect, and the
work does not grow with what the corpus leaves unresolved.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import RowMapping, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.json_rows import insert_rows
from core.adapters.postgres.engine.rows import row_of
from core.adapters.postgres.engine.tables import cross_references
from core.domain.ontology import CrossReference
from core.language.spans import TextSpan
from core.ontology.extract.policy_index import (
    IndexedPolicy,
    IndexedSection,
    NameMatcher,
    PolicyIndex,
    resolve,
)
from core.ports import Publication

_NEWEST_VERSIONS = text("""
SELECT DISTINCT ON (v.policy_id) v.id, v.policy_id, p.key, v.title
  FROM citebound.policy_versions v JOIN citebound.policies p ON p.id = v.policy_id
 WHERE v.edition_until IS NULL AND (:are_all OR p.key = ANY(:keys))
 ORDER BY v.policy_id, v.number DESC""")
_ALIASES = text("""
SELECT pr.version_id, e.aliases
  FROM citebound.entities e JOIN citebound.provenance pr ON pr.entity_id = e.id
 WHERE e.key = ANY(:policies) AND pr.version_id = ANY(:versions) AND cardinality(e.aliases) > 0""")
_SECTIONS = text("""
SELECT version_id, eid, number FROM citebound.sections
 WHERE version_id = ANY(:versions) ORDER BY version_id, ordinal""")
_OWN_NAMES = text("""
SELECT p.key, ARRAY(SELECT DISTINCT v.title FROM citebound.policy_versions v
                     WHERE v.policy_id = p.id) AS titles,
       ARRAY(SELECT unnest(e.aliases) FROM citebound.entities e
              WHERE e.key = 'policy:' || p.key) AS aliases
  FROM citebound.policies p WHERE p.id = :policy""")
"""By which a policy is or was known: a name that it gives up may have become another's alone."""
_UNKNOWN = text("""
SELECT DISTINCT policy FROM citebound.cross_references
 WHERE target_policy_id IS NULL AND policy IS NOT NULL""")
_OPEN = text("""
SELECT x.id, x.policy, x.number, x.target_policy_id, x.target_eid, p.key AS source, s.ordinal
  FROM citebound.cross_references x
  JOIN citebound.policy_versions v ON v.id = x.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  JOIN citebound.sections s ON s.id = x.section_id
 WHERE x.version_id = :version OR x.target_policy_id = :policy
    OR (x.target_policy_id IS NULL AND (x.policy = ANY(:names)
        OR (x.policy IS NULL AND v.policy_id = :policy)))""")
"""Those of the version just stored, those into its policy, and unresolved ones that may be."""


async def store_references(
    connection: AsyncConnection,
    publication: Publication,
    version_id: int,
    section_ids: Mapping[int, int],
) -> None:
    """Store a version's references as written."""
    rows = [
        row_of(
            reference.span,
            version_id=version_id,
            section_id=section_ids[reference.section_ordinal],
            policy=reference.policy,
            number=reference.number,
        )
        for reference in publication.extraction.references
    ]
    await insert_rows(connection, cross_references, rows)


async def resolve_references(
    connection: AsyncConnection, *, version_id: int, policy_id: int
) -> None:
    """Resolve again every reference that a new version of a policy may affect."""
    given: dict[str, Any] = {
        "version": version_id,
        "policy": policy_id,
        "names": await _names_affected(connection, policy_id),
    }
    rows = (await connection.execute(_OPEN, given)).mappings().all()
    if not rows:
        return
    index, policy_ids = await _index(connection, rows)
    changes = [change for row in rows if (change := _change(row, index, policy_ids)) is not None]
    if changes:
        await connection.execute(
            cross_references.update()
            .where(cross_references.c.id == bindparam("row_id"))
            .values(target_policy_id=bindparam("policy_id"), target_eid=bindparam("eid")),
            changes,
        )


async def _names_affected(connection: AsyncConnection, policy_id: int) -> list[str]:
    """Return the names that meant no policy, and that may mean another one since this one came."""
    unknown = list(await connection.scalars(_UNKNOWN))
    if not unknown:
        return []
    own = (await connection.execute(_OWN_NAMES, {"policy": policy_id})).one()
    matcher = NameMatcher(names=(own.key, *own.titles, *own.aliases), titles=own.titles)
    return [name for name in unknown if matcher.may_mean(name)]


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


async def _index(
    connection: AsyncConnection, references: Sequence[RowMapping]
) -> tuple[PolicyIndex, dict[str, int]]:
    """Return the policies and sections that the references may point to, and policies' ids."""
    names = {row["policy"] for row in references if row["policy"] is not None}
    keys = {row["source"] for row in references}
    wanted = {"are_all": bool(names), "keys": list(keys)}
    newest = (await connection.execute(_NEWEST_VERSIONS, wanted)).mappings().all()
    aliases = await _aliases(connection, newest) if names else {}
    index = PolicyIndex.of(
        IndexedPolicy(key=row["key"], title=row["title"], aliases=aliases.get(row["id"], ()))
        for row in newest
    )
    keys |= {key for name in names if (key := index.policy_named(name)) is not None}
    sections = await _sections(connection, newest, keys)
    return index.with_sections(sections), {row["key"]: row["policy_id"] for row in newest}


async def _aliases(
    connection: AsyncConnection, newest: Sequence[RowMapping]
) -> dict[int, tuple[str, ...]]:
    given: dict[str, Any] = {
        "policies": [f"policy:{row['key']}" for row in newest],
        "versions": [row["id"] for row in newest],
    }
    found = await connection.execute(_ALIASES, given)
    return {row.version_id: tuple(row.aliases) for row in found}


async def _sections(
    connection: AsyncConnection, newest: Sequence[RowMapping], keys: Collection[str]
) -> dict[str, tuple[IndexedSection, ...]]:
    key_of = {row["id"]: row["key"] for row in newest if row["key"] in keys}
    found = await connection.execute(_SECTIONS, {"versions": list(key_of)})
    sections: defaultdict[str, list[IndexedSection]] = defaultdict(list)
    for row in found:
        sections[key_of[row.version_id]].append(IndexedSection(eid=row.eid, number=row.number))
    return {key: tuple(given) for key, given in sections.items()}
