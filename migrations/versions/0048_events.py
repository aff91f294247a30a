"""What else the record tells: publications, settings, services, migrations, verifications.

Tags are additive. The views that show these events get columns at their end.
"""

from types import ModuleType

from alembic import op

revision = "0048_events"
down_revision = "0047_requests"

TAGS = (
    "access:changed",
    "assumption:revoked",
    "assumption:stated",
    "channel:configured",
    "clarification:answered",
    "clarification:expired",
    "conflict:found",
    "conflict:resolved",
    "corpus:published",
    "ledger:verified",
    "ontology:corrected",
    "policy:added",
    "policy:revised",
    "reply:updated",
    "schema:migrated",
    "service:started",
    "service:stopped",
    "settings:changed",
    "workspace:connected",
)

TABLES = """
CREATE TABLE citebound.service_states (
  service text CONSTRAINT service_states_pkey PRIMARY KEY,
  settings jsonb NOT NULL DEFAULT '{}',
  starts timestamptz[] NOT NULL DEFAULT '{}',
  unrecorded integer NOT NULL DEFAULT 0);
COMMENT ON TABLE citebound.service_states IS
  'What the last process of a kind was set to: the next one records what differs.';
COMMENT ON COLUMN citebound.service_states.service IS 'serve, work, both or seal';
COMMENT ON COLUMN citebound.service_states.settings IS
  'by variable, group and channel: what may be shown of it, and a hash of the rest; no secret';
COMMENT ON COLUMN citebound.service_states.starts IS 'those of the last hour that were recorded';
COMMENT ON COLUMN citebound.service_states.unrecorded IS
  'starts since then that were not: a process that dies again and again must not fill the record';
"""

FUNCTIONS = """
CREATE FUNCTION audit.record_verification(document bytea, leaf bytea) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  said jsonb := audit.doc(document);
BEGIN
  IF coalesce(said->>'tag', '') <> 'ledger:verified'
     OR said->'actor'->>'kind' IS DISTINCT FROM 'operator'
     OR said->>'conversation' IS NOT NULL OR said->'content' IS DISTINCT FROM '{}'
     OR octet_length(document) > 65536 THEN
    RAISE EXCEPTION 'an auditor records nothing but verifications'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO audit.record (canonical, leaf_hash) VALUES (document, leaf);
END $$;
COMMENT ON FUNCTION audit.record_verification(bytea, bytea) IS
  'Records that the ledger was verified: auditors may add nothing else to the record.';

CREATE FUNCTION audit.content_digests(of_record uuid)
  RETURNS TABLE (field text, digest text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT field, encode(sha256(
           salt || convert_to(field, 'UTF8') || '\\x00'::bytea || convert_to(body, 'UTF8')), 'hex')
    FROM audit.content WHERE record_id = of_record
$$;
COMMENT ON FUNCTION audit.content_digests(uuid) IS
  'What one record commits to, computed from its texts as they are.';
"""

CHANGES = """
CREATE OR REPLACE VIEW audit.v_changes WITH (security_invoker, security_barrier) AS
SELECT r.id AS record_id, r.at, r.unit, r.actor, split_part(r.tag, ':', 1) AS what,
       split_part(r.tag, ':', 2) AS action, r.subject,
       coalesce(r.doc->'before', r.doc->'old') AS before,
       coalesce(r.doc->'after', r.doc->'new', nullif(
         r.doc - '{v,id,tag,at,unit,actor,conversation,seq,subject,cause,release,trace_id,content}'
                 ::text[] - '{before,old}'::text[], '{}')) AS after,
       coalesce(r.doc->>'key', r.doc->>'policy') AS item, r.doc->>'release' AS release
  FROM audit.record r
 WHERE r.tag = ANY (ARRAY(
       SELECT t.tag FROM audit.tag t
        WHERE split_part(t.tag, ':', 1) IN
              ('access', 'calibration', 'channel', 'conflict', 'content', 'corpus', 'hold', 'key',
               'officer', 'ontology', 'policy', 'retention', 'schema', 'service', 'settings',
               'workspace')
          AND t.tag <> 'officer:signed_in'))
"""
CLARIFICATIONS = """
CREATE OR REPLACE VIEW audit.v_clarifications WITH (security_invoker, security_barrier) AS
SELECT r.id AS record_id, r.at, r.unit, r.conversation, r.actor AS asker, q.body AS question,
       j.body::jsonb->>'slot' AS slot, v.body::jsonb->>(j.body::jsonb->>'slot') AS reply,
       n.outcome, n.id AS next_record_id,
       (SELECT split_part(e.tag, ':', 2) FROM audit.record e
         WHERE e.subject = r.subject
           AND e.tag IN ('clarification:answered', 'clarification:expired')
         ORDER BY e.seq LIMIT 1) AS state
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
REPLIES = """
CREATE OR REPLACE VIEW audit.v_replies WITH (security_invoker, security_barrier) AS
SELECT r.id AS record_id, r.unit, r.at AS recorded_at,
       coalesce(split_part(l.tag, ':', 2),
                CASE r.doc->'question'->>'platform' WHEN 'console' THEN 'shown'
                                                    ELSE 'pending' END) AS state,
       p.at AS posted_at, left(encode(r.leaf_hash, 'hex'), 16) AS leaf_prefix,
       (SELECT max(e.at) FROM audit.record e
         WHERE e.subject = r.subject AND e.tag = 'reply:updated') AS updated_at
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
VERIFIED = """,
       (SELECT jsonb_build_object('at', r.at, 'by', r.actor, 'result', r.doc->>'result',
                                  'size', (r.doc->>'size')::bigint)
          FROM audit.record r WHERE r.tag = 'ledger:verified'
         ORDER BY r.at DESC LIMIT 1) AS verified
  FROM (SELECT"""
