"""What people say of closest passages, as labels: which passage answers which question."""

from alembic import op

revision = "0027_not_sure"
down_revision = "0026_context"

KINDS = "policy_silent, not_found, {}out_of_scope, not_permitted, conflict; or escalated, failed."

LABELS = """
CREATE VIEW citebound.passage_labels AS
SELECT a.id AS answer_id, said.actor, said.actor = i.asker AS is_asker, said.answers, said.at,
       NOT EXISTS (SELECT FROM citebound.feedback f
                    WHERE f.answer_id = a.id AND f.actor = said.actor AND f.refusal IS NULL
                      AND f.at > said.at)
       AND NOT EXISTS (SELECT FROM citebound.cases k
                        WHERE k.question_id = q.id AND k.asker = said.actor
                          AND k.opener <> 'officer' AND k.opened_at > said.at) AS counts,
       q.standalone AS question, a.edition, a.reasoner, a.calibrated,
       a.trace->'confidence_features' AS scores,
       (SELECT jsonb_agg(jsonb_build_object('version_id', c.version_id, 'char_start', c.char_start,
                 'char_end', c.char_end, 'score', c.score,
                 'quote', substr(v.text, c.char_start + 1, c.char_end - c.char_start)) ORDER BY c.n)
          FROM citebound.citations c JOIN citebound.policy_versions v ON v.id = c.version_id
         WHERE c.answer_id = a.id) AS passage
  FROM citebound.answers a
  JOIN citebound.questions q ON q.id = a.question_id
  JOIN citebound.inbox i ON i.question_id = q.id
  JOIN (SELECT f.answer_id, f.actor, f.rating = 'positive' AS answers, f.at
          FROM citebound.feedback f WHERE f.refusal IS NULL
         UNION ALL
        SELECT asked.id, k.asker, false, k.opened_at
          FROM citebound.cases k JOIN citebound.answers asked ON asked.question_id = k.question_id
         WHERE k.opener <> 'officer') said ON said.answer_id = a.id
 WHERE a.outcome = 'refused' AND a.refusal = 'not_sure';
COMMENT ON VIEW citebound.passage_labels IS
  'Every press under a closest passage: whether it answers the question.';
COMMENT ON COLUMN citebound.passage_labels.actor IS 'pseudonym of who pressed';
COMMENT ON COLUMN citebound.passage_labels.is_asker IS 'true: it is their question';
COMMENT ON COLUMN citebound.passage_labels.answers IS
  'true: "This answers it"; false: the question went to Compliance';
COMMENT ON COLUMN citebound.passage_labels.counts IS 'true: the last word of this person on it';
COMMENT ON COLUMN citebound.passage_labels.question IS 'as it stands alone';
COMMENT ON COLUMN citebound.passage_labels.calibrated IS
  'probability that it answers, as it was computed then';
COMMENT ON COLUMN citebound.passage_labels.scores IS 'what that was computed from, by name';
COMMENT ON COLUMN citebound.passage_labels.passage IS
  'the stretches quoted, in order: version_id, char_start, char_end, score (relevance), quote';
"""

LOW = """
CREATE OR REPLACE VIEW audit.v_low_confidence WITH (security_invoker, security_barrier) AS
SELECT r.id AS record_id, r.at, r.unit, r.outcome, r.badge, r.calibrated,
       (SELECT f.key FROM jsonb_each_text(r.doc->'confidence'->'features') AS f
         ORDER BY f.value::numeric, f.key LIMIT 1) AS weakest_feature,
       (SELECT count(DISTINCT v->>'claim') FROM jsonb_array_elements(r.doc->'verdicts') AS v
         WHERE NOT (v->>'passed')::boolean) AS dropped_claims,
       q.body AS question
  FROM audit.record r
  LEFT JOIN audit.content q ON q.record_id = r.id AND q.field = 'question'
 WHERE r.badge IN ('low', 'medium'){};
COMMENT ON VIEW audit.v_low_confidence IS
  '{}';
"""


def upgrade() -> None:
    """Create the view of labels; officers find closest passages where they read first."""
    op.execute(LABELS)
    op.execute(
        LOW.format(
            " OR r.doc->'refusal'->>'kind' = 'not_sure'",
            "Answers below High and closest passages, with the weakest feature of each: where to"
            " read first.",
        )
    )
    op.execute(f"COMMENT ON COLUMN audit.v_refusals.kind IS '{KINDS.format('not_sure, ')}'")


def downgrade() -> None:
    """Drop it; what was kept stays in the tables that it reads."""
    op.execute(f"COMMENT ON COLUMN audit.v_refusals.kind IS '{KINDS.format('')}'")
    op.execute(
        LOW.format("", "Answers below High, with the weakest feature of each: where to read first.")
    )
    op.execute("DROP VIEW citebound.passage_labels")
