"""What officers read: every view over the record alone, every column with a comment.

The views of earlier migrations are made anew, so that all of them stand on one page.
"""

from collections.abc import Iterator
from types import ModuleType

from alembic import op

revision = "0033_officers"
down_revision = "0032_roles"

RECORDING = """
CREATE FUNCTION audit.record_reading(
    document bytea, leaf bytea, fields text[], salts bytea[], bodies text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  said jsonb := audit.doc(document);
  units text[] := audit.my_units();
BEGIN
  IF coalesce(said->>'tag', '') NOT IN ('query:executed', 'record:viewed')
     OR said->'actor' IS DISTINCT FROM
        jsonb_build_object('kind', 'officer', 'ref', audit.officer_login())
     OR NOT coalesce('*' = ANY (units) OR said->>'unit' = ANY (units), false)
     OR said->>'conversation' IS NOT NULL OR octet_length(document) > 65536 THEN
    RAISE EXCEPTION 'an officer records nothing but what they are about to read'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO audit.record (canonical, leaf_hash) VALUES (document, leaf);
  INSERT INTO audit.content (record_id, field, salt, body)
    SELECT (said->>'id')::uuid, field, salt, body
      FROM unnest(fields, salts, bodies) AS given (field, salt, body);
END $$;
COMMENT ON FUNCTION audit.record_reading(bytea, bytea, text[], bytea[], text[]) IS
  'Records what an officer is about to read: officers may add nothing else to the record.';
INSERT INTO audit.tag (tag, is_outcome) VALUES ('officer:granted', false),
  ('officer:revoked', false), ('query:executed', false);
"""
# A million records have rows of 6 kB: what is counted over all of them is read from indexes alone.
INDEXES = """
CREATE INDEX record_actor_at_idx ON audit.record (actor, at);
CREATE INDEX record_outcome_at_idx ON audit.record (outcome, at)
  INCLUDE (id, unit, subject, actor, badge) WHERE outcome IS NOT NULL;
CREATE INDEX record_unit_id_idx ON audit.record (unit, id);
"""
CREATE_VIEW = "CREATE VIEW audit.{} WITH (security_invoker, security_barrier) AS {}"

# `identifying` marks none of 12,186 questions of test data, which name nobody; what it misses is
# not known, and its comment says "may".
ANSWERS = """
SELECT r.id AS record_id, r.at, r.unit, r.conversation, r.actor AS asker,
       r.doc->'question'->>'platform' AS platform, r.doc->'question'->>'mode' AS mode,
       r.outcome, q.body AS question, a.body AS answer, r.badge, r.calibrated,
       (r.doc->'confidence'->>'reported')::numeric AS reported,
       (r.doc->'run'->>'edition')::integer AS edition, r.doc->'run'->>'reasoner' AS model,
       (SELECT jsonb_agg(DISTINCT m->'prompt')
          FROM jsonb_array_elements(r.doc->'model_calls') AS m) AS prompts,
       r.doc->'assumptions' AS assumptions, r.doc->'citations' AS citations,
       (SELECT jsonb_agg(f.doc->>'rating' ORDER BY f.at) FROM audit.record f
         WHERE f.subject = r.subject AND f.tag = 'feedback:given') AS feedback,
       (SELECT jsonb_build_object('verdict', v.doc->>'verdict', 'reason', t.body,
                                  'officer', v.actor, 'at', v.at)
          FROM audit.record v
          LEFT JOIN audit.content t ON t.record_id = v.id AND t.field = 'reason'
         WHERE v.subject = r.subject AND v.tag = 'answer:reviewed'
         ORDER BY v.at DESC LIMIT 1) AS review,
       (r.doc->'run'->>'total_ms')::numeric AS latency_ms,
       (SELECT sum((m->>'cost')::numeric) / 1000000
          FROM jsonb_array_elements(r.doc->'model_calls') AS m) AS cost_usd,
       q.body ~* '@[a-z0-9-]+[.][a-z]|[0-9]{3}[ /-]?[0-9]{4}|\\mmy name is\\M|\\mmein name ist\\M'
         AS identifying,
       EXISTS (SELECT FROM audit.leaf l WHERE l.record_id = r.id) AS sealed
  FROM audit.record r
  LEFT JOIN audit.content q ON q.record_id = r.id AND q.field = 'question'
  LEFT JOIN audit.content a ON a.record_id = r.id AND a.field = 'answer'
 WHERE r.outcome IS NOT NULL
"""