"""Of `v_ledger_health`, after its last column."""
VIEWED = "CASE WHEN r.tag IN ('record:viewed', 'unmask:requested') THEN r.subject::uuid END"
WHOLE = """CASE WHEN r.tag IN ('record:viewed', 'unmask:requested')
             AND r.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            THEN r.subject::uuid END"""
"""Of `v_access_log`: what is viewed may be named by the beginning of its id."""
COMMENTS = """
COMMENT ON COLUMN audit.v_changes.what IS
  'policy, corpus, access, settings, service, officer and so on: the first half of the record''s tag.';
COMMENT ON COLUMN audit.v_changes.item IS
  'Which setting, group, channel or policy; null of other changes.';
COMMENT ON COLUMN audit.v_changes.release IS 'The release that recorded it.';
COMMENT ON COLUMN audit.v_clarifications.state IS
  'answered; expired: the asker wrote something else instead; null: neither yet.';
COMMENT ON COLUMN audit.v_replies.updated_at IS
  'When a post of it was last rewritten in place, UTC; null: never.';
COMMENT ON COLUMN audit.v_ledger_health.verified IS
  'The last verification that your units'' records tell of: when, by whom, its result, and how many'
  ' records were sealed; null: none.';
COMMENT ON COLUMN audit.v_access_log.record_id IS
  'The record that was viewed; null of a query, or of a viewing by the beginning of an id.';
"""  # noqa: E501  # a comment a line

GRANTS = """
GRANT SELECT, INSERT ON citebound.service_states TO citebound_app, citebound_sequencer;
GRANT UPDATE (settings, starts, unrecorded) ON citebound.service_states TO citebound_app, citebound_sequencer;
GRANT EXECUTE ON FUNCTION audit.record_verification(bytea, bytea) TO citebound_auditor;
GRANT EXECUTE ON FUNCTION audit.content_digests(uuid) TO citebound_auditor;
"""  # noqa: E501  # a grant a line
COMPATIBLE = "INSERT INTO citebound.schema_compatibility VALUES ('0048_events', '0044_identity')"
EXTENDED = ("v_changes", "v_clarifications", "v_replies", "v_ledger_health")


def upgrade() -> None:
    """Add the tags, the table and the functions; make the views anew."""
    tags = ", ".join(f"('{tag}', false)" for tag in TAGS)
    op.execute(
        f"INSERT INTO audit.tag (tag, is_outcome) VALUES {tags}"  # noqa: S608  # constants
        " ON CONFLICT DO NOTHING"  # those that the record used stayed when this was taken back
    )
    op.execute(TABLES)
    op.execute(FUNCTIONS)
    for view in (CHANGES, CLARIFICATIONS, REPLIES, health(), access_log(WHOLE)):
        op.execute(view)
    op.execute(COMMENTS)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Make the views as they were; tags that the record uses stay."""
    first = earlier("0033_officers")
    for view in EXTENDED:
        op.execute(f"DROP VIEW audit.{view}")
        op.execute(first.CREATE_VIEW.format(view, first.VIEWS[view]))
        op.execute(f"GRANT SELECT ON audit.{view} TO citebound_officer")
    op.execute(earlier("0040_officer_views").HEALTH)
    op.execute(access_log(VIEWED))
    for statement in first.comments():
        if any(f"audit.{view}" in statement for view in (*EXTENDED, "v_access_log.record_id")):
            op.execute(statement)
    op.execute("DROP FUNCTION audit.record_verification(bytea, bytea), audit.content_digests(uuid)")
    op.execute("DROP TABLE citebound.service_states")
    tags = ", ".join(f"'{tag}'" for tag in TAGS)
    op.execute(
        f"DELETE FROM audit.tag t WHERE tag IN ({tags})"  # noqa: S608  # constants
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0048_events'")


def health() -> str:
    """Return the view of the ledger's health with its last verification."""
    made, _, _ = earlier("0040_officer_views").HEALTH.partition(";")
    return made.replace("\n  FROM (SELECT", VERIFIED, 1)


def access_log(viewed: str) -> str:
    """Return the view of what officers read, which says the record viewed by an expression."""
    before = earlier("0047_requests")
    tags = f"{before.READINGS}, {before.quoted(before.TAGS[:4])}"
    made, _, _ = before.ACCESS_LOG.partition(";")
    return made.format(tags=tags).replace(VIEWED, viewed)


def earlier(name: str) -> ModuleType:
    """Return an earlier migration."""
    scripts = op.get_context().environment_context.script
    return scripts.get_revision(name).module
