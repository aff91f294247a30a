"""Which release read a document, so that an upgrade can say what it would read otherwise.

And which credentials of ours are refused, so that every process and `doctor` can say so.
"""

from alembic import op

revision = "0082_reading"
down_revision = "0079_report_words"

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
GRANTS = """
GRANT UPDATE (reading) ON citebound.policy_versions TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.refused_credentials TO citebound_app;
GRANT UPDATE (cause) ON citebound.refused_credentials TO citebound_app;
"""
COMPATIBLE = "INSERT INTO citebound.schema_compatibility VALUES ('0082_reading', '0044_identity')"


def upgrade() -> None:
    """Add both."""
    op.execute(READ)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take both away."""
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0082_reading'")
    op.execute(
        "DROP TABLE citebound.refused_credentials;"
        " ALTER TABLE citebound.policy_versions DROP COLUMN reading"
    )