OPEN_CASES = """
SELECT (l.doc->>'case')::uuid AS case_id, (l.doc->>'number')::bigint AS number, o.unit,
       o.at AS opened_at, audit.instant(l.doc->>'due_at') AS due_at,
       audit.instant(l.doc->>'due_at') < now() AS overdue, l.doc->>'state' AS state,
       l.doc->>'owner' AS owner, l.doc->>'why' AS reason, l.doc->>'urgency' AS urgency,
       q.body AS question, c.record_id, l.tag AS last_event, l.at AS last_at
  FROM audit.record o
 CROSS JOIN LATERAL (
       SELECT e.* FROM audit.record e
        WHERE e.subject = o.subject
          AND e.tag IN ('case:opened', 'case:assigned', 'case:answered', 'case:resolved',
                        'case:reopened', 'case:closed')
        ORDER BY e.seq DESC LIMIT 1) AS l
 CROSS JOIN LATERAL (SELECT (o.doc->>'cause')::uuid AS record_id OFFSET 0) AS c
  LEFT JOIN audit.content q ON q.record_id = c.record_id AND q.field = 'question'
 WHERE o.tag = 'case:opened' AND l.tag IN ('case:opened', 'case:assigned', 'case:reopened')
"""

REFUSALS = """
SELECT r.id AS record_id, r.at, r.unit, coalesce(r.doc->'refusal'->>'kind', r.outcome) AS kind,
       q.body AS question, r.doc->'refusal'->'nearest_sections' AS nearest_sections,
       r.outcome = 'escalated'
         OR EXISTS (SELECT FROM audit.record c
                     WHERE c.subject = r.subject AND c.tag = 'case:opened') AS escalated
  FROM audit.record r
  LEFT JOIN audit.content q ON q.record_id = r.id AND q.field = 'question'
 WHERE r.outcome IN ('refused', 'escalated', 'failed')
"""

LOW_CONFIDENCE = """
SELECT r.id AS record_id, r.at, r.unit, r.outcome, r.badge, r.calibrated,
       (SELECT f.key FROM jsonb_each_text(r.doc->'confidence'->'features') AS f
         ORDER BY f.value::numeric, f.key LIMIT 1) AS weakest_feature,
       (SELECT count(DISTINCT v->>'claim') FROM jsonb_array_elements(r.doc->'verdicts') AS v
         WHERE NOT (v->>'passed')::boolean) AS dropped_claims,
       q.body AS question
  FROM audit.record r
  LEFT JOIN audit.content q ON q.record_id = r.id AND q.field = 'question'
 WHERE r.badge IN ('low', 'medium')
    OR r.outcome = 'refused' AND r.doc->'refusal'->>'kind' = 'not_sure'
"""

CITATIONS_BY_SECTION = """
WITH judged AS (
  SELECT f.subject, count(*) FILTER (WHERE f.doc->>'rating' = 'negative') AS negative,
         bool_or(f.tag = 'answer:superseded') AS superseded
    FROM audit.record f WHERE f.tag IN ('feedback:given', 'answer:superseded') GROUP BY f.subject)
SELECT c.policy, c.version, c.section, r.unit, count(DISTINCT c.record_id) AS answers,
       max(r.at) AS last_at,
       count(DISTINCT c.record_id) FILTER (WHERE j.negative > 0) AS negative_feedback,
       count(DISTINCT c.record_id) FILTER (WHERE j.superseded) AS superseded
  FROM audit.citation c
  JOIN audit.record r ON r.id = c.record_id
  LEFT JOIN judged j ON j.subject = r.subject
 WHERE r.outcome IS NOT NULL
 GROUP BY c.policy, c.version, c.section, r.unit
"""

