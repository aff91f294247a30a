"""Personal text can leave the record, by two officers and with a record of what left; unless held.

What a text was, its commitment no longer tells once salt and text are gone; every proof stays
valid. The rows of schema `citebound` are working copies, and lose the same words with it.

No statistics are gathered of columns with personal text: they would keep samples of it.
"""

from alembic import op

revision = "0041_privacy"
down_revision = "0040_officer_views"

# Officers read no place: the channel of a direct conversation says whose it is.
PLACES = """
DROP POLICY content_unit ON audit.content;
CREATE POLICY content_unit ON audit.content FOR SELECT TO citebound_officer
  USING (field <> 'place'
         AND ('*' = ANY ((SELECT audit.my_units())::text[])
              OR EXISTS (SELECT FROM audit.record AS r WHERE r.id = content.record_id)));
"""
PLACES_BEFORE = """
DROP POLICY content_unit ON audit.content;
CREATE POLICY content_unit ON audit.content FOR SELECT TO citebound_officer
  USING ('*' = ANY ((SELECT audit.my_units())::text[])
         OR EXISTS (SELECT FROM audit.record AS r WHERE r.id = content.record_id));
"""

GUARDS = """
INSERT INTO audit.tag (tag, is_outcome) VALUES ('content:erased', false),
  ('retention:applied', false), ('hold:placed', false), ('hold:released', false);
CREATE INDEX record_erased_idx ON audit.record USING gin ((doc->'erased'))
  WHERE tag IN ('content:erased', 'retention:applied');

CREATE FUNCTION audit.refuse_unerased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A text leaves in the transaction that records it, and in no other way.
  IF TG_OP = 'DELETE' AND EXISTS (
       SELECT FROM audit.record AS r
        WHERE r.xid = pg_current_xact_id() AND r.tag IN ('content:erased', 'retention:applied')
          AND r.doc->'erased'->OLD.record_id::text ? OLD.field) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'audit.% is append-only: % is refused', TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'insufficient_privilege';
END $$;
DROP TRIGGER refuse_change ON audit.content;
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON audit.content
  FOR EACH ROW EXECUTE FUNCTION audit.refuse_unerased();
ALTER TABLE audit.content ENABLE ALWAYS TRIGGER refuse_change;

CREATE FUNCTION audit.check_author() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user <> 'citebound_owner' THEN
    RAISE EXCEPTION '% is recorded by the function that does it', NEW.tag
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER check_author AFTER INSERT ON audit.record FOR EACH ROW
  WHEN (NEW.tag IN ('content:erased', 'retention:applied', 'hold:placed', 'hold:released'))
  EXECUTE FUNCTION audit.check_author();
ALTER TABLE audit.record ENABLE ALWAYS TRIGGER check_author;
"""

