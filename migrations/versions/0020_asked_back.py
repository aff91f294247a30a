"""Who opens Home is shown at once what they were asked back."""

from alembic import op

revision = "0020_asked_back"
down_revision = "0019_turns"


def upgrade() -> None:
    """Add the index."""
    op.execute(
        "CREATE INDEX inbox_person_received_at_idx ON citebound.inbox (person, received_at)"
        " WHERE outcome = 'clarification'"
    )


def downgrade() -> None:
    """Drop it."""
    op.execute("DROP INDEX citebound.inbox_person_received_at_idx")
