"""Facts are found by their words, so that no process reads all of them for a question.

What was published before is indexed when a process first opens the database.
"""

from alembic import op

revision = "0024_fact_index"
down_revision = "0023_withdrawals"

TABLES = """
CREATE TABLE citebound.fact_words (
  provenance_id bigint CONSTRAINT fact_words_pkey PRIMARY KEY
    CONSTRAINT fact_words_provenance_id_fkey REFERENCES citebound.provenance ON DELETE CASCADE,
  version_id bigint NOT NULL CONSTRAINT fact_words_version_id_fkey
    REFERENCES citebound.policy_versions ON DELETE CASCADE,
  entity_id bigint NOT NULL
    CONSTRAINT fact_words_entity_id_fkey REFERENCES citebound.entities,
  words text[] NOT NULL);
COMMENT ON COLUMN citebound.fact_words.words IS
  'stems of the statement, /of its heading, //of the policy''s title, and beginnings*';
CREATE INDEX fact_words_version_id_idx ON citebound.fact_words (version_id);
CREATE INDEX fact_words_words_idx ON citebound.fact_words USING gin (words);

CREATE TABLE citebound.entity_words (
  version_id bigint NOT NULL CONSTRAINT entity_words_version_id_fkey
    REFERENCES citebound.policy_versions ON DELETE CASCADE,
  entity_id bigint NOT NULL
    CONSTRAINT entity_words_entity_id_fkey REFERENCES citebound.entities,
  key text NOT NULL,
  type text NOT NULL,
  names text[] NOT NULL,
  words text[] NOT NULL,
  CONSTRAINT entity_words_pkey PRIMARY KEY (version_id, entity_id));
COMMENT ON COLUMN citebound.entity_words.key IS 'of the entity, as is its type';
COMMENT ON COLUMN citebound.entity_words.names IS 'as names are compared';
COMMENT ON COLUMN citebound.entity_words.words IS
  'stems of its names, /of what is said of it, //of its headings, =its names, and the pairs of'
  ' neighbouring stems of a definition';
CREATE INDEX entity_words_entity_id_idx ON citebound.entity_words (entity_id);
CREATE INDEX entity_words_key_idx ON citebound.entity_words (key);
CREATE INDEX entity_words_type_version_id_idx
  ON citebound.entity_words (type, version_id);
CREATE INDEX entity_words_words_idx ON citebound.entity_words USING gin (words);

CREATE TABLE citebound.word_counts (
  word text NOT NULL,
  version_id bigint NOT NULL CONSTRAINT word_counts_version_id_fkey
    REFERENCES citebound.policy_versions ON DELETE CASCADE,
  sections integer NOT NULL,
  entities integer NOT NULL,
  CONSTRAINT word_counts_pkey PRIMARY KEY (word, version_id));
COMMENT ON COLUMN citebound.word_counts.sections IS 'of the version that use the stem';
COMMENT ON COLUMN citebound.word_counts.entities IS 'of this policy alone that have the stem';
CREATE INDEX word_counts_version_id_idx ON citebound.word_counts (version_id);

CREATE TABLE citebound.fact_indexes (
  version_id bigint CONSTRAINT fact_indexes_pkey PRIMARY KEY
    CONSTRAINT fact_indexes_version_id_fkey
    REFERENCES citebound.policy_versions ON DELETE CASCADE,
  generation smallint NOT NULL,
  facts integer NOT NULL,
  own_facts integer NOT NULL,
  sections integer NOT NULL,
  gives_way boolean NOT NULL);
COMMENT ON COLUMN citebound.fact_indexes.generation IS
  'of the rules by which words were read; one with another is indexed again';
COMMENT ON COLUMN citebound.fact_indexes.facts IS 'entities that the version names';
COMMENT ON COLUMN citebound.fact_indexes.own_facts IS 'those of this policy alone';
COMMENT ON COLUMN citebound.fact_indexes.sections IS 'of which anything is known';
COMMENT ON COLUMN citebound.fact_indexes.gives_way IS
  'the policy says that it gives way to local rules';
"""


def upgrade() -> None:
    """Create the index."""
    op.execute(TABLES)


def downgrade() -> None:
    """Drop it."""
    op.execute(
        "DROP TABLE citebound.fact_indexes, citebound.word_counts, citebound.entity_words,"
        " citebound.fact_words"
    )
