"""Terms, lexical weights and embeddings: narrow tables, stored inline."""

from alembic import op

revision = "0003_search"
down_revision = "0002_ontology"

TABLES = """
CREATE TABLE citebound.terms (
  id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT terms_pkey PRIMARY KEY,
  term text NOT NULL CONSTRAINT terms_term_key UNIQUE,
  df integer NOT NULL);
COMMENT ON COLUMN citebound.terms.df IS 'chunks that hold the term';

CREATE TABLE citebound.chunk_terms (
  chunk_id bigint CONSTRAINT chunk_terms_pkey PRIMARY KEY
    CONSTRAINT chunk_terms_chunk_id_fkey REFERENCES citebound.chunks ON DELETE CASCADE,
  weights sparsevec(1000000) NOT NULL);
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
  space_id integer NOT NULL CONSTRAINT chunk_embeddings_space_id_fkey REFERENCES citebound.embedding_spaces,
  chunk_id bigint NOT NULL
    CONSTRAINT chunk_embeddings_chunk_id_fkey REFERENCES citebound.chunks ON DELETE CASCADE,
  vector halfvec NOT NULL,
  CONSTRAINT chunk_embeddings_pkey PRIMARY KEY (space_id, chunk_id));
ALTER TABLE citebound.chunk_embeddings ALTER vector SET STORAGE PLAIN;
"""


def upgrade() -> None:
    """Create the search tables."""
    op.execute(TABLES)


def downgrade() -> None:
    """Drop the search tables."""
    op.execute(
        "DROP TABLE citebound.chunk_embeddings, citebound.embedding_spaces,"
        " citebound.chunk_terms, citebound.terms"
    )
