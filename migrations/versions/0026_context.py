"""What people wrote around a question is kept with it: quoted, asked about, or before it."""

from alembic import op

revision = "0026_context"
down_revision = "0024_fact_index"


def upgrade() -> None:
    """Add the columns; an earlier release fills neither."""
    op.execute("ALTER TABLE citebound.questions ADD COLUMN context jsonb NOT NULL DEFAULT '[]'")
    op.execute("ALTER TABLE citebound.inbox ADD COLUMN context jsonb NOT NULL DEFAULT '[]'")
    op.execute(
        "COMMENT ON COLUMN citebound.inbox.context IS"
        " 'what came with the message of others'' words: quoted, or asked about'"
    )


def downgrade() -> None:
    """Drop them."""
    op.execute("ALTER TABLE citebound.inbox DROP COLUMN context")
    op.execute("ALTER TABLE citebound.questions DROP COLUMN context")
