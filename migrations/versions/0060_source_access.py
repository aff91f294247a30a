"""Who may read a policy, as its source says: read apart from texts, kept by edition.

What a source says narrows what the versions say, and never widens it. A failing source is told of
once, and tried ever more rarely.
"""

from alembic import op

revision = "0060_source_access"
down_revision = "0059_sources"

TABLES = """
CREATE TABLE citebound.policy_readers (
  policy_id bigint NOT NULL CONSTRAINT policy_readers_policy_id_fkey REFERENCES citebound.policies,
  edition_from integer NOT NULL
    CONSTRAINT policy_readers_edition_from_fkey REFERENCES citebound.editions,
  edition_until integer
    CONSTRAINT policy_readers_edition_until_fkey REFERENCES citebound.editions,
  audience text[] NOT NULL,
  source text NOT NULL,
  CONSTRAINT policy_readers_pkey PRIMARY KEY (policy_id, edition_from));
CREATE UNIQUE INDEX policy_readers_current_key ON citebound.policy_readers (policy_id)
 WHERE edition_until IS NULL;
COMMENT ON TABLE citebound.policy_readers IS
  'Who may read a policy as its source says; whoever reads it must be of the audience of the version, too.';
COMMENT ON COLUMN citebound.policy_readers.edition_until IS 'null: it holds now';
COMMENT ON COLUMN citebound.policy_readers.audience IS 'groups; empty: nobody';
COMMENT ON COLUMN citebound.policy_readers.source IS 'name of the source that said so';

CREATE TABLE citebound.source_readers (
  source_id bigint NOT NULL CONSTRAINT source_readers_source_id_fkey
    REFERENCES citebound.sources ON DELETE CASCADE,
  item_id text NOT NULL,
  groups text[],
  problem text,
  read_at timestamptz NOT NULL,
  CONSTRAINT source_readers_pkey PRIMARY KEY (source_id, item_id));
COMMENT ON TABLE citebound.source_readers IS 'Who may read a document, in the words of its source.';
COMMENT ON COLUMN citebound.source_readers.groups IS
  'ids of groups as the source has them; null: everyone of the organisation; empty: nobody';
COMMENT ON COLUMN citebound.source_readers.problem IS
  'why they could not be read; the groups are then those of before, or none';

ALTER TABLE citebound.sources
  ADD COLUMN groups jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN failures integer NOT NULL DEFAULT 0,
  ADD COLUMN is_told boolean NOT NULL DEFAULT false,
  ADD COLUMN access_every_s integer NOT NULL DEFAULT 900
    CONSTRAINT sources_access_every_s_check CHECK (access_every_s >= 60),
  ADD COLUMN access_due_at timestamptz,
  ADD COLUMN access_begun_at timestamptz,
  ADD COLUMN access_token text,
  ADD COLUMN access_cursor text,
  ADD COLUMN access_lease uuid,
  ADD COLUMN access_leased_until timestamptz,
  ADD COLUMN access_read_at timestamptz,
  ADD COLUMN access_error text,
  ADD COLUMN access_error_since timestamptz,
  ADD COLUMN access_failures integer NOT NULL DEFAULT 0,
  ADD COLUMN is_access_told boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN citebound.sources.groups IS
  'ids of groups as the source has them, each with the group of our audiences that it is';
COMMENT ON COLUMN citebound.sources.failures IS 'attempts that failed, one after the other';
COMMENT ON COLUMN citebound.sources.is_told IS 'officers were told that it fails';
COMMENT ON COLUMN citebound.sources.access_due_at IS
  'when readers are to be read again; null: the source says nothing of them';
COMMENT ON COLUMN citebound.sources.access_begun_at IS
  'when the reading of readers began that has not ended; null: none has';
"""  # noqa: E501  # a comment a line

_OF_VERSION = """
SELECT v.id AS version_id, v.policy_id, v.number, v.edition_from, v.edition_until,
       v.effective_from, v.effective_until, v.jurisdiction, v.tags,
       first_value(v.audience) OVER (PARTITION BY v.policy_id, v.sha256
         ORDER BY v.is_later, v.number DESC) AS of_text,
       first_value(v.audience) OVER (PARTITION BY v.policy_id
         ORDER BY v.edition_until IS NOT NULL, v.is_later, v.effective_from DESC NULLS LAST,
                  v.number DESC) AS of_today{of_source}
  FROM (SELECT id, policy_id, number, edition_from, edition_until, effective_from,
               effective_until, jurisdiction, tags, audience, sha256,
               coalesce(effective_from > (now() AT TIME ZONE 'UTC')::date, false) AS is_later
          FROM citebound.policy_versions) v"""
