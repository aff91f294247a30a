"""The tables that statements are composed from, as far as SQLAlchemy has to know them.

Columns and their types alone: migrations write the schema, and with it keys, constraints, indexes
and what each column means. A test holds every column to the database. Most statements are SQL.

Offsets are Unicode code points, half-open. Times are `timestamptz`, UTC. A row of a version is
visible in an edition and on a day when its version is: the one rule is the SQL function
`citebound.live_versions`.
"""

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Double,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    Uuid,
)
from sqlalchemy.dialects.postgresql import JSONB

metadata = MetaData(schema="citebound")

editions = Table(
    "editions",
    metadata,
    Column("number", Integer),
    Column("published_at", DateTime(timezone=True)),
    Column("note", Text),
)

policies = Table(
    "policies",
    metadata,
    Column("id", BigInteger),
    Column("key", Text),
)

policy_versions = Table(
    "policy_versions",
    metadata,
    Column("id", BigInteger),
    Column("policy_id", BigInteger),
    Column("number", Integer),
    Column("edition_from", Integer),
    Column("edition_until", Integer),
    Column("title", Text),
    Column("label", Text),
    Column("owner", Text),
    Column("jurisdiction", Text),
    Column("audience", ARRAY(Text)),
    Column("tags", ARRAY(Text)),
    Column("effective_from", Date),
    Column("effective_until", Date),
    Column("upload_id", Text),
    Column("source_name", Text),
    Column("media_type", Text),
    Column("sha256", LargeBinary),
    Column("original", LargeBinary),
    Column("text", Text),
    Column("page_starts", ARRAY(Integer)),
    Column("notes", ARRAY(Text)),
    Column("facts_hash", LargeBinary),
    Column("facts_by", Text),
    Column("url", Text),
    Column("sensitivity", Text),
    Column("review_by", Date),
    Column("verified_by", Text),
)

withdrawals = Table(
    "withdrawals",
    metadata,
    Column("edition", Integer),
    Column("policy_id", BigInteger),
    Column("withdrawn_from", Date),
    Column("is_file_gone", Boolean),
    Column("reason", Text),
)

policy_readers = Table(
    "policy_readers",
    metadata,
    Column("policy_id", BigInteger),
    Column("edition_from", Integer),
    Column("edition_until", Integer),
    Column("audience", ARRAY(Text)),
    Column("source", Text),
)

sections = Table(
    "sections",
    metadata,
    Column("id", BigInteger),
    Column("version_id", BigInteger),
    Column("ordinal", Integer),
    Column("eid", Text),
    Column("number", Text),
    Column("title", Text),
    Column("path", ARRAY(Text)),
    Column("level", SmallInteger),
    Column("page", Integer),
    Column("char_start", Integer),
    Column("body_start", Integer),
    Column("char_end", Integer),
)

chunks = Table(
    "chunks",
    metadata,
    Column("id", BigInteger),
    Column("version_id", BigInteger),
    Column("section_id", BigInteger),
    Column("chunk_id", Text),
    Column("chunk_index", Integer),
    Column("section_title", Text),
    Column("page_number", Integer),
    Column("char_start", Integer),
    Column("char_end", Integer),
    Column("text", Text),
    Column("content_hash", LargeBinary),
)

cross_references = Table(
    "cross_references",
    metadata,
    Column("id", BigInteger),
    Column("version_id", BigInteger),
    Column("section_id", BigInteger),
    Column("char_start", Integer),
    Column("char_end", Integer),
    Column("policy", Text),
    Column("number", Text),
    Column("target_policy_id", BigInteger),
    Column("target_eid", Text),
)

entities = Table(
    "entities",
    metadata,
    Column("id", BigInteger),
    Column("key", Text),
    Column("content_hash", LargeBinary),
    Column("type", Text),
    Column("name", Text),
    Column("aliases", ARRAY(Text)),
    Column("description", Text),
    Column("attributes", JSONB),
)

relations = Table(
    "relations",
    metadata,
    Column("id", BigInteger),
    Column("source_id", BigInteger),
    Column("type", Text),
    Column("target_id", BigInteger),
    Column("attributes", JSONB),
)

provenance = Table(
    "provenance",
    metadata,
    Column("id", BigInteger),
    Column("version_id", BigInteger),
    Column("section_id", BigInteger),
    Column("entity_id", BigInteger),
    Column("relation_id", BigInteger),
    Column("char_start", Integer),
    Column("char_end", Integer),
)

lead_ins = Table(
    "lead_ins",
    metadata,
    Column("version_id", BigInteger),
    Column("char_start", Integer),
    Column("char_end", Integer),
    Column("starts", ARRAY(Integer)),
    Column("ends", ARRAY(Integer)),
)

fact_words = Table(
    "fact_words",
    metadata,
    Column("provenance_id", BigInteger),
    Column("version_id", BigInteger),
    Column("entity_id", BigInteger),
    Column("words", ARRAY(Text)),
)

entity_words = Table(
    "entity_words",
    metadata,
    Column("version_id", BigInteger),
    Column("entity_id", BigInteger),
    Column("key", Text),
    Column("type", Text),
    Column("names", ARRAY(Text)),
    Column("words", ARRAY(Text)),
)

