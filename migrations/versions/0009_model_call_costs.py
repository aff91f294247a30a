"""What each call of a language model cost, and how often it was tried."""

from alembic import op

revision = "0009_model_call_costs"
down_revision = "0008_serving_space"

COSTS = """
ALTER TABLE citebound.model_calls
  ADD COLUMN cost_usd double precision,
  ADD COLUMN attempts integer NOT NULL DEFAULT 1;
"""


def upgrade() -> None:
    """Add cost (null: the price is not known) and attempts (repetitions after an error too)."""
    op.execute(COSTS)


def downgrade() -> None:
    """Forget them."""
    op.execute("ALTER TABLE citebound.model_calls DROP COLUMN cost_usd, DROP COLUMN attempts")
