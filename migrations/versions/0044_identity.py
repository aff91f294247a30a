"""Pseudonyms for a person and a calendar quarter, with the identity sealed for officers.

What people are found by is a keyed hash. A release before named them in clear: those rows are
sealed by the next process that starts. The statement of that release that opens a conversation
needs a constraint that is gone: it refuses this schema.
"""

from types import ModuleType

from alembic import op

revision = "0044_identity"
down_revision = "0043_affected_cards"

TABLES = """
CREATE TABLE audit.identity (
  pseudonym text CONSTRAINT identity_pkey PRIMARY KEY,
  period text NOT NULL CONSTRAINT identity_period_check CHECK (period ~ '^[0-9]{4}-Q[1-4]$'),
  match_hash bytea NOT NULL
    CONSTRAINT identity_match_hash_check CHECK (octet_length(match_hash) = 32),
  sealed bytea,
  CONSTRAINT identity_match_hash_period_key UNIQUE (match_hash, period));
COMMENT ON TABLE audit.identity IS 'Who pseudonyms stand for, which no officer reads here.';
COMMENT ON COLUMN audit.identity.pseudonym IS 'random: nobody can compute it again';
COMMENT ON COLUMN audit.identity.period IS 'the calendar quarter for which it was made, UTC';
COMMENT ON COLUMN audit.identity.match_hash IS
  'HMAC of platform, tenant and person: the same in every period';
COMMENT ON COLUMN audit.identity.sealed IS
  'platform, tenant and person, sealed to the officers'' key; null: there was none';
ALTER TABLE audit.identity ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit.identity FORCE ROW LEVEL SECURITY;
CREATE POLICY identity_owner ON audit.identity TO citebound_owner USING (true) WITH CHECK (true);
CREATE POLICY identity_app ON audit.identity FOR SELECT TO citebound_app USING (true);
CREATE POLICY identity_append ON audit.identity FOR INSERT TO citebound_app WITH CHECK (true);

CREATE TABLE citebound.pseudonym_keys (
  key bytea CONSTRAINT pseudonym_keys_pkey PRIMARY KEY
    CONSTRAINT pseudonym_keys_key_check CHECK (octet_length(key) = 32));
COMMENT ON TABLE citebound.pseudonym_keys IS
  'The key that finds people again, where the settings have none: one.';
INSERT INTO citebound.pseudonym_keys VALUES (
  decode(replace(concat(gen_random_uuid(), gen_random_uuid()), '-', ''), 'hex'));

ALTER TABLE citebound.askers ADD COLUMN period text NOT NULL DEFAULT
    to_char(now() AT TIME ZONE 'UTC', 'YYYY"-Q"Q');
ALTER TABLE citebound.askers ALTER period DROP DEFAULT;
COMMENT ON TABLE citebound.askers IS
  'People whom a release before named in clear; emptied when a process starts.';

ALTER TABLE citebound.conversations
  ADD COLUMN period text NOT NULL DEFAULT
    to_char(now() AT TIME ZONE 'UTC', 'YYYY"-Q"Q'),
  ADD COLUMN last_at timestamptz NOT NULL DEFAULT now(),
  DROP CONSTRAINT conversations_platform_tenant_channel_thread_key,
  ADD CONSTRAINT conversations_platform_tenant_channel_thread_period_key
    UNIQUE (platform, tenant, channel, thread, period);
COMMENT ON COLUMN citebound.conversations.period IS
  'the calendar quarter in which it began, whose pseudonyms it keeps';
COMMENT ON COLUMN citebound.conversations.last_at IS 'when somebody wrote last';

ALTER TABLE citebound.conversation_references ADD COLUMN match_hash bytea;
COMMENT ON COLUMN citebound.conversation_references.match_hash IS
  'by which it is found when the person is forgotten; null: nobody''s, or of a release before';

ALTER TABLE citebound.turns DROP CONSTRAINT turns_kind_check, ADD CONSTRAINT turns_kind_check
  CHECK (kind IN ('asker', 'channel', 'conversation', 'notice', 'told'));
COMMENT ON COLUMN citebound.turns.key IS
  'a person''s match hash, platform:tenant:channel, or id of a conversation';
COMMENT ON COLUMN citebound.turns.taken IS
  'the last ones, in order: as many as the limit counts; of `told`: until when they were told';
"""

