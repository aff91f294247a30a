"""Policies, versions, sections, chunks and cross-references; which versions are live for whom."""

from alembic import op

revision = "0001_corpus"
down_revision = None

TABLES = """
CREATE TABLE citebound.editions (
  number integer CONSTRAINT editions_pkey PRIMARY KEY,
  published_at timestamptz NOT NULL DEFAULT now(),
  note text NOT NULL);

CREATE TABLE citebound.policies (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT policies_pkey PRIMARY KEY,
  key text NOT NULL CONSTRAINT policies_key_key UNIQUE);

CREATE TABLE citebound.policy_versions (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT policy_versions_pkey PRIMARY KEY,
  policy_id bigint NOT NULL CONSTRAINT policy_versions_policy_id_fkey REFERENCES citebound.policies,
  number integer NOT NULL,
  edition_from integer NOT NULL
    CONSTRAINT policy_versions_edition_from_fkey REFERENCES citebound.editions,
  edition_until integer CONSTRAINT policy_versions_edition_until_fkey REFERENCES citebound.editions,
  title text NOT NULL,
  label text,
  owner text,
  jurisdiction text,
  audience text[] NOT NULL
    CONSTRAINT policy_versions_audience_check CHECK (cardinality(audience) > 0),
  tags text[] NOT NULL,
  effective_from date,
  effective_until date,
  upload_id text,
  source_name text NOT NULL,
  media_type text NOT NULL,
  sha256 bytea NOT NULL,
  original bytea NOT NULL,
  text text NOT NULL,
  page_starts integer[] NOT NULL,
  notes text[] NOT NULL,
  CONSTRAINT policy_versions_policy_id_number_key UNIQUE (policy_id, number));

CREATE TABLE citebound.sections (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT sections_pkey PRIMARY KEY,
  version_id bigint NOT NULL
    CONSTRAINT sections_version_id_fkey REFERENCES citebound.policy_versions ON DELETE CASCADE,
  ordinal integer NOT NULL,
  eid text NOT NULL,
  number text,
  title text NOT NULL,
  path text[] NOT NULL,
  level smallint NOT NULL,
  page integer,
  char_start integer NOT NULL,
  body_start integer NOT NULL,
  char_end integer NOT NULL,
  CONSTRAINT sections_version_id_ordinal_key UNIQUE (version_id, ordinal),
  CONSTRAINT sections_version_id_eid_key UNIQUE (version_id, eid));

CREATE TABLE citebound.chunks (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT chunks_pkey PRIMARY KEY,
  version_id bigint NOT NULL
    CONSTRAINT chunks_version_id_fkey REFERENCES citebound.policy_versions ON DELETE CASCADE,
  section_id bigint NOT NULL
    CONSTRAINT chunks_section_id_fkey REFERENCES citebound.sections ON DELETE CASCADE,
  chunk_id text NOT NULL,
  chunk_index integer NOT NULL,
  section_title text NOT NULL,
  page_number integer,
  char_start integer NOT NULL,
  char_end integer NOT NULL,
  text text NOT NULL,
  content_hash bytea NOT NULL,
  CONSTRAINT chunks_version_id_chunk_index_key UNIQUE (version_id, chunk_index));
CREATE INDEX chunks_section_id_idx ON citebound.chunks (section_id);
CREATE INDEX chunks_content_hash_idx ON citebound.chunks (content_hash);

CREATE TABLE citebound.cross_references (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT cross_references_pkey PRIMARY KEY,
  version_id bigint NOT NULL
    CONSTRAINT cross_references_version_id_fkey
      REFERENCES citebound.policy_versions ON DELETE CASCADE,
  section_id bigint NOT NULL
    CONSTRAINT cross_references_section_id_fkey REFERENCES citebound.sections ON DELETE CASCADE,
  char_start integer NOT NULL,
  char_end integer NOT NULL,
  policy text,
  number text,
  target_policy_id bigint
    CONSTRAINT cross_references_target_policy_id_fkey REFERENCES citebound.policies,
  target_eid text);
CREATE INDEX cross_references_section_id_idx ON citebound.cross_references (section_id);
CREATE INDEX cross_references_target_policy_id_target_eid_idx
  ON citebound.cross_references (target_policy_id, target_eid);
COMMENT ON COLUMN citebound.cross_references.policy IS
  'the other policy as written; null: the same policy';
COMMENT ON COLUMN citebound.cross_references.number IS
  'the section number as written; null: the policy as a whole';
COMMENT ON COLUMN citebound.cross_references.target_policy_id IS 'null: dangling';
COMMENT ON COLUMN citebound.cross_references.target_eid IS
  'null: the policy as a whole, or dangling';
"""

LIVE_VERSIONS = """
CREATE FUNCTION citebound.live_versions(
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
    """Create the corpus."""
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.execute(TABLES)
    op.execute(LIVE_VERSIONS)


def downgrade() -> None:
    """Drop the corpus."""
    op.execute("DROP FUNCTION citebound.live_versions")
    op.execute(
        "DROP TABLE citebound.cross_references, citebound.chunks, citebound.sections,"
        " citebound.policy_versions, citebound.policies, citebound.editions"
    )