FEEDBACK = """
SELECT a.id AS record_id, f.at, f.unit, f.actor AS asker, f.doc->>'rating' AS rating,
       f.doc->>'reason' AS reason, c.body AS comment, a.badge,
       EXISTS (SELECT FROM audit.record v
                WHERE v.subject = f.subject AND v.tag = 'answer:reviewed') AS reviewed,
       NOT EXISTS (SELECT FROM audit.record l
                    WHERE l.subject = f.subject AND l.tag = 'feedback:given'
                      AND l.actor = f.actor AND l.seq > f.seq) AS counts
  FROM audit.record f
  JOIN audit.record a ON a.subject = f.subject AND a.outcome IS NOT NULL
  LEFT JOIN audit.content c ON c.record_id = f.id AND c.field = 'comment'
 WHERE f.tag = 'feedback:given'
"""

FEEDBACK_COUNTS = """
SELECT record_id, unit, count(*) FILTER (WHERE rating = 'positive') AS positive,
       count(*) FILTER (WHERE rating = 'negative') AS negative, max(at) AS last_at
  FROM audit.v_feedback WHERE counts GROUP BY record_id, unit
"""

REVIEWS = """
SELECT a.id AS record_id, v.at, v.unit, v.actor AS officer, v.doc->>'verdict' AS verdict,
       c.body AS reason, a.outcome, a.badge, a.calibrated, q.body AS question, t.body AS answer,
       a.doc->'citations' AS citations
  FROM audit.record v
  JOIN audit.record a ON a.subject = v.subject AND a.outcome IS NOT NULL
  LEFT JOIN audit.content c ON c.record_id = v.id AND c.field = 'reason'
  LEFT JOIN audit.content q ON q.record_id = a.id AND q.field = 'question'
  LEFT JOIN audit.content t ON t.record_id = a.id AND t.field = 'answer'
 WHERE v.tag = 'answer:reviewed'
"""

UNANSWERED_TOPICS = """
SELECT date_trunc('month', r.at, 'UTC')::date AS month, r.unit, t.entity,
       count(*) AS questions,
       CASE WHEN count(DISTINCT r.actor) FILTER (WHERE r.outcome = 'refused') >= 5
            THEN count(*) FILTER (WHERE r.outcome = 'refused') END AS refusals,
       CASE WHEN count(DISTINCT r.actor) FILTER (WHERE r.outcome = 'escalated') >= 5
            THEN count(*) FILTER (WHERE r.outcome = 'escalated') END AS escalations
  FROM audit.record r
  LEFT JOIN LATERAL (
       SELECT DISTINCT n->>'policy' AS entity
         FROM jsonb_array_elements(r.doc->'refusal'->'nearest_sections') AS n) AS t ON true
 WHERE r.outcome IN ('refused', 'escalated')
 GROUP BY 1, r.unit, t.entity
HAVING count(DISTINCT r.actor) >= 5
"""

CLARIFICATIONS = """
SELECT r.id AS record_id, r.at, r.unit, r.conversation, r.actor AS asker, q.body AS question,
       j.body::jsonb->>'slot' AS slot, v.body::jsonb->>(j.body::jsonb->>'slot') AS reply,
       n.outcome, n.id AS next_record_id
  FROM audit.record r
  LEFT JOIN audit.content q ON q.record_id = r.id AND q.field = 'question'
  LEFT JOIN audit.content j ON j.record_id = r.id AND j.field = 'answer_json'
  LEFT JOIN LATERAL (
       SELECT e.id, e.outcome FROM audit.record e
        WHERE e.conversation = r.conversation AND e.seq > r.seq AND e.outcome <> 'ignored'
        ORDER BY e.seq LIMIT 1) AS n ON true
  LEFT JOIN audit.content v ON v.record_id = n.id AND v.field = 'assumptions'
 WHERE r.outcome = 'clarification'
"""

CONFLICTS = """
SELECT s.sections, r.unit, count(*) AS questions, min(r.at) AS found_at, max(r.at) AS last_at,
       (array_agg(k.actor ORDER BY k.at DESC) FILTER (WHERE k.actor IS NOT NULL))[1]
         AS resolved_by,
       max(k.at) AS resolved_at
  FROM audit.record r
 CROSS JOIN LATERAL (
       SELECT jsonb_agg(DISTINCT jsonb_build_object('policy', c->'policy', 'section', c->'section'))
              AS sections
         FROM jsonb_array_elements(r.doc->'citations') AS c) AS s
  LEFT JOIN LATERAL (
       SELECT e.actor, e.at FROM audit.record e
        WHERE e.subject = r.subject AND e.tag = 'case:answered'
        ORDER BY e.seq DESC LIMIT 1) AS k ON true
 WHERE r.outcome IN ('refused', 'escalated') AND r.doc->'refusal'->>'kind' = 'conflict'
 GROUP BY s.sections, r.unit
"""

