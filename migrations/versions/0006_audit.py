"""The record: append-only, every column derived from the hashed bytes."""

from alembic import op
from alembic.util import CommandError

revision = "0006_audit"
down_revision = "0005_delivery"

FUNCTIONS = """
CREATE SCHEMA IF NOT EXISTS audit;

CREATE FUNCTION audit.doc(canonical bytea) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT
  AS $$ SELECT convert_from($1, 'UTF8')::jsonb $$;

-- RFC 3339 in UTC with microseconds. `timestamptz` input is only STABLE because of zones without
-- an offset: there is none.
CREATE FUNCTION audit.instant(written text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE STRICT
AS $$
BEGIN
  IF written !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z$' THEN
    RAISE EXCEPTION 'expected an RFC 3339 instant in UTC with microseconds, got %', written;
  END IF;
  RETURN written::timestamptz;
END $$;
"""

TABLES = """
CREATE TABLE audit.tag (tag text CONSTRAINT tag_pkey PRIMARY KEY, is_outcome boolean NOT NULL);

CREATE TABLE audit.record (
  canonical bytea NOT NULL,
  leaf_hash bytea NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  doc jsonb GENERATED ALWAYS AS (audit.doc(canonical)) STORED,
  id uuid GENERATED ALWAYS AS ((audit.doc(canonical)->>'id')::uuid) STORED
    CONSTRAINT record_pkey PRIMARY KEY,
  tag text GENERATED ALWAYS AS (audit.doc(canonical)->>'tag') STORED NOT NULL
    CONSTRAINT record_tag_fkey REFERENCES audit.tag,
  at timestamptz GENERATED ALWAYS AS (audit.instant(audit.doc(canonical)->>'at')) STORED NOT NULL,
  unit text GENERATED ALWAYS AS (audit.doc(canonical)->>'unit') STORED NOT NULL,
  actor text GENERATED ALWAYS AS (audit.doc(canonical)->'actor'->>'ref') STORED NOT NULL,
  subject text GENERATED ALWAYS AS (audit.doc(canonical)->>'subject') STORED,
  conversation uuid GENERATED ALWAYS AS ((audit.doc(canonical)->>'conversation')::uuid) STORED,
  seq integer GENERATED ALWAYS AS ((audit.doc(canonical)->>'seq')::integer) STORED,
  outcome text GENERATED ALWAYS AS (audit.doc(canonical)->>'outcome') STORED,
  badge text GENERATED ALWAYS AS (audit.doc(canonical)->'confidence'->>'badge') STORED,
  calibrated numeric
    GENERATED ALWAYS AS ((audit.doc(canonical)->'confidence'->>'calibrated')::numeric) STORED,
  CONSTRAINT record_conversation_seq_key UNIQUE (conversation, seq),
  CONSTRAINT record_leaf_check CHECK (leaf_hash = sha256('\\x00'::bytea || canonical)));
CREATE INDEX record_at_idx ON audit.record (at);
CREATE INDEX record_tag_at_idx ON audit.record (tag, at);
COMMENT ON TABLE audit.record IS
  'One immutable entry a row; every column but xid is derived from canonical.';
COMMENT ON COLUMN audit.record.canonical IS 'RFC 8785 JSON: exactly the hashed bytes.';
COMMENT ON COLUMN audit.record.leaf_hash IS 'RFC 6962 leaf: SHA-256(0x00 || canonical).';

CREATE TABLE audit.citation (
  record_id uuid NOT NULL CONSTRAINT citation_record_id_fkey REFERENCES audit.record,
  n integer NOT NULL,
  policy text NOT NULL,
  version text,
  section text,
  char_start integer NOT NULL,
  char_end integer NOT NULL,
  quote_hash bytea NOT NULL,
  CONSTRAINT citation_pkey PRIMARY KEY (record_id, n));
CREATE INDEX citation_policy_section_idx ON audit.citation (policy, section);

CREATE TABLE audit.content (
  record_id uuid NOT NULL CONSTRAINT content_record_id_fkey REFERENCES audit.record,
  field text NOT NULL,
  salt bytea NOT NULL CONSTRAINT content_salt_check CHECK (octet_length(salt) = 32),
  body text NOT NULL,
  retain_until date,
  hold_id uuid,
  CONSTRAINT content_pkey PRIMARY KEY (record_id, field));
COMMENT ON TABLE audit.content IS
  'All personal text. The record commits to it: SHA-256(salt || field || 0x00 || body),'
  ' under its key "content".';
"""

TRIGGERS = """
CREATE FUNCTION audit.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit.% is append-only: % is refused', TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE FUNCTION audit.check_clock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Generated columns are filled after BEFORE triggers, so that this one reads the document itself.
  IF abs(extract(epoch FROM
         audit.instant(audit.doc(NEW.canonical)->>'at') - clock_timestamp())) > 60 THEN
    RAISE EXCEPTION 'the record''s time is more than 60 s off the server''s clock';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION audit.derive_citations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit.citation
    (record_id, n, policy, version, section, char_start, char_end, quote_hash)
  SELECT NEW.id, (c->>'n')::integer, c->>'policy', c->>'version', c->>'section',
         (c->>'char_start')::integer, (c->>'char_end')::integer, decode(c->>'quote_hash', 'hex')
    FROM jsonb_array_elements(coalesce(NEW.doc->'citations', '[]')) AS c;
  RETURN NULL;
END $$;

CREATE TRIGGER check_clock BEFORE INSERT ON audit.record
  FOR EACH ROW EXECUTE FUNCTION audit.check_clock();
CREATE TRIGGER derive_citations AFTER INSERT ON audit.record
  FOR EACH ROW EXECUTE FUNCTION audit.derive_citations();
"""

APPEND_ONLY = """
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON audit.{0}
  FOR EACH ROW EXECUTE FUNCTION audit.refuse();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON audit.{0}
  FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse();
"""

TAGS = (
    ("message:ignored", True),
    ("question:answered", True),
    ("question:refused", True),
    ("question:escalated", True),
    ("question:failed", True),
    ("clarification:asked", True),
    ("feedback:given", False),
    ("record:viewed", False),
)


def upgrade() -> None:
    """Create the record."""
    op.execute(FUNCTIONS)
    op.execute(TABLES)
    op.execute(TRIGGERS)
    for table in ("record", "citation", "content"):
        op.execute(APPEND_ONLY.format(table))
    rows = ", ".join(f"('{tag}', {is_outcome})" for tag, is_outcome in TAGS)
    op.execute(f"INSERT INTO audit.tag (tag, is_outcome) VALUES {rows}")  # noqa: S608  # constants


def downgrade() -> None:
    """Refuse: no step, up or down, drops data of the ledger."""
    connection = op.get_bind()
    if connection.exec_driver_sql("SELECT EXISTS (SELECT FROM audit.record)").scalar():
        message = "the record is not empty: its migration can't be taken back"
        raise CommandError(message)
    op.execute("DROP SCHEMA audit CASCADE")
