"""The statements of `question_drafts`."""

from sqlalchemy import ARRAY, Text, bindparam, text

from core.adapters.postgres.engine.scope import LIVE

_ALL = "citebound.versions_in_force(NULL, :day)"
"""The versions in force, whoever may read them."""
INSERT = text(
    "INSERT INTO citebound.question_drafts"
    " (key, drafted, question, kind, difficulty, expected, made_by, drafted_at)"
    " VALUES (:key, :question, :question, :kind, :difficulty, :expected, :made_by, :at)"
    " ON CONFLICT (key) DO NOTHING RETURNING number"
)
INSERT_PASSAGE = text(
    "INSERT INTO citebound.question_passages"
    " (draft, n, version_id, char_start, char_end, quote, section)"
    " VALUES (:draft, :n, :version_id, :char_start, :char_end, :quote, :section)"
)
_READ = f"""
WITH live AS MATERIALIZED (SELECT version_id FROM {_ALL} AS l)
SELECT d.number, d.state, d.drafted, d.question, d.kind, d.difficulty, d.expected, d.made_by,
       d.decided_by, d.is_mended, d.revision,
       (SELECT jsonb_agg(jsonb_build_object(
          'policy', p.key, 'quote', q.quote, 'stands', n.id IS NOT NULL,
          'version_id', v.id, 'version', coalesce(v.label, v.number::text), 'title', v.title,
          'jurisdiction', v.jurisdiction, 'audience',
          citebound.audience_now(v.audience, v.policy_id),
          'start', coalesce(n.start, q.char_start),
          'section', coalesce(nullif(s.number, ''), nullif(s.title, ''), q.section),
          'heading', coalesce(s.title, '')) ORDER BY q.n)
          FROM citebound.question_passages q
          JOIN citebound.policy_versions o ON o.id = q.version_id
          JOIN citebound.policies p ON p.id = o.policy_id
          LEFT JOIN LATERAL (
            SELECT w.id, CASE WHEN w.id = o.id THEN q.char_start
                              ELSE strpos(w.text, q.quote) - 1 END AS start
              FROM live JOIN citebound.policy_versions w ON w.id = live.version_id
             WHERE w.policy_id = o.policy_id AND (w.id = o.id OR strpos(w.text, q.quote) > 0)
             ORDER BY w.id = o.id DESC LIMIT 1) n ON true
          JOIN citebound.policy_versions v ON v.id = coalesce(n.id, o.id)
          LEFT JOIN LATERAL (
            SELECT number, title FROM citebound.sections
             WHERE version_id = v.id AND char_start <= coalesce(n.start, q.char_start)
               AND coalesce(n.start, q.char_start) < char_end LIMIT 1) s ON true
         WHERE q.draft = d.number) AS passages
  FROM citebound.question_drafts d"""  # noqa: S608  # constants
LIST = text(f"{_READ} WHERE d.state = ANY(:states) ORDER BY d.number").bindparams(
    bindparam("states", type_=ARRAY(Text))
)
ONE = text(f"{_READ} WHERE d.number = :number")
KEYS = text("SELECT key FROM citebound.question_drafts")
COUNTS = text("SELECT state, count(*) AS count FROM citebound.question_drafts GROUP BY state")
DECIDE = text(
    "UPDATE citebound.question_drafts SET state = :state, question = :question,"
    " difficulty = :difficulty, expected = :expected, is_mended = is_mended OR :mends,"
    " decided_by = :officer, decided_at = :at, revision = revision + 1"
    " WHERE number = :number AND revision = :revision RETURNING number"
)
NEXT = text(
    "SELECT number FROM citebound.question_drafts WHERE state = 'draft'"
    " ORDER BY number <= :after, number LIMIT 1"
)
CONTEXT = text(
    "SELECT substr(v.text, greatest(:start - :around, s.start) + 1,"
    "              :start - greatest(:start - :around, s.start)) AS before,"
    "       substr(v.text, :end + 1, least(:end + :around, s.finish) - :end) AS after"
    "  FROM citebound.policy_versions v LEFT JOIN LATERAL ("
    "    SELECT coalesce(max(body_start), 0) AS start,"
    "           coalesce(max(char_end), length(v.text)) AS finish FROM citebound.sections"
    "     WHERE version_id = v.id AND char_start <= :start AND :start < char_end) s ON true"
    " WHERE v.id = :version"
)
TEXTS = text(
    f"SELECT v.text FROM {LIVE} live JOIN citebound.policy_versions v ON v.id = live.version_id"  # noqa: S608  # constants
)
SECTION_READ = text(
    "SELECT EXISTS (SELECT FROM citebound.question_readings"
    " WHERE section_sha256 = :section AND made_by = :made_by)"
)
NOTE_READ = text(
    "INSERT INTO citebound.question_readings VALUES (:section, :made_by, :at)"
    " ON CONFLICT DO NOTHING"
)
SECTIONS = text(f"""
SELECT v.id AS version_id, p.key AS policy, v.title, coalesce(v.label, v.number::text) AS version,
       v.jurisdiction,
       citebound.audience_now(v.audience, v.policy_id) AS audience,
       coalesce(nullif(s.number, ''), s.title) AS section, s.title AS heading, s.path,
       s.body_start AS start, substr(v.text, s.body_start + 1, s.char_end - s.body_start) AS text
  FROM {LIVE} live JOIN citebound.policy_versions v ON v.id = live.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  JOIN citebound.sections s ON s.version_id = v.id
 ORDER BY p.key, s.char_start""")  # noqa: S608  # constants
