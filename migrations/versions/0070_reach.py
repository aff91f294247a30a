"""Units and audiences bound what officers see of cases, of the record, and of cards in a channel.

Two rules, each in one place. `audit.may_read` says whether audiences read a policy version: by it
quotes, claims and answers are blanked. `citebound.reached_units` says of which units an officer is
shown rows. The record knows its reader from the session; the working tables, which the application
reads, from two settings that it makes in a transaction for officers:

- `citebound.readers`: logins of those who read, all of whom must be allowed to;
- `citebound.own_unit`: set where rows are limited to the units of the first of them. Officers whom
  no operator has granted anything are of this unit, and of no audience.

Without them the application acts for itself, and sees every row.
"""

from types import ModuleType

from alembic import op

revision = "0070_reach"
down_revision = "0064_untold_editions"

RULES = """
CREATE FUNCTION audit.may_read(mine text[], audience text[], of_policy bigint) RETURNS boolean
  LANGUAGE sql STABLE AS $$
  SELECT '*' = ANY (mine)
      OR audience && mine
         AND NOT EXISTS (SELECT FROM citebound.policy_readers AS r
                          WHERE r.policy_id = of_policy AND r.edition_until IS NULL
                            AND NOT r.audience && mine)
$$;
COMMENT ON FUNCTION audit.may_read(text[], text[], bigint) IS
  'Whether somebody of these groups reads a policy version of this audience.';
ALTER POLICY policy_versions_audience ON citebound.policy_versions
  USING (audit.may_read((SELECT audit.my_audiences()), audience, policy_id));

CREATE FUNCTION audit.audiences_of(of_login text) RETURNS text[] LANGUAGE sql STABLE
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((SELECT CASE WHEN revoked_at IS NULL THEN audiences || '{everyone}' ELSE '{}' END
                     FROM audit.officer WHERE login = of_login), '{everyone}')
$$;
COMMENT ON FUNCTION audit.audiences_of(text) IS
  'Groups whose policies an officer reads; of one who was granted nothing, everyone.';

CREATE FUNCTION audit.lacked(versions bigint[], officers text[]) RETURNS text LANGUAGE sql STABLE
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT '[restricted: audience ' || string_agg(DISTINCT coalesce(named, 'unknown'), ', ') || ']'
    FROM citebound.policy_versions AS v
    LEFT JOIN LATERAL unnest(citebound.audience_now(v.audience, v.policy_id)) AS named ON true
   WHERE v.id = ANY (versions)
     AND EXISTS (SELECT FROM unnest(officers) AS login
                  WHERE NOT audit.may_read(audit.audiences_of(login), v.audience, v.policy_id))
$$;
COMMENT ON FUNCTION audit.lacked(bigint[], text[]) IS
  'What stands in place of words from policy versions that not all officers read; null: all do.';

CREATE FUNCTION audit.policies_lacked(keys text[], officers text[]) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT audit.lacked(ARRAY(SELECT v.id FROM citebound.policy_versions AS v
                              JOIN citebound.policies AS p ON p.id = v.policy_id
                             WHERE p.key = ANY (keys)), officers)
$$;
COMMENT ON FUNCTION audit.policies_lacked(text[], text[]) IS 'Likewise, from any version.';

CREATE FUNCTION audit.answer_lacked(answer jsonb, officers text[]) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT audit.lacked(ARRAY(SELECT (c->>'version_id')::bigint
                              FROM jsonb_array_elements(answer->'citations') AS c), officers)
   WHERE jsonb_typeof(answer->'citations') = 'array'
$$;
COMMENT ON FUNCTION audit.answer_lacked(jsonb, text[]) IS 'Likewise, from what an answer cites.';

CREATE FUNCTION audit.blanked(answer jsonb, officers text[]) RETURNS jsonb
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  whole text := audit.answer_lacked(answer, officers);
  marks jsonb;
BEGIN
  IF whole IS NULL THEN
    RETURN answer;
  END IF;
  SELECT coalesce(jsonb_object_agg(c->>'n', audit.lacked(ARRAY[(c->>'version_id')::bigint],
                                                         officers)), '{}') INTO marks
    FROM jsonb_array_elements(answer->'citations') AS c;
  -- Its notes may repeat what its claims say.
  RETURN answer || jsonb_build_object(
    'answer', whole, 'notes', '[]'::jsonb, 'assumptions', '[]'::jsonb,
    'citations', (SELECT jsonb_agg(CASE WHEN marks->>(c->>'n') IS NULL THEN c
                    ELSE c || jsonb_build_object('quote', marks->(c->>'n')) END ORDER BY place)
                    FROM jsonb_array_elements(answer->'citations') WITH ORDINALITY AS t (c, place)),
    'claims', (SELECT coalesce(jsonb_agg(CASE WHEN m.mark IS NULL THEN c
                 ELSE c - 'rendering' || jsonb_build_object('text', m.mark) END
                                        ORDER BY place), '[]')
                 FROM jsonb_array_elements(answer->'claims') WITH ORDINALITY AS t (c, place)
                 CROSS JOIN LATERAL (
                   SELECT min(marks->>n) AS mark
                     FROM jsonb_array_elements_text(c->'citations') AS n) AS m));
END $$;
COMMENT ON FUNCTION audit.blanked(jsonb, text[]) IS
  'An answer without the quotes that not all officers read, and without the claims behind them.';
"""

