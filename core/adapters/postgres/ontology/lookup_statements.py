"""SQL statements of `lookup`; each is restricted to the versions in scope (`versions`)."""

from sqlalchemy import text

POLICIES = text("""
SELECT title, country, count(*) OVER () AS count
  FROM (SELECT DISTINCT title, coalesce(jurisdiction, '') AS country
          FROM citebound.policy_versions WHERE id = ANY(:versions)) named
 ORDER BY title COLLATE "C", country COLLATE "C" LIMIT :most""")

COUNTS = text("""
SELECT type, count(DISTINCT key) AS count FROM citebound.entity_words
 WHERE version_id = ANY(:versions) GROUP BY type ORDER BY type""")

NAMES = text("""
WITH named AS (
  SELECT DISTINCT ON (e.key) e.type, e.name
    FROM citebound.entity_words w JOIN citebound.entities e ON e.id = w.entity_id
   WHERE w.version_id = ANY(:versions) AND w.type = ANY(:types) ORDER BY e.key, e.id)
SELECT type, name
  FROM (SELECT type, name, row_number() OVER (PARTITION BY type ORDER BY name COLLATE "C") AS place
          FROM (SELECT DISTINCT type, name FROM named) each) numbered
 WHERE place <= :most ORDER BY type, place""")

RELATION_COUNTS = text("""
SELECT type, count(*) AS count
  FROM (SELECT DISTINCT s.key, r.type, t.key AS other
          FROM citebound.provenance pr
          JOIN citebound.relations r ON r.id = pr.relation_id
          JOIN citebound.entities s ON s.id = r.source_id
          JOIN citebound.entities t ON t.id = r.target_id
         WHERE pr.version_id = ANY(:versions)
        UNION
        SELECT f.source, 'references', f.target
          FROM (SELECT 'section:' || p.key || ':' || s.eid AS source,
                       CASE WHEN x.target_eid IS NULL THEN 'policy:' || t.key
                            ELSE 'section:' || t.key || ':' || x.target_eid END AS target
                  FROM citebound.cross_references x
                  JOIN citebound.sections s ON s.id = x.section_id
                  JOIN citebound.policy_versions v ON v.id = x.version_id
                  JOIN citebound.policies p ON p.id = v.policy_id
                  JOIN citebound.policies t ON t.id = x.target_policy_id
                 WHERE x.version_id = ANY(:versions)) f
         WHERE EXISTS (SELECT FROM citebound.entity_words w
                        WHERE w.key = f.source AND w.version_id = ANY(:versions))
           AND EXISTS (SELECT FROM citebound.entity_words w
                        WHERE w.key = f.target AND w.version_id = ANY(:versions))) each
 GROUP BY type ORDER BY type""")

_LISTED = """
SELECT key, count(*) OVER () AS count
  FROM (SELECT w.key, min(w.entity_id) AS id {letters}
          FROM citebound.entity_words w {names}
         WHERE w.version_id = ANY(:versions)
           AND (CAST(:type AS text) IS NULL OR w.type = :type) AND {condition}
         GROUP BY w.key) found
 ORDER BY {order} LIMIT :most"""
OF_TYPE = text(_LISTED.format(condition="true", order="id", letters="", names=""))
NAMED = text(
    _LISTED.format(condition="w.words && CAST(:names AS text[])", order="id", letters="", names="")
)
PARTLY_NAMED = text(
    _LISTED.format(
        letters=", length((array_agg(e.name ORDER BY e.id))[1]) AS letters",
        names="JOIN citebound.entities e ON e.id = w.entity_id",
        condition="EXISTS (SELECT FROM unnest(w.names) n WHERE strpos(n, :name) > 0)",
        order='letters, key COLLATE "C"',
    )
)

FREQUENCY = text("""
SELECT (SELECT coalesce(sum(own_facts), 0) FROM citebound.fact_indexes
         WHERE version_id = ANY(:versions)) AS among,
       (SELECT coalesce(jsonb_object_agg(word, entities), '{}')
          FROM (SELECT word, sum(entities) AS entities FROM citebound.word_counts
                 WHERE word = ANY(:words) AND version_id = ANY(:versions) GROUP BY word) each)
         AS entities""")

SEARCH = text("""
WITH asked AS (
  SELECT * FROM jsonb_to_recordset(CAST(:asked AS jsonb))
             AS a (word text, forms text[], weights float[])),
found AS (
  SELECT w.key, a.word,
         max(CASE WHEN a.forms[1] = ANY(w.words) THEN a.weights[1]
                  WHEN a.forms[2] = ANY(w.words) THEN a.weights[2] ELSE a.weights[3] END) AS weight
    FROM asked a JOIN citebound.entity_words w ON w.words && a.forms
   WHERE w.version_id = ANY(:versions) AND (:any_type OR w.type = ANY(:types))
   GROUP BY w.key, a.word)
SELECT key FROM found GROUP BY key
 ORDER BY sum(weight) DESC, key COLLATE "C" LIMIT :most""")

