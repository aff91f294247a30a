# pyright: reportUnknownArgumentType=false
# The type of a foreign key column is that of its target, which SQLAlchemy knows at run time alone.
"""All tables, once, as SQLAlchemy Core knows them.

Only migrations write the schema; a test keeps the two equal.

Offsets are Unicode code points, half-open. Times are `timestamptz`, UTC. A row of a version is
visible in an edition and
on a day when its version is: the one rule is the SQL function `citebound.live_versions`.
"""

from pgvector.sqlalchemy import HALFVEC, SPARSEVEC
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR

SCHEMA = "citebound"
LEXICAL_DIMENSIONS = 1_000_000
"""Size of the term space of `chunk_terms`: the most that ids in `terms` may reach."""

metadata = MetaData(
    schema=SCHEMA,
    naming_convention={
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ck": "%(table_name)s_%(constraint_name)s_check",
        "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
        "pk": "%(table_name)s_pkey",
    },
)


def _id() -> Column[int]:
    return Column("id", BigInteger, Identity(always=True), primary_key=True)


def _at(name: str = "created_at") -> Column[object]:
    return Column(name, DateTime(timezone=True), nullable=False, server_default=text("now()"))


# -- knowledge

editions = Table(
    "editions",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    _at("published_at"),
    Column("note", Text, nullable=False),
)

policies = Table("policies", metadata, _id(), Column("key", Text, nullable=False, unique=True))

policy_versions = Table(
    "policy_versions",
    metadata,
    _id(),
    Column("policy_id", ForeignKey("policies.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("edition_from", ForeignKey("editions.number"), nullable=False),
    Column("edition_until", ForeignKey("editions.number")),
    Column("title", Text, nullable=False),
    Column("label", Text),
    Column("owner", Text),
    Column("jurisdiction", Text),
    Column("audience", ARRAY(Text), nullable=False),
    Column("tags", ARRAY(Text), nullable=False),
    Column("effective_from", Date),
    Column("effective_until", Date),
    Column("upload_id", Text),
    Column("source_name", Text, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("sha256", LargeBinary, nullable=False),
    Column("original", LargeBinary, nullable=False),
    Column("text", Text, nullable=False),
    Column("page_starts", ARRAY(Integer), nullable=False),
    Column("notes", ARRAY(Text), nullable=False),
    Column(
        "facts_hash",
        LargeBinary,
        comment="SHA-256 of all facts published with it; null: published before it was kept",
    ),
    Column("facts_by", Text, comment="rules, or model and prompt; null: rules"),
    UniqueConstraint("policy_id", "number"),
    CheckConstraint("cardinality(audience) > 0", name="audience"),
)

withdrawals = Table(
    "withdrawals",
    metadata,
    Column("edition", ForeignKey("editions.number"), primary_key=True),
    Column("policy_id", ForeignKey("policies.id"), nullable=False),
    Column("withdrawn_from", Date, nullable=False),
    Column(
        "is_file_gone",
        Boolean,
        nullable=False,
        comment="true: withdrawn because its file was gone, and back with the file",
    ),
    Column("reason", Text, nullable=False),
    Index(None, "policy_id", "edition"),
    comment="From the day on, no version of the policy that an earlier edition published is in"
    " force.",
)

policy_files = Table(
    "policy_files",
    metadata,
    Column("policy_id", ForeignKey("policies.id"), primary_key=True),
    Column(
        "path",
        Text,
        nullable=False,
        comment="absolute path of the file that the policy was read from last",
    ),
)

sections = Table(
    "sections",
    metadata,
    _id(),
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("eid", Text, nullable=False),
    Column("number", Text),
    Column("title", Text, nullable=False),
    Column("path", ARRAY(Text), nullable=False),
    Column("level", SmallInteger, nullable=False),
    Column("page", Integer),
    Column("char_start", Integer, nullable=False),
    Column("body_start", Integer, nullable=False),
    Column("char_end", Integer, nullable=False),
    UniqueConstraint("version_id", "ordinal"),
    UniqueConstraint("version_id", "eid"),
)

chunks = Table(
    "chunks",
    metadata,
    _id(),
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), nullable=False),
    Column("section_id", ForeignKey("sections.id", ondelete="CASCADE"), nullable=False),
    Column("chunk_id", Text, nullable=False),
    Column("chunk_index", Integer, nullable=False),
    Column("section_title", Text, nullable=False),
    Column("page_number", Integer),
    Column("char_start", Integer, nullable=False),
    Column("char_end", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("content_hash", LargeBinary, nullable=False),
    UniqueConstraint("version_id", "chunk_index"),
    Index(None, "section_id"),
    Index(None, "content_hash"),
)

cross_references = Table(
    "cross_references",
    metadata,
    _id(),
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), nullable=False),
    Column("section_id", ForeignKey("sections.id", ondelete="CASCADE"), nullable=False),
    Column("char_start", Integer, nullable=False),
    Column("char_end", Integer, nullable=False),
    Column("policy", Text, comment="the other policy as written; null: the same policy"),
    Column("number", Text, comment="the section number as written; null: the policy as a whole"),
    Column("target_policy_id", ForeignKey("policies.id"), comment="null: dangling"),
    Column("target_eid", Text, comment="null: the policy as a whole, or dangling"),
    Index(None, "section_id"),
    Index(None, "target_policy_id", "target_eid"),
)

