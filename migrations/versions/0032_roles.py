"""Roles: who owns the schemas, and what everybody else may do there, by table, verb and row.

`citebound_owner` owns all there is, and migrations run as it from here on. What a later migration
makes is closed to everybody until it grants it: in a constant `GRANTS` as here, one statement a
line, from which a test tells what each role may.
"""

from alembic import op
from sqlalchemy import text

from core.adapters.postgres.engine.roles import create_roles

revision = "0032_roles"
down_revision = "0031_ledger"

OF_US = "('citebound', 'audit')"
HAND_OVER = """
DO $$
DECLARE
  owned record;
BEGIN
  FOR owned IN
    SELECT format('SCHEMA %I', nspname) AS name FROM pg_namespace WHERE nspname IN {of_us}
    UNION ALL
    SELECT format('%s %s', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.oid::regclass)
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
     WHERE nspname IN {of_us} AND relkind IN ('r', 'v')
    UNION ALL
    SELECT format('FUNCTION %s', p.oid::regprocedure)
      FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace WHERE nspname IN {of_us}
  LOOP
    EXECUTE format('ALTER %s OWNER TO %I', owned.name, {to});
  END LOOP;
END $$
"""
CLOSE = """
ALTER DEFAULT PRIVILEGES FOR ROLE citebound_owner REVOKE ALL ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE citebound_owner REVOKE ALL ON TYPES FROM PUBLIC;
REVOKE ALL ON SCHEMA citebound, audit FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA citebound, audit FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA citebound, audit FROM PUBLIC;
"""

OFFICERS = """
CREATE TABLE audit.officer (
  login text CONSTRAINT officer_pkey PRIMARY KEY
    CONSTRAINT officer_login_check CHECK (login <> ''),
  units text[] NOT NULL,
  audiences text[] NOT NULL,
  granted_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz);
COMMENT ON TABLE audit.officer IS 'Who reads the record in SQL, and of whom.';
COMMENT ON COLUMN audit.officer.login IS 'Login on the server, or the name that the console gives.';
COMMENT ON COLUMN audit.officer.units IS 'Whose records they read; * stands for every unit.';
COMMENT ON COLUMN audit.officer.audiences IS
  'Groups whose policies they read beside those for everyone; * stands for every group.';
COMMENT ON COLUMN audit.officer.granted_at IS 'Since when.';
COMMENT ON COLUMN audit.officer.revoked_at IS 'From then on nothing; null: not revoked.';

CREATE FUNCTION audit.officer_login() RETURNS text LANGUAGE plpgsql STABLE
  SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Only the console names somebody else, in each transaction: unset, this is an error.
  IF pg_has_role(session_user, 'citebound_console', 'MEMBER')
     AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = session_user) THEN
    RETURN current_setting('citebound.officer');
  END IF;
  RETURN session_user;
END $$;
COMMENT ON FUNCTION audit.officer_login() IS 'Which officer reads.';

CREATE FUNCTION audit.my_units() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((SELECT units FROM audit.officer
                    WHERE login = audit.officer_login() AND revoked_at IS NULL), '{}')
$$;
COMMENT ON FUNCTION audit.my_units() IS 'Units whose records the officer reads.';

CREATE FUNCTION audit.my_audiences() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((SELECT audiences || '{everyone}' FROM audit.officer
                    WHERE login = audit.officer_login() AND revoked_at IS NULL), '{}')
$$;
COMMENT ON FUNCTION audit.my_audiences() IS 'Groups whose policies the officer reads.';
"""

RECORD = """
ALTER FUNCTION audit.derive_citations() SECURITY DEFINER;
ALTER FUNCTION audit.derive_citations() SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION audit.content_digests()
  RETURNS TABLE (record_id uuid, field text, digest text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT record_id, field, encode(sha256(
           salt || convert_to(field, 'UTF8') || '\\x00'::bytea || convert_to(body, 'UTF8')), 'hex')
    FROM audit.content
$$;
COMMENT ON FUNCTION audit.content_digests() IS
  'What records commit to, computed from the texts as they are: to verify without reading them.';
"""