CHANGES = """
SELECT r.id AS record_id, r.at, r.unit, r.actor, split_part(r.tag, ':', 1) AS what,
       split_part(r.tag, ':', 2) AS action, r.subject,
       coalesce(r.doc->'before', r.doc->'old') AS before,
       coalesce(r.doc->'after', r.doc->'new', nullif(
         r.doc - '{v,id,tag,at,unit,actor,conversation,seq,subject,cause,release,trace_id,content}'
                 ::text[] - '{before,old}'::text[], '{}')) AS after
  FROM audit.record r
 WHERE r.tag = ANY (ARRAY(
       SELECT t.tag FROM audit.tag t
        WHERE split_part(t.tag, ':', 1) IN
              ('access', 'calibration', 'channel', 'conflict', 'content', 'corpus', 'hold', 'key',
               'officer', 'ontology', 'policy', 'retention', 'schema', 'settings', 'workspace')
          AND t.tag <> 'officer:signed_in'))
"""

REPLIES = """
SELECT r.id AS record_id, r.unit, r.at AS recorded_at,
       coalesce(split_part(l.tag, ':', 2),
                CASE r.doc->'question'->>'platform' WHEN 'console' THEN 'shown'
                                                    ELSE 'pending' END) AS state,
       p.at AS posted_at, left(encode(r.leaf_hash, 'hex'), 16) AS leaf_prefix
  FROM audit.record r
  LEFT JOIN LATERAL (
       SELECT e.tag FROM audit.record e
        WHERE e.subject = r.subject
          AND e.tag IN ('reply:posted', 'reply:withheld', 'reply:uncertain', 'reply:abandoned',
                        'reply:removed')
          AND (e.doc->>'cause')::uuid = r.id
        ORDER BY e.seq DESC LIMIT 1) AS l ON true
  LEFT JOIN LATERAL (
       SELECT e.at FROM audit.record e
        WHERE e.subject = r.subject AND e.tag = 'reply:posted' AND (e.doc->>'cause')::uuid = r.id
        ORDER BY e.seq LIMIT 1) AS p ON true
 WHERE r.outcome IS NOT NULL AND r.outcome <> 'ignored'
"""

LEDGER_HEALTH = """
SELECT c.generation, coalesce(c.size, 0) AS size, c.sealed_at, u.unsealed, u.oldest_unsealed_at
  FROM (SELECT '3'::xid8 AS first) AS f
  LEFT JOIN LATERAL (
       SELECT generation, size, horizon, sealed_at FROM audit.checkpoint
        ORDER BY generation DESC, size DESC LIMIT 1) AS c ON true
 CROSS JOIN LATERAL (
       SELECT count(*) AS unsealed, min(r.at) AS oldest_unsealed_at FROM audit.record r
        WHERE r.xid >= coalesce(c.horizon, f.first)
          AND NOT EXISTS (SELECT FROM audit.leaf l WHERE l.record_id = r.id)) AS u
"""

ACCESS_LOG = """
SELECT r.id AS log_id, r.at, r.unit, r.actor AS officer, r.tag AS action, p.body AS purpose,
       coalesce(s.body, r.doc->>'selection') AS statement, r.doc->'views' AS views,
       CASE r.tag WHEN 'record:viewed' THEN r.subject::uuid END AS record_id
  FROM audit.record r
  LEFT JOIN audit.content p ON p.record_id = r.id AND p.field = 'purpose'
  LEFT JOIN audit.content s ON s.record_id = r.id AND s.field = 'statement'
 WHERE r.tag IN ('query:executed', 'record:viewed', 'bundle:exported', 'officer:signed_in')
"""

