"""What a case and a judgement need: who, how urgent, how private, once a click; and their views."""

from alembic import op

revision = "0014_cases"
down_revision = "0013_slack_installations"

TABLES = """
ALTER TABLE citebound.outbox
  ADD COLUMN replaces bigint CONSTRAINT outbox_replaces_fkey REFERENCES citebound.outbox;
COMMENT ON COLUMN citebound.outbox.replaces IS
  'the reply whose post it rewrites; null: it is posted anew';

ALTER TABLE citebound.feedback
  ADD COLUMN comment text NOT NULL,
  ADD COLUMN dedupe_key text NOT NULL,
  ADD COLUMN refusal text,
  ADD CONSTRAINT feedback_answer_id_actor_dedupe_key_key UNIQUE (answer_id, actor, dedupe_key);
COMMENT ON COLUMN citebound.feedback.refusal IS 'null: it was kept';

ALTER TABLE citebound.cases
  ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT cases_number_key UNIQUE,
  ADD COLUMN urgency text NOT NULL,
  ADD COLUMN opener text NOT NULL,
  ADD COLUMN note text NOT NULL,
  ADD COLUMN reply_id bigint CONSTRAINT cases_reply_id_fkey REFERENCES citebound.outbox,
  ADD COLUMN record_id uuid NOT NULL,
  ADD COLUMN asker text NOT NULL,
  ADD COLUMN asker_name text,
  ADD COLUMN person text NOT NULL,
  ADD COLUMN mode text NOT NULL,
  ADD COLUMN permalink text,
  ADD COLUMN is_private boolean NOT NULL,
  ADD COLUMN is_anonymous boolean NOT NULL,
  ADD COLUMN is_sensitive boolean NOT NULL,
  ADD COLUMN is_wrong boolean NOT NULL DEFAULT false,
  ADD COLUMN owner_name text,
  ADD COLUMN claimed_at timestamptz,
  ADD COLUMN answered_at timestamptz,
  ADD CONSTRAINT cases_state_check CHECK (state IN ('open', 'claimed', 'answered', 'closed'));
COMMENT ON COLUMN citebound.cases.owner IS
  'login of the officer who has claimed it; null: nobody';
COMMENT ON COLUMN citebound.cases.reason IS 'outcome of the question';
COMMENT ON COLUMN citebound.cases.reply_id IS 'what the asker got; null: nothing';
COMMENT ON COLUMN citebound.cases.record_id IS 'case:opened';
COMMENT ON COLUMN citebound.cases.asker IS 'pseudonym';
COMMENT ON COLUMN citebound.cases.person IS 'the platform''s id of the asker';
COMMENT ON COLUMN citebound.cases.answered_at IS 'null: by no officer yet';
CREATE INDEX cases_person_idx ON citebound.cases (person);
CREATE INDEX cases_state_idx ON citebound.cases (state);

DROP INDEX citebound.case_messages_case_id_idx;
ALTER TABLE citebound.case_messages
  ADD COLUMN kind text NOT NULL,
  ADD COLUMN dedupe_key text NOT NULL,
  ADD COLUMN refusal text,
  ADD COLUMN officer_name text,
  ADD COLUMN is_direct boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT case_messages_case_id_actor_dedupe_key_key UNIQUE (case_id, actor, dedupe_key);
COMMENT ON COLUMN citebound.case_messages.kind IS 'what was done, or refused';
COMMENT ON COLUMN citebound.case_messages.refusal IS 'why not; null: it was done';
"""

