"""The word of the record for a workspace that took the app away."""

from alembic import op

revision = "0017_workspaces"
down_revision = "0016_removed_replies"


def upgrade() -> None:
    """Add the tag."""
    op.execute("INSERT INTO audit.tag (tag, is_outcome) VALUES ('workspace:disconnected', false)")


def downgrade() -> None:
    """Take the tag back; one that the record uses stays."""
    op.execute(
        "DELETE FROM audit.tag t WHERE tag = 'workspace:disconnected'"
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