SELECTION = """
CREATE FUNCTION audit.personal_texts(of_asker text, of_record uuid)
  RETURNS TABLE (record_id uuid, field text, unit text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH named AS (
    SELECT conversation, doc->>'trace_id' AS question FROM audit.record WHERE id = of_record),
  asked AS (
    SELECT r.conversation, r.doc->>'trace_id' AS question, r.actor, 0 AS since
      FROM audit.record AS r
     WHERE r.actor = of_asker AND (r.outcome IS NOT NULL OR r.tag LIKE 'message:%')
    UNION
    SELECT r.conversation, r.doc->>'trace_id', r.actor, min(r.seq)
      FROM named JOIN audit.record AS r ON r.conversation = named.conversation
       AND r.doc->>'trace_id' = named.question
     WHERE r.doc->'actor'->>'kind' = 'asker' AND (r.outcome IS NOT NULL OR r.tag LIKE 'message:%')
     GROUP BY 1, 2, 3),
  meant AS (
    SELECT r.id, true AS is_whole FROM audit.record AS r
     WHERE r.actor = of_asker AND r.doc->'actor'->>'kind' = 'asker'
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
COMMENT ON FUNCTION audit.personal_texts(text, uuid) IS
  'Texts of an asker, or of one record and the question it belongs to, and what repeats them.';

CREATE FUNCTION audit.texts_before(before timestamptz, only_places boolean)
  RETURNS TABLE (record_id uuid, field text, unit text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.record_id, c.field, r.unit
    FROM audit.record AS r JOIN audit.content AS c ON c.record_id = r.id
   WHERE r.at < before AND (NOT only_places OR c.field = 'place')
     AND (r.unit = ANY (audit.my_units()) OR '*' = ANY (audit.my_units()))
$$;
COMMENT ON FUNCTION audit.texts_before(timestamptz, boolean) IS
  'Texts that were recorded before an instant; of them, the places alone.';

CREATE FUNCTION audit.obstacles(ids uuid[]) RETURNS TABLE (record_id uuid, why text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET TimeZone = 'UTC' AS $$
  WITH listed AS (
    SELECT r.id, r.at, r.actor, r.conversation, r.doc->>'trace_id' AS question,
           CASE WHEN r.doc->>'trace_id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                THEN (r.doc->>'trace_id')::uuid END AS question_id
      FROM audit.record AS r WHERE r.id = ANY (ids)),
  hold AS (
    SELECT p.id, p.doc->'scope' AS scope FROM audit.record AS p
     WHERE p.tag = 'hold:placed' AND NOT EXISTS (
           SELECT FROM audit.record AS e
            WHERE e.tag = 'hold:released' AND e.subject = p.id::text))
  SELECT listed.id, format('hold %s covers it', hold.id)
    FROM listed, hold
   WHERE (hold.scope->>'since' IS NULL OR listed.at >= (hold.scope->>'since')::date)
     AND (hold.scope->>'until' IS NULL OR listed.at < (hold.scope->>'until')::date + 1)
     AND (hold.scope->>'asker' IS NULL OR listed.actor = hold.scope->>'asker' OR EXISTS (
           SELECT FROM audit.record AS m
            WHERE m.conversation = listed.conversation AND m.doc->>'trace_id' = listed.question
              AND m.actor = hold.scope->>'asker'))
     AND (hold.scope->>'case' IS NULL OR EXISTS (
           SELECT FROM audit.record AS m
            WHERE m.conversation = listed.conversation AND m.doc->>'trace_id' = listed.question
              AND m.tag = 'case:opened' AND m.doc->>'number' = hold.scope->>'case'))
     AND (hold.scope->>'policy' IS NULL OR EXISTS (
           SELECT FROM audit.record AS m JOIN audit.citation AS c ON c.record_id = m.id
            WHERE m.conversation = listed.conversation AND m.doc->>'trace_id' = listed.question
              AND c.policy = hold.scope->>'policy'))
  UNION ALL
  SELECT hold.id, 'it is a hold in force' FROM hold WHERE hold.id = ANY (ids)
  UNION ALL
  SELECT listed.id, 'it is still being answered' FROM listed
    JOIN citebound.inbox AS i ON i.question_id = listed.question_id
   WHERE i.state IN ('received', 'running')
  UNION ALL
  SELECT listed.id, 'its reply is still on its way' FROM listed
    JOIN citebound.outbox AS o ON o.conversation_id = listed.conversation
   WHERE o.settled_at IS NULL AND o.reply->>'question_id' = listed.question
  UNION ALL
  SELECT listed.id, format('case %s is open', k.number) FROM listed
    JOIN citebound.cases AS k ON k.question_id = listed.question_id
   WHERE k.state IN ('open', 'claimed')
$$;
COMMENT ON FUNCTION audit.obstacles(uuid[]) IS
  'Which of these records may not lose their texts yet, and why.';
"""

