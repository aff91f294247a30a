"""Two officers: one asks for an identity or an erasure, another approves, each by their own login.

All of it is the record's: a request, its approval or denial, and what came of it are records that
follow from each other, and functions of the owner refuse whatever does not.
"""

from collections.abc import Iterable
from types import ModuleType

from alembic import op

revision = "0047_requests"
down_revision = "0046_calibrations"

TAGS = (
    "unmask:requested",
    "unmask:approved",
    "unmask:denied",
    "identity:unmasked",
    "erasure:requested",
    "erasure:approved",
    "erasure:denied",
)
AUTHOR = """
DROP TRIGGER check_author ON audit.record;
CREATE TRIGGER check_author AFTER INSERT ON audit.record FOR EACH ROW
  WHEN (NEW.tag IN ({tags}))
  EXECUTE FUNCTION audit.check_author();
ALTER TABLE audit.record ENABLE ALWAYS TRIGGER check_author;
"""
AUTHORED_BEFORE = ("content:erased", "retention:applied", "hold:placed", "hold:released")

REQUESTS = """
CREATE FUNCTION audit.append_deed(
    document bytea, leaf bytea, fields text[], salts bytea[], bodies text[]) RETURNS void
  LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO audit.record (canonical, leaf_hash) VALUES (document, leaf);
  INSERT INTO audit.content (record_id, field, salt, body)
    SELECT (audit.doc(document)->>'id')::uuid, field, salt, body
      FROM unnest(fields, salts, bodies) AS given (field, salt, body);
$$;
COMMENT ON FUNCTION audit.append_deed(bytea, bytea, text[], bytea[], text[]) IS
  'Appends what a function of ours has checked.';

CREATE FUNCTION audit.approver_of(request uuid, what text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT a.actor FROM audit.record AS q
    JOIN audit.record AS a ON a.subject = q.id::text AND a.tag = concat_ws(':', what, 'approved')
    JOIN audit.officer AS o ON o.login = a.actor AND o.revoked_at IS NULL
   WHERE q.id = request AND q.tag = concat_ws(':', what, 'requested')
     AND q.actor = audit.officer_login()
     AND a.actor <> q.actor AND a.at > clock_timestamp() - interval '72 hours'
$$;
COMMENT ON FUNCTION audit.approver_of(uuid, text) IS
  'Who has approved a request of the officer who is connected, within 72 hours; null: nobody.';

CREATE FUNCTION audit.request(
    document bytea, leaf bytea, fields text[], salts bytea[], bodies text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  said jsonb := audit.doc(document);
BEGIN
  PERFORM audit.check_officer(said);
  IF NOT fields @> '{basis}' OR '' = ANY (SELECT btrim(body) FROM unnest(bodies) AS body) THEN
    RAISE EXCEPTION 'a request says on what basis' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF said->>'tag' = 'unmask:requested' THEN
    IF NOT fields @> '{reason}' OR NOT EXISTS (
         SELECT FROM audit.record AS r WHERE r.id = (said->>'subject')::uuid
            AND r.unit = said->>'unit' AND r.doc->'actor'->>'kind' = 'asker') THEN
      RAISE EXCEPTION 'this is no record of an asker of the unit %, or no reason is given',
        said->>'unit' USING ERRCODE = 'no_data_found';
    END IF;
  ELSIF said->>'tag' IS DISTINCT FROM 'erasure:requested' OR (
      SELECT count(*) FROM jsonb_object_keys(said->'scope') AS key
       WHERE key IN ('asker', 'record', 'before')) <> 1 THEN
    RAISE EXCEPTION 'this is no request' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM audit.append_deed(document, leaf, fields, salts, bodies);
END $$;
COMMENT ON FUNCTION audit.request(bytea, bytea, text[], bytea[], text[]) IS
  'Appends that an officer asks for an identity or an erasure.';

CREATE FUNCTION audit.decide(
    document bytea, leaf bytea, fields text[], salts bytea[], bodies text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  said jsonb := audit.doc(document);
  asked audit.record;
BEGIN
  PERFORM pg_advisory_xact_lock({lock});
  PERFORM audit.check_officer(said);
  IF said->>'tag' NOT IN ('unmask:approved', 'unmask:denied', 'erasure:approved', 'erasure:denied')
  THEN
    RAISE EXCEPTION 'this decides no request' USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT * INTO asked FROM audit.record AS r
   WHERE r.id = (said->>'subject')::uuid AND r.unit = said->>'unit'
     AND r.tag = concat_ws(':', split_part(said->>'tag', ':', 1), 'requested');
  IF NOT FOUND THEN
    RAISE EXCEPTION '% is no request of the unit %', said->>'subject', said->>'unit'
      USING ERRCODE = 'no_data_found';
  ELSIF asked.actor = audit.officer_login() THEN
    RAISE EXCEPTION 'another officer decides: % has asked for it', asked.actor
      USING ERRCODE = 'insufficient_privilege';
  ELSIF asked.at < clock_timestamp() - interval '72 hours' THEN
    RAISE EXCEPTION 'it was asked for more than 72 hours ago: it takes a new request'
      USING ERRCODE = 'object_in_use';
  ELSIF EXISTS (
      SELECT FROM audit.record AS r WHERE r.subject = said->>'subject'
         AND r.tag IN ('unmask:approved', 'unmask:denied', 'erasure:approved', 'erasure:denied'))
  THEN
    RAISE EXCEPTION 'it is decided already' USING ERRCODE = 'object_in_use';
  END IF;
  PERFORM audit.append_deed(document, leaf, fields, salts, bodies);
END $$;
COMMENT ON FUNCTION audit.decide(bytea, bytea, text[], bytea[], text[]) IS
  'Appends that another officer approves a request, or does not.';

CREATE FUNCTION audit.reveal(
    document bytea, leaf bytea, fields text[], salts bytea[], bodies text[])
  RETURNS TABLE (pseudonym text, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  said jsonb := audit.doc(document);
  request uuid := said->>'subject';
  found audit.identity;
BEGIN
  PERFORM pg_advisory_xact_lock({lock});
  PERFORM audit.check_officer(said);
  IF said->>'tag' IS DISTINCT FROM 'identity:unmasked'
     OR audit.approver_of(request, 'unmask') IS NULL
     OR NOT EXISTS (SELECT FROM audit.record AS q
                     WHERE q.id = request AND q.unit = said->>'unit') THEN
    RAISE EXCEPTION 'no other officer has approved this request of yours within 72 hours'
      USING ERRCODE = 'insufficient_privilege';
  ELSIF EXISTS (SELECT FROM audit.record AS r
                 WHERE r.subject = request::text AND r.tag = 'identity:unmasked') THEN
    RAISE EXCEPTION 'it was handed out already: once is all' USING ERRCODE = 'object_in_use';
  END IF;
  SELECT i.* INTO found FROM audit.record AS q
    JOIN audit.record AS r ON r.id = q.subject::uuid
    JOIN audit.identity AS i ON i.pseudonym = r.actor
   WHERE q.id = request;
  IF found.sealed IS NULL THEN
    RAISE EXCEPTION 'no identity is sealed for it: there was no key then, or it was erased'
      USING ERRCODE = 'no_data_found';
  ELSIF encode(substr(found.sealed, 1, 8), 'hex') IS DISTINCT FROM said->>'key' THEN
    RAISE EXCEPTION 'it was sealed to the key %, not to yours',
      encode(substr(found.sealed, 1, 8), 'hex') USING ERRCODE = 'no_data_found';
  END IF;
  PERFORM audit.append_deed(document, leaf, fields, salts, bodies);
  RETURN QUERY SELECT found.pseudonym, found.sealed;
END $$;
COMMENT ON FUNCTION audit.reveal(bytea, bytea, text[], bytea[], text[]) IS
  'Appends that an identity is handed out, and hands it out, sealed: once, to who asked for it.';
"""
LOCK = 7_203_114_035
"""As of erasures."""
ERASURE = """
DROP FUNCTION audit.personal_texts(text, uuid);
CREATE FUNCTION audit.personal_texts(of_asker text, of_record uuid, request uuid)
  RETURNS TABLE (record_id uuid, field text, unit text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH person AS (
    SELECT of_asker AS pseudonym
    UNION SELECT i.pseudonym FROM audit.identity AS i WHERE i.match_hash = (
      SELECT s.match_hash FROM audit.identity AS s WHERE s.pseudonym = of_asker)
     AND audit.approver_of(request, 'erasure') IS NOT NULL),
  named AS (
    SELECT conversation, doc->>'trace_id' AS question FROM audit.record WHERE id = of_record),
  asked AS (
    SELECT r.conversation, r.doc->>'trace_id' AS question, r.actor, 0 AS since
      FROM audit.record AS r
     WHERE r.actor IN (SELECT pseudonym FROM person)
       AND (r.outcome IS NOT NULL OR r.tag LIKE 'message:%')
    UNION
    SELECT r.conversation, r.doc->>'trace_id', r.actor, min(r.seq)
      FROM named JOIN audit.record AS r ON r.conversation = named.conversation
       AND r.doc->>'trace_id' = named.question
     WHERE r.doc->'actor'->>'kind' = 'asker' AND (r.outcome IS NOT NULL OR r.tag LIKE 'message:%')
     GROUP BY 1, 2, 3),
  meant AS (
    SELECT r.id, true AS is_whole FROM audit.record AS r
     WHERE r.actor IN (SELECT pseudonym FROM person) AND r.doc->'actor'->>'kind' = 'asker'
    UNION SELECT of_record, true
    UNION
    SELECT r.id, true
      FROM asked JOIN audit.record AS r ON r.conversation = asked.conversation
       AND r.doc->>'trace_id' = asked.question
     WHERE r.actor = asked.actor OR r.doc->'actor'->>'kind' <> 'asker'
    UNION
    -- What others asked beside or after it may repeat it.
    SELECT r.id, false
      FROM asked JOIN audit.record AS r ON r.conversation = asked.conversation
       AND r.seq > asked.since)
  SELECT DISTINCT c.record_id, c.field, r.unit
    FROM meant JOIN audit.content AS c ON c.record_id = meant.id
    JOIN audit.record AS r ON r.id = meant.id
   WHERE (meant.is_whole OR c.field NOT IN (
           'question', 'message', 'answer', 'answer_json', 'assumptions', 'comment', 'note',
           'reply', 'reason', 'place'))
     AND (r.unit = ANY (audit.my_units()) OR '*' = ANY (audit.my_units()))
$$;
COMMENT ON FUNCTION audit.personal_texts(text, uuid, uuid) IS
  'Texts of an asker, or of one record and the question it belongs to, and what repeats them; of an'
  ' asker in all quarters only for who has an approved request: others could join them.';

CREATE OR REPLACE FUNCTION audit.erase(
    document bytea, leaf bytea, fields text[], salts bytea[], bodies text[]) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  said jsonb := audit.doc(document);
  listed uuid[] := ARRAY(SELECT key::uuid FROM jsonb_object_keys(said->'erased') AS key);
  wanted integer := (SELECT sum(jsonb_array_length(value)) FROM jsonb_each(said->'erased'));
  request uuid := said->>'subject';
  scope jsonb := (SELECT doc->'scope' FROM audit.record WHERE id = request);
  obstacle text;
  gone integer;
BEGIN
  PERFORM pg_advisory_xact_lock({lock});
  PERFORM audit.check_officer(said);
  IF coalesce(said->>'tag', '') NOT IN ('content:erased', 'retention:applied') THEN
    RAISE EXCEPTION 'this erases, and does not record %', said->>'tag'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF NOT coalesce(said->>'approver' = audit.approver_of(request, 'erasure'), false)
     OR NOT EXISTS (SELECT FROM audit.officer AS o WHERE o.login = said->>'approver'
                       AND o.units && ARRAY['*', said->>'unit']) THEN
    RAISE EXCEPTION 'no other officer of the unit % has approved this within 72 hours',
      said->>'unit' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF said->>'tag' = 'retention:applied' AND (
       NOT coalesce((said->>'before')::timestamptz <= (scope->>'before')::timestamptz, false)
       OR EXISTS (SELECT FROM audit.record AS r WHERE r.id = ANY (listed)
                     AND r.at >= (said->>'before')::timestamptz)
       OR scope->'places' = 'true' AND EXISTS (
            SELECT FROM jsonb_each(said->'erased') AS e WHERE e.value <> '["place"]'))
     OR said->>'tag' = 'content:erased' AND (
       scope ? 'before' OR said->>'asker' <> scope->>'asker'
       OR EXISTS (
         SELECT FROM jsonb_each(said->'erased') AS e, jsonb_array_elements_text(e.value) AS field
          WHERE (e.key::uuid, field) NOT IN (
            SELECT p.record_id, p.field
              FROM audit.personal_texts(scope->>'asker', (scope->>'record')::uuid, request) AS p)))
  THEN
    RAISE EXCEPTION 'nothing was erased: a text is not what was approved'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF EXISTS (SELECT FROM audit.record AS r WHERE r.id = ANY (listed) AND r.unit <> said->>'unit')
  THEN
    RAISE EXCEPTION 'a record is of another unit' USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT format('record %s stays, since %s', o.record_id, o.why) INTO obstacle
    FROM audit.obstacles(listed) AS o LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'nothing was erased: %', obstacle USING ERRCODE = 'object_in_use';
  END IF;

  INSERT INTO audit.record (canonical, leaf_hash) VALUES (document, leaf);
  INSERT INTO audit.content (record_id, field, salt, body)
    SELECT (said->>'id')::uuid, field, salt, body
      FROM unnest(fields, salts, bodies) AS given (field, salt, body);
  DELETE FROM audit.content AS c USING jsonb_each(said->'erased') AS e
   WHERE c.record_id = e.key::uuid AND e.value ? c.field;
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone IS DISTINCT FROM wanted THEN
    RAISE EXCEPTION 'nothing was erased: % of % texts are there', gone, wanted
      USING ERRCODE = 'object_in_use';
  END IF;
  PERFORM audit.forget_copies(said);
  RETURN gone;
END $$;
"""