INDEXES = """
CREATE FUNCTION citebound.build_index(name text, of_table regclass, definition text) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, {vector}, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_index
              WHERE indexrelid = to_regclass(format('citebound.%I', name)) AND indisvalid) THEN
    RETURN;
  END IF;
  -- One at a time; whoever publishes waits, whoever searches does not.
  EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', of_table);
  IF EXISTS (SELECT FROM pg_index
              WHERE indexrelid = to_regclass(format('citebound.%I', name)) AND NOT indisvalid) THEN
    EXECUTE format('DROP INDEX citebound.%I', name);
  END IF;
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s USING hnsw %s', name, of_table, definition);
END $$;
COMMENT ON FUNCTION citebound.build_index(text, regclass, text) IS
  'Builds an index unless it is there; one whose building was interrupted is built anew.';

CREATE FUNCTION citebound.build_term_index() RETURNS void LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
  SELECT citebound.build_index(
    'chunk_terms_weights_hnsw', 'citebound.chunk_terms', '(weights sparsevec_ip_ops)')
$$;
COMMENT ON FUNCTION citebound.build_term_index() IS
  'Builds the index of words for the application.';

CREATE FUNCTION citebound.build_vector_index(of_space integer) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT citebound.build_index(
    format('chunk_embeddings_%s_hnsw', id), 'citebound.chunk_embeddings',
    format('(CAST(vector AS halfvec(%s)) halfvec_ip_ops) WHERE space_id = %s', dimensions, id))
    FROM citebound.embedding_spaces WHERE id = of_space
$$;
COMMENT ON FUNCTION citebound.build_vector_index(integer) IS
  'Builds the index of an embedding space for the application.';

CREATE FUNCTION citebound.drop_vector_index(of_space integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM citebound.embedding_spaces WHERE id = of_space) THEN
    RAISE EXCEPTION 'embedding space % is still there', of_space;
  END IF;
  EXECUTE format('DROP INDEX IF EXISTS citebound.%I', format('chunk_embeddings_%s_hnsw', of_space));
END $$;
COMMENT ON FUNCTION citebound.drop_vector_index(integer) IS
  'Drops the index of an embedding space that is gone.';
"""

SECURED = {
    "audit": ("record", "citation", "content", "leaf", "checkpoint", "officer"),
    "citebound": ("policies", "policy_versions", "sections"),
}
SECURE = """
ALTER TABLE {0}.{1} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {0}.{1} FORCE ROW LEVEL SECURITY;
CREATE POLICY {1}_owner ON {0}.{1} TO citebound_owner USING (true) WITH CHECK (true);
"""
"""Of the owner's changes the triggers tell: without a policy, they would pass over all rows."""
ROWS = """
CREATE POLICY record_append ON audit.record FOR INSERT
  TO citebound_app, citebound_sequencer, citebound_console WITH CHECK (true);
CREATE POLICY record_all ON audit.record FOR SELECT
  TO citebound_sequencer, citebound_auditor USING (true);
CREATE POLICY record_unit ON audit.record FOR SELECT TO citebound_officer
  USING ('*' = ANY ((SELECT audit.my_units())::text[])
         OR unit = ANY ((SELECT audit.my_units())::text[]));
CREATE POLICY content_append ON audit.content FOR INSERT
  TO citebound_app, citebound_sequencer, citebound_console WITH CHECK (true);
CREATE POLICY content_unit ON audit.content FOR SELECT TO citebound_officer
  USING ('*' = ANY ((SELECT audit.my_units())::text[])
         OR EXISTS (SELECT FROM audit.record AS r WHERE r.id = content.record_id));
CREATE POLICY content_all ON audit.content FOR SELECT TO citebound_auditor USING (true);
CREATE POLICY citation_all ON audit.citation FOR SELECT TO citebound_auditor USING (true);
CREATE POLICY citation_unit ON audit.citation FOR SELECT TO citebound_officer
  USING ('*' = ANY ((SELECT audit.my_units())::text[])
         OR EXISTS (SELECT FROM audit.record AS r WHERE r.id = citation.record_id));
CREATE POLICY leaf_append ON audit.leaf FOR INSERT TO citebound_sequencer WITH CHECK (true);
CREATE POLICY leaf_all ON audit.leaf FOR SELECT
  TO citebound_sequencer, citebound_auditor USING (true);
CREATE POLICY leaf_unit ON audit.leaf FOR SELECT TO citebound_officer
  USING ('*' = ANY ((SELECT audit.my_units())::text[])
         OR EXISTS (SELECT FROM audit.record AS r WHERE r.id = leaf.record_id));
CREATE POLICY checkpoint_append ON audit.checkpoint FOR INSERT
  TO citebound_sequencer WITH CHECK (true);
CREATE POLICY checkpoint_all ON audit.checkpoint FOR SELECT
  TO citebound_sequencer, citebound_auditor, citebound_officer USING (true);
CREATE POLICY officer_all ON audit.officer FOR SELECT TO citebound_auditor USING (true);

CREATE POLICY policies_app ON citebound.policies TO citebound_app USING (true) WITH CHECK (true);
CREATE POLICY policy_versions_app ON citebound.policy_versions
  TO citebound_app USING (true) WITH CHECK (true);
CREATE POLICY sections_app ON citebound.sections TO citebound_app USING (true) WITH CHECK (true);
CREATE POLICY policy_versions_audience ON citebound.policy_versions FOR SELECT TO citebound_officer
  USING ('*' = ANY ((SELECT audit.my_audiences())::text[])
         OR audience && (SELECT audit.my_audiences())::text[]);
CREATE POLICY policies_audience ON citebound.policies FOR SELECT TO citebound_officer
  USING (EXISTS (SELECT FROM citebound.policy_versions AS v WHERE v.policy_id = policies.id));
CREATE POLICY sections_audience ON citebound.sections FOR SELECT TO citebound_officer
  USING (EXISTS (SELECT FROM citebound.policy_versions AS v WHERE v.id = sections.version_id));
"""

