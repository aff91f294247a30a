"""Precedents: answers of officers that a second officer approved to be told to others.

What is kept here is what is told; what happened is in the record, and so is the officers' view. The
words of whoever asked stay with their question, and go with it.
"""

from alembic import op

revision = "0045_precedents"
down_revision = "0044_identity"

TABLES = """
CREATE TABLE citebound.precedents (
  id uuid CONSTRAINT precedents_pkey PRIMARY KEY,
  number integer NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT precedents_number_key UNIQUE,
  case_id uuid NOT NULL CONSTRAINT precedents_case_id_fkey REFERENCES citebound.cases,
  state text NOT NULL CONSTRAINT precedents_state_check CHECK (
    state IN ('proposed', 'approved', 'refused', 'suspended', 'withdrawn', 'expired')),
  question text NOT NULL,
  is_askers boolean NOT NULL,
  wordings text[] NOT NULL,
  answer text NOT NULL,
  answered_by text NOT NULL,
  groups text[] NOT NULL CONSTRAINT precedents_groups_check CHECK (groups <> '{}'),
  jurisdictions text[] NOT NULL,
  expires_on date NOT NULL,
  proposed_by text NOT NULL,
  proposed_at timestamptz NOT NULL,
  decided_by text,
  approved_at timestamptz,
  reason text NOT NULL DEFAULT '',
  proposal_id uuid NOT NULL,
  record_id uuid NOT NULL,
  CONSTRAINT precedents_officers_check CHECK (
    approved_at IS NULL OR decided_by NOT IN (answered_by, proposed_by)),
  CONSTRAINT precedents_approved_check CHECK (
    state <> 'approved' OR (approved_at IS NOT NULL AND decided_by IS NOT NULL)));
CREATE INDEX precedents_case_id_idx ON citebound.precedents (case_id);
CREATE INDEX precedents_proposal_id_idx ON citebound.precedents (proposal_id);
CREATE INDEX precedents_record_id_idx ON citebound.precedents (record_id);
CREATE INDEX precedents_expires_on_idx ON citebound.precedents (expires_on)
  WHERE state = 'approved';
COMMENT ON TABLE citebound.precedents IS
  'Answers of officers that may be told to others, once a second officer approved them.';
COMMENT ON COLUMN citebound.precedents.number IS 'by which officers name it';
COMMENT ON COLUMN citebound.precedents.question IS
  'what it answers, as an officer words it; empty: in the words of who asked, or erased';
COMMENT ON COLUMN citebound.precedents.is_askers IS
  'true: the words are those of who asked, and stand in citebound.questions alone';
COMMENT ON COLUMN citebound.precedents.wordings IS 'the same question in other words';
COMMENT ON COLUMN citebound.precedents.groups IS 'each reader belongs to one of these';
COMMENT ON COLUMN citebound.precedents.jurisdictions IS
  'ISO 3166 codes, one of which the asker''s is known to be; empty: anywhere';
COMMENT ON COLUMN citebound.precedents.expires_on IS 'the first day on which it is told no more';
COMMENT ON COLUMN citebound.precedents.reason IS 'why it was refused, suspended or withdrawn';
COMMENT ON COLUMN citebound.precedents.proposal_id IS 'precedent:proposed';
COMMENT ON COLUMN citebound.precedents.record_id IS 'the record of what became of it last';

CREATE TABLE citebound.precedent_clauses (
  precedent_id uuid NOT NULL
    CONSTRAINT precedent_clauses_precedent_id_fkey REFERENCES citebound.precedents,
  n integer NOT NULL,
  version_id bigint NOT NULL
    CONSTRAINT precedent_clauses_version_id_fkey REFERENCES citebound.policy_versions,
  char_start integer NOT NULL,
  char_end integer NOT NULL,
  quote text NOT NULL,
  section text NOT NULL,
  CONSTRAINT precedent_clauses_pkey PRIMARY KEY (precedent_id, n),
  CONSTRAINT precedent_clauses_span_check CHECK (
    0 <= char_start AND char_start < char_end AND length(quote) = char_end - char_start));
CREATE INDEX precedent_clauses_version_id_idx ON citebound.precedent_clauses (version_id);
COMMENT ON TABLE citebound.precedent_clauses IS
  'What a precedent rests on. A later version with the same words is bound in place of the earlier'
  ' one; where they changed, the precedent is suspended.';
COMMENT ON COLUMN citebound.precedent_clauses.section IS 'number or title of the section';
"""

