"""Officers whom a report names see nothing of it: neither the case nor what is recorded of it."""

from alembic import op

revision = "0078_reports"
down_revision = "0073_published_texts"

RULES = """
ALTER TABLE citebound.cases ADD COLUMN excluded text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN citebound.cases.excluded IS
  'Logins and platforms'' ids of officers who must not hear of this report.';

CREATE FUNCTION citebound.may_hear(excluded text[]) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(current_setting('citebound.own_unit', true), '') = ''
      OR (citebound.readers())[1] <> ALL (excluded)
$$;
COMMENT ON FUNCTION citebound.may_hear(text[]) IS
  'Whether the officer for whom rows are read is none of these.';
ALTER POLICY cases_reach ON citebound.cases
  USING (('*' = ANY ((SELECT citebound.reached_units())::text[])
          OR citebound.reaches(cases.record_id)) AND citebound.may_hear(excluded));

CREATE FUNCTION audit.is_kept_from_me(of_case text) RETURNS boolean LANGUAGE sql STABLE
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM citebound.cases
                  WHERE id = CAST(of_case AS uuid) AND audit.officer_login() = ANY (excluded))
$$;
COMMENT ON FUNCTION audit.is_kept_from_me(text) IS
  'Whether a case is a report of which the officer must not hear.';
CREATE POLICY record_reports ON audit.record AS RESTRICTIVE FOR SELECT TO citebound_officer
  USING (tag NOT LIKE 'case:%' OR NOT audit.is_kept_from_me(doc->>'case'));
"""
GRANTS = """
GRANT EXECUTE ON FUNCTION citebound.may_hear(text[]) TO citebound_app;
GRANT EXECUTE ON FUNCTION audit.is_kept_from_me(text) TO citebound_officer;
"""
UNDONE = """
DROP POLICY record_reports ON audit.record;
DROP FUNCTION audit.is_kept_from_me(text);
ALTER POLICY cases_reach ON citebound.cases
  USING ('*' = ANY ((SELECT citebound.reached_units())::text[])
         OR citebound.reaches(cases.record_id));
DROP FUNCTION citebound.may_hear(text[]);
ALTER TABLE citebound.cases DROP COLUMN excluded;
"""
COMPATIBLE = "INSERT INTO citebound.schema_compatibility VALUES ('0078_reports', '0044_identity')"


def upgrade() -> None:
    """Let cases keep whom they are kept from."""
    op.execute(RULES)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take it back: officers read as before."""
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0078_reports'")
    op.execute(UNDONE)
