"""Where a policy is read, how sensitive it is, when it is due for review, and who verified it."""

from alembic import op

revision = "0056_policy_care"
down_revision = "0054_reminders"

COLUMNS = """
ALTER TABLE citebound.policy_versions
  ADD COLUMN url text, ADD COLUMN sensitivity text, ADD COLUMN review_by date,
  ADD COLUMN verified_by text;
COMMENT ON COLUMN citebound.policy_versions.review_by IS
  'the day by which the policy is to be reviewed';
"""
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0056_policy_care', '0044_identity')"
)


def upgrade() -> None:
    """Add the columns."""
    op.execute(COLUMNS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Take them away."""
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0056_policy_care'")
    op.execute(
        "ALTER TABLE citebound.policy_versions DROP COLUMN url, DROP COLUMN sensitivity,"
        " DROP COLUMN review_by, DROP COLUMN verified_by"
    )
