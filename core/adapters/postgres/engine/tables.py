"""The tables that statements are composed from, as far as SQLAlchemy has to know them.

Columns and their types alone: migrations write the schema, and with it keys, constraints, indexes
and what each column means. A test holds every column to the database. Most statements are SQL.

Offsets are Unicode code points, half-open. Times are `timestamptz`, UTC. A row of a version is
visible in an edition and on a day when its version is: the one rule is the SQL function
`citebound.live_versions`.
"""

from typing import Any

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
from sqlalchemy.types import TypeEngine

_ID, _INSTANT = Uuid(as_uuid=False), DateTime(timezone=True)
_TEXTS, _INTEGERS = ARRAY(Text), ARRAY(Integer)

metadata = MetaData(schema="citebound")


def _table(name: str, *columns: tuple[str, TypeEngine[Any] | type[TypeEngine[Any]]]) -> Table:
    """Return a table: the names of its columns, apart by spaces, with the type they share."""
    return Table(
        name, metadata, *(Column(column, of) for names, of in columns for column in names.split())
    )


editions = _table("editions", ("number", Integer), ("published_at", _INSTANT), ("note", Text))
policies = _table("policies", ("id", BigInteger), ("key", Text))
policy_versions = _table(
    "policy_versions",
    ("id policy_id", BigInteger),
    ("number edition_from edition_until reading", Integer),
    ("title label owner jurisdiction upload_id source_name media_type text", Text),
    ("facts_by url sensitivity verified_by", Text),
    ("audience tags notes", _TEXTS),
    ("effective_from effective_until review_by", Date),
    ("sha256 original facts_hash", LargeBinary),
    ("page_starts", _INTEGERS),
)
withdrawals = _table(
    "withdrawals",
    ("edition", Integer),
    ("policy_id", BigInteger),
    ("withdrawn_from", Date),
    ("is_file_gone", Boolean),
    ("reason", Text),
)
sections = _table(
    "sections",
    ("id version_id", BigInteger),
    ("ordinal page char_start body_start char_end", Integer),
    ("eid number title", Text),
    ("path", _TEXTS),
    ("level", SmallInteger),
)
chunks = _table(
    "chunks",
    ("id version_id section_id", BigInteger),
    ("chunk_id section_title text", Text),
    ("chunk_index page_number char_start char_end", Integer),
    ("content_hash", LargeBinary),
)
cross_references = _table(
    "cross_references",
    ("id version_id section_id target_policy_id", BigInteger),
    ("char_start char_end", Integer),
    ("policy number target_eid", Text),
)
entities = _table(
    "entities",
    ("id", BigInteger),
    ("key type name description", Text),
    ("content_hash", LargeBinary),
    ("aliases", _TEXTS),
    ("attributes", JSONB),
)
relations = _table(
    "relations", ("id source_id target_id", BigInteger), ("type", Text), ("attributes", JSONB)
)
provenance = _table(
    "provenance",
    ("id version_id section_id entity_id relation_id", BigInteger),
    ("char_start char_end", Integer),
)
lead_ins = _table(
    "lead_ins",
    ("version_id", BigInteger),
    ("char_start char_end", Integer),
    ("starts ends", _INTEGERS),
)
fact_words = _table(
    "fact_words", ("provenance_id version_id entity_id", BigInteger), ("words", _TEXTS)
)
entity_words = _table(
    "entity_words",
    ("version_id entity_id", BigInteger),
    ("key type", Text),
    ("names words", _TEXTS),
)
word_counts = _table(
    "word_counts", ("word", Text), ("version_id", BigInteger), ("sections entities", Integer)
)
extracted_sections = _table(
    "extracted_sections",
    ("section_hash", LargeBinary),
    ("model prompt", Text),
    ("proposals dropped usage", JSONB),
    ("cost_usd", Double),
    ("read_at", _INSTANT),
)
conversations = _table(
    "conversations",
    ("id", _ID),
    ("platform tenant channel thread period", Text),
    ("next_seq", Integer),
    ("created_at last_at", _INSTANT),
)
questions = _table(
    "questions",
    ("id conversation_id", _ID),
    ("text standalone", Text),
    ("scope assumptions context", JSONB),
    ("asked_at", _INSTANT),
)
answers = _table(
    "answers",
    ("id question_id record_id", _ID),
    ("outcome refusal text slot badge reasoner", Text),
    ("options", _TEXTS),
    ("nearest trace", JSONB),
    ("calibrated reported", Double),
    ("edition", Integer),
    ("used_rag", Boolean),
    ("answered_at", _INSTANT),
)
claims = _table(
    "claims", ("answer_id", _ID), ("n", Integer), ("text", Text), ("citations", _INTEGERS)
)
citations = _table(
    "citations",
    ("answer_id", _ID),
    ("n char_start char_end", Integer),
    ("key", Text),
    ("version_id", BigInteger),
    ("quote_hash", LargeBinary),
    ("score", Double),
)
trace_steps = _table(
    "trace_steps",
    ("question_id", _ID),
    ("n", Integer),
    ("stage", Text),
    ("detail", JSONB),
    ("took_ms", Double),
)
model_calls = _table(
    "model_calls",
    ("id", BigInteger),
    ("question_id", _ID),
    ("request_hash", LargeBinary),
    ("purpose model", Text),
    ("response usage", JSONB),
    ("latency_ms cost_usd", Double),
    ("at", _INSTANT),
    ("attempts", Integer),
)
inbox = _table(
    "inbox",
    ("id", BigInteger),
    ("dedupe_key message_key kind state outcome person asker mode text progress_id", Text),
    ("conversation_id lease_token question_id record_id", _ID),
    ("sent_at lease_until received_at next_at", _INSTANT),
    ("raw context", JSONB),
    ("run_salt", LargeBinary),
    ("attempt edition", Integer),
    ("as_of", Date),
    ("has_turn is_told is_counted is_ahead", Boolean),
)
slack_installations = _table(
    "slack_installations",
    ("id", BigInteger),
    ("client_id enterprise_id team_id user_id app_id bot_id bot_user_id label", Text),
    ("scopes", _TEXTS),
    ("sealed", LargeBinary),
    ("token_expires_at installed_at", _INSTANT),
)
slack_oauth_states = _table(
    "slack_oauth_states", ("state_hash", LargeBinary), ("expires_at", _INSTANT)
)
