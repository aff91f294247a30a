"""Answers that rest on what a policy no longer says: found once, decided by an officer, told once.

What is kept here is work in progress; what happened is in the record, and so is the officers' view.
"""

from alembic import op

revision = "0038_affected"
down_revision = "0037_keys"

TABLES = """
ALTER TABLE citebound.answers ADD COLUMN record_id uuid;
COMMENT ON COLUMN citebound.answers.record_id IS
  'the record of it; null: the release before wrote it, while both ran side by side';
UPDATE citebound.answers a SET record_id = r.id
  FROM audit.record r WHERE r.subject = a.id::text AND r.outcome IS NOT NULL;

CREATE TABLE citebound.comparisons (
  edition integer NOT NULL
    CONSTRAINT comparisons_edition_fkey REFERENCES citebound.editions,
  on_day date NOT NULL,
  passed_answer uuid,
  found integer NOT NULL DEFAULT 0,
  finished_at timestamptz,
  CONSTRAINT comparisons_pkey PRIMARY KEY (edition, on_day));
COMMENT ON TABLE citebound.comparisons IS
  'Past answers are compared with the policies once for each edition, and once a day.';
COMMENT ON COLUMN citebound.comparisons.passed_answer IS
  'the last answer that was compared; null: none yet';
COMMENT ON COLUMN citebound.comparisons.found IS 'answers that it found to be affected so far';
COMMENT ON COLUMN citebound.comparisons.finished_at IS 'null: it is under way, or broke off';

CREATE TABLE citebound.affected_answers (
  answer_id uuid NOT NULL
    CONSTRAINT affected_answers_answer_id_fkey REFERENCES citebound.answers,
  edition integer NOT NULL
    CONSTRAINT affected_answers_edition_fkey REFERENCES citebound.editions,
  record_id uuid NOT NULL,
  changes jsonb NOT NULL,
  quotes_stand boolean NOT NULL,
  state text NOT NULL DEFAULT 'found' CONSTRAINT affected_answers_state_check
    CHECK (state IN ('found', 'approved', 'confirmed', 'superseded', 'dropped', 'failed')),
  question_id uuid NOT NULL DEFAULT gen_random_uuid(),
  approved_by text,
  approved_at timestamptz,
  attempt integer NOT NULL DEFAULT 0,
  next_at timestamptz,
  found_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  settled_at timestamptz,
  CONSTRAINT affected_answers_pkey PRIMARY KEY (answer_id, edition));
CREATE INDEX affected_answers_edition_idx ON citebound.affected_answers (edition);
CREATE INDEX affected_answers_next_at_idx ON citebound.affected_answers (next_at)
  WHERE state = 'approved';
COMMENT ON TABLE citebound.affected_answers IS
  'Answers that rest on a stretch of a policy that an edition changed.';
COMMENT ON COLUMN citebound.affected_answers.record_id IS 'answer:affected';
COMMENT ON COLUMN citebound.affected_answers.changes IS 'what changed, as the record says it';
COMMENT ON COLUMN citebound.affected_answers.question_id IS
  'of the question asked anew: the same at each attempt';
COMMENT ON COLUMN citebound.affected_answers.quotes_stand IS
  'true: each quote still stands word for word, and its section reads differently';
COMMENT ON COLUMN citebound.affected_answers.state IS
  'found: an officer decides; approved: the asker is to be told; confirmed: the answer is the same'
  ' today; superseded: the asker was told another one; dropped: there is nothing to tell any'
  ' more; failed: it broke again and again';
COMMENT ON COLUMN citebound.affected_answers.approved_by IS 'the officer; null: nobody yet';
COMMENT ON COLUMN citebound.affected_answers.next_at IS 'when it is tried, or tried again';
"""

