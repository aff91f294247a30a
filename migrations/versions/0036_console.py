"""The officers' console: links that sign in once, sessions, and what its pages are found by."""

from alembic import op

revision = "0036_console"
down_revision = "0033_officers"

TABLES = """
CREATE TABLE citebound.console_links (
  secret_hash bytea CONSTRAINT console_links_pkey PRIMARY KEY
    CONSTRAINT console_links_secret_hash_check CHECK (octet_length(secret_hash) = 32),
  login text NOT NULL,
  platform text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  valid_until timestamptz NOT NULL,
  used_at timestamptz);
CREATE INDEX console_links_login_made_at_idx ON citebound.console_links (login, made_at);
COMMENT ON TABLE citebound.console_links IS 'Links that sign an officer in to the console.';
COMMENT ON COLUMN citebound.console_links.secret_hash IS 'SHA-256 of what the link holds';
COMMENT ON COLUMN citebound.console_links.login IS 'the officer';
COMMENT ON COLUMN citebound.console_links.platform IS 'where it was sent';
COMMENT ON COLUMN citebound.console_links.used_at IS 'null: not yet; it works once';

CREATE TABLE citebound.console_sessions (
  secret_hash bytea CONSTRAINT console_sessions_pkey PRIMARY KEY
    CONSTRAINT console_sessions_secret_hash_check CHECK (octet_length(secret_hash) = 32),
  login text NOT NULL,
  began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ends_at timestamptz NOT NULL,
  ended_at timestamptz);
CREATE INDEX console_sessions_login_idx ON citebound.console_sessions (login)
  WHERE ended_at IS NULL;
COMMENT ON TABLE citebound.console_sessions IS 'Browsers in which an officer is signed in.';
COMMENT ON COLUMN citebound.console_sessions.secret_hash IS 'SHA-256 of what the cookie holds';
COMMENT ON COLUMN citebound.console_sessions.login IS 'the officer';
COMMENT ON COLUMN citebound.console_sessions.seen_at IS 'last request; 30 minutes later it is over';
COMMENT ON COLUMN citebound.console_sessions.ends_at IS 'when it is over in any case';
COMMENT ON COLUMN citebound.console_sessions.ended_at IS 'signed out, or revoked; null: neither';

"""
FUNCTIONS = """
CREATE FUNCTION audit.is_officer(named text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM audit.officer WHERE login = named AND revoked_at IS NULL)
$$;
COMMENT ON FUNCTION audit.is_officer(text) IS
  'Whether somebody may read the record: whoever may not is let into no console.';

CREATE FUNCTION audit.leaf_hashes(size bigint) RETURNS SETOF bytea LANGUAGE sql STABLE
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT leaf_hash FROM audit.leaf WHERE idx < size ORDER BY idx
$$;
COMMENT ON FUNCTION audit.leaf_hashes(bigint) IS
  'The first leaves of the ledger, of all units, for proofs: they tell nothing of the records.';

CREATE INDEX content_words_idx ON audit.content USING gin (to_tsvector('simple', body))
  WHERE field IN ('question', 'answer');
CREATE FUNCTION audit.records_with_words(words text, most integer) RETURNS uuid[]
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  units text[] := audit.my_units();
  found uuid[];
BEGIN
  -- Row-level security keeps officers' own statements from the index: it is not proven that the
  -- operator tells nothing of rows that they may not see. Here units are compared instead.
  SELECT array_agg(record_id) INTO found FROM (
    SELECT c.record_id FROM audit.content AS c
     WHERE c.field IN ('question', 'answer')
       AND to_tsvector('simple', c.body) @@ websearch_to_tsquery('simple', words)
       AND ('*' = ANY (units) OR EXISTS (
             SELECT FROM audit.record AS r WHERE r.id = c.record_id AND r.unit = ANY (units)))
     LIMIT most + 1) AS matches;
  IF cardinality(found) > most THEN
    RETURN NULL;
  END IF;
  RETURN coalesce(found, '{}');
END $$;
COMMENT ON FUNCTION audit.records_with_words(text, integer) IS
  'Records of the officer''s units whose question or answer has the words; null: more than that.';

INSERT INTO audit.tag (tag, is_outcome) VALUES ('officer:signed_in', false);
INSERT INTO citebound.schema_compatibility VALUES ('0036_console', '0030_compatibility');
"""
GRANTS = """
GRANT SELECT, INSERT, UPDATE, DELETE ON citebound.console_links TO citebound_app;
GRANT SELECT, INSERT, UPDATE ON citebound.console_sessions TO citebound_app;
GRANT EXECUTE ON FUNCTION audit.is_officer(text) TO citebound_app;
GRANT EXECUTE ON FUNCTION audit.leaf_hashes(bigint) TO citebound_officer;
GRANT EXECUTE ON FUNCTION audit.records_with_words(text, integer) TO citebound_officer;
"""


def upgrade() -> None:
    """Create them."""
    op.execute(TABLES)
    op.execute(FUNCTIONS)
    op.execute(GRANTS)


def downgrade() -> None:
    """Drop them; a tag that the record uses stays."""
    op.execute("DROP TABLE citebound.console_links, citebound.console_sessions")
    op.execute("DROP INDEX audit.content_words_idx")
    op.execute(
        "DROP FUNCTION audit.is_officer(text), audit.leaf_hashes(bigint),"
        " audit.records_with_words(text, integer)"
    )
    op.execute(
        "DELETE FROM audit.tag t WHERE tag = 'officer:signed_in'"
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0036_console'")