TEXTS = """
CREATE OR REPLACE FUNCTION audit.personal_texts(of_asker text, of_record uuid)
  RETURNS TABLE (record_id uuid, field text, unit text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH person AS (
    SELECT of_asker AS pseudonym
    UNION SELECT i.pseudonym FROM audit.identity AS i WHERE i.match_hash = (
      SELECT s.match_hash FROM audit.identity AS s WHERE s.pseudonym = of_asker)),
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
"""
FORGET = """
CREATE OR REPLACE FUNCTION citebound.forget(
    of_questions uuid[], around_them uuid[], of_askers text[]) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  messages bigint[];
  told uuid[];
  places uuid[];
  people bytea[] := ARRAY(
    SELECT match_hash FROM audit.identity WHERE pseudonym = ANY (of_askers));
  names text[] := of_askers || ARRAY(
    SELECT pseudonym FROM audit.identity WHERE match_hash = ANY (people));
BEGIN
  SELECT array_agg(i.id), array_agg(DISTINCT i.conversation_id) INTO messages, places
    FROM citebound.inbox AS i
   WHERE i.state IN ('done', 'dead')
     AND (i.question_id = ANY (of_questions) OR i.asker = ANY (names) OR EXISTS (
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
          OR EXISTS (SELECT FROM citebound.inbox AS i
                      WHERE i.conversation_id = o.conversation_id AND i.asker = ANY (names)
                        AND i.person = o.person));
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
           SELECT asker FROM citebound.inbox WHERE id = ANY (messages)) OR actor = ANY (names);
  UPDATE citebound.case_messages
     SET body = '', platform_message_id = NULL, dedupe_key = 'erased:' || id
   WHERE case_id IN (SELECT id FROM citebound.cases WHERE question_id = ANY (of_questions))
      OR actor = ANY (names);
  UPDATE citebound.cases SET note = '', asker_name = NULL, person = '', permalink = NULL
   WHERE question_id = ANY (of_questions);

  DELETE FROM citebound.turns
   WHERE kind IN ('asker', 'notice', 'told')
     AND key = ANY (names || ARRAY(SELECT encode(one, 'hex') FROM unnest(people) AS one));
  DELETE FROM citebound.conversation_references WHERE match_hash = ANY (people);
  PERFORM citebound.forget_places(places);
  DELETE FROM citebound.askers WHERE pseudonym = ANY (names);
  DELETE FROM audit.identity WHERE match_hash = ANY (people);
END $$;
"""
GRANTS = """
GRANT INSERT (pseudonym, period, match_hash, sealed) ON audit.identity TO citebound_app;
GRANT SELECT (pseudonym, period, match_hash) ON audit.identity TO citebound_app;
GRANT SELECT ON citebound.pseudonym_keys TO citebound_app;
GRANT DELETE ON citebound.askers TO citebound_app;
GRANT UPDATE (last_at) ON citebound.conversations TO citebound_app;
GRANT SELECT (period) ON citebound.conversations TO citebound_sequencer;
GRANT UPDATE (match_hash) ON citebound.conversation_references TO citebound_app;
"""
COMPATIBLE = "INSERT INTO citebound.schema_compatibility VALUES ('0044_identity', '0044_identity')"
UNSAMPLED = """
ALTER TABLE audit.identity ALTER match_hash SET STATISTICS 0, ALTER sealed SET STATISTICS 0;
ALTER TABLE citebound.conversation_references ALTER match_hash SET STATISTICS 0;
"""
BACK = """
REVOKE UPDATE (last_at) ON citebound.conversations FROM citebound_app;
REVOKE DELETE ON citebound.askers FROM citebound_app;
DELETE FROM citebound.turns WHERE kind = 'told';
ALTER TABLE citebound.turns DROP CONSTRAINT turns_kind_check, ADD CONSTRAINT turns_kind_check
  CHECK (kind IN ('asker', 'channel', 'conversation', 'notice'));
ALTER TABLE citebound.conversation_references DROP COLUMN match_hash;
UPDATE citebound.conversations AS c SET thread = thread || ' ' || period
 WHERE EXISTS (SELECT FROM citebound.conversations AS later
                WHERE (later.platform, later.tenant, later.channel, later.thread)
                      = (c.platform, c.tenant, c.channel, c.thread) AND later.period > c.period);
ALTER TABLE citebound.conversations DROP COLUMN period, DROP COLUMN last_at,
  ADD CONSTRAINT conversations_platform_tenant_channel_thread_key
    UNIQUE (platform, tenant, channel, thread);
ALTER TABLE citebound.askers DROP COLUMN period;
DROP TABLE citebound.pseudonym_keys, audit.identity;
"""


def upgrade() -> None:
    """Create them, and let each conversation and pseudonym be of the quarter that it is."""
    op.execute(TABLES)
    op.execute(TEXTS)
    op.execute(FORGET)
    op.execute(GRANTS)
    op.execute(UNSAMPLED)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take them back: who was met meanwhile gets another pseudonym, and nobody is unmasked."""
    before = earlier("0041_privacy")
    for functions in (before.SELECTION, before.WORKING_COPIES):
        op.execute(functions.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"))
    op.execute(BACK)
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0044_identity'")


def earlier(name: str) -> ModuleType:
    """Return an earlier migration."""
    scripts = op.get_context().environment_context.script
    return scripts.get_revision(name).module