VIEWS = {
    "v_answers": ANSWERS,
    "v_open_cases": OPEN_CASES,
    "v_refusals": REFUSALS,
    "v_low_confidence": LOW_CONFIDENCE,
    "v_citations_by_section": CITATIONS_BY_SECTION,
    "v_feedback": FEEDBACK,
    "v_feedback_counts": FEEDBACK_COUNTS,
    "v_reviews": REVIEWS,
    "v_unanswered_topics": UNANSWERED_TOPICS,
    "v_clarifications": CLARIFICATIONS,
    "v_conflicts": CONFLICTS,
    "v_changes": CHANGES,
    "v_replies": REPLIES,
    "v_ledger_health": LEDGER_HEALTH,
    "v_access_log": ACCESS_LOG,
}

COMMENTS = """
v_answers: Every question with what the asker was told; question and answer are null once erased.
  record_id: The record; `citebound audit show` shows it whole.
  at: When it was answered, UTC.
  unit: Organisational unit.
  conversation: The thread; all its questions have the same.
  asker: Pseudonym.
  platform: slack, teams or console.
  mode: channel, thread, direct or console: who could read along.
  outcome: answered, clarification, refused, escalated, failed, or ignored (no question).
  question: As typed; null once erased.
  answer: What the asker was told; null once erased.
  badge: What the asker saw: high, medium or low; null without an answer.
  calibrated: Probability that the answer is right, 0 to 1; null without an answer.
  reported: The reasoner's own number, 0 to 1, never shown; null if it gave none.
  edition: State of the corpus that the answer rests on.
  model: The reasoner and its version.
  prompts: Names and versions of the prompts that language models got; null if none was asked.
  assumptions: Facts that were asked for or known: slot, and source (asker, button or directory).
  citations: Policy, version, section, span and hash of each quote shown.
  feedback: Ratings in the order in which they came: positive or negative; null without one.
  review: An officer's last verdict (wrong) with reason, officer and time; null without one.
  latency_ms: From the question to the answer, in milliseconds.
  cost_usd: What language models cost, in US dollars; null if none was asked or a price is unknown.
  identifying: True if the question may name its author: an address, a telephone number, a name.
  sealed: True once it has its place in the ledger.
v_open_cases: Questions that wait for an officer's answer.
  case_id: The case.
  number: By which people call the case.
  unit: Organisational unit.
  opened_at: When it was opened, UTC.
  due_at: Until when it should be answered, UTC.
  overdue: True after due_at.
  state: open or claimed.
  owner: Login of who has claimed it; null: nobody.
  reason: Outcome of the question.
  urgency: When the asker needs an answer: today or week.
  question: As asked; null once erased.
  record_id: The record of what the asker got; null if the case is about no answer.
  last_event: What happened last.
  last_at: When that was, UTC.
v_refusals: Questions that got no answer, why, and the sections nearest to them.
  record_id: The record.
  at: When, UTC.
  unit: Organisational unit.
  kind: The refusal (not_found, policy_silent, not_sure and so on); or escalated, failed.
  question: As asked; null once erased.
  nearest_sections: Policy and section of each, nearest first.
  escalated: True if an officer was asked.
v_low_confidence: Answers below High and closest passages, the weakest feature of each beside it.
  record_id: The record.
  at: When, UTC.
  unit: Organisational unit.
  outcome: answered, or refused where a closest passage was shown.
  badge: What the asker saw: medium or low; null of a closest passage.
  calibrated: Probability that the answer is right, 0 to 1.
  weakest_feature: Which of the numbers that confidence rests on is the lowest.
  dropped_claims: Statements that a check refused, so that nobody saw them.
  question: As asked; null once erased.
v_citations_by_section: How often each section was shown, last when, and how it was taken.
  policy: Key of the policy.
  version: Its version, as the document calls it; null if it does not.
  section: Number or title of the section.
  unit: Organisational unit of the askers.
  answers: Answers that show it.
  last_at: When the last of them was given, UTC.
  negative_feedback: Answers among them that somebody found wanting.
  superseded: Answers among them that an officer's answer replaced.
v_feedback: Every judgement of an answer; the last one of a person counts.
  record_id: The record of the answer that was judged.
  at: When it was judged, UTC.
  unit: Organisational unit.
  asker: Pseudonym of who judged it.
  rating: positive or negative; a report is negative.
  reason: wrong, stale, incomplete, citation or other; null if nobody said.
  comment: As typed; null without one, or once erased.
  badge: What the asker saw: high, medium or low.
  reviewed: True if an officer has judged the answer.
  counts: True for the last judgement of this person on this answer.
v_feedback_counts: How many people found an answer helpful, or not.
  record_id: The record of the answer.
  unit: Organisational unit.
  positive: People whose last judgement is positive.
  negative: People whose last judgement is negative.
  last_at: When it was last judged, UTC.
v_reviews: Every verdict of an officer on an answer.
  record_id: The record of the answer.
  at: When it was judged, UTC.
  unit: Organisational unit.
  officer: Login of who judged it.
  verdict: wrong.
  reason: As typed; null without one, or once erased.
  outcome: How the question ended.
  badge: What the asker saw: high, medium or low; null without an answer.
  calibrated: Probability that the answer is right, 0 to 1, as computed then.
  question: As asked; null once erased.
  answer: What the asker was told; null once erased.
  citations: Policy, version, section, span and hash of each quote shown.
v_unanswered_topics: What gets no answer, by month; numbers of fewer than five people are left out.
  month: First day of the month, UTC.
  unit: Organisational unit.
  entity: Policy nearest to the questions; null: none is near.
  questions: Questions without an answer, of at least five people.
  refusals: Those refused; null if fewer than five people stand behind it.
  escalations: Those handed to an officer; null if fewer than five people stand behind it.
v_clarifications: Questions that were answered with a question, and what came of it.
  record_id: The record of the question back.
  at: When we asked back, UTC.
  unit: Organisational unit.
  conversation: The thread.
  asker: Pseudonym.
  question: As asked at first; null once erased.
  slot: The fact that was missing; null once erased.
  reply: What the asker said it is; null if they never did, or once erased.
  outcome: How the next question of the conversation ended; null if there is none.
  next_record_id: The record of that one.
v_conflicts: Sections that contradict each other, as questions ran into them.
  sections: Policy and section of each that was shown.
  unit: Organisational unit of the askers.
  questions: Questions that ran into it.
  found_at: When the first did, UTC.
  last_at: When the last did, UTC.
  resolved_by: Login of the officer who answered one last; null: nobody has.
  resolved_at: When that was, UTC; null: nobody has.
v_changes: What was changed that answers rest on: policies, access, settings, officers, keys.
  record_id: The record.
  at: When, UTC.
  unit: Organisational unit of the process that recorded it.
  actor: Who changed it: an officer's login, an operator, or a part of the system.
  what: policy, corpus, access, settings, officer and so on: the first half of the record's tag.
  action: What was done: the second half of the tag.
  subject: What it was done to; null if the rest says it.
  before: How it was; null if the record does not say.
  after: How it is, and whatever else the record says.
v_replies: What became of each reply on its way to the asker.
  record_id: The record of the answer.
  unit: Organisational unit.
  recorded_at: When it was recorded, UTC; it is posted afterwards.
  state: posted, withheld, uncertain, abandoned or removed; pending; or shown, at a terminal.
  posted_at: When the platform first had it, UTC; null: it never did.
  leaf_prefix: First 16 hexadecimal digits of the record's leaf hash, which the reply carries.
v_ledger_health: How far the record is sealed; `citebound audit verify` proves it.
  generation: From 1, one more each time the ledger went on from a restore; null: never sealed.
  size: Records that the newest signed checkpoint covers.
  sealed_at: When it was signed, by the server's clock; null: nothing is sealed.
  unsealed: Records of your units that wait for the next one.
  oldest_unsealed_at: Since when the oldest of them waits, UTC; null: none does.
v_access_log: Who read what in the record, and why.
  log_id: The record of the reading.
  at: When, UTC.
  unit: Organisational unit of the reader.
  officer: Login of the reader.
  action: query:executed, record:viewed, bundle:exported or officer:signed_in.
  purpose: As the reader gave it; null if none was asked for, or once erased.
  statement: The SQL, or the selection of a bundle; null once erased.
  views: Views and tables that the statement names; null of other actions.
  record_id: The record that was viewed; null of a query.
"""


