"""What a model read in a section, kept so that it is asked once; whose facts a version has."""

from alembic import op

revision = "0012_extracted_sections"
down_revision = "0011_message_life"

TABLES = """
CREATE TABLE citebound.extracted_sections (
  section_hash bytea NOT NULL,
  model text NOT NULL,
  prompt text NOT NULL,
  proposals jsonb NOT NULL,
  dropped jsonb NOT NULL,
  usage jsonb NOT NULL,
  cost_usd double precision,
  read_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT extracted_sections_pkey PRIMARY KEY (section_hash, model, prompt));
COMMENT ON COLUMN citebound.extracted_sections.section_hash IS
  'SHA-256 of the policy''s title, the headings and the text that the model was shown';
COMMENT ON COLUMN citebound.extracted_sections.proposals IS
  'as the model wrote them, unverified: they are held to the text whenever they are used';
COMMENT ON COLUMN citebound.extracted_sections.dropped IS
  'how many the text did not bear out when they were read, by reason';
COMMENT ON COLUMN citebound.extracted_sections.cost_usd IS 'null: the price was not known';
ALTER TABLE citebound.policy_versions ADD COLUMN facts_hash bytea, ADD COLUMN facts_by text;
COMMENT ON COLUMN citebound.policy_versions.facts_by IS 'rules, or model and prompt; null: rules';
COMMENT ON COLUMN citebound.policy_versions.facts_hash IS
  'SHA-256 of all facts published with it; null: published before it was kept';
"""


def upgrade() -> None:
    """Create the table, and the columns."""
    op.execute(TABLES)


def downgrade() -> None:
    """Drop both: the facts themselves stay."""
    op.execute("ALTER TABLE citebound.policy_versions DROP COLUMN facts_hash, DROP COLUMN facts_by")
    op.execute("DROP TABLE citebound.extracted_sections")
