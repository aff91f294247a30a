"""Records by the digits that people read below a reply: the last eight of their id.

The first ones tell the time, and stay the same for a minute. Officers read by row-level security,
which comes before any comparison that is not leakproof, so their look-up would read every record:
a function finds the ids by an index, and what they stand for is read by the policies, as before.
"""

from alembic import op

revision = "0061_reference"
down_revision = "0060_source_access"

REFERENCE = """
CREATE INDEX record_reference_idx ON audit.record (right(id::text, 8));

CREATE FUNCTION audit.referred(reference text) RETURNS SETOF uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT id FROM audit.record WHERE right(id::text, 8) = reference
$$;
COMMENT ON FUNCTION audit.referred(text) IS 'Ids of records that end in eight digits.';
REVOKE EXECUTE ON FUNCTION audit.referred(text) FROM PUBLIC;
INSERT INTO citebound.schema_compatibility VALUES ('0061_reference', '0044_identity');
"""
GRANTS = """
GRANT EXECUTE ON FUNCTION audit.referred(text) TO citebound_auditor, citebound_officer;
"""


def upgrade() -> None:
    """Create the index, and the function that reads it."""
    op.execute(REFERENCE)
    op.execute(GRANTS)


def downgrade() -> None:
    """Drop both."""
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0061_reference'")
    op.execute("DROP FUNCTION audit.referred(text)")
    op.execute("DROP INDEX audit.record_reference_idx")
