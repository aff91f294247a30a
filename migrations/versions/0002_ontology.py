"""Entities, relations and where each is said."""

from alembic import op

revision = "0002_ontology"
down_revision = "0001_corpus"

TABLES = """
CREATE TABLE citebound.entities (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT entities_pkey PRIMARY KEY,
  key text NOT NULL,
  content_hash bytea NOT NULL,
  type text NOT NULL,
  name text NOT NULL,
  aliases text[] NOT NULL,
  description text NOT NULL,
  attributes jsonb NOT NULL,
  CONSTRAINT entities_key_content_hash_key UNIQUE (key, content_hash));
COMMENT ON COLUMN citebound.entities.content_hash IS
  'of all that a version says of it: another version may say it otherwise, or to others';

CREATE TABLE citebound.relations (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT relations_pkey PRIMARY KEY,
  source_id bigint NOT NULL CONSTRAINT relations_source_id_fkey REFERENCES citebound.entities,
  type text NOT NULL,
  target_id bigint NOT NULL CONSTRAINT relations_target_id_fkey REFERENCES citebound.entities,
  attributes jsonb NOT NULL,
  CONSTRAINT relations_source_id_type_target_id_key UNIQUE (source_id, type, target_id));
CREATE INDEX relations_target_id_idx ON citebound.relations (target_id);

CREATE TABLE citebound.provenance (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT provenance_pkey PRIMARY KEY,
  version_id bigint NOT NULL
    CONSTRAINT provenance_version_id_fkey REFERENCES citebound.policy_versions ON DELETE CASCADE,
  section_id bigint NOT NULL
    CONSTRAINT provenance_section_id_fkey REFERENCES citebound.sections ON DELETE CASCADE,
  entity_id bigint CONSTRAINT provenance_entity_id_fkey REFERENCES citebound.entities,
  relation_id bigint CONSTRAINT provenance_relation_id_fkey REFERENCES citebound.relations,
  char_start integer NOT NULL,
  char_end integer NOT NULL,
  CONSTRAINT provenance_subject_check CHECK (num_nonnulls(entity_id, relation_id) = 1));
CREATE INDEX provenance_version_id_idx ON citebound.provenance (version_id);
CREATE INDEX provenance_entity_id_idx ON citebound.provenance (entity_id);
CREATE INDEX provenance_relation_id_idx ON citebound.provenance (relation_id);
"""


def upgrade() -> None:
    """Create the ontology."""
    op.execute(TABLES)


def downgrade() -> None:
    """Drop the ontology."""
    op.execute("DROP TABLE citebound.provenance, citebound.relations, citebound.entities")