GRANTS = """
GRANT USAGE ON SCHEMA citebound TO citebound_app, citebound_sequencer, citebound_auditor, citebound_officer;
GRANT USAGE ON SCHEMA audit TO citebound_app, citebound_sequencer, citebound_auditor, citebound_officer;
GRANT SELECT ON citebound.alembic_version TO citebound_app, citebound_sequencer, citebound_auditor, citebound_officer;
GRANT SELECT ON citebound.schema_compatibility TO citebound_app, citebound_sequencer, citebound_auditor, citebound_officer;

GRANT INSERT (canonical, leaf_hash) ON audit.record TO citebound_app, citebound_sequencer, citebound_console;
GRANT INSERT (record_id, field, salt, body) ON audit.content TO citebound_app, citebound_sequencer, citebound_console;
GRANT EXECUTE ON FUNCTION audit.doc(bytea) TO citebound_app, citebound_sequencer, citebound_console;
GRANT EXECUTE ON FUNCTION audit.instant(text) TO citebound_app, citebound_sequencer, citebound_officer;

GRANT SELECT (id, xid, at, leaf_hash) ON audit.record TO citebound_sequencer;
GRANT SELECT, INSERT ON audit.leaf TO citebound_sequencer;
GRANT SELECT, INSERT ON audit.checkpoint TO citebound_sequencer;

GRANT SELECT ON audit.tag TO citebound_auditor, citebound_officer;
GRANT SELECT ON audit.record TO citebound_auditor, citebound_officer;
GRANT SELECT ON audit.citation TO citebound_auditor, citebound_officer;
GRANT SELECT ON audit.leaf TO citebound_auditor, citebound_officer;
GRANT SELECT ON audit.checkpoint TO citebound_auditor, citebound_officer;
GRANT SELECT ON audit.officer TO citebound_auditor;
GRANT SELECT (record_id, field, retain_until, hold_id) ON audit.content TO citebound_auditor;
GRANT EXECUTE ON FUNCTION audit.content_digests() TO citebound_auditor;

GRANT SELECT ON audit.content TO citebound_officer;
GRANT SELECT ON audit.v_answers TO citebound_officer;
GRANT SELECT ON audit.v_refusals TO citebound_officer;
GRANT SELECT ON audit.v_low_confidence TO citebound_officer;
GRANT SELECT ON audit.v_citations_by_section TO citebound_officer;
GRANT SELECT ON audit.v_feedback TO citebound_officer;
GRANT SELECT ON audit.v_feedback_counts TO citebound_officer;
GRANT SELECT ON audit.v_open_cases TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.officer_login() TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.my_units() TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.my_audiences() TO citebound_officer;
GRANT SELECT ON citebound.editions TO citebound_officer;
GRANT SELECT ON citebound.policies TO citebound_officer;
GRANT SELECT ON citebound.policy_versions TO citebound_officer;
GRANT SELECT ON citebound.sections TO citebound_officer;

GRANT SELECT, INSERT ON citebound.editions TO citebound_app;
GRANT SELECT, INSERT ON citebound.policies TO citebound_app;
GRANT SELECT, INSERT ON citebound.policy_versions TO citebound_app;
GRANT UPDATE (edition_until) ON citebound.policy_versions TO citebound_app;
GRANT SELECT, INSERT ON citebound.policy_files TO citebound_app;
GRANT UPDATE (path) ON citebound.policy_files TO citebound_app;
GRANT SELECT, INSERT ON citebound.withdrawals TO citebound_app;
GRANT SELECT, INSERT ON citebound.sections TO citebound_app;
GRANT SELECT, INSERT ON citebound.chunks TO citebound_app;
GRANT SELECT, INSERT ON citebound.cross_references TO citebound_app;
GRANT UPDATE (target_policy_id, target_eid) ON citebound.cross_references TO citebound_app;
GRANT SELECT ON citebound.version_readers TO citebound_app;
GRANT EXECUTE ON FUNCTION citebound.live_versions(integer, date, text[], text, text[]) TO citebound_app;

GRANT SELECT, INSERT ON citebound.entities TO citebound_app;
GRANT SELECT, INSERT ON citebound.relations TO citebound_app;
GRANT SELECT, INSERT ON citebound.provenance TO citebound_app;
GRANT SELECT, INSERT ON citebound.extracted_sections TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.fact_indexes TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.fact_words TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.entity_words TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.word_counts TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.lead_ins TO citebound_app;

GRANT SELECT, INSERT ON citebound.terms TO citebound_app;
GRANT UPDATE (df) ON citebound.terms TO citebound_app;
GRANT SELECT ON citebound.lexical_stats TO citebound_app;
GRANT UPDATE (chunks, words, heading_words, mean_words, mean_heading_words) ON citebound.lexical_stats TO citebound_app;
GRANT SELECT, INSERT ON citebound.indexed_versions TO citebound_app;
GRANT SELECT, INSERT ON citebound.chunk_lexemes TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.chunk_terms TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.embedding_spaces TO citebound_app;
GRANT UPDATE (state, model) ON citebound.embedding_spaces TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.chunk_embeddings TO citebound_app;
GRANT EXECUTE ON FUNCTION citebound.build_term_index() TO citebound_app;
GRANT EXECUTE ON FUNCTION citebound.build_vector_index(integer) TO citebound_app;
GRANT EXECUTE ON FUNCTION citebound.drop_vector_index(integer) TO citebound_app;

GRANT SELECT, INSERT ON citebound.conversations TO citebound_app;
GRANT UPDATE (next_seq) ON citebound.conversations TO citebound_app;
GRANT SELECT, INSERT, UPDATE ON citebound.inbox TO citebound_app;
GRANT SELECT, INSERT, UPDATE ON citebound.outbox TO citebound_app;
GRANT SELECT, INSERT ON citebound.questions TO citebound_app;
GRANT SELECT, INSERT ON citebound.answers TO citebound_app;
GRANT SELECT, INSERT ON citebound.claims TO citebound_app;
GRANT SELECT, INSERT ON citebound.citations TO citebound_app;
GRANT INSERT ON citebound.trace_steps TO citebound_app;
GRANT SELECT, INSERT ON citebound.model_calls TO citebound_app;
GRANT SELECT, INSERT ON citebound.overspent_days TO citebound_app;
GRANT SELECT, INSERT ON citebound.feedback TO citebound_app;
GRANT SELECT, INSERT, UPDATE ON citebound.cases TO citebound_app;
GRANT USAGE ON SEQUENCE citebound.cases_number_seq TO citebound_app;
GRANT SELECT, INSERT ON citebound.case_messages TO citebound_app;

GRANT SELECT, INSERT ON citebound.askers TO citebound_app;
GRANT UPDATE (person, told_until) ON citebound.askers TO citebound_app;
GRANT SELECT, INSERT ON citebound.channel_paces TO citebound_app;
GRANT UPDATE (free_at, rests_until) ON citebound.channel_paces TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.turns TO citebound_app;
GRANT UPDATE (taken) ON citebound.turns TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.leases TO citebound_app;
GRANT UPDATE (holder, until) ON citebound.leases TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.conversation_references TO citebound_app;
GRANT UPDATE (person, team, facts, updated_at) ON citebound.conversation_references TO citebound_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON citebound.slack_installations TO citebound_app;
GRANT SELECT, INSERT, DELETE ON citebound.slack_oauth_states TO citebound_app;
"""  # noqa: E501  # a grant a line
COMPATIBLE = """
INSERT INTO citebound.schema_compatibility VALUES ('0032_roles', '0030_compatibility');
"""

