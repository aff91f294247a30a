"""The ledger's own events, its keys and anchors: their tags, and what their roles need for them."""

from alembic import op

revision = "0037_keys"
down_revision = "0036_console"

NAMES = "'key:introduced', 'key:retired', 'ledger:anchored'"
TAGS = "('key:introduced', false), ('key:retired', false), ('ledger:anchored', false)"
EVENTS = """
CREATE FUNCTION audit.ledger_events()
  RETURNS TABLE (record_id uuid, tag text, at timestamptz, doc jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT id, tag, at, doc FROM audit.record WHERE tag IN ('key:retired', 'ledger:anchored')
$$;
COMMENT ON FUNCTION audit.ledger_events() IS
  'What the ledger recorded of itself, for those who may not read all records.';
"""
GRANTS = """
GRANT EXECUTE ON FUNCTION audit.ledger_events() TO citebound_sequencer, citebound_auditor;
GRANT SELECT (id, platform, tenant, channel, thread) ON citebound.conversations TO citebound_sequencer;
GRANT INSERT (id, platform, tenant, channel, thread) ON citebound.conversations TO citebound_sequencer;
GRANT SELECT (cause) ON citebound.outbox TO citebound_sequencer;
GRANT INSERT (cause, part, conversation_id, reply, person, mode, progress_id, is_direct, replaces, next_at) ON citebound.outbox TO citebound_sequencer;
GRANT SELECT (id, state) ON citebound.outbox TO citebound_auditor;
"""  # noqa: E501  # a grant a line
BACK = """
DROP FUNCTION audit.ledger_events();
REVOKE ALL ON citebound.conversations FROM citebound_sequencer;
REVOKE ALL ON citebound.outbox FROM citebound_sequencer, citebound_auditor;
"""
COMPATIBLE = "INSERT INTO citebound.schema_compatibility VALUES ('0037_keys', '0030_compatibility')"


def upgrade() -> None:
    """Add the tags, and grant: checkpoints to officers' channels go through the outbox."""
    op.execute(f"INSERT INTO audit.tag (tag, is_outcome) VALUES {TAGS}")  # noqa: S608  # constants
    op.execute(EVENTS)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take it all away, which is refused once a tag is in use."""
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0037_keys'")
    op.execute(BACK)
    op.execute(f"DELETE FROM audit.tag WHERE tag IN ({NAMES})")  # noqa: S608  # constants