VIEWS = """
CREATE VIEW audit.v_requests WITH (security_invoker, security_barrier) AS
SELECT q.id AS request_id, q.at, q.unit, q.actor AS officer, split_part(q.tag, ':', 1) AS what,
       CASE q.tag WHEN 'unmask:requested' THEN q.subject::uuid END AS record_id,
       q.doc->'scope' AS scope, r.body AS reason, b.body AS basis,
       CASE WHEN e.at IS NOT NULL THEN 'done'
            WHEN split_part(d.tag, ':', 2) = 'denied' THEN 'denied'
            WHEN coalesce(d.at, q.at) < now() - interval '72 hours' THEN 'expired'
            ELSE coalesce(split_part(d.tag, ':', 2), 'open') END AS state,
       d.actor AS decided_by, d.at AS decided_at, e.at AS done_at
  FROM audit.record AS q
  LEFT JOIN audit.content AS r ON r.record_id = q.id AND r.field = 'reason'
  LEFT JOIN audit.content AS b ON b.record_id = q.id AND b.field = 'basis'
  LEFT JOIN audit.record AS d ON d.subject = q.id::text
   AND d.tag IN ('unmask:approved', 'unmask:denied', 'erasure:approved', 'erasure:denied')
  LEFT JOIN LATERAL (
       SELECT min(f.at) AS at FROM audit.record AS f WHERE f.subject = q.id::text
          AND f.tag IN ('identity:unmasked', 'content:erased', 'retention:applied')) AS e ON true
 WHERE q.tag IN ('unmask:requested', 'erasure:requested');
COMMENT ON VIEW audit.v_requests IS
  'What takes two officers: identities and erasures, asked for by one and decided by another.';
COMMENT ON COLUMN audit.v_requests.request_id IS 'The record of the request.';
COMMENT ON COLUMN audit.v_requests.at IS 'When it was made, UTC.';
COMMENT ON COLUMN audit.v_requests.unit IS 'Organisational unit.';
COMMENT ON COLUMN audit.v_requests.officer IS 'Login of who asks.';
COMMENT ON COLUMN audit.v_requests.what IS 'unmask or erasure.';
COMMENT ON COLUMN audit.v_requests.record_id IS
  'Of an unmasking: the record whose asker is meant; else null.';
COMMENT ON COLUMN audit.v_requests.scope IS
  'Of an erasure: asker, record, or before (and places alone); else null.';
COMMENT ON COLUMN audit.v_requests.reason IS 'Of an unmasking, as typed; null once erased.';
COMMENT ON COLUMN audit.v_requests.basis IS
  'The ground in law, and the ticket, as typed; null once erased.';
COMMENT ON COLUMN audit.v_requests.state IS 'open, approved, denied, expired (72 hours), or done.';
COMMENT ON COLUMN audit.v_requests.decided_by IS 'Login of the officer who did; null: nobody has.';
COMMENT ON COLUMN audit.v_requests.decided_at IS 'When, UTC; null: not yet.';
COMMENT ON COLUMN audit.v_requests.done_at IS
  'When the identity was handed out, or the first text erased, UTC; null: not yet.';
"""
READINGS = "'query:executed', 'record:viewed', 'bundle:exported', 'officer:signed_in'"
ACTIONS = "query:executed, record:viewed, bundle:exported or officer:signed_in"
ACCESS_LOG = """
CREATE OR REPLACE VIEW audit.v_access_log WITH (security_invoker, security_barrier) AS
SELECT r.id AS log_id, r.at, r.unit, r.actor AS officer, r.tag AS action, p.body AS purpose,
       coalesce(s.body, r.doc->>'selection') AS statement, r.doc->'views' AS views,
       CASE WHEN r.tag IN ('record:viewed', 'unmask:requested') THEN r.subject::uuid END
         AS record_id
  FROM audit.record r
  LEFT JOIN audit.content p ON p.record_id = r.id AND p.field IN ('purpose', 'reason')
  LEFT JOIN audit.content s ON s.record_id = r.id AND s.field = 'statement'
 WHERE r.tag IN ({tags});
COMMENT ON COLUMN audit.v_access_log.action IS '{actions}.';
"""

