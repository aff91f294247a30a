"""When officers were told that a case is due, and that it was: each once."""

from alembic import op

revision = "0054_reminders"
down_revision = "0052_starters"

UP = """
ALTER TABLE citebound.cases ADD COLUMN reminded_at timestamptz, ADD COLUMN overdue_at timestamptz;
COMMENT ON COLUMN citebound.cases.reminded_at IS
  'when officers were told that it is due in some hours; null: they were not';
COMMENT ON COLUMN citebound.cases.overdue_at IS
  'when officers were told that it was due; null: they were not';
UPDATE citebound.cases SET reminded_at = now(), overdue_at = now()
 WHERE state IN ('open', 'claimed') AND due_at < now();
CREATE INDEX cases_due_idx ON citebound.cases (due_at)
 WHERE state IN ('open', 'claimed') AND overdue_at IS NULL;
"""
DOWN = """
DROP INDEX citebound.cases_due_idx;
ALTER TABLE citebound.cases DROP COLUMN reminded_at, DROP COLUMN overdue_at;
"""


TAGS = ("case:reminded", "case:overdue")
COMPATIBLE = "INSERT INTO citebound.schema_compatibility VALUES ('0054_reminders', '0044_identity')"


def upgrade() -> None:
    """Add tags and columns; of what is overdue already, officers are not told all at once."""
    tags = ", ".join(f"('{tag}', false)" for tag in TAGS)
    op.execute(
        f"INSERT INTO audit.tag (tag, is_outcome) VALUES {tags}"  # noqa: S608  # constants
        " ON CONFLICT DO NOTHING"  # those that the record used stayed when this was taken back
    )
    op.execute(UP)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Drop the columns; tags that the record uses stay."""
    op.execute(DOWN)
    tags = ", ".join(f"'{tag}'" for tag in TAGS)
    op.execute(
        f"DELETE FROM audit.tag t WHERE tag IN ({tags})"  # noqa: S608  # constants
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0054_reminders'")
