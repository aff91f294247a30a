"""Texts are held to the records of their publication, and identities to those of their keeping.

The application may read the records of publications.

What an earlier release has published is recorded as it is now: from here on a change shows.
"""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from alembic import context, op
from sqlalchemy import Connection

from core.adapters.postgres.engine.ledger import Ledger, append_migration
from core.adapters.postgres.engine.published_texts import AT_ONCE, STORED, digests
from core.adapters.system import SystemClock, UuidSource
from core.audit.documents import Event
from core.domain.audit import Tag

revision = "0073_published_texts"
down_revision = "0071_guarded"

ROWS = """
CREATE POLICY record_published ON audit.record FOR SELECT TO citebound_app
  USING (tag IN ('corpus:published', 'policy:added', 'policy:revised', 'ontology:corrected'));
CREATE POLICY policies_auditor ON citebound.policies FOR SELECT TO citebound_auditor USING (true);
CREATE POLICY policy_versions_auditor ON citebound.policy_versions FOR SELECT
  TO citebound_auditor USING (true);
CREATE POLICY sections_auditor ON citebound.sections FOR SELECT TO citebound_auditor USING (true);
"""
IDENTITIES = """
INSERT INTO audit.tag (tag, is_outcome) VALUES ('identity:kept', false) ON CONFLICT DO NOTHING;
UPDATE audit.tag SET authors = '{citebound_app,citebound_owner}' WHERE tag = 'corpus:published';
CREATE FUNCTION audit.identity_digests()
  RETURNS TABLE (pseudonym text, period text, digest text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT pseudonym, period, encode(sha256(match_hash || sealed), 'hex') FROM audit.identity
   WHERE sealed IS NOT NULL
$$;
COMMENT ON FUNCTION audit.identity_digests() IS
  'What records commit to, computed from the identities as they are: to verify without them.';
REVOKE EXECUTE ON FUNCTION audit.identity_digests() FROM PUBLIC;
"""
GRANTS = """
GRANT EXECUTE ON FUNCTION audit.identity_digests() TO citebound_auditor;
GRANT SELECT (id, tag, subject, canonical) ON audit.record TO citebound_app;
GRANT SELECT ON citebound.policies TO citebound_auditor;
GRANT SELECT ON citebound.policy_versions TO citebound_auditor;
GRANT SELECT ON citebound.sections TO citebound_auditor;
GRANT SELECT ON citebound.chunks TO citebound_auditor;
GRANT SELECT ON citebound.provenance TO citebound_auditor;
"""
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0073_published_texts', '0044_identity')"
)
TAKEN_BACK = """
DROP FUNCTION audit.identity_digests();
UPDATE audit.tag SET authors = '{citebound_app}' WHERE tag = 'corpus:published';
DELETE FROM audit.tag AS t WHERE tag = 'identity:kept'
  AND NOT EXISTS (SELECT FROM audit.record WHERE record.tag = t.tag);
REVOKE SELECT (id, tag, subject, canonical) ON audit.record FROM citebound_app;
REVOKE SELECT ON citebound.policies, citebound.policy_versions, citebound.sections,
  citebound.chunks, citebound.provenance FROM citebound_auditor;
DROP POLICY record_published ON audit.record;
DROP POLICY policies_auditor ON citebound.policies;
DROP POLICY policy_versions_auditor ON citebound.policy_versions;
DROP POLICY sections_auditor ON citebound.sections;
"""


def upgrade() -> None:
    """Let them read, and record the texts that are there."""
    op.execute(ROWS)
    op.execute(IDENTITIES)
    op.execute(GRANTS)
    unit = context.config.attributes["unit"]
    if unit is not None:
        _record(op.get_bind(), Ledger(clock=SystemClock(), ids=UuidSource(), unit=unit))
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take it back; the records stay."""
    op.execute(TAKEN_BACK)
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0073_published_texts'")


def _record(connection: Connection, ledger: Ledger) -> None:
    last, versions = 0, list[tuple[int, dict[str, Any]]]()
    while rows := connection.execute(STORED, {"after": last, "most": AT_ONCE}).mappings().all():
        last = rows[-1]["id"]
        versions += [(row["edition_from"], _brought(row)) for row in rows]
    for edition, brought in groupby(sorted(versions, key=lambda it: it[0]), key=lambda it: it[0]):
        event = Event(
            tag=Tag.CORPUS_PUBLISHED,
            actor="migration",
            actor_kind="operator",
            subject=f"edition:{edition}",
            says={
                "edition": edition,
                "versions": [version for _, version in brought],
                "facts": {"opened": 0, "closed": 0},
                "recorded_by": revision,
            },
        )
        append_migration(connection, ledger, event)


def _brought(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {"policy": row["key"], "policy_version": row["id"], **digests(row)}
