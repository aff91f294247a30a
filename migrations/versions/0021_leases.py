"""What one process at a time does, under a lease that ends by itself."""

from alembic import op

revision = "0021_leases"
down_revision = "0020_asked_back"

TABLE = """
CREATE TABLE citebound.leases (
  name text CONSTRAINT leases_pkey PRIMARY KEY,
  holder text NOT NULL,
  until timestamptz NOT NULL);
COMMENT ON COLUMN citebound.leases.name IS 'what one process at a time does';
COMMENT ON COLUMN citebound.leases.holder IS 'made up by who holds it';
COMMENT ON COLUMN citebound.leases.until IS 'from then on anybody may take it';
"""


def upgrade() -> None:
    """Add the table."""
    op.execute(TABLE)


def downgrade() -> None:
    """Drop it."""
    op.execute("DROP TABLE citebound.leases")