BACK = """
DELETE FROM citebound.schema_compatibility WHERE revision = '0032_roles';
DROP FUNCTION citebound.build_term_index(), citebound.build_vector_index(integer),
  citebound.drop_vector_index(integer), citebound.build_index(text, regclass, text),
  audit.content_digests();
ALTER FUNCTION audit.derive_citations() SECURITY INVOKER;
ALTER FUNCTION audit.derive_citations() RESET ALL;
ALTER VIEW citebound.passage_labels RESET (security_invoker);
"""
UNSECURE = """
ALTER TABLE {0}.{1} NO FORCE ROW LEVEL SECURITY;
ALTER TABLE {0}.{1} DISABLE ROW LEVEL SECURITY;
"""
DROP_POLICIES = """
DO $$
DECLARE
  found record;
BEGIN
  FOR found IN SELECT policyname, schemaname, tablename FROM pg_policies
                WHERE schemaname IN ('citebound', 'audit') LOOP
    EXECUTE format('DROP POLICY %I ON %I.%I', found.policyname, found.schemaname, found.tablename);
  END LOOP;
END $$;
DROP FUNCTION audit.my_units(), audit.my_audiences(), audit.officer_login();
DROP TABLE audit.officer;
"""
OPEN = """
REVOKE ALL ON SCHEMA citebound, audit FROM {0};
REVOKE ALL ON ALL TABLES IN SCHEMA citebound, audit FROM {0};
REVOKE ALL ON ALL SEQUENCES IN SCHEMA citebound, audit FROM {0};
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA citebound, audit FROM {0};
"""
BY_DEFAULT = """
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA citebound, audit TO PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE citebound_owner GRANT EXECUTE ON FUNCTIONS TO PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE citebound_owner GRANT USAGE ON TYPES TO PUBLIC;
"""
MEMBERS = (
    "citebound_app, citebound_sequencer, citebound_officer, citebound_auditor, citebound_console"
)


