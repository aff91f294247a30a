"""Which releases work with this schema, so that old and new processes can run side by side.

A later migration adds a row for itself. One that leaves it out, or that the release before does
not work with, refuses processes of that release.
"""

from alembic import op

revision = "0030_compatibility"
down_revision = "0029_notifications"


def upgrade() -> None:
    """Create the table, with this release as the oldest."""
    op.execute("""
CREATE TABLE citebound.schema_compatibility (
  revision text CONSTRAINT schema_compatibility_pkey PRIMARY KEY,
  oldest_release text NOT NULL);
COMMENT ON COLUMN citebound.schema_compatibility.revision IS 'a schema';
COMMENT ON COLUMN citebound.schema_compatibility.oldest_release IS
  'newest migration of the oldest release that works with this schema';
INSERT INTO citebound.schema_compatibility
  VALUES ('0030_compatibility', '0030_compatibility');
""")


def downgrade() -> None:
    """Drop the table."""
    op.execute("DROP TABLE citebound.schema_compatibility")
