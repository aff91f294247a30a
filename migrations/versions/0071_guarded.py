"""Guard the ledger: a lock that only the sequencer may take, and authors by tag.

Any login can take any advisory lock, and a role that may insert records could write each of them in
anybody's name. Large objects and temporary tables are closed where who migrates may close them;
elsewhere `deploy/sql/close.sql` does.
"""

from alembic import op

revision = "0071_guarded"
down_revision = "0070_reach"

LOCK = """
CREATE TABLE citebound.sealing (sealing boolean NOT NULL);
COMMENT ON TABLE citebound.sealing IS 'Empty: whoever seals the record locks it.';
COMMENT ON COLUMN citebound.sealing.sealing IS 'Holds nothing.';
"""
OWN_FUNCTIONS = (
    *("content:erased", "retention:applied", "hold:placed", "hold:released"),
    *("unmask:requested", "unmask:approved", "unmask:denied", "identity:unmasked"),
    *("erasure:requested", "erasure:approved", "erasure:denied"),
    *("ledger:verified", "query:executed", "record:viewed"),
)
"""Written by the owner's functions alone, which check what they write."""
AUTHORS = {
    "citebound_sequencer": (
        *("ledger:anchored", "ledger:restored", "key:introduced", "key:retired"),
    ),
    "citebound_owner": ("officer:granted", "officer:revoked", "schema:migrated"),
    "citebound_console": ("bundle:exported", "answer:replayed", "shadow:compared"),
    "citebound_app,citebound_sequencer": (
        *("service:started", "service:stopped"),
        *("settings:changed", "channel:configured", "access:changed"),
    ),
}
"""Roles by tag; the others are the application's."""
COLUMN = """
ALTER TABLE audit.tag ADD COLUMN authors text[] NOT NULL DEFAULT '{citebound_app}';
COMMENT ON COLUMN audit.tag.authors IS
  'Roles that may write it; none: functions of the owner alone.';
"""
WRITTEN_BY = "UPDATE audit.tag SET authors = '{{{roles}}}' WHERE tag IN ({tags})"
AUTHOR = """
CREATE FUNCTION audit.authors_of(of_tag text) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$ SELECT authors FROM audit.tag WHERE tag = of_tag $$;
COMMENT ON FUNCTION audit.authors_of(text) IS 'Roles that may write records of a tag.';

CREATE OR REPLACE FUNCTION audit.check_author() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  allowed text[] := audit.authors_of(NEW.tag);
BEGIN
  IF allowed = '{}' AND current_user <> 'citebound_owner' THEN
    RAISE EXCEPTION '% is recorded by the function that does it', NEW.tag
      USING ERRCODE = 'insufficient_privilege';
  ELSIF allowed <> '{}' AND NOT EXISTS (
      SELECT FROM unnest(allowed) AS author WHERE pg_has_role(current_user, author, 'USAGE')) THEN
    RAISE EXCEPTION '% is recorded by %, and % is none', NEW.tag, allowed, current_user
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER check_author ON audit.record;
CREATE TRIGGER check_author AFTER INSERT ON audit.record FOR EACH ROW
  EXECUTE FUNCTION audit.check_author();
ALTER TABLE audit.record ENABLE ALWAYS TRIGGER check_author;
"""
CLOSE = """
DO $$
DECLARE
  role text := current_setting('role');
  closed regprocedure;
BEGIN
  PERFORM set_config('role', 'none', true);
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = session_user) THEN
    FOR closed IN SELECT oid FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^(lo_|loread|lowrite)' LOOP
      EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', closed);
    END LOOP;
  END IF;
  IF (SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()) THEN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  END IF;
  PERFORM set_config('role', role, true);
END $$;
"""
GRANTS = """
GRANT UPDATE ON citebound.sealing TO citebound_sequencer;
GRANT EXECUTE ON FUNCTION audit.authors_of(text) TO citebound_app, citebound_sequencer;
GRANT EXECUTE ON FUNCTION audit.authors_of(text) TO citebound_officer;
"""
COMPATIBLE = "INSERT INTO citebound.schema_compatibility VALUES ('0071_guarded', '0044_identity')"
BEFORE = """
CREATE OR REPLACE FUNCTION audit.check_author() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user <> 'citebound_owner' THEN
    RAISE EXCEPTION '% is recorded by the function that does it', NEW.tag
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END $$;
ALTER FUNCTION audit.check_author() RESET search_path;
DROP TRIGGER check_author ON audit.record;
CREATE TRIGGER check_author AFTER INSERT ON audit.record FOR EACH ROW
  WHEN (NEW.tag IN ({tags}))
  EXECUTE FUNCTION audit.check_author();
ALTER TABLE audit.record ENABLE ALWAYS TRIGGER check_author;
"""


def upgrade() -> None:
    """Add the lock and the authors, and close what nobody needs."""
    op.execute(LOCK)
    op.execute(COLUMN)
    for roles, tags in {**AUTHORS, "": OWN_FUNCTIONS}.items():
        op.execute(WRITTEN_BY.format(roles=roles, tags=_listed(tags)))
    op.execute(AUTHOR)
    op.execute(GRANTS)
    op.execute(CLOSE)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take the guards back; what was closed stays closed."""
    op.execute(BEFORE.format(tags=_listed(OWN_FUNCTIONS[:11])))
    op.execute("DROP FUNCTION audit.authors_of(text)")
    op.execute("ALTER TABLE audit.tag DROP COLUMN authors")
    op.execute("DROP TABLE citebound.sealing")
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0071_guarded'")


def _listed(tags: tuple[str, ...]) -> str:
    return ", ".join(f"'{tag}'" for tag in tags)