GRANTS = """
GRANT SELECT ON audit.v_requests TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.request(bytea, bytea, text[], bytea[], text[]) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.decide(bytea, bytea, text[], bytea[], text[]) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.reveal(bytea, bytea, text[], bytea[], text[]) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.approver_of(uuid, text) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.personal_texts(text, uuid, uuid) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.texts_before(timestamp with time zone, boolean) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.obstacles(uuid[]) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.erase(bytea, bytea, text[], bytea[], text[]) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.hold(bytea, bytea, text[], bytea[], text[]) TO citebound_officer;
"""  # noqa: E501  # a grant a line
REVOKE = """
REVOKE EXECUTE ON FUNCTION audit.texts_before(timestamptz, boolean), audit.obstacles(uuid[]),
  audit.erase(bytea, bytea, text[], bytea[], text[]),
  audit.hold(bytea, bytea, text[], bytea[], text[]) FROM citebound_officer;
GRANT EXECUTE ON FUNCTION audit.personal_texts(text, uuid) TO citebound_console;
"""
FUNCTIONS = (
    "audit.request(bytea, bytea, text[], bytea[], text[])",
    "audit.decide(bytea, bytea, text[], bytea[], text[])",
    "audit.reveal(bytea, bytea, text[], bytea[], text[])",
    "audit.append_deed(bytea, bytea, text[], bytea[], text[])",
    "audit.approver_of(uuid, text)",
)
COMPATIBLE = "INSERT INTO citebound.schema_compatibility VALUES ('0047_requests', '0044_identity')"