def comments() -> Iterator[str]:
    """Yield a statement for each line of `COMMENTS`."""
    view = ""
    for line in COMMENTS.strip().splitlines():
        name, _, said = line.strip().partition(": ")
        said = said.replace("'", "''")
        if line.startswith(" "):
            yield f"COMMENT ON COLUMN audit.{view}.{name} IS '{said}'"
        else:
            view = name
            yield f"COMMENT ON VIEW audit.{view} IS '{said}'"


GRANTS = """
GRANT EXECUTE ON FUNCTION audit.record_reading(bytea, bytea, text[], bytea[], text[]) TO citebound_officer;
GRANT SELECT ON audit.v_answers TO citebound_officer;
GRANT SELECT ON audit.v_open_cases TO citebound_officer;
GRANT SELECT ON audit.v_refusals TO citebound_officer;
GRANT SELECT ON audit.v_low_confidence TO citebound_officer;
GRANT SELECT ON audit.v_citations_by_section TO citebound_officer;
GRANT SELECT ON audit.v_feedback TO citebound_officer;
GRANT SELECT ON audit.v_feedback_counts TO citebound_officer;
GRANT SELECT ON audit.v_reviews TO citebound_officer;
GRANT SELECT ON audit.v_unanswered_topics TO citebound_officer;
GRANT SELECT ON audit.v_clarifications TO citebound_officer;
GRANT SELECT ON audit.v_conflicts TO citebound_officer;
GRANT SELECT ON audit.v_changes TO citebound_officer;
GRANT SELECT ON audit.v_replies TO citebound_officer;
GRANT SELECT ON audit.v_ledger_health TO citebound_officer;
GRANT SELECT ON audit.v_access_log TO citebound_officer;
"""  # noqa: E501  # a grant a line
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0033_officers', '0030_compatibility')"
)
OF_0007 = ("v_answers", "v_refusals", "v_low_confidence", "v_citations_by_section")
OF_0014 = ("v_feedback_counts", "v_feedback", "v_open_cases")
"""Views that are made anew; of two, the one that rests on the other comes first."""
LOW_BEFORE = (
    "Answers below High and closest passages, with the weakest feature of each: where to"
    " read first."
)
TAGS = ("officer:granted", "officer:revoked", "query:executed")


