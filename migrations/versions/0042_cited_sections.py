"""Sections by how often they were shown: each answer is counted without sorting all of them."""

from types import ModuleType

from alembic import op

revision = "0042_cited_sections"
down_revision = "0041_privacy"

SECTIONS = """
CREATE OR REPLACE VIEW audit.v_citations_by_section WITH (security_invoker, security_barrier) AS
WITH judged AS (
  SELECT f.subject, count(*) FILTER (WHERE f.doc->>'rating' = 'negative') AS negative,
         bool_or(f.tag = 'answer:superseded') AS superseded
    FROM audit.record f WHERE f.tag IN ('feedback:given', 'answer:superseded') GROUP BY f.subject),
cited AS (SELECT DISTINCT record_id, policy, version, section FROM audit.citation)
SELECT c.policy, c.version, c.section, r.unit, count(*) AS answers, max(r.at) AS last_at,
       count(*) FILTER (WHERE j.negative > 0) AS negative_feedback,
       count(*) FILTER (WHERE j.superseded) AS superseded
  FROM cited c
  JOIN audit.record r ON r.id = c.record_id
  LEFT JOIN judged j ON j.subject = r.subject
 WHERE r.outcome IS NOT NULL
 GROUP BY c.policy, c.version, c.section, r.unit
"""
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility"
    " VALUES ('0042_cited_sections', '0030_compatibility')"
)


def upgrade() -> None:
    """Make the view anew, with the same columns and rights."""
    op.execute(SECTIONS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Make it as it was."""
    first = earlier("0033_officers")
    made = first.CREATE_VIEW.format("v_citations_by_section", first.CITATIONS_BY_SECTION)
    op.execute(made.replace("CREATE VIEW", "CREATE OR REPLACE VIEW"))
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0042_cited_sections'")


def earlier(name: str) -> ModuleType:
    """Return an earlier migration."""
    scripts = op.get_context().environment_context.script
    return scripts.get_revision(name).module
