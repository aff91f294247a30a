"""Whether equal questions still get equal answers: nightly checks, and the contradictions found.

A contradiction keeps ids: what differs is in its record, and what people asked in those of the
questions, while it stands there.
"""

from alembic import op

revision = "0051_consistency"
down_revision = "0050_question_drafts"

TABLES = """
CREATE TABLE citebound.consistency_checks (
  day date CONSTRAINT consistency_checks_pkey PRIMARY KEY,
  begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  leased_until timestamptz NOT NULL,
  attempt integer NOT NULL DEFAULT 1,
  finished_at timestamptz,
  asked integer NOT NULL DEFAULT 0,
  pairs integer NOT NULL DEFAULT 0,
  found integer NOT NULL DEFAULT 0,
  cost_usd double precision NOT NULL DEFAULT 0);
COMMENT ON TABLE citebound.consistency_checks IS
  'A row a day: past questions were asked again, by whichever process claimed the day.';
COMMENT ON COLUMN citebound.consistency_checks.leased_until IS
  'until then the check is of the process that claimed it; later another one begins it again';
COMMENT ON COLUMN citebound.consistency_checks.asked IS 'questions that were asked again';
COMMENT ON COLUMN citebound.consistency_checks.pairs IS
  'of them: those that were also asked as somebody else worded them';
COMMENT ON COLUMN citebound.consistency_checks.found IS 'contradictions that nobody knew';

CREATE TABLE citebound.contradictions (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT contradictions_pkey PRIMARY KEY,
  day date NOT NULL CONSTRAINT contradictions_day_fkey REFERENCES citebound.consistency_checks,
  found_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  answer_id uuid NOT NULL CONSTRAINT contradictions_answer_id_fkey REFERENCES citebound.answers,
  other_answer_id uuid NOT NULL
    CONSTRAINT contradictions_other_answer_id_fkey REFERENCES citebound.answers,
  kind text NOT NULL CONSTRAINT contradictions_kind_check
    CHECK (kind IN ('modality', 'number', 'silence', 'quote')),
  record_id uuid NOT NULL,
  CONSTRAINT contradictions_answers_key UNIQUE (answer_id, other_answer_id, kind));
CREATE INDEX contradictions_day_idx ON citebound.contradictions (day);
CREATE INDEX contradictions_other_answer_id_idx ON citebound.contradictions (other_answer_id);
COMMENT ON TABLE citebound.contradictions IS
  'Answers to one question that contradict each other; officers hear of each once.';
COMMENT ON COLUMN citebound.contradictions.answer_id IS 'the question that was asked again';
COMMENT ON COLUMN citebound.contradictions.other_answer_id IS
  'the same: today it is answered otherwise than then; another: it words the question otherwise';
COMMENT ON COLUMN citebound.contradictions.record_id IS 'of `contradiction:found`';
"""

GRANTS = """
GRANT SELECT, INSERT ON citebound.consistency_checks, citebound.contradictions TO citebound_app;
GRANT UPDATE (leased_until, attempt, finished_at, asked, pairs, found, cost_usd) ON citebound.consistency_checks TO citebound_app;
"""  # noqa: E501  # a grant a line

ROWS = """
INSERT INTO citebound.schema_compatibility VALUES ('0051_consistency', '0044_identity');
INSERT INTO audit.tag (tag, is_outcome) VALUES ('shadow:compared', false),
  ('consistency:checked', false), ('contradiction:found', false) ON CONFLICT DO NOTHING;
"""


def upgrade() -> None:
    """Create the tables, and add the tags."""
    op.execute(TABLES)
    op.execute(GRANTS)
    op.execute(ROWS)


def downgrade() -> None:
    """Drop the tables; tags that the record uses stay."""
    op.execute("DROP TABLE citebound.contradictions, citebound.consistency_checks")
    op.execute(
        "DELETE FROM audit.tag t"
        " WHERE tag IN ('shadow:compared', 'consistency:checked', 'contradiction:found')"
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0051_consistency'")
