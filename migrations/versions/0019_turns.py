"""Limits to how many questions are begun: whose turn was when, and who was told to wait."""

from alembic import op

revision = "0019_turns"
down_revision = "0018_noted_cases"

TABLES = """
CREATE TABLE citebound.turns (
  kind text NOT NULL CONSTRAINT turns_kind_check
    CHECK (kind IN ('asker', 'channel', 'conversation', 'notice')),
  key text NOT NULL,
  taken timestamptz[] NOT NULL DEFAULT '{}',
  CONSTRAINT turns_pkey PRIMARY KEY (kind, key));
COMMENT ON COLUMN citebound.turns.key IS
  'pseudonym of an asker, platform:tenant:channel, or id of a conversation';
COMMENT ON COLUMN citebound.turns.taken IS 'the last ones, in order: as many as the limit counts';

ALTER TABLE citebound.inbox
  ADD COLUMN has_turn boolean NOT NULL DEFAULT false,
  ADD COLUMN is_told boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN citebound.inbox.has_turn IS 'it was within the limits: a rerun need not be';
COMMENT ON COLUMN citebound.inbox.is_told IS 'the asker need not be told (again) that it waits';
"""


def upgrade() -> None:
    """Add table and columns."""
    op.execute(TABLES)


def downgrade() -> None:
    """Drop them: waiting questions stay, and are begun without limits."""
    op.execute("ALTER TABLE citebound.inbox DROP COLUMN has_turn, DROP COLUMN is_told")
    op.execute("DROP TABLE citebound.turns")