WORKING_COPIES = """
CREATE FUNCTION citebound.forget(
    of_questions uuid[], around_them uuid[], of_askers text[]) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  messages bigint[];
  told uuid[];
  places uuid[];
BEGIN
  SELECT array_agg(i.id), array_agg(DISTINCT i.conversation_id) INTO messages, places
    FROM citebound.inbox AS i
   WHERE i.state IN ('done', 'dead')
     AND (i.question_id = ANY (of_questions) OR i.asker = ANY (of_askers) OR EXISTS (
           SELECT FROM citebound.inbox AS q
            WHERE q.question_id = ANY (of_questions) AND q.conversation_id = i.conversation_id
              AND starts_with(i.message_key, q.message_key || ':')));
  places := places || ARRAY(
    SELECT DISTINCT conversation_id FROM citebound.questions WHERE id = ANY (of_questions));
  told := ARRAY(SELECT id FROM citebound.answers WHERE question_id = ANY (of_questions));

  UPDATE citebound.outbox AS o
     SET reply = reply - 'asked' || CASE WHEN jsonb_typeof(reply->'answer') = 'object'
           THEN '{"answer": null, "notice": "removed", "groups": []}'::jsonb ELSE '{}' END,
         person = '', remote_id = NULL, progress_id = NULL
   WHERE settled_at IS NOT NULL AND conversation_id = ANY (places)
     AND (reply->>'question_id' = ANY (of_questions::text[])
          OR cause = ANY (SELECT 'message:' || id FROM unnest(messages) AS id)
          OR EXISTS (SELECT FROM citebound.askers AS a JOIN citebound.conversations AS c
                        ON (c.platform, c.tenant) = (a.platform, a.tenant)
                      WHERE a.pseudonym = ANY (of_askers) AND c.id = o.conversation_id
                        AND a.person = o.person));
  UPDATE citebound.inbox
     SET text = '', raw = '{}', context = '[]', run_salt = '', person = '', progress_id = NULL,
         message_key = NULL, dedupe_key = 'erased:' || id
   WHERE id = ANY (messages);
  UPDATE citebound.inbox SET context = '[]' WHERE question_id = ANY (around_them);
  DELETE FROM citebound.trace_steps WHERE question_id = ANY (of_questions || around_them);
  UPDATE citebound.model_calls
     SET response = '{}', request_hash = sha256(convert_to('erased:' || id, 'UTF8'))
   WHERE question_id = ANY (of_questions || around_them);
  DELETE FROM citebound.claims WHERE answer_id = ANY (told);
  UPDATE citebound.answers SET text = '', options = '{}', slot = NULL, trace = '{}'
   WHERE id = ANY (told);
  UPDATE citebound.affected_answers SET state = 'dropped', settled_at = clock_timestamp()
   WHERE answer_id = ANY (told) AND state IN ('found', 'approved');
  UPDATE citebound.answers SET trace = '{}' WHERE question_id = ANY (around_them);
  UPDATE citebound.questions SET text = '', standalone = '', context = '[]', assumptions = '[]'
   WHERE id = ANY (of_questions);
  UPDATE citebound.questions SET standalone = text, context = '[]' WHERE id = ANY (around_them);
  UPDATE citebound.feedback
     SET comment = '', platform_message_id = NULL, dedupe_key = 'erased:' || id
   WHERE answer_id = ANY (told) AND actor = ANY (
           SELECT asker FROM citebound.inbox WHERE id = ANY (messages)) OR actor = ANY (of_askers);
  UPDATE citebound.case_messages
     SET body = '', platform_message_id = NULL, dedupe_key = 'erased:' || id
   WHERE case_id IN (SELECT id FROM citebound.cases WHERE question_id = ANY (of_questions))
      OR actor = ANY (of_askers);
  UPDATE citebound.cases SET note = '', asker_name = NULL, person = '', permalink = NULL
   WHERE question_id = ANY (of_questions);

  DELETE FROM citebound.turns WHERE kind IN ('asker', 'notice') AND key = ANY (of_askers);
  DELETE FROM citebound.conversation_references AS r USING citebound.askers AS a
   WHERE a.pseudonym = ANY (of_askers)
     AND (r.platform, r.tenant, r.person) = (a.platform, a.tenant, a.person);
  PERFORM citebound.forget_places(places);
  DELETE FROM citebound.askers WHERE pseudonym = ANY (of_askers);
END $$;
COMMENT ON FUNCTION citebound.forget(uuid[], uuid[], text[]) IS
  'Clears the working copies of questions, what others'' questions repeat of them, and of askers.';

CREATE FUNCTION citebound.forget_places(named uuid[]) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gone uuid[] := ARRAY(
    SELECT c.id FROM citebound.conversations AS c
     WHERE c.id = ANY (named) AND c.channel <> 'forgotten'
       AND NOT EXISTS (SELECT FROM citebound.inbox AS i
                        WHERE i.conversation_id = c.id AND i.person <> '')
       AND NOT EXISTS (SELECT FROM citebound.outbox AS o
                        WHERE o.conversation_id = c.id AND o.settled_at IS NULL)
       AND (EXISTS (SELECT FROM citebound.inbox AS i WHERE i.conversation_id = c.id)
            OR NOT EXISTS (SELECT FROM citebound.questions AS q
                            WHERE q.conversation_id = c.id AND q.text <> '')));
BEGIN
  DELETE FROM citebound.channel_paces AS p USING citebound.conversations AS c
   WHERE c.id = ANY (gone) AND (p.platform, p.tenant, p.channel) = (c.platform, c.tenant, c.channel)
     AND NOT EXISTS (SELECT FROM citebound.conversations AS other
                      WHERE (other.platform, other.tenant, other.channel)
                            = (c.platform, c.tenant, c.channel) AND other.id <> ALL (gone));
  DELETE FROM citebound.turns AS t USING citebound.conversations AS c
   WHERE c.id = ANY (gone) AND t.kind = 'channel'
     AND t.key = format('%s:%s:%s', c.platform, c.tenant, c.channel);
  UPDATE citebound.outbox SET person = '', remote_id = NULL, progress_id = NULL
   WHERE conversation_id = ANY (gone);
  UPDATE citebound.conversations SET channel = 'forgotten', thread = id::text
   WHERE id = ANY (gone);
END $$;
COMMENT ON FUNCTION citebound.forget_places(uuid[]) IS
  'Clears where conversations are, once nobody''s platform id is left in them.';

CREATE FUNCTION citebound.forget_people(most integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  idle uuid[] := ARRAY(
    SELECT DISTINCT i.conversation_id FROM citebound.inbox AS i
      JOIN citebound.conversations AS c ON c.id = i.conversation_id
     WHERE c.channel <> 'forgotten' AND i.received_at < now() - interval '30 days'
       AND NOT EXISTS (SELECT FROM citebound.inbox AS n
                        WHERE n.conversation_id = i.conversation_id
                          AND (n.received_at >= now() - interval '30 days'
                               OR n.state IN ('received', 'running')))
       AND NOT EXISTS (SELECT FROM citebound.outbox AS o
                        WHERE o.conversation_id = i.conversation_id
                          AND (o.settled_at IS NULL
                               OR o.settled_at >= now() - interval '30 days'))
       AND NOT EXISTS (SELECT FROM citebound.cases AS k
                         JOIN citebound.questions AS q ON q.id = k.question_id
                        WHERE q.conversation_id = i.conversation_id AND k.state <> 'closed')
       AND NOT EXISTS (SELECT FROM citebound.affected_answers AS x
                         JOIN citebound.answers AS a ON a.id = x.answer_id
                         JOIN citebound.questions AS q ON q.id = a.question_id
                        WHERE q.conversation_id = i.conversation_id AND x.state = 'approved')
     LIMIT most);
BEGIN
  UPDATE citebound.inbox
     SET person = '', raw = '{}', progress_id = NULL, message_key = NULL,
         dedupe_key = 'forgotten:' || id
   WHERE conversation_id = ANY (idle);
  UPDATE citebound.cases SET person = '', permalink = NULL WHERE question_id IN (
    SELECT id FROM citebound.questions WHERE conversation_id = ANY (idle));
  PERFORM citebound.forget_places(idle);
  RETURN cardinality(idle);
END $$;
COMMENT ON FUNCTION citebound.forget_people(integer) IS
  'Clears platforms'' ids of people and places 30 days after the last message of a conversation,'
  ' unless a case of it is open; returns how many conversations.';
"""