RECORD = """
CREATE FUNCTION audit.unreadable() RETURNS text[] LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine text[] := audit.audiences_of(audit.officer_login());
BEGIN
  IF '*' = ANY (mine) THEN
    RETURN '{}';
  END IF;
  RETURN ARRAY(SELECT DISTINCT p.key || E'\\n' || named
                 FROM citebound.policy_versions AS v
                 JOIN citebound.policies AS p ON p.id = v.policy_id
                CROSS JOIN LATERAL unnest(ARRAY[coalesce(v.label, ''), v.number::text]) AS named
                WHERE NOT audit.may_read(mine, v.audience, v.policy_id));
END $$;
COMMENT ON FUNCTION audit.unreadable() IS
  'Policy versions that the officer does not read: key, a line feed, and what citations call them.';

CREATE FUNCTION audit.rests_on(of_record uuid, versions text[]) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp COST 10000 AS $$
  WITH this AS (SELECT id, subject, tag, doc FROM audit.record WHERE id = of_record),
  about AS (
    SELECT id FROM this
    UNION SELECT r.id FROM this JOIN audit.record AS r ON r.subject = this.subject
    UNION SELECT named::uuid
            FROM this, unnest(ARRAY[doc->>'cause', doc->>'other_record']) AS named
           WHERE this.tag = 'contradiction:found' AND named IS NOT NULL)
  SELECT EXISTS (SELECT FROM about JOIN audit.citation AS c ON c.record_id = about.id
                  WHERE c.policy || E'\\n' || coalesce(c.version, '') = ANY (versions))
      OR EXISTS (SELECT FROM audit.record AS r JOIN about USING (id)
                  CROSS JOIN LATERAL (
                   SELECT c->>'policy' FROM jsonb_array_elements(CASE
                     WHEN jsonb_typeof(r.doc->'clauses') = 'array' THEN r.doc->'clauses'
                     WHEN jsonb_typeof(r.doc->'changes') = 'array' THEN r.doc->'changes'
                     ELSE '[]' END) AS c
                   UNION ALL SELECT r.doc->>'policy'
                    WHERE r.tag = 'contradiction:found') AS named (policy)
                  WHERE r.tag IN ('answer:affected', 'contradiction:found', 'precedent:proposed')
                    AND named.policy = ANY (ARRAY(
                      SELECT split_part(one, E'\\n', 1) FROM unnest(versions) AS one)))
$$;
COMMENT ON FUNCTION audit.rests_on(uuid, text[]) IS
  'Whether a record, or the answer that it is about, quotes one of these policy versions.';

CREATE FUNCTION audit.restricted(of_record uuid) RETURNS jsonb LANGUAGE plpgsql STABLE
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  versions text[] := audit.unreadable();
  units text[] := audit.my_units();
BEGIN
  IF cardinality(versions) = 0 OR NOT audit.rests_on(of_record, versions)
     OR NOT EXISTS (SELECT FROM audit.record AS r WHERE r.id = of_record
                       AND ('*' = ANY (units) OR r.unit = ANY (units))) THEN
    RETURN NULL;
  END IF;
  RETURN jsonb_build_object(
    'mark', audit.policies_lacked(ARRAY(
      SELECT split_part(v, E'\\n', 1) FROM unnest(versions) AS v
       WHERE audit.rests_on(of_record, ARRAY[v])), ARRAY[audit.officer_login()]),
    'answer', (SELECT audit.blanked(c.body::jsonb, ARRAY[audit.officer_login()])
                 FROM audit.content AS c
                WHERE c.record_id = of_record AND c.field = 'answer_json'));
END $$;
COMMENT ON FUNCTION audit.restricted(uuid) IS
  'A record of the officer''s units whose texts they may not read: what stands in their place, and'
  ' the answer without what is withheld; null: nothing is.';

CREATE FUNCTION audit.restriction(of_record uuid) RETURNS text LANGUAGE sql STABLE
  AS $$ SELECT audit.restricted(of_record)->>'mark' $$;
COMMENT ON FUNCTION audit.restriction(uuid) IS 'What stands in place of withheld texts.';

CREATE POLICY content_audience ON audit.content AS RESTRICTIVE FOR SELECT TO citebound_officer
  USING (field = ANY ('{question,thread,assumptions,note,comment,reason,purpose,statement,basis}')
         OR cardinality((SELECT audit.unreadable())) = 0
         OR NOT audit.rests_on(record_id, (SELECT audit.unreadable())));
-- These two say what policies say. Of all others the words are in the texts.
CREATE POLICY record_audience ON audit.record AS RESTRICTIVE FOR SELECT TO citebound_officer
  USING (outcome IS NOT NULL
         OR tag <> ALL ('{answer:affected,contradiction:found}')
         OR cardinality((SELECT audit.unreadable())) = 0
         OR NOT audit.rests_on(id, (SELECT audit.unreadable())));
-- Row-level security reads these with each record: an index that lacks them is not enough.
DROP INDEX audit.record_unit_id_idx;
CREATE INDEX record_unit_id_idx ON audit.record (unit, id) INCLUDE (outcome, tag);
"""

