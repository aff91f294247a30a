"""Policies can be withdrawn; one whose last version is over is not in force; access is today's."""

from alembic import op

revision = "0023_withdrawals"
down_revision = "0022_waiting"

TABLES = """
CREATE TABLE citebound.withdrawals (
  edition integer CONSTRAINT withdrawals_pkey PRIMARY KEY
    CONSTRAINT withdrawals_edition_fkey REFERENCES citebound.editions,
  policy_id bigint NOT NULL CONSTRAINT withdrawals_policy_id_fkey REFERENCES citebound.policies,
  withdrawn_from date NOT NULL,
  is_file_gone boolean NOT NULL,
  reason text NOT NULL);
CREATE INDEX withdrawals_policy_id_edition_idx ON citebound.withdrawals (policy_id, edition);
COMMENT ON TABLE citebound.withdrawals IS
  'From the day on, no version of the policy that an earlier edition published is in force.';
COMMENT ON COLUMN citebound.withdrawals.is_file_gone IS
  'true: withdrawn because its file was gone, and back with the file';

CREATE TABLE citebound.policy_files (
  policy_id bigint CONSTRAINT policy_files_pkey PRIMARY KEY
    CONSTRAINT policy_files_policy_id_fkey REFERENCES citebound.policies,
  path text NOT NULL);
COMMENT ON COLUMN citebound.policy_files.path IS
  'absolute path of the file that the policy was read from last';

INSERT INTO audit.tag (tag, is_outcome) VALUES ('policy:withdrawn', false)
  ON CONFLICT DO NOTHING;
"""

READERS = """
CREATE VIEW citebound.version_readers AS
SELECT v.id AS version_id, v.policy_id, v.number, v.edition_from, v.edition_until,
       v.effective_from, v.effective_until, v.jurisdiction, v.tags,
       first_value(v.audience) OVER (PARTITION BY v.policy_id, v.sha256
         ORDER BY v.is_later, v.number DESC) AS of_text,
       first_value(v.audience) OVER (PARTITION BY v.policy_id
         ORDER BY v.edition_until IS NOT NULL, v.is_later, v.effective_from DESC NULLS LAST,
                  v.number DESC) AS of_today
  FROM (SELECT *, coalesce(effective_from > (now() AT TIME ZONE 'UTC')::date, false) AS is_later
          FROM citebound.policy_versions) v;
COMMENT ON VIEW citebound.version_readers IS
  'Who may read a version now, whatever edition or day is asked for: somebody of both audiences.';
COMMENT ON COLUMN citebound.version_readers.of_text IS 'said last of the same file';
COMMENT ON COLUMN citebound.version_readers.of_today IS
  'of the version that holds today, or held last';
"""

# One pass over the versions: a join with the view would be planned as a loop over it.
LIVE_VERSIONS = """
CREATE OR REPLACE FUNCTION citebound.live_versions(
    at_edition integer, on_day date, reader_groups text[], in_jurisdiction text, with_tags text[])
  RETURNS TABLE (version_id bigint) LANGUAGE sql STABLE AS $$
  WITH begun AS (
    SELECT DISTINCT ON (v.policy_id) v.*
      FROM citebound.version_readers v
     WHERE (at_edition IS NULL OR v.edition_from <= at_edition)
       AND (v.edition_until IS NULL OR at_edition < v.edition_until)
       AND (v.effective_from IS NULL OR v.effective_from <= on_day)
       AND NOT EXISTS (
         SELECT FROM citebound.withdrawals w
          WHERE w.policy_id = v.policy_id AND w.edition > v.edition_from
            AND (at_edition IS NULL OR w.edition <= at_edition) AND w.withdrawn_from <= on_day)
     ORDER BY v.policy_id, v.effective_from DESC NULLS LAST, v.number DESC)
  SELECT b.version_id FROM begun b
   WHERE (b.effective_until IS NULL OR on_day < b.effective_until)
     AND b.of_text && reader_groups AND b.of_today && reader_groups
     AND (in_jurisdiction IS NULL OR b.jurisdiction IS NULL OR b.jurisdiction = in_jurisdiction)
     AND (cardinality(with_tags) = 0 OR b.tags && with_tags)
$$;
COMMENT ON FUNCTION citebound.live_versions IS
  'Of each policy the version that began last, at an edition (null: the current one) by a day: none'
  ' if that one is over or withdrawn, or if the scope may not read it today.';
"""

BEFORE = """
CREATE OR REPLACE FUNCTION citebound.live_versions(
    at_edition integer, on_day date, reader_groups text[], in_jurisdiction text, with_tags text[])
  RETURNS TABLE (version_id bigint) LANGUAGE sql STABLE AS $$
  WITH in_force AS (
    SELECT DISTINCT ON (v.policy_id) v.id, v.audience, v.jurisdiction, v.tags
      FROM citebound.policy_versions v
     WHERE (at_edition IS NULL OR v.edition_from <= at_edition)
       AND (v.edition_until IS NULL OR at_edition < v.edition_until)
       AND (v.effective_from IS NULL OR v.effective_from <= on_day)
       AND (v.effective_until IS NULL OR on_day < v.effective_until)
     ORDER BY v.policy_id, v.effective_from DESC NULLS LAST, v.number DESC)
  SELECT f.id FROM in_force f
   WHERE f.audience && reader_groups
     AND (in_jurisdiction IS NULL OR f.jurisdiction IS NULL OR f.jurisdiction = in_jurisdiction)
     AND (cardinality(with_tags) = 0 OR f.tags && with_tags)
$$;
COMMENT ON FUNCTION citebound.live_versions IS
  'The one version of each policy in force at an edition (null: the current one) on a day,'
  ' if the scope may read it.';
"""


def upgrade() -> None:
    """Create them, and let the function look at them."""
    op.execute(TABLES)
    op.execute(READERS)
    op.execute(LIVE_VERSIONS)


def downgrade() -> None:
    """Let the function forget them, and drop them; a tag that the record uses stays."""
    op.execute(BEFORE)
    op.execute("DROP VIEW citebound.version_readers")
    op.execute("DROP TABLE citebound.policy_files, citebound.withdrawals")
    op.execute(
        "DELETE FROM audit.tag t WHERE tag = 'policy:withdrawn'"
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
