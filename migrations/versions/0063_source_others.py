"""Files of sources that are no policies: pictures, archives and such, left out and counted."""

from alembic import op

revision = "0063_source_others"
down_revision = "0062_source_changes"

TABLES = """
CREATE TABLE citebound.source_others (
  source_id bigint NOT NULL CONSTRAINT source_others_source_id_fkey
    REFERENCES citebound.sources ON DELETE CASCADE,
  item_id text NOT NULL,
  path text NOT NULL,
  seen_in integer NOT NULL,
  CONSTRAINT source_others_pkey PRIMARY KEY (source_id, item_id));
COMMENT ON TABLE citebound.source_others IS 'Files of a source that are no policies.';
COMMENT ON COLUMN citebound.source_others.seen_in IS 'the last synchronisation that listed it';
"""
GRANTS = """
GRANT SELECT, INSERT, UPDATE, DELETE ON citebound.source_others TO citebound_app;
"""
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0063_source_others', '0044_identity')"
)


def upgrade() -> None:
    """Add the table."""
    op.execute(TABLES)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Drop it: each whole listing fills it anew."""
    op.execute("DROP TABLE citebound.source_others")
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0063_source_others'")
