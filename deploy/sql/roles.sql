-- The roles of Citebound, for an administrator of the server, once: where what `citebound migrate`
-- connects as may create no roles, as on most managed servers. Run again it changes nothing.
--
--   psql -d citebound -f deploy/sql/roles.sql
--
-- Nobody logs in as one of these. Then make logins that are members of them:
--
--   CREATE ROLE citebound_bot LOGIN PASSWORD '...' IN ROLE citebound_app;         -- serve, work, ask, ingest
--   CREATE ROLE citebound_seal LOGIN PASSWORD '...' IN ROLE citebound_sequencer;  -- audit seal
--   CREATE ROLE citebound_check LOGIN PASSWORD '...' IN ROLE citebound_auditor;   -- audit verify
--   GRANT citebound_owner TO citebound;                                           -- migrate
--
-- On a managed server the administrator's login may have to be a member of citebound_owner itself
-- to hand over what was made before there were roles.
DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['citebound_owner', 'citebound_app', 'citebound_sequencer',
                                'citebound_officer', 'citebound_auditor', 'citebound_console'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;  -- For another database of this server it was made at the same time.
      END;
    END IF;
  END LOOP;
  IF NOT pg_has_role('citebound_console', 'citebound_officer', 'MEMBER') THEN
    BEGIN
      GRANT citebound_officer TO citebound_console;
    EXCEPTION WHEN unique_violation THEN
      NULL;
    END;
  END IF;
END $$;
