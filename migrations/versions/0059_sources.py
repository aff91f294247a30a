"""Sources of policies: where they come from, each document of theirs, and how current they are.

No credentials: they stay in the environment of the processes that need them.
"""

from alembic import op

revision = "0059_sources"
down_revision = "0056_policy_care"

TABLES = """
CREATE TABLE citebound.sources (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT sources_pkey PRIMARY KEY,
  name text NOT NULL CONSTRAINT sources_name_key UNIQUE
    CONSTRAINT sources_name_check CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  kind text NOT NULL,
  location jsonb NOT NULL,
  key_prefix text,
  audience text[],
  withdrawing text NOT NULL CONSTRAINT sources_withdrawing_check
    CHECK (withdrawing IN ('ask', 'automatic')),
  every_s integer NOT NULL CONSTRAINT sources_every_s_check CHECK (every_s >= 60),
  added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  run integer NOT NULL DEFAULT 0,
  token text,
  cursor text,
  is_running boolean NOT NULL DEFAULT false,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  lease uuid,
  leased_until timestamptz,
  synced_at timestamptz,
  error text,
  error_since timestamptz);
COMMENT ON TABLE citebound.sources IS 'Where policies come from; never a credential.';
COMMENT ON COLUMN citebound.sources.location IS 'what its connector needs to find it';
COMMENT ON COLUMN citebound.sources.audience IS
  'groups that may read what says nothing else itself; null: everyone';
COMMENT ON COLUMN citebound.sources.run IS 'number of the newest synchronisation';
COMMENT ON COLUMN citebound.sources.token IS
  'what the next listing starts from; null: it lists everything';
COMMENT ON COLUMN citebound.sources.cursor IS
  'from where the synchronisation that has begun goes on; null: from its beginning';
COMMENT ON COLUMN citebound.sources.is_running IS 'a synchronisation has begun and not ended';
COMMENT ON COLUMN citebound.sources.lease IS 'the right to synchronise it, until leased_until';
COMMENT ON COLUMN citebound.sources.error IS 'why it was not synchronised since error_since';

CREATE TABLE citebound.source_items (
  source_id bigint NOT NULL CONSTRAINT source_items_source_id_fkey
    REFERENCES citebound.sources ON DELETE CASCADE,
  item_id text NOT NULL,
  path text NOT NULL,
  version text NOT NULL,
  state text NOT NULL CONSTRAINT source_items_state_check
    CHECK (state IN ('stored', 'failed', 'gone', 'withdrawn')),
  policy text,
  reason text,
  seen_in integer NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT source_items_pkey PRIMARY KEY (source_id, item_id));
CREATE INDEX source_items_policy_idx ON citebound.source_items (policy);
COMMENT ON TABLE citebound.source_items IS 'Each document of a source as it was found last.';
COMMENT ON COLUMN citebound.source_items.policy IS 'key of the policy that it is; null: none';
COMMENT ON COLUMN citebound.source_items.seen_in IS 'the last synchronisation that listed it';
"""

GRANTS = """
GRANT SELECT, INSERT, UPDATE, DELETE ON citebound.sources, citebound.source_items TO citebound_app;
"""

ROWS = """
INSERT INTO citebound.schema_compatibility VALUES ('0059_sources', '0044_identity');
INSERT INTO audit.tag (tag, is_outcome) VALUES
  ('source:added', false), ('source:removed', false),
  ('source:synced', false), ('source:failed', false);
"""


def upgrade() -> None:
    """Create the tables."""
    op.execute(TABLES)
    op.execute(GRANTS)
    op.execute(ROWS)


def downgrade() -> None:
    """Drop them; the policies stay, and so does the record."""
    op.execute("DROP TABLE citebound.source_items, citebound.sources")
    op.execute(
        "DELETE FROM audit.tag t WHERE tag LIKE 'source:%'"
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0059_sources'")