# -- ontology

entities = Table(
    "entities",
    metadata,
    _id(),
    Column("key", Text, nullable=False),
    Column(
        "content_hash",
        LargeBinary,
        nullable=False,
        comment="of all that a version says of it: another version may say it otherwise, or to"
        " others",
    ),
    Column("type", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("aliases", ARRAY(Text), nullable=False),
    Column("description", Text, nullable=False),
    Column("attributes", JSONB, nullable=False),
    UniqueConstraint("key", "content_hash"),
)

relations = Table(
    "relations",
    metadata,
    _id(),
    Column("source_id", ForeignKey("entities.id"), nullable=False),
    Column("type", Text, nullable=False),
    Column("target_id", ForeignKey("entities.id"), nullable=False),
    Column("attributes", JSONB, nullable=False),
    UniqueConstraint("source_id", "type", "target_id"),
    Index(None, "target_id"),
)

provenance = Table(
    "provenance",
    metadata,
    _id(),
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), nullable=False),
    Column("section_id", ForeignKey("sections.id", ondelete="CASCADE"), nullable=False),
    Column("entity_id", ForeignKey("entities.id")),
    Column("relation_id", ForeignKey("relations.id")),
    Column("char_start", Integer, nullable=False),
    Column("char_end", Integer, nullable=False),
    CheckConstraint("num_nonnulls(entity_id, relation_id) = 1", name="subject"),
    Index(None, "version_id"),
    Index(None, "entity_id"),
    Index(None, "relation_id"),
)

lead_ins = Table(
    "lead_ins",
    metadata,
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), primary_key=True),
    Column("char_start", Integer, primary_key=True, comment="of a list item or table row"),
    Column("char_end", Integer, nullable=False),
    Column(
        "starts",
        ARRAY(Integer),
        nullable=False,
        comment="of what introduces it, outermost first: sentences, items above, the header row",
    ),
    Column("ends", ARRAY(Integer), nullable=False),
)

fact_words = Table(
    "fact_words",
    metadata,
    Column("provenance_id", ForeignKey("provenance.id", ondelete="CASCADE"), primary_key=True),
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), nullable=False),
    Column("entity_id", ForeignKey("entities.id"), nullable=False),
    Column(
        "words",
        ARRAY(Text),
        nullable=False,
        comment="stems of the statement, /of its heading, //of the policy's title, and beginnings*",
    ),
    Index(None, "version_id"),
    Index(None, "words", postgresql_using="gin"),
)

entity_words = Table(
    "entity_words",
    metadata,
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), primary_key=True),
    Column("entity_id", ForeignKey("entities.id"), primary_key=True),
    Column("key", Text, nullable=False, comment="of the entity, as is its type"),
    Column("type", Text, nullable=False),
    Column("names", ARRAY(Text), nullable=False, comment="as names are compared"),
    Column(
        "words",
        ARRAY(Text),
        nullable=False,
        comment="stems of its names, /of what is said of it, //of its headings, =its names, and the"
        " pairs of neighbouring stems of a definition",
    ),
    Index(None, "entity_id"),
    Index(None, "key"),
    Index(None, "type", "version_id"),
    Index(None, "words", postgresql_using="gin"),
)

word_counts = Table(
    "word_counts",
    metadata,
    Column("word", Text, primary_key=True),
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), primary_key=True),
    Column("sections", Integer, nullable=False, comment="of the version that use the stem"),
    Column("entities", Integer, nullable=False, comment="of this policy alone that have the stem"),
    Index(None, "version_id"),
)

