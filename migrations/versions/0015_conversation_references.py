"""Conversations in which our app is, so that it can write there without being asked."""

from alembic import op

revision = "0015_conversation_references"
down_revision = "0014_cases"

TABLES = """
CREATE TABLE citebound.conversation_references (
  platform text NOT NULL,
  tenant text NOT NULL,
  conversation text NOT NULL,
  person text,
  team text,
  facts jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT conversation_references_pkey PRIMARY KEY (platform, tenant, conversation));
COMMENT ON COLUMN citebound.conversation_references.person IS
  'whose direct conversation it is; null: any other';
COMMENT ON COLUMN citebound.conversation_references.team IS 'null: a chat';
COMMENT ON COLUMN citebound.conversation_references.facts IS
  'what the platform needs to be told; checked when written and when read; no text';
CREATE INDEX conversation_references_person_idx
  ON citebound.conversation_references (person) WHERE person IS NOT NULL;
CREATE INDEX conversation_references_team_idx
  ON citebound.conversation_references (team) WHERE team IS NOT NULL;
"""


def upgrade() -> None:
    """Create the table."""
    op.execute(TABLES)


def downgrade() -> None:
    """Drop it: each conversation is known again by its next message."""
    op.execute("DROP TABLE citebound.conversation_references")
