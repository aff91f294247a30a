"""Which embedding space serves: at most one, while others are being built or kept."""

from alembic import op

revision = "0008_serving_space"
down_revision = "0007_officer_views"

STATE = """
ALTER TABLE citebound.embedding_spaces
  ADD COLUMN state text NOT NULL DEFAULT 'kept'
    CONSTRAINT embedding_spaces_state_check CHECK (state IN ('building', 'serving', 'kept'));
COMMENT ON COLUMN citebound.embedding_spaces.state IS
  'serving: searched, and new chunks are embedded in it; at most one';
UPDATE citebound.embedding_spaces SET state = 'serving'
 WHERE id = (SELECT s.id FROM citebound.embedding_spaces s
              ORDER BY (SELECT count(*) FROM citebound.chunk_embeddings e WHERE e.space_id = s.id)
                       DESC, s.id DESC LIMIT 1);
CREATE UNIQUE INDEX embedding_spaces_serving_idx ON citebound.embedding_spaces (state)
 WHERE state = 'serving';
"""


def upgrade() -> None:
    """Let the fullest space serve: until now there was one to a corpus."""
    op.execute(STATE)


def downgrade() -> None:
    """Forget which space serves."""
    op.execute("ALTER TABLE citebound.embedding_spaces DROP COLUMN state")