def upgrade() -> None:
    """Create what asks, decides and hands out; let an erasure take an approval."""
    names = ", ".join(f"('{tag}', false)" for tag in TAGS)
    op.execute(f"INSERT INTO audit.tag (tag, is_outcome) VALUES {names}")  # noqa: S608  # constants
    op.execute(AUTHOR.replace("{tags}", quoted(AUTHORED_BEFORE + TAGS)))
    op.execute(REQUESTS.replace("{lock}", str(LOCK)))
    op.execute(ERASURE.replace("{lock}", str(LOCK)))
    op.execute(VIEWS)
    steps = TAGS[:4]
    op.execute(
        ACCESS_LOG.format(
            tags=f"{READINGS}, {quoted(steps)}", actions=f"{ACTIONS}; {', '.join(steps)}"
        )
    )
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take them back; tags that the record uses stay."""
    officers, privacy = earlier("0033_officers"), earlier("0041_privacy")
    op.execute("DROP VIEW audit.v_requests")
    op.execute(
        officers.CREATE_VIEW.replace("CREATE", "CREATE OR REPLACE").format(
            "v_access_log", officers.ACCESS_LOG
        )
    )
    op.execute(f"COMMENT ON COLUMN audit.v_access_log.action IS '{ACTIONS}.'")
    op.execute("DROP FUNCTION audit.personal_texts(text, uuid, uuid)")
    op.execute(earlier("0044_identity").TEXTS)
    op.execute(
        privacy.DEEDS.format(lock=LOCK).replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
    )
    op.execute(REVOKE)
    op.execute(AUTHOR.replace("{tags}", quoted(AUTHORED_BEFORE)))
    op.execute(f"DROP FUNCTION {', '.join(FUNCTIONS)}")
    op.execute(
        f"DELETE FROM audit.tag t WHERE tag IN ({quoted(TAGS)})"  # noqa: S608  # constants
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0047_requests'")


def quoted(tags: Iterable[str]) -> str:
    """Return tags as SQL lists them."""
    return ", ".join(f"'{tag}'" for tag in tags)


def earlier(name: str) -> ModuleType:
    """Return an earlier migration."""
    scripts = op.get_context().environment_context.script
    return scripts.get_revision(name).module
