"""Terms, word positions, lexical weights and embeddings.

Vectors in narrow tables, stored inline.
"""

from alembic import op

revision = "0003_search"
down_revision = "0002_ontology"

TABLES = """
CREATE TABLE citebound.terms (
  id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT terms_pkey PRIMARY KEY,
  term text NOT NULL CONSTRAINT terms_term_key UNIQUE,
  df integer NOT NULL);
COMMENT ON COLUMN citebound.terms.df IS 'chunks whose text holds the term';

CREATE TABLE citebound.lexical_stats (
  one boolean CONSTRAINT lexical_stats_pkey PRIMARY KEY DEFAULT true
    CONSTRAINT lexical_stats_one_check CHECK (one),
  chunks integer NOT NULL,
  words bigint NOT NULL,
  heading_words bigint NOT NULL,
  mean_words double precision NOT NULL,
  mean_heading_words double precision NOT NULL);
COMMENT ON COLUMN citebound.lexical_stats.mean_words IS
  'the mean length that chunk_terms was weighed with';
INSERT INTO citebound.lexical_stats VALUES (true, 0, 0, 0, 0, 0);

CREATE TABLE citebound.indexed_versions (
  version_id bigint CONSTRAINT indexed_versions_pkey PRIMARY KEY
    CONSTRAINT indexed_versions_version_id_fkey
    REFERENCES citebound.policy_versions ON DELETE CASCADE,
  chunks integer NOT NULL);
COMMENT ON COLUMN citebound.indexed_versions.chunks IS
  'rows of chunk_terms, so that no search counts them';

CREATE TABLE citebound.chunk_lexemes (
  chunk_id bigint CONSTRAINT chunk_lexemes_pkey PRIMARY KEY
    CONSTRAINT chunk_lexemes_chunk_id_fkey REFERENCES citebound.chunks ON DELETE CASCADE,
  version_id bigint NOT NULL
    CONSTRAINT chunk_lexemes_version_id_fkey REFERENCES citebound.policy_versions ON DELETE CASCADE,
  body tsvector NOT NULL,
  heading tsvector NOT NULL,
  words integer NOT NULL,
  heading_words integer NOT NULL);
CREATE INDEX chunk_lexemes_version_id_idx ON citebound.chunk_lexemes (version_id);

CREATE TABLE citebound.chunk_terms (
  chunk_id bigint CONSTRAINT chunk_terms_pkey PRIMARY KEY
    CONSTRAINT chunk_terms_chunk_id_fkey REFERENCES citebound.chunks ON DELETE CASCADE,
  version_id bigint NOT NULL
    CONSTRAINT chunk_terms_version_id_fkey REFERENCES citebound.policy_versions ON DELETE CASCADE,
  weights sparsevec(1000000) NOT NULL);
CREATE INDEX chunk_terms_version_id_idx ON citebound.chunk_terms (version_id);
ALTER TABLE citebound.chunk_terms ALTER weights SET STORAGE PLAIN;

CREATE TABLE citebound.embedding_spaces (
  id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT embedding_spaces_pkey PRIMARY KEY,
  provider text NOT NULL,
  model text NOT NULL,
  dimensions integer NOT NULL,
  revision text NOT NULL,
  fusion_weight double precision NOT NULL,
  CONSTRAINT embedding_spaces_provider_model_dimensions_revision_key
    UNIQUE (provider, model, dimensions, revision));

CREATE TABLE citebound.chunk_embeddings (
  space_id integer NOT NULL
    CONSTRAINT chunk_embeddings_space_id_fkey REFERENCES citebound.embedding_spaces,
  chunk_id bigint NOT NULL
    CONSTRAINT chunk_embeddings_chunk_id_fkey REFERENCES citebound.chunks ON DELETE CASCADE,
  version_id bigint NOT NULL
    CONSTRAINT chunk_embeddings_version_id_fkey
    REFERENCES citebound.policy_versions ON DELETE CASCADE,
  vector halfvec NOT NULL,
  CONSTRAINT chunk_embeddings_pkey PRIMARY KEY (space_id, chunk_id));
CREATE INDEX chunk_embeddings_chunk_id_idx ON citebound.chunk_embeddings (chunk_id);
CREATE INDEX chunk_embeddings_version_id_idx ON citebound.chunk_embeddings (version_id);
ALTER TABLE citebound.chunk_embeddings ALTER vector SET STORAGE PLAIN;
"""


def upgrade() -> None:
    """Create the search tables."""
    op.execute(TABLES)


def downgrade() -> None:
    """Drop the search tables."""
    op.execute(
        "DROP TABLE citebound.chunk_embeddings, citebound.embedding_spaces,"
        " citebound.chunk_terms, citebound.chunk_lexemes,"
        " citebound.indexed_versions, citebound.lexical_stats, citebound.terms"
    )
