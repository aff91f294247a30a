"""What introduces each list item and table row: neither says anything by itself."""

from alembic import op

revision = "0028_lead_ins"
down_revision = "0027_not_sure"


def upgrade() -> None:
    """Create the table; it is filled where facts are indexed, for earlier versions anew."""
    op.execute("""
CREATE TABLE citebound.lead_ins (
  version_id bigint CONSTRAINT lead_ins_version_id_fkey
    REFERENCES citebound.policy_versions ON DELETE CASCADE,
  char_start integer,
  char_end integer NOT NULL,
  starts integer[] NOT NULL,
  ends integer[] NOT NULL,
  CONSTRAINT lead_ins_pkey PRIMARY KEY (version_id, char_start));
COMMENT ON COLUMN citebound.lead_ins.char_start IS 'of a list item or table row';
COMMENT ON COLUMN citebound.lead_ins.starts IS
  'of what introduces it, outermost first: sentences, items above, the header row';
""")


def downgrade() -> None:
    """Drop the table: it follows from the texts."""
    op.execute("DROP TABLE citebound.lead_ins")