FORGET = """
CREATE FUNCTION citebound.forget_precedent() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE citebound.precedents SET question = '', wordings = '{}', answer = ''
   WHERE proposal_id = OLD.record_id;
  UPDATE citebound.precedents SET reason = '' WHERE record_id = OLD.record_id;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION citebound.forget_precedent() IS
  'Clears the working copy of a precedent whose texts leave the record: it is told no more.';
CREATE TRIGGER forget_precedent AFTER DELETE ON audit.content FOR EACH ROW
  WHEN (OLD.field IN ('question', 'wordings', 'answer', 'reason'))
  EXECUTE FUNCTION citebound.forget_precedent();
"""

VIEW = """
CREATE VIEW audit.v_precedents WITH (security_invoker, security_barrier) AS
SELECT (p.doc->>'number')::integer AS precedent,
       CASE WHEN e.tag IS NOT NULL THEN split_part(e.tag, ':', 2)
            WHEN a.id IS NOT NULL THEN 'approved' ELSE 'proposed' END AS state,
       (p.doc->>'case')::integer AS case_number, q.body AS question, t.body AS answer,
       ARRAY(SELECT DISTINCT c.value->>'policy'
               FROM jsonb_array_elements(p.doc->'clauses') AS c ORDER BY 1) AS policies,
       ARRAY(SELECT jsonb_array_elements_text(p.doc->'groups')) AS groups,
       ARRAY(SELECT jsonb_array_elements_text(p.doc->'jurisdictions')) AS jurisdictions,
       (p.doc->>'expires_on')::date AS expires_on, p.doc->>'answered_by' AS answered_by,
       p.actor AS proposed_by, p.at AS proposed_at, a.actor AS approved_by, a.at AS approved_at,
       e.at AS ended_at, coalesce(w.body, e.doc->>'why') AS ended_because,
       n.told, n.last_told_at, p.id AS record_id, p.subject AS precedent_id, p.unit
  FROM audit.record p
  LEFT JOIN audit.content q ON q.record_id = p.id AND q.field = 'question'
  LEFT JOIN audit.content t ON t.record_id = p.id AND t.field = 'answer'
  LEFT JOIN LATERAL (
    SELECT r.id, r.actor, r.at FROM audit.record r
     WHERE r.subject = p.subject AND r.tag = 'precedent:approved' LIMIT 1) a ON true
  LEFT JOIN LATERAL (
    SELECT r.id, r.tag, r.at, r.doc FROM audit.record r
     WHERE r.subject = p.subject AND r.tag IN ('precedent:refused', 'precedent:suspended',
           'precedent:withdrawn', 'precedent:expired') LIMIT 1) e ON true
  LEFT JOIN audit.content w ON w.record_id = e.id AND w.field = 'reason'
 CROSS JOIN LATERAL (
    SELECT count(*) AS told, max(r.at) AS last_told_at FROM audit.record r
     WHERE r.subject = p.subject AND r.tag = 'precedent:applied') n
 WHERE p.tag = 'precedent:proposed';
COMMENT ON VIEW audit.v_precedents IS
  'Answers of officers that may be told to others, with what became of each.';
COMMENT ON COLUMN audit.v_precedents.precedent IS 'Its number.';
COMMENT ON COLUMN audit.v_precedents.state IS
  'proposed; approved: it is told; refused; suspended: a clause changed, or a text was erased;'
  ' withdrawn; expired.';
COMMENT ON COLUMN audit.v_precedents.case_number IS 'The case whose answer it is.';
COMMENT ON COLUMN audit.v_precedents.question IS
  'What it answers; null: in the words of who asked, which stand in their record, or erased.';
COMMENT ON COLUMN audit.v_precedents.answer IS 'The officer''s words; null once erased.';
COMMENT ON COLUMN audit.v_precedents.policies IS 'Keys of the policies that it rests on.';
COMMENT ON COLUMN audit.v_precedents.groups IS 'Each reader belongs to one of these.';
COMMENT ON COLUMN audit.v_precedents.jurisdictions IS
  'ISO 3166 codes of those whom it is for; empty: anywhere.';
COMMENT ON COLUMN audit.v_precedents.expires_on IS 'First day on which it is told no more.';
COMMENT ON COLUMN audit.v_precedents.answered_by IS 'Login of the officer who answered the case.';
COMMENT ON COLUMN audit.v_precedents.proposed_by IS 'Login of the officer who proposed it.';
COMMENT ON COLUMN audit.v_precedents.proposed_at IS 'When, UTC.';
COMMENT ON COLUMN audit.v_precedents.approved_by IS
  'Login of the officer who approved it; null: nobody has.';
COMMENT ON COLUMN audit.v_precedents.approved_at IS 'When, UTC; null: not yet.';
COMMENT ON COLUMN audit.v_precedents.ended_at IS
  'When it was refused, suspended or withdrawn, or had expired, UTC; null: it has not ended.';
COMMENT ON COLUMN audit.v_precedents.ended_because IS
  'Why; of a clause what became of it. Null: it has not ended, or the reason was erased.';
COMMENT ON COLUMN audit.v_precedents.told IS 'Questions that were answered by it.';
COMMENT ON COLUMN audit.v_precedents.last_told_at IS 'When the last one was, UTC; null: none.';
COMMENT ON COLUMN audit.v_precedents.record_id IS 'The record of its proposal.';
COMMENT ON COLUMN audit.v_precedents.precedent_id IS
  'The subject of all its records.';
COMMENT ON COLUMN audit.v_precedents.unit IS 'Organisational unit.';
"""

