"""The writers of reports come back with a code, and are owed an acknowledgement and feedback.

Reports that wait when this is run get the clock of reports that come later, by UTC.
"""

from alembic import op

revision = "0080_report_clock"
down_revision = "0079_report_words"

COLUMNS = """
ALTER TABLE citebound.cases
  ADD COLUMN code_hash bytea CONSTRAINT cases_code_hash_key UNIQUE,
  ADD COLUMN acknowledge_by timestamptz,
  ADD COLUMN acknowledged_at timestamptz,
  ADD COLUMN feedback_by timestamptz,
  ADD COLUMN feedback_at timestamptz,
  ADD COLUMN clocked_until timestamptz;
COMMENT ON COLUMN citebound.cases.code_hash IS
  'Keyed hash of the code of a report''s writer; null: there is none.';
COMMENT ON COLUMN citebound.cases.acknowledge_by IS 'Null: it is no report.';
COMMENT ON COLUMN citebound.cases.acknowledged_at IS 'Null: not yet.';
COMMENT ON COLUMN citebound.cases.feedback_by IS 'Null: it is no report.';
COMMENT ON COLUMN citebound.cases.feedback_at IS 'Null: none yet.';
COMMENT ON COLUMN citebound.cases.clocked_until IS
  'Up to when officers were told of both; null: of nothing.';
CREATE INDEX cases_clock_idx ON citebound.cases (feedback_by)
  WHERE feedback_at IS NULL AND feedback_by IS NOT NULL;

SET LOCAL timezone TO 'UTC';
UPDATE citebound.cases
   SET acknowledge_by = opened_at + interval '7 days', feedback_at = answered_at,
       acknowledged_at = coalesce(answered_at, claimed_at),
       feedback_by = least(coalesce(answered_at, claimed_at, 'infinity'),
                           opened_at + interval '7 days') + interval '3 months'
 WHERE is_sensitive AND (state IN ('open', 'claimed') OR answered_at IS NOT NULL);

CREATE FUNCTION citebound.forget_conversation(of_messages bigint[]) RETURNS void LANGUAGE sql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE citebound.case_messages AS m SET body = ''
    FROM citebound.cases AS k JOIN citebound.inbox AS i ON i.question_id = k.question_id
   WHERE m.case_id = k.id AND k.is_sensitive AND i.id = ANY (of_messages)
     AND m.kind IN ('message', 'answer', 'written')
$$;
COMMENT ON FUNCTION citebound.forget_conversation(bigint[]) IS
  'Empties what officers and the writer of a report wrote to each other, once that is deleted.';

INSERT INTO audit.tag (tag, is_outcome) VALUES
  ('case:acknowledged', false), ('case:messaged', false), ('case:escalated', false)
  ON CONFLICT DO NOTHING;
"""
GRANTS = """
GRANT EXECUTE ON FUNCTION citebound.forget_conversation(bigint[]) TO citebound_app;
"""
UNDONE = """
DROP FUNCTION citebound.forget_conversation(bigint[]);
DROP INDEX citebound.cases_clock_idx;
ALTER TABLE citebound.cases DROP COLUMN code_hash, DROP COLUMN acknowledge_by,
  DROP COLUMN acknowledged_at, DROP COLUMN feedback_by, DROP COLUMN feedback_at,
  DROP COLUMN clocked_until;
DELETE FROM audit.tag AS t WHERE tag IN ('case:acknowledged', 'case:messaged', 'case:escalated')
  AND NOT EXISTS (SELECT FROM audit.record WHERE record.tag = t.tag);
DELETE FROM citebound.schema_compatibility WHERE revision = '0080_report_clock';
"""
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0080_report_clock', '0044_identity')"
)


def upgrade() -> None:
    """Add what is kept of codes and due dates."""
    op.execute(COLUMNS)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take it back; the records stay."""
    op.execute(UNDONE)