WORDS = """
     WHERE c.words @@ wanted
       AND ('*' = ANY (units) OR EXISTS (
             SELECT FROM audit.record AS r WHERE r.id = c.record_id AND r.unit = ANY (units)))
"""
READABLE_WORDS = f"""{WORDS.rstrip()}
       AND (c.field = 'question' OR cardinality(audit.unreadable()) = 0
            OR NOT audit.rests_on(c.record_id, audit.unreadable()))
"""

WORKING = """
CREATE FUNCTION citebound.readers() RETURNS text[] LANGUAGE sql STABLE
  AS $$ SELECT nullif(current_setting('citebound.readers', true), '')::text[] $$;
COMMENT ON FUNCTION citebound.readers() IS
  'Logins of the officers for whom the application acts; null: for itself.';

CREATE FUNCTION citebound.reached_units() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN coalesce(current_setting('citebound.own_unit', true), '') = '' THEN '{*}'
              ELSE coalesce(
                (SELECT CASE WHEN revoked_at IS NULL THEN units ELSE '{}' END
                   FROM audit.officer WHERE login = (citebound.readers())[1]),
                ARRAY[current_setting('citebound.own_unit')]) END
$$;
COMMENT ON FUNCTION citebound.reached_units() IS
  'Units of which rows are shown; *: all. An officer who was granted nothing is of our own.';

CREATE FUNCTION audit.unit_of(of_record uuid) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$ SELECT unit FROM audit.record WHERE id = of_record $$;
COMMENT ON FUNCTION audit.unit_of(uuid) IS 'Organisational unit of a record.';

CREATE FUNCTION citebound.reaches(of_record uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT citebound.reached_units() && ARRAY['*', audit.unit_of(of_record)]
$$;
COMMENT ON FUNCTION citebound.reaches(uuid) IS
  'Whether what was recorded so is of a unit of which rows are shown.';

CREATE FUNCTION citebound.shown_reply(reply jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN citebound.readers() IS NULL OR jsonb_typeof(reply->'answer') <> 'object'
              THEN reply
              ELSE jsonb_set(reply, '{answer}',
                             audit.blanked(reply->'answer', citebound.readers())) END
$$;
COMMENT ON FUNCTION citebound.shown_reply(jsonb) IS
  'A reply without what its readers may not read.';

CREATE FUNCTION citebound.shown_words(said text, reply jsonb) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN citebound.readers() IS NULL OR said IS NULL THEN said
              ELSE coalesce(audit.answer_lacked(reply->'answer', citebound.readers()), said) END
$$;
COMMENT ON FUNCTION citebound.shown_words(text, jsonb) IS
  'What an officer answered in place of a reply; withheld as the reply is.';

CREATE FUNCTION citebound.shown_change(change jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN l.mark IS NULL THEN change
              ELSE change || jsonb_strip_nulls(jsonb_build_object(
                'before', CASE WHEN change->>'before' IS NOT NULL THEN l.mark END,
                'after', CASE WHEN change->>'after' IS NOT NULL THEN l.mark END)) END
    FROM (SELECT CASE WHEN citebound.readers() IS NOT NULL THEN
            audit.policies_lacked(ARRAY[change->>'policy'], citebound.readers()) END AS mark) AS l
$$;
COMMENT ON FUNCTION citebound.shown_change(jsonb) IS
  'A changed clause without the words that its readers may not read.';
"""

