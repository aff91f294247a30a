"""What each call of a language model cost, and how often it was tried."""

from alembic import op

revision = "0009_model_call_costs"
down_revision = "0008_serving_space"

COSTS = """
ALTER TABLE citebound.model_calls
  ADD COLUMN cost_usd double precision,
  ADD COLUMN attempts integer NOT NULL DEFAULT 1;
COMMENT ON TABLE citebound.model_calls IS
  'Replies of language models: a repeated request of a question is served from here.';
COMMENT ON COLUMN citebound.model_calls.usage IS
  'Tokens: fresh, cache_read, cache_write (read), output (written)';
COMMENT ON COLUMN citebound.model_calls.cost_usd IS 'null: the price of the model is not known';
COMMENT ON COLUMN citebound.model_calls.attempts IS
  'Requests sent, repetitions after an error among them';
"""


def upgrade() -> None:
    """Add cost and attempts; of calls made before, the cost is not known."""
    op.execute(COSTS)


def downgrade() -> None:
    """Forget them."""
    op.execute("ALTER TABLE citebound.model_calls DROP COLUMN cost_usd, DROP COLUMN attempts")
    op.execute("COMMENT ON TABLE citebound.model_calls IS NULL")
    op.execute("COMMENT ON COLUMN citebound.model_calls.usage IS NULL")
