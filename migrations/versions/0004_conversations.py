"""Conversations, questions, answers with claims and citations, and the trace of each run."""

from alembic import op

revision = "0004_conversations"
down_revision = "0003_search"

TABLES = """
CREATE TABLE citebound.conversations (
  id uuid CONSTRAINT conversations_pkey PRIMARY KEY,
  platform text NOT NULL,
  tenant text NOT NULL,
  channel text NOT NULL,
  thread text NOT NULL,
  next_seq integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT conversations_platform_tenant_channel_thread_key
    UNIQUE (platform, tenant, channel, thread));

CREATE TABLE citebound.questions (
  id uuid CONSTRAINT questions_pkey PRIMARY KEY,
  conversation_id uuid NOT NULL
    CONSTRAINT questions_conversation_id_fkey REFERENCES citebound.conversations,
  text text NOT NULL,
  standalone text NOT NULL,
  scope jsonb NOT NULL,
  assumptions jsonb NOT NULL,
  asked_at timestamptz NOT NULL);
CREATE INDEX questions_conversation_id_asked_at_idx
  ON citebound.questions (conversation_id, asked_at);

CREATE TABLE citebound.answers (
  id uuid CONSTRAINT answers_pkey PRIMARY KEY,
  question_id uuid NOT NULL CONSTRAINT answers_question_id_key UNIQUE
    CONSTRAINT answers_question_id_fkey REFERENCES citebound.questions,
  outcome text NOT NULL,
  refusal text,
  text text NOT NULL,
  slot text,
  options text[] NOT NULL,
  nearest jsonb NOT NULL,
  badge text,
  calibrated double precision,
  reported double precision,
  edition integer CONSTRAINT answers_edition_fkey REFERENCES citebound.editions,
  reasoner text NOT NULL,
  used_rag boolean NOT NULL,
  trace jsonb NOT NULL,
  answered_at timestamptz NOT NULL);

CREATE TABLE citebound.claims (
  answer_id uuid NOT NULL
    CONSTRAINT claims_answer_id_fkey REFERENCES citebound.answers ON DELETE CASCADE,
  n integer NOT NULL,
  text text NOT NULL,
  citations integer[] NOT NULL,
  CONSTRAINT claims_pkey PRIMARY KEY (answer_id, n));

CREATE TABLE citebound.citations (
  answer_id uuid NOT NULL
    CONSTRAINT citations_answer_id_fkey REFERENCES citebound.answers ON DELETE CASCADE,
  n integer NOT NULL,
  key text NOT NULL,
  version_id bigint NOT NULL
    CONSTRAINT citations_version_id_fkey REFERENCES citebound.policy_versions,
  char_start integer NOT NULL,
  char_end integer NOT NULL,
  quote_hash bytea NOT NULL,
  score double precision,
  CONSTRAINT citations_pkey PRIMARY KEY (answer_id, n));
CREATE INDEX citations_version_id_idx ON citebound.citations (version_id);

CREATE TABLE citebound.trace_steps (
  question_id uuid NOT NULL
    CONSTRAINT trace_steps_question_id_fkey REFERENCES citebound.questions ON DELETE CASCADE,
  n integer NOT NULL,
  stage text NOT NULL,
  detail jsonb NOT NULL,
  took_ms double precision NOT NULL,
  CONSTRAINT trace_steps_pkey PRIMARY KEY (question_id, n));

CREATE TABLE citebound.model_calls (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT model_calls_pkey PRIMARY KEY,
  question_id uuid NOT NULL,
  request_hash bytea NOT NULL,
  purpose text NOT NULL,
  model text NOT NULL,
  response jsonb NOT NULL,
  usage jsonb NOT NULL,
  latency_ms double precision NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT model_calls_question_id_request_hash_key UNIQUE (question_id, request_hash));
"""


def upgrade() -> None:
    """Create conversations and answers."""
    op.execute(TABLES)


def downgrade() -> None:
    """Drop conversations and answers."""
    op.execute(
        "DROP TABLE citebound.model_calls, citebound.trace_steps, citebound.citations,"
        " citebound.claims, citebound.answers, citebound.questions, citebound.conversations"
    )
