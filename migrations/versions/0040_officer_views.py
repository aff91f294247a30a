"""Officers see which anchors the ledger has reached; answers affected by a change are looked up.

Row-level security comes before any expression that is not leakproof: compared with one, the id of a
record was looked for among all records. Computed apart it is a value like any other.
"""

from types import ModuleType

from alembic import op

revision = "0040_officer_views"
down_revision = "0038_affected"

HEALTH = """
CREATE OR REPLACE VIEW audit.v_ledger_health WITH (security_invoker, security_barrier) AS
SELECT c.generation, coalesce(c.size, 0) AS size, c.sealed_at, u.unsealed, u.oldest_unsealed_at,
       (SELECT jsonb_object_agg(t.target, jsonb_build_object('size', t.size, 'at', t.at))
          FROM (SELECT DISTINCT ON (r.doc->>'target') r.doc->>'target' AS target,
                       (r.doc->>'size')::bigint AS size, r.at
                  FROM audit.record r WHERE r.tag = 'ledger:anchored'
                 ORDER BY r.doc->>'target', r.at DESC) AS t) AS anchors
  FROM (SELECT '3'::xid8 AS first) AS f
  LEFT JOIN LATERAL (
       SELECT generation, size, horizon, sealed_at FROM audit.checkpoint
        ORDER BY generation DESC, size DESC LIMIT 1) AS c ON true
 CROSS JOIN LATERAL (
       SELECT count(*) AS unsealed, min(r.at) AS oldest_unsealed_at FROM audit.record r
        WHERE r.xid >= coalesce(c.horizon, f.first)
          AND NOT EXISTS (SELECT FROM audit.leaf l WHERE l.record_id = r.id)) AS u;
COMMENT ON COLUMN audit.v_ledger_health.anchors IS
  'Timestamp authorities and channels with the newest checkpoint that each has, as far as your'
  ' units'' records say; null: none. Folders and buckets keep their own list.';
"""
BEFORE = "JOIN audit.record a ON a.id = (f.doc->>'cause')::uuid"
FENCED = """CROSS JOIN LATERAL (SELECT (f.doc->>'cause')::uuid AS record_id OFFSET 0) AS k
  JOIN audit.record a ON a.id = k.record_id"""
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0040_officer_views', '0030_compatibility')"
)


def upgrade() -> None:
    """Make both views anew, with the same columns and rights."""
    op.execute(HEALTH)
    op.execute(affected().replace(BEFORE, FENCED))
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Make them as they were."""
    op.execute(affected())
    op.execute("DROP VIEW audit.v_ledger_health")
    first = earlier("0033_officers")
    op.execute(first.CREATE_VIEW.format("v_ledger_health", first.LEDGER_HEALTH))
    for statement in first.comments():
        if ".v_ledger_health" in statement:
            op.execute(statement)
    op.execute("GRANT SELECT ON audit.v_ledger_health TO citebound_officer")
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0040_officer_views'")


def affected() -> str:
    """Return the statement that puts the view of affected answers in place of the one there is."""
    made, _, _ = earlier("0038_affected").VIEW.partition(";")
    return made.replace("CREATE VIEW", "CREATE OR REPLACE VIEW")


def earlier(name: str) -> ModuleType:
    """Return an earlier migration."""
    scripts = op.get_context().environment_context.script
    return scripts.get_revision(name).module