DEEDS = """
CREATE FUNCTION audit.check_officer(said jsonb) RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  units text[] := audit.my_units();
BEGIN
  IF said->'actor' IS DISTINCT FROM
       jsonb_build_object('kind', 'officer', 'ref', audit.officer_login())
     OR NOT coalesce('*' = ANY (units) OR said->>'unit' = ANY (units), false)
     OR said->>'conversation' IS NOT NULL THEN
    RAISE EXCEPTION '% is no officer of the unit %', audit.officer_login(), said->>'unit'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;
COMMENT ON FUNCTION audit.check_officer(jsonb) IS
  'Refuses a record that is not of the officer who is connected, and of a unit of theirs.';

CREATE FUNCTION audit.erase(
    document bytea, leaf bytea, fields text[], salts bytea[], bodies text[]) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  said jsonb := audit.doc(document);
  listed uuid[] := ARRAY(SELECT key::uuid FROM jsonb_object_keys(said->'erased') AS key);
  wanted integer := (SELECT sum(jsonb_array_length(value)) FROM jsonb_each(said->'erased'));
  obstacle text;
  gone integer;
BEGIN
  PERFORM pg_advisory_xact_lock({lock});
  PERFORM audit.check_officer(said);
  IF coalesce(said->>'tag', '') NOT IN ('content:erased', 'retention:applied') THEN
    RAISE EXCEPTION 'this erases, and does not record %', said->>'tag'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF said->>'approver' = audit.officer_login() OR NOT EXISTS (
       SELECT FROM audit.officer AS o WHERE o.login = said->>'approver' AND o.revoked_at IS NULL
          AND o.units && ARRAY['*', said->>'unit']) THEN
    RAISE EXCEPTION 'the approver % is not another officer of the unit %', said->>'approver',
      said->>'unit' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF EXISTS (SELECT FROM audit.record AS r WHERE r.id = ANY (listed)
                AND (r.unit <> said->>'unit'
                     OR said->>'tag' = 'retention:applied'
                        AND r.at >= (said->>'before')::timestamptz)) THEN
    RAISE EXCEPTION 'a record is of another unit, or not old enough'
      USING ERRCODE = 'insufficient_privilege';
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
COMMENT ON FUNCTION audit.erase(bytea, bytea, text[], bytea[], text[]) IS
  'Deletes the texts that a record lists, with their salts and working copies, and appends it.';

CREATE FUNCTION audit.forget_copies(said jsonb) RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  questions uuid[];
  around uuid[];
BEGIN
  SELECT coalesce(array_agg(DISTINCT question::uuid) FILTER (WHERE is_whole), '{{}}'),
         coalesce(array_agg(DISTINCT question::uuid) FILTER (WHERE NOT is_whole), '{{}}')
    INTO questions, around
    FROM (SELECT r.doc->>'trace_id' AS question,
                 e.value ?| ARRAY['question', 'message', 'answer'] AS is_whole
            FROM jsonb_each(said->'erased') AS e JOIN audit.record AS r ON r.id = e.key::uuid
           WHERE (r.outcome IS NOT NULL OR r.tag LIKE 'message:%')
             AND r.doc->>'trace_id' ~ '^[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}$'
             AND NOT e.value <@ '["place"]') AS listed;
  UPDATE citebound.feedback AS f SET comment = ''
    FROM jsonb_each(said->'erased') AS e JOIN audit.record AS r ON r.id = e.key::uuid
   WHERE r.tag LIKE 'feedback:%' AND f.answer_id::text = r.subject AND f.actor = r.actor;
  PERFORM citebound.forget(
    questions, ARRAY(SELECT unnest(around) EXCEPT SELECT unnest(questions)),
    CASE WHEN said->>'asker' IS NULL THEN '{{}}' ELSE ARRAY[said->>'asker'] END);
END $$;
COMMENT ON FUNCTION audit.forget_copies(jsonb) IS
  'Clears the working copies of the texts that a record of an erasure lists.';

CREATE FUNCTION audit.hold(
    document bytea, leaf bytea, fields text[], salts bytea[], bodies text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  said jsonb := audit.doc(document);
BEGIN
  PERFORM pg_advisory_xact_lock({lock});
  PERFORM audit.check_officer(said);
  IF said->>'tag' = 'hold:released' THEN
    IF NOT EXISTS (SELECT FROM audit.record WHERE id = (said->>'subject')::uuid
                      AND tag = 'hold:placed' AND unit = said->>'unit')
       OR EXISTS (SELECT FROM audit.record
                   WHERE tag = 'hold:released' AND subject = said->>'subject') THEN
      RAISE EXCEPTION '% is no hold of the unit %, or was released', said->>'subject',
        said->>'unit' USING ERRCODE = 'no_data_found';
    END IF;
  ELSIF said->>'tag' IS DISTINCT FROM 'hold:placed' OR jsonb_typeof(said->'scope') <> 'object'
     OR said->'scope' = '{{}}' THEN
    RAISE EXCEPTION 'this places or releases a hold' USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO audit.record (canonical, leaf_hash) VALUES (document, leaf);
  INSERT INTO audit.content (record_id, field, salt, body)
    SELECT (said->>'id')::uuid, field, salt, body
      FROM unnest(fields, salts, bodies) AS given (field, salt, body);
END $$;
COMMENT ON FUNCTION audit.hold(bytea, bytea, text[], bytea[], text[]) IS
  'Appends the record that places or releases a hold.';
"""
LOCK = 7_203_114_035
"""Held while texts are erased or held, until the transaction ends."""