VIEW = """
CREATE VIEW audit.v_answers_affected_by_change WITH (security_invoker, security_barrier) AS
SELECT (f.doc->>'edition')::integer AS edition, c.value->>'policy' AS policy,
       c.value->>'section' AS section, c.value->>'old_version' AS old_version,
       c.value->>'new_version' AS new_version, a.id AS record_id, a.at AS answered_at,
       CASE d.tag WHEN 'answer:confirmed' THEN true WHEN 'answer:superseded' THEN false
            ELSE (f.doc->>'quotes_stand')::boolean END AS still_holds,
       (SELECT min(p.at) FROM audit.record p
         WHERE p.tag = 'reply:posted' AND p.subject = d.doc->>'instead') AS notified_at,
       f.unit, c.value->>'change' AS change, f.at AS found_at, d.at AS decided_at
  FROM audit.record f
  JOIN audit.record a ON a.id = (f.doc->>'cause')::uuid
 CROSS JOIN LATERAL jsonb_array_elements(f.doc->'changes') AS c
  LEFT JOIN LATERAL (
    SELECT r.tag, r.at, r.doc FROM audit.record r
     WHERE r.subject = f.subject AND r.at >= f.at
       AND r.tag IN ('answer:confirmed', 'answer:superseded')
     ORDER BY r.at DESC LIMIT 1) d ON true
 WHERE f.tag = 'answer:affected';
COMMENT ON VIEW audit.v_answers_affected_by_change IS
  'Answers that rest on a stretch of a policy that changed after they were given.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.edition IS
  'The edition that brought the change.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.policy IS 'Key of the policy.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.section IS
  'Number or title of the section that was quoted.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.old_version IS
  'The version that was quoted, as its owner calls it, else its number.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.new_version IS
  'The version in force instead; null: the policy is withdrawn or out of force.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.record_id IS 'The record of the answer.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.answered_at IS 'When it was given, UTC.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.still_holds IS
  'True if the answer was confirmed, or every quote of it still stands word for word; false if a'
  ' quote does not, or another answer was given instead.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.notified_at IS
  'When the asker was told the new answer, UTC; null: not yet, or there was no need.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.unit IS 'Organisational unit.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.change IS
  'changed: the words are others; removed: the section is gone; amended: the words stand, and what'
  ' is around them changed; withdrawn: the policy is; ended: it is out of force.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.found_at IS
  'When it was found to be affected, UTC.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.decided_at IS
  'When the answer was confirmed or superseded, UTC; null: not yet.';
"""

GRANTS = """
GRANT SELECT, INSERT ON citebound.comparisons TO citebound_app;
GRANT UPDATE (passed_answer, found, finished_at) ON citebound.comparisons TO citebound_app;
GRANT SELECT, INSERT ON citebound.affected_answers TO citebound_app;
GRANT UPDATE (state, approved_by, approved_at, attempt, next_at, settled_at) ON citebound.affected_answers TO citebound_app;
GRANT SELECT ON audit.v_answers_affected_by_change TO citebound_officer;
"""  # noqa: E501  # a grant a line

ROWS = """
INSERT INTO citebound.schema_compatibility VALUES ('0038_affected', '0030_compatibility');
INSERT INTO audit.tag (tag, is_outcome) VALUES ('answer:affected', false),
  ('answer:confirmed', false), ('answer:replayed', false);
"""


def upgrade() -> None:
    """Create the tables and the view."""
    op.execute(TABLES)
    op.execute(VIEW)
    op.execute(GRANTS)
    op.execute(ROWS)


def downgrade() -> None:
    """Drop them; tags that the record uses stay."""
    op.execute("DROP VIEW audit.v_answers_affected_by_change")
    op.execute("DROP TABLE citebound.affected_answers, citebound.comparisons")
    op.execute("ALTER TABLE citebound.answers DROP COLUMN record_id")
    op.execute(
        "DELETE FROM audit.tag t"
        " WHERE tag IN ('answer:affected', 'answer:confirmed', 'answer:replayed')"
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0038_affected'")
