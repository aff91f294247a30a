"""What a synchronisation has changed so far: told of in one piece once it has ended."""

from alembic import op

revision = "0062_source_changes"
down_revision = "0061_reference"

TABLES = """
CREATE TABLE citebound.source_changes (
  source_id bigint NOT NULL CONSTRAINT source_changes_source_id_fkey
    REFERENCES citebound.sources ON DELETE CASCADE,
  policy text NOT NULL,
  version_id bigint CONSTRAINT source_changes_version_id_fkey REFERENCES citebound.policy_versions);
CREATE INDEX source_changes_source_id_idx ON citebound.source_changes (source_id);
COMMENT ON TABLE citebound.source_changes IS
  'Policies that the synchronisation of a source has changed that has begun and not ended.';
COMMENT ON COLUMN citebound.source_changes.version_id IS 'null: it was withdrawn';
"""
GRANTS = """
GRANT SELECT, INSERT, DELETE ON citebound.source_changes TO citebound_app;
"""
TAG = "corpus:changed"
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0062_source_changes', '0044_identity')"
)


def upgrade() -> None:
    """Add the table and the tag."""
    op.execute(TABLES)
    op.execute(GRANTS)
    op.execute(
        f"INSERT INTO audit.tag (tag, is_outcome) VALUES ('{TAG}', false)"  # noqa: S608  # a constant
        " ON CONFLICT DO NOTHING"
    )
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Drop the table; the tag stays where the record uses it."""
    op.execute("DROP TABLE citebound.source_changes")
    op.execute(
        f"DELETE FROM audit.tag t WHERE tag = '{TAG}'"  # noqa: S608  # a constant
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0062_source_changes'")
