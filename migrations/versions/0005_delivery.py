"""Inbox, outbox, feedback and cases: the tables that chat surfaces share."""

from alembic import op

revision = "0005_delivery"
down_revision = "0004_conversations"

TABLES = """
CREATE TABLE citebound.inbox (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT inbox_pkey PRIMARY KEY,
  dedupe_key text NOT NULL CONSTRAINT inbox_dedupe_key_key UNIQUE,
  message_key text CONSTRAINT inbox_message_key_key UNIQUE,
  conversation_id uuid NOT NULL
    CONSTRAINT inbox_conversation_id_fkey REFERENCES citebound.conversations,
  kind text NOT NULL,
  sent_at timestamptz NOT NULL,
  raw jsonb NOT NULL,
  run_salt bytea NOT NULL,
  state text NOT NULL DEFAULT 'received'
    CONSTRAINT inbox_state_check CHECK (state IN ('received', 'running', 'done', 'dead')),
  attempt integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  lease_token uuid,
  outcome text,
  received_at timestamptz NOT NULL DEFAULT now());
CREATE INDEX inbox_conversation_id_id_idx ON citebound.inbox (conversation_id, id);

CREATE TABLE citebound.outbox (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT outbox_pkey PRIMARY KEY,
  cause text NOT NULL,
  part integer NOT NULL,
  conversation_id uuid NOT NULL
    CONSTRAINT outbox_conversation_id_fkey REFERENCES citebound.conversations,
  reply jsonb NOT NULL,
  state text NOT NULL DEFAULT 'queued' CONSTRAINT outbox_state_check
    CHECK (state IN ('queued', 'sending', 'posted', 'uncertain', 'withheld', 'dead')),
  remote_id text,
  attempt integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT outbox_cause_part_key UNIQUE (cause, part));

CREATE TABLE citebound.feedback (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT feedback_pkey PRIMARY KEY,
  answer_id uuid NOT NULL CONSTRAINT feedback_answer_id_fkey REFERENCES citebound.answers,
  actor text NOT NULL,
  rating text NOT NULL,
  reason text,
  platform_message_id text,
  at timestamptz NOT NULL DEFAULT now());
CREATE INDEX feedback_answer_id_idx ON citebound.feedback (answer_id);

CREATE TABLE citebound.cases (
  id uuid CONSTRAINT cases_pkey PRIMARY KEY,
  question_id uuid NOT NULL CONSTRAINT cases_question_id_key UNIQUE
    CONSTRAINT cases_question_id_fkey REFERENCES citebound.questions,
  state text NOT NULL,
  owner text,
  reason text NOT NULL,
  due_at timestamptz,
  opened_at timestamptz NOT NULL DEFAULT now());

CREATE TABLE citebound.case_messages (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT case_messages_pkey PRIMARY KEY,
  case_id uuid NOT NULL CONSTRAINT case_messages_case_id_fkey REFERENCES citebound.cases,
  actor text NOT NULL,
  body text NOT NULL,
  platform_message_id text,
  at timestamptz NOT NULL DEFAULT now());
CREATE INDEX case_messages_case_id_idx ON citebound.case_messages (case_id);
"""


def upgrade() -> None:
    """Create the delivery tables."""
    op.execute(TABLES)


def downgrade() -> None:
    """Drop the delivery tables."""
    op.execute(
        "DROP TABLE citebound.case_messages, citebound.cases, citebound.feedback,"
        " citebound.outbox, citebound.inbox"
    )