VIEW = """
CREATE VIEW audit.v_holds WITH (security_invoker, security_barrier) AS
SELECT p.id AS hold_id, p.at AS placed_at, p.unit, p.actor AS owner, p.doc->'scope' AS scope,
       c.body AS reason, e.at AS released_at, e.actor AS released_by
  FROM audit.record AS p
  LEFT JOIN audit.content AS c ON c.record_id = p.id AND c.field = 'reason'
  LEFT JOIN audit.record AS e ON e.tag = 'hold:released' AND e.subject = p.id::text
 WHERE p.tag = 'hold:placed';
COMMENT ON VIEW audit.v_holds IS
  'What may not be erased, whoever asks and however old it is, until it is released.';
COMMENT ON COLUMN audit.v_holds.hold_id IS 'The record that placed it.';
COMMENT ON COLUMN audit.v_holds.placed_at IS 'Since when, UTC.';
COMMENT ON COLUMN audit.v_holds.unit IS 'Organisational unit.';
COMMENT ON COLUMN audit.v_holds.owner IS 'Login of the officer who placed it.';
COMMENT ON COLUMN audit.v_holds.scope IS
  'What is held: asker, case, policy, since, until; where several are given, all must fit.';
COMMENT ON COLUMN audit.v_holds.reason IS 'As typed.';
COMMENT ON COLUMN audit.v_holds.released_at IS 'Until when, UTC; null: it holds.';
COMMENT ON COLUMN audit.v_holds.released_by IS 'Login of who released it; null: it holds.';
"""

