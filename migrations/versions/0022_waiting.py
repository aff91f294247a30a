"""Limits to what waits: what counts, what comes first, who was told; and what a day may cost."""

from alembic import op

revision = "0022_waiting"
down_revision = "0021_leases"

COLUMNS = """
ALTER TABLE citebound.inbox
  ADD COLUMN is_counted boolean NOT NULL DEFAULT true,
  ADD COLUMN is_ahead boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN citebound.inbox.is_counted IS
  'of those that may wait; false: a reply to a question back, or a report';
COMMENT ON COLUMN citebound.inbox.is_ahead IS
  'a report of misconduct: answered first, without a turn';
CREATE INDEX inbox_asker_idx ON citebound.inbox (asker) WHERE state IN ('received', 'running');

ALTER TABLE citebound.askers ADD COLUMN told_until timestamptz;
COMMENT ON COLUMN citebound.askers.told_until IS
  'when they can ask again, as they were told; null: they were not, or have asked since';

CREATE TABLE citebound.overspent_days (
  day date NOT NULL CONSTRAINT overspent_days_pkey PRIMARY KEY,
  budget_usd double precision NOT NULL,
  spent_usd double precision NOT NULL,
  at timestamptz NOT NULL DEFAULT now());
COMMENT ON TABLE citebound.overspent_days IS
  'days, in UTC, on which language models cost as much as they may; officers were told';
CREATE INDEX model_calls_at_idx ON citebound.model_calls (at) INCLUDE (cost_usd);
"""


def upgrade() -> None:
    """Add columns, indexes and the table."""
    op.execute(COLUMNS)


def downgrade() -> None:
    """Drop them."""
    op.execute("DROP INDEX citebound.model_calls_at_idx")
    op.execute("DROP TABLE citebound.overspent_days")
    op.execute("ALTER TABLE citebound.askers DROP COLUMN told_until")
    op.execute("DROP INDEX citebound.inbox_asker_idx")
    op.execute("ALTER TABLE citebound.inbox DROP COLUMN is_counted, DROP COLUMN is_ahead")
