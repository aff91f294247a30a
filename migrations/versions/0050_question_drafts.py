"""Test questions as they are drafted from the policies, and what officers make of each.

A question counts once an officer accepted it. What happened to it is in the record; here stands how
it is worded now. Where its words stand today is looked up when it is read: a passage that an
edition changed makes its question stale, and nothing has to be written for that.
"""

from alembic import op

revision = "0050_question_drafts"
down_revision = "0049_search_words"

TABLES = """
CREATE TABLE citebound.question_drafts (
  number integer GENERATED ALWAYS AS IDENTITY CONSTRAINT question_drafts_pkey PRIMARY KEY,
  key bytea NOT NULL CONSTRAINT question_drafts_key_key UNIQUE,
  state text NOT NULL DEFAULT 'draft' CONSTRAINT question_drafts_state_check
    CHECK (state IN ('draft', 'accepted', 'dropped')),
  drafted text NOT NULL,
  question text NOT NULL,
  kind text NOT NULL,
  difficulty text NOT NULL CONSTRAINT question_drafts_difficulty_check
    CHECK (difficulty IN ('easy', 'medium', 'hard')),
  expected text NOT NULL CONSTRAINT question_drafts_expected_check
    CHECK (expected IN ('answered', 'refused')),
  made_by text NOT NULL,
  drafted_at timestamptz NOT NULL,
  decided_by text,
  decided_at timestamptz,
  is_mended boolean NOT NULL DEFAULT false,
  revision integer NOT NULL DEFAULT 0,
  CONSTRAINT question_drafts_decided_check CHECK (state = 'draft' OR decided_by IS NOT NULL));
CREATE INDEX question_drafts_state_idx ON citebound.question_drafts (state, number);
COMMENT ON TABLE citebound.question_drafts IS
  'Questions with their answers, drafted from the policies (`citebound eval generate`).';
COMMENT ON COLUMN citebound.question_drafts.number IS 'by which officers name it';
COMMENT ON COLUMN citebound.question_drafts.key IS
  'SHA-256 of its kind and the words that answer it: drafted once, also if it was dropped';
COMMENT ON COLUMN citebound.question_drafts.drafted IS 'as it was drafted';
COMMENT ON COLUMN citebound.question_drafts.question IS 'as it stands now';
COMMENT ON COLUMN citebound.question_drafts.made_by IS 'rules, or a model with its prompt';
COMMENT ON COLUMN citebound.question_drafts.decided_by IS 'login of the officer';
COMMENT ON COLUMN citebound.question_drafts.revision IS
  'how often somebody decided: whoever saw an earlier one is asked again';

CREATE TABLE citebound.question_passages (
  draft integer NOT NULL
    CONSTRAINT question_passages_draft_fkey REFERENCES citebound.question_drafts,
  n integer NOT NULL,
  version_id bigint NOT NULL
    CONSTRAINT question_passages_version_id_fkey REFERENCES citebound.policy_versions,
  char_start integer NOT NULL,
  char_end integer NOT NULL,
  quote text NOT NULL,
  section text NOT NULL,
  CONSTRAINT question_passages_pkey PRIMARY KEY (draft, n),
  CONSTRAINT question_passages_span_check CHECK (
    0 <= char_start AND char_start < char_end AND length(quote) = char_end - char_start));
CREATE INDEX question_passages_version_id_idx ON citebound.question_passages (version_id);
COMMENT ON TABLE citebound.question_passages IS
  'The words that answer a drafted question, in the version that it was drafted from.';
COMMENT ON COLUMN citebound.question_passages.section IS 'number or title of the section';

CREATE TABLE citebound.question_readings (
  section_sha256 bytea NOT NULL,
  made_by text NOT NULL,
  read_at timestamptz NOT NULL,
  CONSTRAINT question_readings_pkey PRIMARY KEY (section_sha256, made_by));
COMMENT ON TABLE citebound.question_readings IS
  'Sections of which a model drafted questions: none is paid for twice.';
"""

GRANTS = """
GRANT SELECT, INSERT ON citebound.question_drafts, citebound.question_passages, citebound.question_readings TO citebound_app;
GRANT UPDATE (state, question, difficulty, expected, decided_by, decided_at, is_mended, revision) ON citebound.question_drafts TO citebound_app;
"""  # noqa: E501  # a grant a line

ROWS = """
INSERT INTO citebound.schema_compatibility VALUES ('0050_question_drafts', '0044_identity');
INSERT INTO audit.tag (tag, is_outcome) VALUES ('draft:accepted', false),
  ('draft:mended', false), ('draft:dropped', false);
"""


def upgrade() -> None:
    """Create the tables."""
    op.execute(TABLES)
    op.execute(GRANTS)
    op.execute(ROWS)


def downgrade() -> None:
    """Drop them; tags that the record uses stay."""
    op.execute("DROP TABLE citebound.question_readings, citebound.question_passages")
    op.execute("DROP TABLE citebound.question_drafts")
    op.execute(
        "DELETE FROM audit.tag t WHERE tag LIKE 'draft:%'"
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0050_question_drafts'")