SECURE = """
ALTER TABLE citebound.{table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE citebound.{table} FORCE ROW LEVEL SECURITY;
CREATE POLICY {table}_reach ON citebound.{table} TO citebound_app, citebound_owner
  USING ({rule}) WITH CHECK (true);
"""
_UNITS = "'*' = ANY ((SELECT citebound.reached_units())::text[]) OR citebound.reaches({recorded})"
_VERSIONS = (
    "(SELECT citebound.readers()) IS NULL OR audit.lacked(ARRAY("
    "SELECT b.version_id FROM citebound.{bound} AS b WHERE {its}), (SELECT citebound.readers()))"
    " IS NULL"
)
SECURED = {
    "cases": _UNITS.format(recorded="cases.record_id"),
    "affected_answers": _UNITS.format(
        recorded="(SELECT a.record_id FROM citebound.answers AS a WHERE a.id = answer_id)"
    ),
    "precedents": _VERSIONS.format(bound="precedent_clauses", its="b.precedent_id = precedents.id"),
    "question_drafts": _VERSIONS.format(
        bound="question_passages", its="b.draft = question_drafts.number"
    ),
}
"""Whose rows the application sees for an officer: of their units; resting on what they read."""

GRANTS = """
GRANT EXECUTE ON FUNCTION audit.may_read(text[], text[], bigint) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.unreadable() TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.rests_on(uuid, text[]) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.restricted(uuid) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.restriction(uuid) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.lacked(bigint[], text[]) TO citebound_app;
GRANT EXECUTE ON FUNCTION audit.policies_lacked(text[], text[]) TO citebound_app;
GRANT EXECUTE ON FUNCTION audit.answer_lacked(jsonb, text[]) TO citebound_app;
GRANT EXECUTE ON FUNCTION audit.blanked(jsonb, text[]) TO citebound_app;
GRANT EXECUTE ON FUNCTION audit.unit_of(uuid) TO citebound_app;
GRANT EXECUTE ON FUNCTION citebound.readers() TO citebound_app;
GRANT EXECUTE ON FUNCTION citebound.reached_units() TO citebound_app;
GRANT EXECUTE ON FUNCTION citebound.reaches(uuid) TO citebound_app;
GRANT EXECUTE ON FUNCTION citebound.shown_reply(jsonb) TO citebound_app;
GRANT EXECUTE ON FUNCTION citebound.shown_words(text, jsonb) TO citebound_app;
GRANT EXECUTE ON FUNCTION citebound.shown_change(jsonb) TO citebound_app;
"""
COMPATIBLE = "INSERT INTO citebound.schema_compatibility VALUES ('0070_reach', '0044_identity')"
FUNCTIONS = (
    *("citebound.shown_change(jsonb)", "citebound.shown_words(text, jsonb)"),
    *("citebound.shown_reply(jsonb)", "citebound.reaches(uuid)", "audit.unit_of(uuid)"),
    *("citebound.reached_units()", "citebound.readers()", "audit.restriction(uuid)"),
    *("audit.restricted(uuid)", "audit.rests_on(uuid, text[])", "audit.unreadable()"),
    *("audit.blanked(jsonb, text[])", "audit.answer_lacked(jsonb, text[])"),
    *("audit.policies_lacked(text[], text[])", "audit.lacked(bigint[], text[])"),
    *("audit.audiences_of(text)", "audit.may_read(text[], text[], bigint)"),
)


