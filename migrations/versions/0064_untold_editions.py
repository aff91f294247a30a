"""What ingestions have published and withdrawn, and nobody was told of yet."""

from alembic import op

revision = "0064_untold_editions"
down_revision = "0063_source_others"

TABLES = """
CREATE TABLE citebound.untold_editions (
  edition integer CONSTRAINT untold_editions_pkey PRIMARY KEY
    CONSTRAINT untold_editions_edition_fkey REFERENCES citebound.editions,
  run text NOT NULL,
  operator text NOT NULL);
COMMENT ON TABLE citebound.untold_editions IS
  'Editions that an ingestion has published, until their changes are recorded and told of.';
COMMENT ON COLUMN citebound.untold_editions.run IS
  'the ingestion: while it runs, it holds an advisory lock of this name';
COMMENT ON COLUMN citebound.untold_editions.operator IS 'who ran it';
"""
GRANTS = """
GRANT SELECT, INSERT, DELETE ON citebound.untold_editions TO citebound_app;
"""
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0064_untold_editions', '0044_identity')"
)


def upgrade() -> None:
    """Add the table."""
    op.execute(TABLES)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Drop it: `corpus changes` still lists what an interrupted ingestion has changed."""
    op.execute("DROP TABLE citebound.untold_editions")
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0064_untold_editions'")