_NEWEST = """
  LEFT JOIN citebound.policy_readers r ON r.policy_id = v.policy_id AND r.edition_until IS NULL"""
_SAID = """,
       coalesce(r.audience, first_value(v.audience) OVER (PARTITION BY v.policy_id, v.sha256
         ORDER BY v.is_later, v.number DESC)) AS of_source"""
READERS = f"""
CREATE OR REPLACE VIEW citebound.version_readers AS {_OF_VERSION.format(of_source=_SAID)}{_NEWEST};
COMMENT ON VIEW citebound.version_readers IS
  'Who may read a version now, whatever edition or day is asked for: somebody of all audiences.';
COMMENT ON COLUMN citebound.version_readers.of_source IS
  'said last by the source of the policy; as of_text, where it says nothing';

CREATE FUNCTION citebound.audience_now(audience text[], of_policy bigint) RETURNS text[]
  LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN r.audience IS NULL OR 'everyone' = ANY (r.audience) THEN $1
    WHEN 'everyone' = ANY ($1) THEN r.audience
    ELSE ARRAY(SELECT one FROM unnest($1) AS one WHERE one = ANY (r.audience)) END
  FROM (SELECT 1) AS always
  LEFT JOIN citebound.policy_readers r ON r.policy_id = $2 AND r.edition_until IS NULL
$$;
COMMENT ON FUNCTION citebound.audience_now IS
  'The audience of a version, as far as the source of its policy lets it read.';
"""  # noqa: S608  # constants
READERS_BEFORE = f"""
DROP VIEW citebound.version_readers;
CREATE VIEW citebound.version_readers AS {_OF_VERSION.format(of_source="")};
COMMENT ON VIEW citebound.version_readers IS
  'Who may read a version now, whatever edition or day is asked for: somebody of both audiences.';
COMMENT ON COLUMN citebound.version_readers.of_text IS 'said last of the same file';
COMMENT ON COLUMN citebound.version_readers.of_today IS
  'of the version that holds today, or held last';
GRANT SELECT ON citebound.version_readers TO citebound_app;
"""  # constants

_IN_FORCE = """
  WITH begun AS (
    SELECT DISTINCT ON (v.policy_id) v.*
      FROM {versions} v
     WHERE (at_edition IS NULL OR v.edition_from <= at_edition)
       AND (v.edition_until IS NULL OR at_edition < v.edition_until)
       AND (v.effective_from IS NULL OR v.effective_from <= on_day)
       AND NOT EXISTS (
         SELECT FROM citebound.withdrawals w
          WHERE w.policy_id = v.policy_id AND w.edition > v.edition_from
            AND (at_edition IS NULL OR w.edition <= at_edition) AND w.withdrawn_from <= on_day)
     ORDER BY v.policy_id, v.effective_from DESC NULLS LAST, v.number DESC)"""
_LIVE = f"""
CREATE OR REPLACE FUNCTION citebound.live_versions(
    at_edition integer, on_day date, reader_groups text[], in_jurisdiction text, with_tags text[])
  RETURNS TABLE (version_id bigint) LANGUAGE sql STABLE AS $$
{_IN_FORCE.format(versions="citebound.version_readers")}
  SELECT b.version_id FROM begun b
   WHERE (b.effective_until IS NULL OR on_day < b.effective_until)
     AND b.of_text && reader_groups AND b.of_today && reader_groups{{of_source}}
     AND (in_jurisdiction IS NULL OR b.jurisdiction IS NULL OR b.jurisdiction = in_jurisdiction)
     AND (cardinality(with_tags) = 0 OR b.tags && with_tags)
$$;
"""  # noqa: S608  # constants
LIVE_VERSIONS = _LIVE.format(of_source="\n     AND b.of_source && reader_groups")
LIVE_VERSIONS_BEFORE = _LIVE.format(of_source="")
IN_FORCE = f"""
CREATE FUNCTION citebound.versions_in_force(at_edition integer, on_day date)
  RETURNS TABLE (version_id bigint) LANGUAGE sql STABLE AS $$
{_IN_FORCE.format(versions="citebound.policy_versions")}
  SELECT b.id FROM begun b WHERE b.effective_until IS NULL OR on_day < b.effective_until
$$;
COMMENT ON FUNCTION citebound.versions_in_force IS
  'As live_versions, whoever may read them: never for an answer.';
"""  # noqa: S608  # constants

