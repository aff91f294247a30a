-- Closes what is open to every login in a database of Postgres, and what nothing of Citebound uses: large objects and
-- temporary tables, by which who may only read would write without bounds. For an administrator, once, where
-- `citebound migrate` is no superuser; run again it changes nothing.
--
--   psql -d citebound -f deploy/sql/close.sql
DO $$
DECLARE
  closed regprocedure;
BEGIN
  FOR closed IN SELECT oid FROM pg_proc
      WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^(lo_|loread|lowrite)' LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', closed);
  END LOOP;
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;