VIEWS = """
CREATE INDEX record_subject_idx ON audit.record (subject);

CREATE VIEW audit.v_feedback WITH (security_invoker, security_barrier) AS
SELECT a.id AS record_id, f.at, f.unit, f.actor AS asker, f.doc->>'rating' AS rating,
       f.doc->>'reason' AS reason, c.body AS comment, a.badge,
       EXISTS (SELECT FROM audit.record v
                WHERE v.tag = 'answer:reviewed' AND v.subject = f.subject) AS reviewed,
       NOT EXISTS (SELECT FROM audit.record l
                    WHERE l.tag = 'feedback:given' AND l.subject = f.subject AND l.actor = f.actor
                      AND l.seq > f.seq) AS counts
  FROM audit.record f
  JOIN audit.record a ON a.subject = f.subject
   AND a.tag IN (SELECT tag FROM audit.tag WHERE is_outcome)
  LEFT JOIN audit.content c ON c.record_id = f.id AND c.field = 'comment'
 WHERE f.tag = 'feedback:given';
COMMENT ON VIEW audit.v_feedback IS
  'Every judgement of an answer; the last one of a person counts.';
COMMENT ON COLUMN audit.v_feedback.record_id IS 'The record of the answer that was judged.';
COMMENT ON COLUMN audit.v_feedback.at IS 'When it was judged, UTC.';
COMMENT ON COLUMN audit.v_feedback.unit IS 'Organisational unit.';
COMMENT ON COLUMN audit.v_feedback.asker IS 'Pseudonym of who judged it.';
COMMENT ON COLUMN audit.v_feedback.rating IS 'positive or negative; a report is negative.';
COMMENT ON COLUMN audit.v_feedback.reason IS
  'wrong, stale, incomplete, citation or other; null if nobody said.';
COMMENT ON COLUMN audit.v_feedback.comment IS 'As typed; null without one, or once erased.';
COMMENT ON COLUMN audit.v_feedback.badge IS 'What the asker saw: high, medium or low.';
COMMENT ON COLUMN audit.v_feedback.reviewed IS 'True if an officer has judged the answer.';
COMMENT ON COLUMN audit.v_feedback.counts IS
  'True for the last judgement of this person on this answer.';

CREATE VIEW audit.v_feedback_counts WITH (security_invoker, security_barrier) AS
SELECT record_id, unit, count(*) FILTER (WHERE rating = 'positive') AS positive,
       count(*) FILTER (WHERE rating = 'negative') AS negative, max(at) AS last_at
  FROM audit.v_feedback WHERE counts GROUP BY record_id, unit;
COMMENT ON VIEW audit.v_feedback_counts IS 'How many people found an answer helpful, or not.';
COMMENT ON COLUMN audit.v_feedback_counts.record_id IS 'The record of the answer.';
COMMENT ON COLUMN audit.v_feedback_counts.unit IS 'Organisational unit.';
COMMENT ON COLUMN audit.v_feedback_counts.positive IS 'People whose last judgement is positive.';
COMMENT ON COLUMN audit.v_feedback_counts.negative IS 'People whose last judgement is negative.';
COMMENT ON COLUMN audit.v_feedback_counts.last_at IS 'When it was last judged, UTC.';

CREATE VIEW audit.v_open_cases WITH (security_invoker, security_barrier) AS
WITH last AS (
  SELECT DISTINCT ON (r.doc->>'case') r.doc->>'case' AS case_id, r.*
    FROM audit.record r
   WHERE r.tag IN ('case:opened', 'case:assigned', 'case:answered', 'case:resolved',
                   'case:reopened', 'case:closed')
   ORDER BY r.doc->>'case', r.seq DESC)
SELECT last.case_id::uuid AS case_id, (last.doc->>'number')::bigint AS number, last.unit,
       o.at AS opened_at, audit.instant(last.doc->>'due_at') AS due_at,
       audit.instant(last.doc->>'due_at') < now() AS overdue, last.doc->>'state' AS state,
       last.doc->>'owner' AS owner, last.doc->>'why' AS reason, q.body AS question,
       last.tag AS last_event, last.at AS last_at
  FROM last
  JOIN audit.record o ON o.tag = 'case:opened' AND o.doc->>'case' = last.case_id
  LEFT JOIN audit.record a ON a.id = (o.doc->>'cause')::uuid
  LEFT JOIN audit.content q ON q.record_id = a.id AND q.field = 'question'
 WHERE last.doc->>'state' IN ('open', 'claimed');
COMMENT ON VIEW audit.v_open_cases IS 'Questions that wait for an officer''s answer.';
COMMENT ON COLUMN audit.v_open_cases.number IS 'By which people call the case.';
COMMENT ON COLUMN audit.v_open_cases.unit IS 'Organisational unit.';
COMMENT ON COLUMN audit.v_open_cases.due_at IS 'Until when it should be answered, UTC.';
COMMENT ON COLUMN audit.v_open_cases.overdue IS 'True after due_at.';
COMMENT ON COLUMN audit.v_open_cases.state IS 'open or claimed.';
COMMENT ON COLUMN audit.v_open_cases.owner IS 'Login of who has claimed it; null: nobody.';
COMMENT ON COLUMN audit.v_open_cases.reason IS 'Outcome of the question.';
COMMENT ON COLUMN audit.v_open_cases.question IS 'As asked; null once erased.';
COMMENT ON COLUMN audit.v_open_cases.last_event IS 'What happened last.';
COMMENT ON COLUMN audit.v_open_cases.last_at IS 'When that was, UTC.';
"""

BACK = """
DROP VIEW audit.v_open_cases, audit.v_feedback_counts, audit.v_feedback;
DROP INDEX audit.record_subject_idx;
ALTER TABLE citebound.case_messages
  DROP COLUMN kind, DROP COLUMN dedupe_key, DROP COLUMN refusal, DROP COLUMN officer_name,
  DROP COLUMN is_direct;
CREATE INDEX case_messages_case_id_idx ON citebound.case_messages (case_id);
ALTER TABLE citebound.cases
  DROP CONSTRAINT cases_state_check, DROP COLUMN number, DROP COLUMN urgency, DROP COLUMN opener,
  DROP COLUMN note, DROP COLUMN reply_id, DROP COLUMN record_id, DROP COLUMN asker,
  DROP COLUMN asker_name, DROP COLUMN person, DROP COLUMN mode, DROP COLUMN permalink,
  DROP COLUMN is_private, DROP COLUMN is_anonymous, DROP COLUMN is_sensitive, DROP COLUMN is_wrong,
  DROP COLUMN owner_name, DROP COLUMN claimed_at, DROP COLUMN answered_at;
DROP INDEX citebound.cases_state_idx;
ALTER TABLE citebound.feedback
  DROP COLUMN comment, DROP COLUMN dedupe_key, DROP COLUMN refusal;
ALTER TABLE citebound.outbox DROP COLUMN replaces;
"""

TAGS = (
    "feedback:refused",
    "answer:reviewed",
    "answer:superseded",
    "case:opened",
    "case:assigned",
    "case:answered",
    "case:resolved",
    "case:reopened",
    "case:closed",
    "case:refused",
)


def upgrade() -> None:
    """Add what is missing, the tags of what now happens, and what officers read of it."""
    op.execute(TABLES)
    rows = ", ".join(f"('{tag}', false)" for tag in TAGS)
    op.execute(
        f"INSERT INTO audit.tag (tag, is_outcome) VALUES {rows} ON CONFLICT DO NOTHING"  # noqa: S608  # constants
    )
    op.execute(VIEWS)


def downgrade() -> None:
    """Take them back; tags that the record uses stay."""
    op.execute(BACK)
    tags = ", ".join(f"'{tag}'" for tag in TAGS)
    op.execute(
        f"DELETE FROM audit.tag t WHERE tag IN ({tags})"  # noqa: S608  # constants
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
