"""Which release read a document, so that an upgrade can say what it would read otherwise.

And which credentials of ours are refused, so that every process and `doctor` can say so. Each
process that works may also tell for how long the oldest record has waited to be sealed.
"""

from alembic import op

revision = "0082_reading"
down_revision = "0080_report_clock"

READ = """
ALTER TABLE citebound.policy_versions ADD COLUMN reading integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN citebound.policy_versions.reading IS
  'generation of the code that read the document (core.ingest.READING); 0: an earlier release';

CREATE TABLE citebound.refused_credentials (
  name text CONSTRAINT refused_credentials_pkey PRIMARY KEY,
  cause text NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp());
COMMENT ON TABLE citebound.refused_credentials IS
  'Credentials that a service refused when they were last used; a success deletes the row.';
"""
UNSEALED = """
CREATE FUNCTION audit.unsealed_seconds() RETURNS double precision LANGUAGE sql STABLE
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(extract(epoch FROM clock_timestamp() - min(at)), 0)
    FROM ONLY audit.record AS record
   WHERE xid >= coalesce((SELECT horizon FROM ONLY audit.checkpoint
                           ORDER BY generation DESC, size DESC LIMIT 1), '0')
     AND NOT EXISTS (SELECT FROM ONLY audit.leaf WHERE record_id = record.id)
$$;
COMMENT ON FUNCTION audit.unsealed_seconds() IS
  'Age of the oldest record that waits to be sealed; 0: none does.';
"""
GRANTS = """
GRANT EXECUTE ON FUNCTION audit.unsealed_seconds() TO citebound_app;
GRANT UPDATE (reading) ON citebound.policy_versions TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.refused_credentials TO citebound_app;
GRANT UPDATE (cause) ON citebound.refused_credentials TO citebound_app;
"""
COMPATIBLE = "INSERT INTO citebound.schema_compatibility VALUES ('0082_reading', '0044_identity')"


def upgrade() -> None:
    """Add them."""
    op.execute(READ)
    op.execute(UNSEALED)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take them away."""
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0082_reading'")
    op.execute(
        "DROP FUNCTION audit.unsealed_seconds(); DROP TABLE citebound.refused_credentials;"
        " ALTER TABLE citebound.policy_versions DROP COLUMN reading"
    )
