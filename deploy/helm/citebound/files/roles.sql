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