GRANTS = """
GRANT SELECT, INSERT ON citebound.precedents TO citebound_app;
GRANT UPDATE (state, decided_by, approved_at, reason, record_id) ON citebound.precedents TO citebound_app;
GRANT SELECT, INSERT ON citebound.precedent_clauses TO citebound_app;
GRANT UPDATE (version_id, char_start, char_end, quote, section) ON citebound.precedent_clauses TO citebound_app;
GRANT SELECT ON audit.v_precedents TO citebound_officer;
"""  # noqa: E501  # a grant a line

ROWS = """
INSERT INTO citebound.schema_compatibility VALUES ('0045_precedents', '0044_identity');
INSERT INTO audit.tag (tag, is_outcome) VALUES ('precedent:proposed', false),
  ('precedent:approved', false), ('precedent:refused', false), ('precedent:suspended', false),
  ('precedent:withdrawn', false), ('precedent:expired', false), ('precedent:applied', false);
"""


def upgrade() -> None:
    """Create the tables and the view."""
    op.execute(TABLES)
    op.execute(FORGET)
    op.execute(VIEW)
    op.execute(GRANTS)
    op.execute(ROWS)


def downgrade() -> None:
    """Drop them; tags that the record uses stay."""
    op.execute("DROP VIEW audit.v_precedents")
    op.execute("DROP TRIGGER forget_precedent ON audit.content")
    op.execute("DROP FUNCTION citebound.forget_precedent()")
    op.execute("DROP TABLE citebound.precedent_clauses, citebound.precedents")
    op.execute(
        "DELETE FROM audit.tag t WHERE tag LIKE 'precedent:%'"
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0045_precedents'")