def upgrade() -> None:
    """Make the roles, hand all over to the owner, and grant what each role needs."""
    connection = op.get_bind()
    create_roles(connection)
    vector = connection.scalar(
        text(
            "SELECT quote_ident(nspname) FROM pg_extension"
            " JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'vector'"
        )
    )
    op.execute(HAND_OVER.format(of_us=OF_US, to="'citebound_owner'"))
    op.execute("SET LOCAL ROLE citebound_owner")
    op.execute(CLOSE)
    op.execute(OFFICERS)
    op.execute(RECORD)
    op.execute(INDEXES.replace("{vector}", str(vector)))
    op.execute("ALTER VIEW citebound.passage_labels SET (security_invoker)")
    for schema, tables in SECURED.items():
        for table in tables:
            op.execute(SECURE.format(schema, table))
    op.execute(ROWS)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Hand all back to who migrates; the roles stay, as other databases may have them."""
    op.execute(BACK)
    for schema, tables in SECURED.items():
        for table in tables:
            op.execute(UNSECURE.format(schema, table))
    op.execute(DROP_POLICIES)
    op.execute(OPEN.format(MEMBERS))
    op.execute(BY_DEFAULT)
    op.execute("SET LOCAL ROLE NONE")
    op.execute(HAND_OVER.format(of_us=OF_US, to="session_user"))
