"""Nothing any more: until 0029 the tables of the job queue `procrastinate` were made here."""

revision = "0010_queue"
down_revision = "0009_model_call_costs"


def upgrade() -> None:
    """Make nothing that 0029 would drop."""


def downgrade() -> None:
    """Drop nothing: 0029 did, or does on the way up again."""
