"""What compliance officers read: views over the record alone."""

from alembic import op

revision = "0007_officer_views"
down_revision = "0006_audit"

VIEWS = """
CREATE VIEW audit.v_answers WITH (security_invoker, security_barrier) AS
SELECT r.id AS record_id, r.at, r.unit, r.conversation, r.actor AS asker,
       r.doc->'question'->>'platform' AS platform, r.doc->'question'->>'mode' AS mode,
       r.outcome, q.body AS question, a.body AS answer, r.badge, r.calibrated,
       (r.doc->'confidence'->>'reported')::numeric AS reported,
       (r.doc->'run'->>'edition')::integer AS edition, r.doc->'run'->>'reasoner' AS model,
       r.doc->'assumptions' AS assumptions, r.doc->'citations' AS citations,
       (SELECT jsonb_agg(f.doc->>'rating' ORDER BY f.at) FROM audit.record f
         WHERE f.tag = 'feedback:given' AND f.subject = r.subject) AS feedback,
       (r.doc->'run'->>'total_ms')::numeric AS latency_ms
  FROM audit.record r
  JOIN audit.tag t ON t.tag = r.tag AND t.is_outcome
  LEFT JOIN audit.content q ON q.record_id = r.id AND q.field = 'question'
  LEFT JOIN audit.content a ON a.record_id = r.id AND a.field = 'answer';
COMMENT ON VIEW audit.v_answers IS
  'Every question with what the asker was told; question and answer are null once erased.';
COMMENT ON COLUMN audit.v_answers.asker IS 'Pseudonym.';
COMMENT ON COLUMN audit.v_answers.badge IS
  'What the asker saw: high, medium or low; null without an answer.';
COMMENT ON COLUMN audit.v_answers.calibrated IS
  'Probability that the answer is right, 0 to 1; null without an answer.';
COMMENT ON COLUMN audit.v_answers.reported IS
  'The reasoner''s own number, never shown; null if it gave none.';
COMMENT ON COLUMN audit.v_answers.edition IS 'State of the corpus that the answer rests on.';
COMMENT ON COLUMN audit.v_answers.model IS 'The reasoner and its version.';
COMMENT ON COLUMN audit.v_answers.citations IS
  'Policy, version, section, span and hash of each quote shown.';

CREATE VIEW audit.v_refusals WITH (security_invoker, security_barrier) AS
SELECT r.id AS record_id, r.at, r.unit, coalesce(r.doc->'refusal'->>'kind', r.outcome) AS kind,
       q.body AS question, r.doc->'refusal'->'nearest_sections' AS nearest_sections,
       r.outcome = 'escalated' AS escalated
  FROM audit.record r
  LEFT JOIN audit.content q ON q.record_id = r.id AND q.field = 'question'
 WHERE r.outcome IN ('refused', 'escalated', 'failed');
COMMENT ON VIEW audit.v_refusals IS
  'Questions that got no answer, why, and the sections nearest to them.';
COMMENT ON COLUMN audit.v_refusals.kind IS
  'policy_silent, not_found, out_of_scope, not_permitted, conflict; or escalated, failed.';

CREATE VIEW audit.v_low_confidence WITH (security_invoker, security_barrier) AS
SELECT r.id AS record_id, r.at, r.unit, r.outcome, r.badge, r.calibrated,
       (SELECT f.key FROM jsonb_each_text(r.doc->'confidence'->'features') AS f
         ORDER BY f.value::numeric, f.key LIMIT 1) AS weakest_feature,
       (SELECT count(DISTINCT v->>'claim') FROM jsonb_array_elements(r.doc->'verdicts') AS v
         WHERE NOT (v->>'passed')::boolean) AS dropped_claims,
       q.body AS question
  FROM audit.record r
  LEFT JOIN audit.content q ON q.record_id = r.id AND q.field = 'question'
 WHERE r.badge IN ('low', 'medium');
COMMENT ON VIEW audit.v_low_confidence IS
  'Answers below High, with the weakest feature of each: where to read first.';

CREATE VIEW audit.v_citations_by_section WITH (security_invoker, security_barrier) AS
SELECT c.policy, c.version, c.section, count(DISTINCT c.record_id) AS answers, max(r.at) AS last_at,
       count(DISTINCT f.id) FILTER (WHERE f.doc->>'rating' = 'negative') AS negative_feedback
  FROM audit.citation c
  JOIN audit.record r ON r.id = c.record_id
  LEFT JOIN audit.record f ON f.tag = 'feedback:given' AND f.subject = r.subject
 GROUP BY c.policy, c.version, c.section;
COMMENT ON VIEW audit.v_citations_by_section IS 'How often each section was shown, and last when.';
"""


def upgrade() -> None:
    """Create the views."""
    op.execute(VIEWS)


def downgrade() -> None:
    """Drop the views."""
    op.execute(
        "DROP VIEW audit.v_citations_by_section, audit.v_low_confidence, audit.v_refusals,"
        " audit.v_answers"
    )