GRANTS = """
GRANT SELECT ON audit.v_holds TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.personal_texts(text, uuid) TO citebound_console;
GRANT EXECUTE ON FUNCTION audit.texts_before(timestamp with time zone, boolean) TO citebound_console;
GRANT EXECUTE ON FUNCTION audit.obstacles(uuid[]) TO citebound_console;
GRANT EXECUTE ON FUNCTION audit.erase(bytea, bytea, text[], bytea[], text[]) TO citebound_console;
GRANT EXECUTE ON FUNCTION audit.hold(bytea, bytea, text[], bytea[], text[]) TO citebound_console;
GRANT EXECUTE ON FUNCTION citebound.forget_people(integer) TO citebound_app;
"""  # noqa: E501  # a grant a line
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0041_privacy', '0030_compatibility')"
)

UNSAMPLED = {
    "audit.content": "salt body",
    "citebound.questions": "text standalone context assumptions",
    "citebound.answers": "text options trace",
    "citebound.claims": "text",
    "citebound.trace_steps": "detail",
    "citebound.model_calls": "response request_hash",
    "citebound.inbox": "text raw context person dedupe_key message_key run_salt progress_id",
    "citebound.outbox": "reply person remote_id progress_id",
    "citebound.feedback": "comment platform_message_id dedupe_key",
    "citebound.case_messages": "body platform_message_id dedupe_key",
    "citebound.cases": "note asker_name person permalink",
    "citebound.askers": "person",
    "citebound.conversations": "channel thread",
    "citebound.conversation_references": "conversation person facts",
    "citebound.channel_paces": "channel",
    "citebound.turns": "key",
}
"""Columns with personal text or platforms' ids, by table."""
WORDS = "audit.content_words_idx"
"""Of an index of an expression, too, statistics are gathered: here, of words."""
# Only a superuser may delete what was sampled before; others' databases lose it with the next
# upgrade of the server, which gathers statistics anew.
DELETE_SAMPLES = """
DELETE FROM pg_statistic USING pg_attribute AS a
 WHERE starelid = a.attrelid AND staattnum = a.attnum AND a.attrelid = '{0}'::regclass
   AND a.attname = ANY ('{{{1}}}')
"""
IS_SUPERUSER = "SELECT rolsuper FROM pg_roles WHERE rolname = session_user"
TAGS = ("content:erased", "retention:applied", "hold:placed", "hold:released")
FUNCTIONS = (
    "audit.hold(bytea, bytea, text[], bytea[], text[])",
    "audit.erase(bytea, bytea, text[], bytea[], text[])",
    "audit.forget_copies(jsonb)",
    "audit.check_officer(jsonb)",
    "citebound.forget_people(integer)",
    "citebound.forget_places(uuid[])",
    "citebound.forget(uuid[], uuid[], text[])",
    "audit.obstacles(uuid[])",
    "audit.texts_before(timestamptz, boolean)",
    "audit.personal_texts(text, uuid)",
)