OFFICERS = """
ALTER POLICY policy_versions_audience ON citebound.policy_versions
  USING ('*' = ANY ((SELECT audit.my_audiences())::text[])
         OR audience && (SELECT audit.my_audiences())::text[]
            AND NOT EXISTS (SELECT FROM citebound.policy_readers AS r
                             WHERE r.policy_id = policy_versions.policy_id
                               AND r.edition_until IS NULL
                               AND NOT r.audience && (SELECT audit.my_audiences())::text[]));
"""
OFFICERS_BEFORE = """
ALTER POLICY policy_versions_audience ON citebound.policy_versions
  USING ('*' = ANY ((SELECT audit.my_audiences())::text[])
         OR audience && (SELECT audit.my_audiences())::text[]);
"""

GRANTS = """
GRANT SELECT, INSERT ON citebound.policy_readers TO citebound_app;
GRANT UPDATE (edition_until) ON citebound.policy_readers TO citebound_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON citebound.source_readers TO citebound_app;
GRANT SELECT ON citebound.policy_readers TO citebound_officer;
REVOKE EXECUTE ON FUNCTION citebound.audience_now(text[], bigint) FROM public;
REVOKE EXECUTE ON FUNCTION citebound.versions_in_force(integer, date) FROM public;
GRANT EXECUTE ON FUNCTION citebound.audience_now(text[], bigint) TO citebound_app;
GRANT EXECUTE ON FUNCTION citebound.audience_now(text[], bigint) TO citebound_officer;
GRANT EXECUTE ON FUNCTION citebound.versions_in_force(integer, date) TO citebound_app;
"""
TAGS = ("source:changed", "source:restored")
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0060_source_access', '0044_identity')"
)
COLUMNS = (
    *("groups", "failures", "is_told", "access_every_s", "access_due_at", "access_begun_at"),
    *("access_token", "access_cursor", "access_lease", "access_leased_until", "access_read_at"),
    *("access_error", "access_error_since", "access_failures", "is_access_told"),
)


def upgrade() -> None:
    """Add the tables, and let whatever asks for readers look at them."""
    op.execute(TABLES)
    op.execute(READERS)
    op.execute(LIVE_VERSIONS)
    op.execute(IN_FORCE)
    op.execute(OFFICERS)
    op.execute(GRANTS)
    tags = ", ".join(f"('{tag}', false)" for tag in TAGS)
    op.execute(
        f"INSERT INTO audit.tag (tag, is_outcome) VALUES {tags}"  # noqa: S608  # constants
        " ON CONFLICT DO NOTHING"
    )
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Refuse where a source has narrowed the readers of a policy: all would read it again."""
    op.execute(
        "DO $$ BEGIN IF EXISTS (SELECT FROM citebound.policy_readers WHERE edition_until IS NULL"
        " AND NOT 'everyone' = ANY (audience)) THEN RAISE EXCEPTION 'policies have readers that"
        " their sources name, and all would read them: remove the sources, and `citebound corpus"
        " readers KEY --lift` those that all may read'; END IF; END $$"
    )
    op.execute(OFFICERS_BEFORE)
    op.execute(LIVE_VERSIONS_BEFORE)
    op.execute("DROP FUNCTION citebound.versions_in_force, citebound.audience_now")
    op.execute(READERS_BEFORE)
    op.execute("DROP TABLE citebound.policy_readers, citebound.source_readers")
    op.execute(f"ALTER TABLE citebound.sources {', '.join(f'DROP COLUMN {n}' for n in COLUMNS)}")
    tags = ", ".join(f"'{tag}'" for tag in TAGS)
    op.execute(
        f"DELETE FROM audit.tag t WHERE tag IN ({tags})"  # noqa: S608  # constants
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0060_source_access'")
