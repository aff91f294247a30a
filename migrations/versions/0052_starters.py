"""Questions that people are offered to begin with, chosen for a state of the corpus.

They are kept for good: the button of an old message still names one. None of it is anybody's words.
"""

from alembic import op

revision = "0052_starters"
down_revision = "0051_consistency"

TABLES = """
CREATE TABLE citebound.starter_sets (
  basis text CONSTRAINT starter_sets_pkey PRIMARY KEY,
  edition integer,
  claimed_until timestamptz NOT NULL,
  chosen_at timestamptz,
  starters jsonb NOT NULL DEFAULT '[]');
COMMENT ON TABLE citebound.starter_sets IS
  'Questions to begin with that were chosen, and checked to be answered, once for each basis.';
COMMENT ON COLUMN citebound.starter_sets.basis IS
  'hash of what everyone may read, the day it was published, the release and the settings';
COMMENT ON COLUMN citebound.starter_sets.edition IS 'the newest one then; null: there was none';
COMMENT ON COLUMN citebound.starter_sets.claimed_until IS
  'until then one process chooses; after it another one may';
COMMENT ON COLUMN citebound.starter_sets.chosen_at IS 'null: not yet';
COMMENT ON COLUMN citebound.starter_sets.starters IS
  'in order: id, topic, question, policy (null: the settings name it), badge (null: not answered)';
CREATE INDEX starter_sets_chosen_at_idx ON citebound.starter_sets (chosen_at);
CREATE INDEX starter_sets_starters_idx ON citebound.starter_sets USING gin (starters jsonb_path_ops);
"""  # noqa: E501  # an index a line

GRANTS = """
GRANT SELECT, INSERT ON citebound.starter_sets TO citebound_app;
GRANT UPDATE (claimed_until, chosen_at, starters) ON citebound.starter_sets TO citebound_app;
"""
COMPATIBLE = "INSERT INTO citebound.schema_compatibility VALUES ('0052_starters', '0044_identity')"


def upgrade() -> None:
    """Add the table."""
    op.execute(TABLES)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Forget what was chosen: it is chosen again."""
    op.execute("DROP TABLE citebound.starter_sets")
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0052_starters'")
