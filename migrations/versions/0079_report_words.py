"""The words of a report that nobody passed on can be forgotten: with its message, or in time.

They stand in working tables alone, of which officers read none; the record never held them.
"""

from alembic import op

revision = "0079_report_words"
down_revision = "0078_reports"

FORGET = """
CREATE INDEX answers_reports_idx ON citebound.answers (answered_at)
  WHERE outcome = 'escalated' AND refusal IS NULL;

CREATE FUNCTION citebound.forget_words(of_messages bigint[]) RETURNS void LANGUAGE sql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH gone AS (
    SELECT i.id, i.question_id FROM citebound.inbox AS i
      LEFT JOIN citebound.answers AS a ON a.question_id = i.question_id
     WHERE i.id = ANY (of_messages)
       AND (a.id IS NULL OR a.outcome = 'escalated' AND a.refusal IS NULL)
       AND NOT EXISTS (SELECT FROM citebound.cases AS k WHERE k.question_id = i.question_id)
  ), emptied AS (
    UPDATE citebound.questions SET text = '', standalone = '', context = '[]'
     WHERE id IN (SELECT question_id FROM gone)
  )
  UPDATE citebound.inbox SET text = '', context = '[]' WHERE id IN (SELECT id FROM gone)
$$;
COMMENT ON FUNCTION citebound.forget_words(bigint[]) IS
  'Empties messages that were not answered, or are reports that nobody passed on.';
"""
GRANTS = """
GRANT EXECUTE ON FUNCTION citebound.forget_words(bigint[]) TO citebound_app;
"""
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0079_report_words', '0044_identity')"
)


def upgrade() -> None:
    """Add what forgets them."""
    op.execute(FORGET)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take it away."""
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0079_report_words'")
    op.execute(
        "DROP FUNCTION citebound.forget_words(bigint[]); DROP INDEX citebound.answers_reports_idx"
    )