def upgrade() -> None:
    """Create the function and the views."""
    op.execute(RECORDING)
    op.execute(INDEXES)
    drop(*OF_0014, *OF_0007)
    for view, query in VIEWS.items():
        op.execute(CREATE_VIEW.format(view, query))
    for statement in comments():
        op.execute(statement)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Make the views of before again; tags that the record uses stay."""
    drop(*reversed(VIEWS))
    op.execute(earlier("0007_officer_views").VIEWS)
    op.execute(earlier("0014_cases").VIEWS.partition(";")[2])
    not_sure = earlier("0027_not_sure")
    op.execute(not_sure.LOW.format(" OR r.doc->'refusal'->>'kind' = 'not_sure'", LOW_BEFORE))
    op.execute(
        f"COMMENT ON COLUMN audit.v_refusals.kind IS '{not_sure.KINDS.format('not_sure, ')}'"
    )
    for view in (*OF_0007, *OF_0014):
        op.execute(f"GRANT SELECT ON audit.{view} TO citebound_officer")
    op.execute(
        "DROP INDEX audit.record_actor_at_idx, audit.record_outcome_at_idx,"
        " audit.record_unit_id_idx"
    )
    op.execute("DROP FUNCTION audit.record_reading(bytea, bytea, text[], bytea[], text[])")
    tags = ", ".join(f"'{tag}'" for tag in TAGS)
    op.execute(
        f"DELETE FROM audit.tag t WHERE tag IN ({tags})"  # noqa: S608  # constants
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0033_officers'")


def drop(*views: str) -> None:
    """Drop views."""
    op.execute(f"DROP VIEW {', '.join(f'audit.{view}' for view in views)}")


def earlier(name: str) -> ModuleType:
    """Return an earlier migration."""
    scripts = op.get_context().environment_context.script
    return scripts.get_revision(name).module
