"""An answer may be taken away where it stands; its record stays."""

from alembic import op

revision = "0016_removed_replies"
down_revision = "0015_conversation_references"

COLUMN = """
ALTER TABLE citebound.outbox ADD COLUMN removed_at timestamptz;
COMMENT ON COLUMN citebound.outbox.removed_at IS
  'when it was taken away by who asked, or an officer; null: it was not';
"""


def upgrade() -> None:
    """Add the column, and the tag of what now happens."""
    op.execute(COLUMN)
    op.execute(
        "INSERT INTO audit.tag (tag, is_outcome) VALUES ('reply:removed', false)"
        " ON CONFLICT DO NOTHING"
    )


def downgrade() -> None:
    """Take them back; a tag that the record uses stays."""
    op.execute("ALTER TABLE citebound.outbox DROP COLUMN removed_at")
    op.execute(
        "DELETE FROM audit.tag WHERE tag = 'reply:removed'"
        " AND NOT EXISTS (SELECT FROM audit.record WHERE tag = 'reply:removed')"
    )
