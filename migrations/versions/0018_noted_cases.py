"""Askers may add to a case that was opened for them."""

from alembic import op

revision = "0018_noted_cases"
down_revision = "0017_workspaces"


def upgrade() -> None:
    """Add the tag of what now happens."""
    op.execute(
        "INSERT INTO audit.tag (tag, is_outcome) VALUES ('case:noted', false)"
        " ON CONFLICT DO NOTHING"
    )


def downgrade() -> None:
    """Take it back; a tag that the record uses stays."""
    op.execute(
        "DELETE FROM audit.tag WHERE tag = 'case:noted'"
        " AND NOT EXISTS (SELECT FROM audit.record WHERE tag = 'case:noted')"
    )