_EDGES = """
WITH keys AS (
  SELECT key, split_part(key, ':', 2) AS policy,
         CASE WHEN key LIKE 'section:%' THEN
           substr(key, length('section:' || split_part(key, ':', 2) || ':') + 1) END AS eid
    FROM unnest(CAST(:keys AS text[])) AS k (key)),
edges AS (
  SELECT true AS is_outgoing, false AS is_reference, r.id, r.type, own.key, e.key AS other
    FROM citebound.entities own
    JOIN citebound.relations r ON r.source_id = own.id
    JOIN citebound.entities e ON e.id = r.target_id
   WHERE own.key = ANY(:keys) AND EXISTS (
     SELECT FROM citebound.provenance pr
      WHERE pr.relation_id = r.id AND pr.version_id = ANY(:versions))
  UNION ALL
  SELECT false, false, r.id, r.type, own.key, e.key
    FROM citebound.entities own
    JOIN citebound.relations r ON r.target_id = own.id
    JOIN citebound.entities e ON e.id = r.source_id
   WHERE own.key = ANY(:keys) AND EXISTS (
     SELECT FROM citebound.provenance pr
      WHERE pr.relation_id = r.id AND pr.version_id = ANY(:versions))
  UNION ALL
  SELECT true, true, x.id, 'references', k.key,
         CASE WHEN x.target_eid IS NULL THEN 'policy:' || t.key
              ELSE 'section:' || t.key || ':' || x.target_eid END
    FROM keys k
    JOIN citebound.policies p ON p.key = k.policy
    JOIN citebound.policy_versions v ON v.policy_id = p.id AND v.id = ANY(:versions)
    JOIN citebound.sections s ON s.version_id = v.id AND s.eid = k.eid
    JOIN citebound.cross_references x ON x.section_id = s.id
    JOIN citebound.policies t ON t.id = x.target_policy_id
   WHERE k.key LIKE 'section:%'
  UNION ALL
  SELECT false, true, x.id, 'references', k.key, 'section:' || p.key || ':' || s.eid
    FROM keys k
    JOIN citebound.policies t ON t.key = k.policy
    JOIN citebound.cross_references x
      ON x.target_policy_id = t.id AND x.target_eid IS NOT DISTINCT FROM k.eid
     AND x.version_id = ANY(:versions)
    JOIN citebound.sections s ON s.id = x.section_id
    JOIN citebound.policy_versions v ON v.id = x.version_id
    JOIN citebound.policies p ON p.id = v.policy_id
   WHERE k.key LIKE 'section:%' OR k.key LIKE 'policy:%'),
each AS (
  SELECT is_outgoing, bool_and(is_reference) AS is_reference, type, key, other,
         min(id) AS first, array_agg(id) AS ids
    FROM edges
   WHERE (is_outgoing AND :out OR NOT is_outgoing AND :in)
     AND (CAST(:type AS text) IS NULL OR type = :type)
     AND (NOT is_reference OR EXISTS (
       SELECT FROM citebound.entity_words w
        WHERE w.key = edges.other AND w.version_id = ANY(:versions)))
   GROUP BY is_outgoing, type, key, other)
SELECT *, count(*) OVER () AS relations, (SELECT count(DISTINCT other) FROM each) AS ends
  FROM each ORDER BY is_outgoing DESC, is_reference, first, key, other LIMIT :most"""
EDGES_AT = text(_EDGES)

POLICY = text("""
SELECT p.key FROM citebound.policy_versions v JOIN citebound.policies p ON p.id = v.policy_id
 WHERE v.id = ANY(:versions) AND p.key = :key""")

TITLED = text("""
SELECT DISTINCT p.key, v.title
  FROM citebound.entity_words w
  JOIN citebound.policy_versions v ON v.id = w.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
 WHERE w.words @> CAST(:words AS text[]) AND w.version_id = ANY(:versions) AND w.type = 'Policy'
 ORDER BY p.key""")

_STATED = """
SELECT {columns}
  FROM citebound.policies p
  JOIN citebound.policy_versions v ON v.policy_id = p.id AND v.id = ANY(:versions)
  JOIN citebound.provenance pr ON pr.version_id = v.id
  JOIN citebound.entities e ON e.id = pr.entity_id
  JOIN citebound.sections s ON s.id = pr.section_id
 WHERE p.key = ANY(:policies) AND e.type = ANY(:types)
   AND (:section = '' OR lower(s.number) = :section OR lower(s.title) = :section
        OR starts_with(lower(s.number), :section || '.'))
 GROUP BY {group}"""
STATED_FIRST = text(
    _STATED.format(columns="e.key", group="e.key")
    + ' ORDER BY min(pr.version_id), min(pr.char_start), e.key COLLATE "C" LIMIT :most'
)
STATED_COUNTS = text(
    _STATED.format(columns="e.type, count(DISTINCT e.key) AS count", group="e.type")
)

NUMBERS = text("""
SELECT s.number, min(v.id) AS version, min(s.ordinal) AS ordinal
  FROM citebound.policies p
  JOIN citebound.policy_versions v ON v.policy_id = p.id AND v.id = ANY(:versions)
  JOIN citebound.sections s ON s.version_id = v.id
 WHERE p.key = ANY(:policies) AND s.number IS NOT NULL
 GROUP BY s.number ORDER BY version, ordinal LIMIT :most""")