def upgrade() -> None:
    """Add the rules, and let every reading go through them."""
    op.execute(RULES)
    op.execute(RECORD)
    op.execute(WORKING)
    for table, rule in SECURED.items():
        op.execute(SECURE.format(table=table, rule=rule))
    op.execute(GRANTS)
    op.execute(words(READABLE_WORDS))
    for statement in views(is_marked=True):
        op.execute(statement)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take them back: officers read as before."""
    op.execute(words(WORDS))
    for statement in views(is_marked=False):
        op.execute(statement)
    for table in SECURED:
        op.execute(
            f"DROP POLICY {table}_reach ON citebound.{table};"
            f"ALTER TABLE citebound.{table} NO FORCE ROW LEVEL SECURITY;"
            f"ALTER TABLE citebound.{table} DISABLE ROW LEVEL SECURITY"
        )
    op.execute("DROP POLICY content_audience ON audit.content")
    op.execute("DROP POLICY record_audience ON audit.record")
    op.execute(
        "DROP INDEX audit.record_unit_id_idx;"
        "CREATE INDEX record_unit_id_idx ON audit.record (unit, id)"
    )
    op.execute(earlier("0060_source_access").OFFICERS)
    op.execute(f"DROP FUNCTION {', '.join(FUNCTIONS)}")
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0070_reach'")


def words(matched: str) -> str:
    """Return the function that finds records by words, with what it matches."""
    return earlier("0049_search_words").FUNCTION.replace(WORDS, matched)


def views(*, is_marked: bool) -> tuple[str, ...]:
    """Return the views of what people were told, as they are or with marks for withheld texts."""
    first = earlier("0033_officers")
    precedents, _, _ = earlier("0045_precedents").VIEW.partition(";")
    made = (
        (first.CREATE_VIEW.format("v_answers", first.ANSWERS), "a.body AS answer", "r.id"),
        (first.CREATE_VIEW.format("v_reviews", first.REVIEWS), "t.body AS answer", "a.id"),
        (precedents, "t.body AS answer", "p.id"),
    )
    return tuple(
        view.replace("CREATE VIEW", "CREATE OR REPLACE VIEW").replace(
            column,
            f"coalesce({column.split()[0]}, audit.restriction({record})) AS answer"
            if is_marked
            else column,
        )
        for view, column, record in made
    )


def earlier(name: str) -> ModuleType:
    """Return an earlier migration."""
    scripts = op.get_context().environment_context.script
    return scripts.get_revision(name).module