fact_indexes = Table(
    "fact_indexes",
    metadata,
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), primary_key=True),
    Column(
        "generation",
        SmallInteger,
        nullable=False,
        comment="of the rules by which words were read; one with another is indexed again",
    ),
    Column("facts", Integer, nullable=False, comment="entities that the version names"),
    Column("own_facts", Integer, nullable=False, comment="those of this policy alone"),
    Column("sections", Integer, nullable=False, comment="of which anything is known"),
    Column(
        "gives_way",
        Boolean,
        nullable=False,
        comment="the policy says that it gives way to local rules",
    ),
)

extracted_sections = Table(
    "extracted_sections",
    metadata,
    Column(
        "section_hash",
        LargeBinary,
        primary_key=True,
        comment="SHA-256 of the policy's title, the headings and the text that the model was shown",
    ),
    Column("model", Text, primary_key=True),
    Column("prompt", Text, primary_key=True),
    Column(
        "proposals",
        JSONB,
        nullable=False,
        comment="as the model wrote them, unverified: they are held to the text whenever they are"
        " used",
    ),
    Column(
        "dropped",
        JSONB,
        nullable=False,
        comment="how many the text did not bear out when they were read, by reason",
    ),
    Column("usage", JSONB, nullable=False),
    Column("cost_usd", Double, comment="null: the price was not known"),
    _at("read_at"),
)

# -- search

terms = Table(
    "terms",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("term", Text, nullable=False, unique=True),
    Column("df", Integer, nullable=False, comment="chunks whose text holds the term"),
)

lexical_stats = Table(
    "lexical_stats",
    metadata,
    Column("one", Boolean, primary_key=True, server_default=text("true")),
    Column("chunks", Integer, nullable=False),
    Column("words", BigInteger, nullable=False),
    Column("heading_words", BigInteger, nullable=False),
    Column(
        "mean_words",
        Double,
        nullable=False,
        comment="the mean length that chunk_terms was weighed with",
    ),
    Column("mean_heading_words", Double, nullable=False),
    CheckConstraint("one", name="one"),
)

indexed_versions = Table(
    "indexed_versions",
    metadata,
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), primary_key=True),
    Column(
        "chunks",
        Integer,
        nullable=False,
        comment="rows of chunk_terms, so that no search counts them",
    ),
)

chunk_lexemes = Table(
    "chunk_lexemes",
    metadata,
    Column("chunk_id", ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True),
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), nullable=False),
    Column("body", TSVECTOR, nullable=False),
    Column("heading", TSVECTOR, nullable=False),
    Column("words", Integer, nullable=False),
    Column("heading_words", Integer, nullable=False),
    Index(None, "version_id"),
)

chunk_terms = Table(
    "chunk_terms",
    metadata,
    Column("chunk_id", ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True),
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), nullable=False),
    Column("weights", SPARSEVEC(LEXICAL_DIMENSIONS), nullable=False),
    Index(None, "version_id"),
)

