"""What a message and its reply need on their way: leases, pinned state, shapes, pace, names."""

from alembic import op

revision = "0011_message_life"
down_revision = "0010_queue"

TABLES = """
CREATE TABLE citebound.askers (
  platform text NOT NULL,
  tenant text NOT NULL,
  person text NOT NULL,
  pseudonym text NOT NULL CONSTRAINT askers_pseudonym_key UNIQUE,
  CONSTRAINT askers_pkey PRIMARY KEY (platform, tenant, person));
COMMENT ON COLUMN citebound.askers.pseudonym IS
  'random: nobody can compute it again once the row is gone';

CREATE TABLE citebound.channel_paces (
  platform text NOT NULL,
  tenant text NOT NULL,
  channel text NOT NULL,
  free_at timestamptz NOT NULL,
  rests_until timestamptz,
  CONSTRAINT channel_paces_pkey PRIMARY KEY (platform, tenant, channel));
COMMENT ON COLUMN citebound.channel_paces.free_at IS 'the next moment that nobody has taken';
COMMENT ON COLUMN citebound.channel_paces.rests_until IS
  'the platform refuses until then; null: it never has';

ALTER TABLE citebound.inbox
  ADD COLUMN question_id uuid NOT NULL CONSTRAINT inbox_question_id_key UNIQUE,
  ADD COLUMN record_id uuid,
  ADD COLUMN person text NOT NULL,
  ADD COLUMN asker text NOT NULL,
  ADD COLUMN mode text NOT NULL,
  ADD COLUMN text text NOT NULL,
  ADD COLUMN edition integer,
  ADD COLUMN as_of date,
  ADD COLUMN next_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN progress_id text;
COMMENT ON COLUMN citebound.inbox.edition IS 'of the first attempt, as is as_of: a rerun sees it';
COMMENT ON COLUMN citebound.inbox.text IS 'the newest: an edit before the outcome replaces it';
DROP INDEX citebound.inbox_conversation_id_id_idx;
CREATE INDEX inbox_conversation_id_id_idx ON citebound.inbox (conversation_id, id)
 WHERE state IN ('received', 'running');

ALTER TABLE citebound.outbox
  ADD COLUMN person text NOT NULL,
  ADD COLUMN mode text NOT NULL,
  ADD COLUMN is_direct boolean NOT NULL DEFAULT false,
  ADD COLUMN shape smallint NOT NULL DEFAULT 0,
  ADD COLUMN progress_id text,
  ADD COLUMN has_slot boolean NOT NULL DEFAULT false,
  ADD COLUMN is_recorded_doubt boolean NOT NULL DEFAULT false,
  ADD COLUMN lease_until timestamptz,
  ADD COLUMN lease_token uuid,
  ADD COLUMN queued_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN settled_at timestamptz;
COMMENT ON COLUMN citebound.outbox.settled_at IS 'null: there is still something to do';
COMMENT ON COLUMN citebound.outbox.has_slot IS 'next_at is a moment of its channel taken for it';
CREATE INDEX outbox_conversation_id_id_idx ON citebound.outbox (conversation_id, id)
 WHERE settled_at IS NULL;
"""

BACK = """
DROP INDEX citebound.outbox_conversation_id_id_idx;
ALTER TABLE citebound.outbox
  DROP COLUMN person, DROP COLUMN mode, DROP COLUMN is_direct, DROP COLUMN shape,
  DROP COLUMN progress_id, DROP COLUMN has_slot, DROP COLUMN is_recorded_doubt,
  DROP COLUMN lease_until, DROP COLUMN lease_token, DROP COLUMN queued_at, DROP COLUMN settled_at;
DROP INDEX citebound.inbox_conversation_id_id_idx;
CREATE INDEX inbox_conversation_id_id_idx ON citebound.inbox (conversation_id, id);
ALTER TABLE citebound.inbox
  DROP COLUMN question_id, DROP COLUMN record_id, DROP COLUMN person, DROP COLUMN asker,
  DROP COLUMN mode, DROP COLUMN text, DROP COLUMN edition, DROP COLUMN as_of, DROP COLUMN next_at,
  DROP COLUMN progress_id;
DROP TABLE citebound.channel_paces, citebound.askers;
"""

TAGS = (
    "message:received",
    "message:edited",
    "message:deleted",
    "reply:posted",
    "reply:withheld",
    "reply:uncertain",
    "reply:abandoned",
)


def upgrade() -> None:
    """Add what is missing, and the tags of what now happens."""
    op.execute(TABLES)
    rows = ", ".join(f"('{tag}', false)" for tag in TAGS)
    op.execute(f"INSERT INTO audit.tag (tag, is_outcome) VALUES {rows}")  # noqa: S608  # constants


def downgrade() -> None:
    """Take the columns back; tags that the record uses stay."""
    op.execute(BACK)
    tags = ", ".join(f"'{tag}'" for tag in TAGS)
    op.execute(
        f"DELETE FROM audit.tag t WHERE tag IN ({tags})"  # noqa: S608  # constants
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