def upgrade() -> None:
    """Close places, and make what erases and what holds."""
    op.execute(PLACES)
    op.execute(GUARDS)
    op.execute(SELECTION)
    op.execute(WORKING_COPIES)
    op.execute(DEEDS.format(lock=LOCK))
    op.execute(VIEW)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)
    sample("0")
    if op.get_bind().exec_driver_sql(IS_SUPERUSER).scalar():
        op.execute("SET LOCAL ROLE NONE")
        for table, columns in UNSAMPLED.items():
            op.execute(DELETE_SAMPLES.format(table, columns.replace(" ", ",")))
        op.execute(DELETE_SAMPLES.format(WORDS, "to_tsvector"))
        op.execute("SET LOCAL ROLE citebound_owner")


def downgrade() -> None:
    """Take them back; what was erased stays erased, and tags that the record uses stay."""
    sample("-1")
    op.execute("DROP VIEW audit.v_holds")
    op.execute(
        "DROP TRIGGER check_author ON audit.record;"
        "DROP TRIGGER refuse_change ON audit.content;"
        "CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON audit.content"
        "  FOR EACH ROW EXECUTE FUNCTION audit.refuse();"
        "ALTER TABLE audit.content ENABLE ALWAYS TRIGGER refuse_change;"
        "DROP FUNCTION audit.refuse_unerased(), audit.check_author();"
        "DROP INDEX audit.record_erased_idx"
    )
    op.execute(f"DROP FUNCTION {', '.join(FUNCTIONS)}")
    op.execute(PLACES_BEFORE)
    tags = ", ".join(f"'{tag}'" for tag in TAGS)
    op.execute(
        f"DELETE FROM audit.tag t WHERE tag IN ({tags})"  # noqa: S608  # constants
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0041_privacy'")


def sample(target: str) -> None:
    """Let statistics be gathered of the columns with personal text, or not."""
    for table, columns in UNSAMPLED.items():
        for column in columns.split():
            op.execute(f"ALTER TABLE {table} ALTER {column} SET STATISTICS {target}")
    op.execute(f"ALTER INDEX {WORDS} ALTER 1 SET STATISTICS {target}")
