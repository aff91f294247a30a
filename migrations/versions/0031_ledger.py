"""The ledger: every record is a leaf of a Merkle tree whose root is signed.

The sequencer reads by the horizon of transactions: ids and times are given before a record can be
seen, so that a cursor by them passes over what commits late.
"""

from alembic import op

revision = "0031_ledger"
down_revision = "0030_compatibility"

TABLES = """
CREATE INDEX record_xid_idx ON audit.record (xid, id);

CREATE TABLE audit.leaf (
  idx bigint CONSTRAINT leaf_pkey PRIMARY KEY,
  record_id uuid NOT NULL
    CONSTRAINT leaf_record_id_key UNIQUE
    CONSTRAINT leaf_record_id_fkey REFERENCES audit.record,
  leaf_hash bytea NOT NULL CONSTRAINT leaf_leaf_hash_check CHECK (octet_length(leaf_hash) = 32));
COMMENT ON TABLE audit.leaf IS 'The order of the records in the Merkle tree (RFC 6962).';
COMMENT ON COLUMN audit.leaf.idx IS 'Place in the tree, from 0, without gaps.';
COMMENT ON COLUMN audit.leaf.record_id IS 'Which record it is.';
COMMENT ON COLUMN audit.leaf.leaf_hash IS 'SHA-256(0x00 || canonical) of the record.';

CREATE TABLE audit.checkpoint (
  generation integer NOT NULL CONSTRAINT checkpoint_generation_check CHECK (generation > 0),
  size bigint NOT NULL CONSTRAINT checkpoint_size_check CHECK (size >= 0),
  root bytea NOT NULL CONSTRAINT checkpoint_root_check CHECK (octet_length(root) = 32),
  frontier bytea[] NOT NULL,
  horizon xid8 NOT NULL,
  cluster bigint NOT NULL,
  note text NOT NULL,
  sealed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT checkpoint_pkey PRIMARY KEY (generation, size));
COMMENT ON TABLE audit.checkpoint IS 'Signed states of the tree.';
COMMENT ON COLUMN audit.checkpoint.generation IS
  'From 1; one more each time the ledger went on from a restored database.';
COMMENT ON COLUMN audit.checkpoint.size IS 'Leaves in the tree.';
COMMENT ON COLUMN audit.checkpoint.root IS 'Root of the tree over the first `size` leaves.';
COMMENT ON COLUMN audit.checkpoint.frontier IS
  'Roots of the perfect subtrees, largest first: what the tree grows from.';
COMMENT ON COLUMN audit.checkpoint.horizon IS
  'Every transaction below it had ended, and its records are sealed.';
COMMENT ON COLUMN audit.checkpoint.cluster IS
  'System identifier of the server: elsewhere the transaction ids mean nothing.';
COMMENT ON COLUMN audit.checkpoint.note IS 'The C2SP signed note.';
COMMENT ON COLUMN audit.checkpoint.sealed_at IS 'When it was sealed, by the server''s clock.';
"""

APPEND_ONLY = """
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON audit.{0}
  FOR EACH ROW EXECUTE FUNCTION audit.refuse();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON audit.{0}
  FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse();
"""
ALWAYS = """
ALTER TABLE audit.{0} ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE audit.{0} ENABLE ALWAYS TRIGGER refuse_truncate;
"""
"""Also where `session_replication_role` is `replica`, which turns other triggers off."""
COMPATIBLE = """
INSERT INTO citebound.schema_compatibility VALUES ('0031_ledger', '0030_compatibility');
INSERT INTO audit.tag (tag, is_outcome) VALUES ('ledger:restored', false),
  ('bundle:exported', false);
"""


def upgrade() -> None:
    """Create the tables of the ledger."""
    op.execute(TABLES)
    for table in ("leaf", "checkpoint"):
        op.execute(APPEND_ONLY.format(table))
    for table in ("record", "citation", "content", "leaf", "checkpoint"):
        op.execute(ALWAYS.format(table))
    op.execute("ALTER TABLE audit.record ENABLE ALWAYS TRIGGER check_clock")
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Drop them: the tree can be built again from the records, the signed notes can't."""
    op.execute("DROP TABLE audit.leaf, audit.checkpoint")
    for table in ("record", "citation", "content"):
        for trigger in ("refuse_change", "refuse_truncate"):
            op.execute(f"ALTER TABLE audit.{table} ENABLE TRIGGER {trigger}")
    op.execute("ALTER TABLE audit.record ENABLE TRIGGER check_clock")
    op.execute("DROP INDEX audit.record_xid_idx")
    op.execute("DELETE FROM audit.tag WHERE tag IN ('ledger:restored', 'bundle:exported')")
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0031_ledger'")