embedding_spaces = Table(
    "embedding_spaces",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("provider", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("dimensions", Integer, nullable=False),
    Column("revision", Text, nullable=False),
    Column("fusion_weight", Double, nullable=False),
    Column(
        "state",
        Text,
        nullable=False,
        server_default=text("'kept'"),
        comment="serving: searched, and new chunks are embedded in it; at most one",
    ),
    UniqueConstraint("provider", "model", "dimensions", "revision"),
    CheckConstraint("state IN ('building', 'serving', 'kept')", name="state"),
    Index(
        "embedding_spaces_serving_idx",
        "state",
        unique=True,
        postgresql_where=text("state = 'serving'"),
    ),
)

chunk_embeddings = Table(
    "chunk_embeddings",
    metadata,
    Column("space_id", ForeignKey("embedding_spaces.id"), primary_key=True),
    Column("chunk_id", ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True),
    Column("version_id", ForeignKey("policy_versions.id", ondelete="CASCADE"), nullable=False),
    Column("vector", HALFVEC(), nullable=False),
    Index(None, "chunk_id"),
    Index(None, "version_id"),
)

# -- conversation

conversations = Table(
    "conversations",
    metadata,
    Column("id", Uuid(as_uuid=False), primary_key=True),
    Column("platform", Text, nullable=False),
    Column("tenant", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("next_seq", Integer, nullable=False, server_default=text("1")),
    _at(),
    UniqueConstraint("platform", "tenant", "channel", "thread"),
)

questions = Table(
    "questions",
    metadata,
    Column("id", Uuid(as_uuid=False), primary_key=True),
    Column("conversation_id", ForeignKey("conversations.id"), nullable=False),
    Column("text", Text, nullable=False),
    Column("standalone", Text, nullable=False),
    Column("scope", JSONB, nullable=False),
    Column("assumptions", JSONB, nullable=False),
    Column("context", JSONB, nullable=False, server_default=text("'[]'")),
    Column("asked_at", DateTime(timezone=True), nullable=False),
    Index(None, "conversation_id", "asked_at"),
)

answers = Table(
    "answers",
    metadata,
    Column("id", Uuid(as_uuid=False), primary_key=True),
    Column("question_id", ForeignKey("questions.id"), nullable=False, unique=True),
    Column("outcome", Text, nullable=False),
    Column("refusal", Text),
    Column("text", Text, nullable=False),
    Column("slot", Text),
    Column("options", ARRAY(Text), nullable=False),
    Column("nearest", JSONB, nullable=False),
    Column("badge", Text),
    Column("calibrated", Double),
    Column("reported", Double),
    Column("edition", ForeignKey("editions.number")),
    Column("reasoner", Text, nullable=False),
    Column("used_rag", Boolean, nullable=False),
    Column("trace", JSONB, nullable=False),
    Column("answered_at", DateTime(timezone=True), nullable=False),
)

claims = Table(
    "claims",
    metadata,
    Column("answer_id", ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("text", Text, nullable=False),
    Column("citations", ARRAY(Integer), nullable=False),
)

citations = Table(
    "citations",
    metadata,
    Column("answer_id", ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("key", Text, nullable=False),
    Column("version_id", ForeignKey("policy_versions.id"), nullable=False),
    Column("char_start", Integer, nullable=False),
    Column("char_end", Integer, nullable=False),
    Column("quote_hash", LargeBinary, nullable=False),
    Column("score", Double),
    Index(None, "version_id"),
)

trace_steps = Table(
    "trace_steps",
    metadata,
    Column("question_id", ForeignKey("questions.id", ondelete="CASCADE"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("stage", Text, nullable=False),
    Column("detail", JSONB, nullable=False),
    Column("took_ms", Double, nullable=False),
)

model_calls = Table(
    "model_calls",
    metadata,
    _id(),
    Column("question_id", Uuid(as_uuid=False), nullable=False),
    Column("request_hash", LargeBinary, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("response", JSONB, nullable=False),
    Column("usage", JSONB, nullable=False),
    Column("latency_ms", Double, nullable=False),
    _at("at"),
    Column("cost_usd", Double),
    Column("attempts", Integer, nullable=False, server_default=text("1")),
    UniqueConstraint("question_id", "request_hash"),
    Index(None, "at", postgresql_include=["cost_usd"]),
)

overspent_days = Table(
    "overspent_days",
    metadata,
    Column("day", Date, primary_key=True),
    Column("budget_usd", Double, nullable=False),
    Column("spent_usd", Double, nullable=False),
    _at("at"),
    comment="days, in UTC, on which language models cost as much as they may; officers were told",
)

inbox = Table(
    "inbox",
    metadata,
    _id(),
    Column("dedupe_key", Text, nullable=False, unique=True),
    Column("message_key", Text, unique=True),
    Column("conversation_id", ForeignKey("conversations.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("sent_at", DateTime(timezone=True), nullable=False),
    Column("raw", JSONB, nullable=False),
    Column("run_salt", LargeBinary, nullable=False),
    Column("state", Text, nullable=False, server_default=text("'received'")),
    Column("attempt", Integer, nullable=False, server_default=text("0")),
    Column("lease_until", DateTime(timezone=True)),
    Column("lease_token", Uuid(as_uuid=False)),
    Column("outcome", Text),
    _at("received_at"),
    Column("question_id", Uuid(as_uuid=False), nullable=False, unique=True),
    Column("record_id", Uuid(as_uuid=False)),
    Column("person", Text, nullable=False),
    Column("asker", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column(
        "text", Text, nullable=False, comment="the newest: an edit before the outcome replaces it"
    ),
    Column("edition", Integer, comment="of the first attempt, as is as_of: a rerun sees it"),
    Column("as_of", Date),
    _at("next_at"),
    Column("progress_id", Text),
    Column(
        "has_turn",
        Boolean,
        nullable=False,
        server_default=text("false"),
        comment="it was within the limits: a rerun need not be",
    ),
    Column(
        "is_told",
        Boolean,
        nullable=False,
        server_default=text("false"),
        comment="the asker need not be told (again) that it waits",
    ),
    Column(
        "context",
        JSONB,
        nullable=False,
        server_default=text("'[]'"),
        comment="what came with the message of others' words: quoted, or asked about",
    ),
    Column(
        "is_counted",
        Boolean,
        nullable=False,
        server_default=text("true"),
        comment="of those that may wait; false: a reply to a question back, or a report",
    ),
    Column(
        "is_ahead",
        Boolean,
        nullable=False,
        server_default=text("false"),
        comment="a report of misconduct: answered first, without a turn",
    ),
    CheckConstraint("state IN ('received', 'running', 'done', 'dead')", name="state"),
    Index(None, "conversation_id", "id", postgresql_where=text("state IN ('received', 'running')")),
    Index(None, "asker", postgresql_where=text("state IN ('received', 'running')")),
    Index(None, "person", "received_at", postgresql_where=text("outcome = 'clarification'")),
)

outbox = Table(
    "outbox",
    metadata,
    _id(),
    Column("cause", Text, nullable=False),
    Column("part", Integer, nullable=False),
    Column("conversation_id", ForeignKey("conversations.id"), nullable=False),
    Column("reply", JSONB, nullable=False),
    Column("state", Text, nullable=False, server_default=text("'queued'")),
    Column("remote_id", Text),
    Column("attempt", Integer, nullable=False, server_default=text("0")),
    Column("next_at", DateTime(timezone=True), nullable=False, server_default=text("now()")),
    Column("person", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("is_direct", Boolean, nullable=False, server_default=text("false")),
    Column("shape", SmallInteger, nullable=False, server_default=text("0")),
    Column("progress_id", Text),
    Column(
        "has_slot",
        Boolean,
        nullable=False,
        server_default=text("false"),
        comment="next_at is a moment of its channel taken for it",
    ),
    Column("is_recorded_doubt", Boolean, nullable=False, server_default=text("false")),
    Column("lease_until", DateTime(timezone=True)),
    Column("lease_token", Uuid(as_uuid=False)),
    _at("queued_at"),
    Column("settled_at", DateTime(timezone=True), comment="null: there is still something to do"),
    Column(
        "replaces",
        ForeignKey("outbox.id"),
        comment="the reply whose post it rewrites; null: it is posted anew",
    ),
    Column(
        "removed_at",
        DateTime(timezone=True),
        comment="when it was taken away by who asked, or an officer; null: it was not",
    ),
    UniqueConstraint("cause", "part"),
    CheckConstraint(
        "state IN ('queued', 'sending', 'posted', 'uncertain', 'withheld', 'dead')", name="state"
    ),
    Index(None, "conversation_id", "id", postgresql_where=text("settled_at IS NULL")),
)

askers = Table(
    "askers",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("tenant", Text, primary_key=True),
    Column("person", Text, primary_key=True),
    Column(
        "pseudonym",
        Text,
        nullable=False,
        unique=True,
        comment="random: nobody can compute it again once the row is gone",
    ),
    Column(
        "told_until",
        DateTime(timezone=True),
        comment="when they can ask again, as they were told; null: they were not, or have asked"
        " since",
    ),
)

leases = Table(
    "leases",
    metadata,
    Column("name", Text, primary_key=True, comment="what one process at a time does"),
    Column("holder", Text, nullable=False, comment="made up by who holds it"),
    Column(
        "until",
        DateTime(timezone=True),
        nullable=False,
        comment="from then on anybody may take it",
    ),
)

turns = Table(
    "turns",
    metadata,
    Column("kind", Text, primary_key=True),
    Column(
        "key",
        Text,
        primary_key=True,
        comment="pseudonym of an asker, platform:tenant:channel, or id of a conversation",
    ),
    Column(
        "taken",
        ARRAY(DateTime(timezone=True)),
        nullable=False,
        server_default=text("'{}'"),
        comment="the last ones, in order: as many as the limit counts",
    ),
    CheckConstraint("kind IN ('asker', 'channel', 'conversation', 'notice')", name="kind"),
)

channel_paces = Table(
    "channel_paces",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("tenant", Text, primary_key=True),
    Column("channel", Text, primary_key=True),
    Column(
        "free_at",
        DateTime(timezone=True),
        nullable=False,
        comment="the next moment that nobody has taken",
    ),
    Column(
        "rests_until",
        DateTime(timezone=True),
        comment="the platform refuses until then; null: it never has",
    ),
)

feedback = Table(
    "feedback",
    metadata,
    _id(),
    Column("answer_id", ForeignKey("answers.id"), nullable=False),
    Column("actor", Text, nullable=False),
    Column("rating", Text, nullable=False),
    Column("reason", Text),
    Column("platform_message_id", Text),
    _at("at"),
    Column("comment", Text, nullable=False),
    Column("dedupe_key", Text, nullable=False),
    Column("refusal", Text, comment="null: it was kept"),
    Index(None, "answer_id"),
    UniqueConstraint("answer_id", "actor", "dedupe_key"),
)

cases = Table(
    "cases",
    metadata,
    Column("id", Uuid(as_uuid=False), primary_key=True),
    Column("question_id", ForeignKey("questions.id"), nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("owner", Text, comment="login of the officer who has claimed it; null: nobody"),
    Column("reason", Text, nullable=False, comment="outcome of the question"),
    Column("due_at", DateTime(timezone=True)),
    _at("opened_at"),
    Column("number", BigInteger, Identity(always=True), nullable=False, unique=True),
    Column("urgency", Text, nullable=False),
    Column("opener", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("reply_id", ForeignKey("outbox.id"), comment="what the asker got; null: nothing"),
    Column("record_id", Uuid(as_uuid=False), nullable=False, comment="case:opened"),
    Column("asker", Text, nullable=False, comment="pseudonym"),
    Column("asker_name", Text),
    Column("person", Text, nullable=False, comment="the platform's id of the asker"),
    Column("mode", Text, nullable=False),
    Column("permalink", Text),
    Column("is_private", Boolean, nullable=False),
    Column("is_anonymous", Boolean, nullable=False),
    Column("is_sensitive", Boolean, nullable=False),
    Column("is_wrong", Boolean, nullable=False, server_default=text("false")),
    Column("owner_name", Text),
    Column("claimed_at", DateTime(timezone=True)),
    Column("answered_at", DateTime(timezone=True), comment="null: by no officer yet"),
    CheckConstraint("state IN ('open', 'claimed', 'answered', 'closed')", name="state"),
    Index(None, "person"),
    Index(None, "state"),
)

case_messages = Table(
    "case_messages",
    metadata,
    _id(),
    Column("case_id", ForeignKey("cases.id"), nullable=False),
    Column("actor", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("platform_message_id", Text),
    _at("at"),
    Column("kind", Text, nullable=False, comment="what was done, or refused"),
    Column("dedupe_key", Text, nullable=False),
    Column("refusal", Text, comment="why not; null: it was done"),
    Column("officer_name", Text),
    Column("is_direct", Boolean, nullable=False, server_default=text("false")),
    UniqueConstraint("case_id", "actor", "dedupe_key"),
)

slack_installations = Table(
    "slack_installations",
    metadata,
    _id(),
    Column("client_id", Text, nullable=False),
    Column("enterprise_id", Text, comment="null: no Enterprise Grid"),
    Column("team_id", Text, comment="null: the whole organisation"),
    Column("user_id", Text, nullable=False, comment="who installed it"),
    Column("app_id", Text, nullable=False),
    Column("bot_id", Text, nullable=False),
    Column("bot_user_id", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column(
        "sealed",
        LargeBinary,
        nullable=False,
        comment="access and refresh token: AES-256-GCM, bound to the columns of the unique key",
    ),
    Column("token_expires_at", DateTime(timezone=True), comment="null: never"),
    _at("installed_at"),
    UniqueConstraint(
        "client_id", "enterprise_id", "team_id", "user_id", postgresql_nulls_not_distinct=True
    ),
    CheckConstraint("enterprise_id IS NOT NULL OR team_id IS NOT NULL", name="place"),
)

slack_oauth_states = Table(
    "slack_oauth_states",
    metadata,
    Column("state_hash", LargeBinary, primary_key=True, comment="SHA-256; deleted when it is used"),
    Column("expires_at", DateTime(timezone=True), nullable=False),
)

conversation_references = Table(
    "conversation_references",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("tenant", Text, primary_key=True),
    Column("conversation", Text, primary_key=True),
    Column("person", Text, comment="whose direct conversation it is; null: any other"),
    Column("team", Text, comment="null: a chat"),
    Column(
        "facts",
        JSONB,
        nullable=False,
        comment="what the platform needs to be told; checked when written and when read; no text",
    ),
    _at(),
    _at("updated_at"),
    Index(
        "conversation_references_person_idx",
        "person",
        postgresql_where=text("person IS NOT NULL"),
    ),
    Index("conversation_references_team_idx", "team", postgresql_where=text("team IS NOT NULL")),
)