word_counts = Table(
    "word_counts",
    metadata,
    Column("word", Text),
    Column("version_id", BigInteger),
    Column("sections", Integer),
    Column("entities", Integer),
)

extracted_sections = Table(
    "extracted_sections",
    metadata,
    Column("section_hash", LargeBinary),
    Column("model", Text),
    Column("prompt", Text),
    Column("proposals", JSONB),
    Column("dropped", JSONB),
    Column("usage", JSONB),
    Column("cost_usd", Double),
    Column("read_at", DateTime(timezone=True)),
)

conversations = Table(
    "conversations",
    metadata,
    Column("id", Uuid(as_uuid=False)),
    Column("platform", Text),
    Column("tenant", Text),
    Column("channel", Text),
    Column("thread", Text),
    Column("next_seq", Integer),
    Column("created_at", DateTime(timezone=True)),
    Column("period", Text),
    Column("last_at", DateTime(timezone=True)),
)

questions = Table(
    "questions",
    metadata,
    Column("id", Uuid(as_uuid=False)),
    Column("conversation_id", Uuid(as_uuid=False)),
    Column("text", Text),
    Column("standalone", Text),
    Column("scope", JSONB),
    Column("assumptions", JSONB),
    Column("context", JSONB),
    Column("asked_at", DateTime(timezone=True)),
)

answers = Table(
    "answers",
    metadata,
    Column("id", Uuid(as_uuid=False)),
    Column("question_id", Uuid(as_uuid=False)),
    Column("outcome", Text),
    Column("refusal", Text),
    Column("text", Text),
    Column("slot", Text),
    Column("options", ARRAY(Text)),
    Column("nearest", JSONB),
    Column("badge", Text),
    Column("calibrated", Double),
    Column("reported", Double),
    Column("edition", Integer),
    Column("reasoner", Text),
    Column("used_rag", Boolean),
    Column("trace", JSONB),
    Column("answered_at", DateTime(timezone=True)),
    Column("record_id", Uuid(as_uuid=False)),
)

claims = Table(
    "claims",
    metadata,
    Column("answer_id", Uuid(as_uuid=False)),
    Column("n", Integer),
    Column("text", Text),
    Column("citations", ARRAY(Integer)),
)

citations = Table(
    "citations",
    metadata,
    Column("answer_id", Uuid(as_uuid=False)),
    Column("n", Integer),
    Column("key", Text),
    Column("version_id", BigInteger),
    Column("char_start", Integer),
    Column("char_end", Integer),
    Column("quote_hash", LargeBinary),
    Column("score", Double),
)

trace_steps = Table(
    "trace_steps",
    metadata,
    Column("question_id", Uuid(as_uuid=False)),
    Column("n", Integer),
    Column("stage", Text),
    Column("detail", JSONB),
    Column("took_ms", Double),
)

model_calls = Table(
    "model_calls",
    metadata,
    Column("id", BigInteger),
    Column("question_id", Uuid(as_uuid=False)),
    Column("request_hash", LargeBinary),
    Column("purpose", Text),
    Column("model", Text),
    Column("response", JSONB),
    Column("usage", JSONB),
    Column("latency_ms", Double),
    Column("at", DateTime(timezone=True)),
    Column("cost_usd", Double),
    Column("attempts", Integer),
)

inbox = Table(
    "inbox",
    metadata,
    Column("id", BigInteger),
    Column("dedupe_key", Text),
    Column("message_key", Text),
    Column("conversation_id", Uuid(as_uuid=False)),
    Column("kind", Text),
    Column("sent_at", DateTime(timezone=True)),
    Column("raw", JSONB),
    Column("run_salt", LargeBinary),
    Column("state", Text),
    Column("attempt", Integer),
    Column("lease_until", DateTime(timezone=True)),
    Column("lease_token", Uuid(as_uuid=False)),
    Column("outcome", Text),
    Column("received_at", DateTime(timezone=True)),
    Column("question_id", Uuid(as_uuid=False)),
    Column("record_id", Uuid(as_uuid=False)),
    Column("person", Text),
    Column("asker", Text),
    Column("mode", Text),
    Column("text", Text),
    Column("edition", Integer),
    Column("as_of", Date),
    Column("next_at", DateTime(timezone=True)),
    Column("progress_id", Text),
    Column("has_turn", Boolean),
    Column("is_told", Boolean),
    Column("context", JSONB),
    Column("is_counted", Boolean),
    Column("is_ahead", Boolean),
)

slack_installations = Table(
    "slack_installations",
    metadata,
    Column("id", BigInteger),
    Column("client_id", Text),
    Column("enterprise_id", Text),
    Column("team_id", Text),
    Column("user_id", Text),
    Column("app_id", Text),
    Column("bot_id", Text),
    Column("bot_user_id", Text),
    Column("label", Text),
    Column("scopes", ARRAY(Text)),
    Column("sealed", LargeBinary),
    Column("token_expires_at", DateTime(timezone=True)),
    Column("installed_at", DateTime(timezone=True)),
)

slack_oauth_states = Table(
    "slack_oauth_states",
    metadata,
    Column("state_hash", LargeBinary),
    Column("expires_at", DateTime(timezone=True)),
)
