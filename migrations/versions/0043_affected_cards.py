"""Cards on which officers approve corrections, with what a policy said and says now."""

from types import ModuleType

from alembic import op

revision = "0043_affected_cards"
down_revision = "0042_cited_sections"

TABLE = """
CREATE TABLE citebound.affected_cards (
  edition integer CONSTRAINT affected_cards_pkey PRIMARY KEY
    CONSTRAINT affected_cards_edition_fkey REFERENCES citebound.editions,
  total integer NOT NULL,
  waiting integer NOT NULL,
  under_way integer NOT NULL,
  totals integer[] NOT NULL);
COMMENT ON TABLE citebound.affected_cards IS
  'What the cards of an edition that affects past answers were last queued for.';
COMMENT ON COLUMN citebound.affected_cards.total IS 'answers that it affects';
COMMENT ON COLUMN citebound.affected_cards.waiting IS 'those on which nobody has decided';
COMMENT ON COLUMN citebound.affected_cards.under_way IS 'those approved, and not given again yet';
COMMENT ON COLUMN citebound.affected_cards.totals IS
  'each total so far: a card is named after the one for which it was posted';
DROP INDEX citebound.affected_answers_edition_idx;
CREATE INDEX affected_answers_edition_state_idx ON citebound.affected_answers (edition, state);
"""
LAST = "d.at AS decided_at"
NEXT = "d.at AS decided_at, c.value->>'before' AS before, c.value->>'after' AS after"
COMMENTS = """
COMMENT ON COLUMN audit.v_answers_affected_by_change.before IS
  'What was quoted, its first 400 characters; null: recorded by a release that did not keep it.';
COMMENT ON COLUMN audit.v_answers_affected_by_change.after IS
  'What stands there now, or was added around the quote; null: nothing, or as above.';
"""
GRANTS = """
GRANT SELECT, INSERT, UPDATE ON citebound.affected_cards TO citebound_app;
"""
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility"
    " VALUES ('0043_affected_cards', '0030_compatibility')"
)


def upgrade() -> None:
    """Make the table, and the view with two more columns."""
    op.execute(TABLE)
    op.execute(view().replace(LAST, NEXT))
    op.execute(COMMENTS)
    op.execute(GRANTS)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Drop the table, and make the view as it was."""
    op.execute("DROP VIEW audit.v_answers_affected_by_change")
    op.execute(view())
    op.execute(earlier("0038_affected").VIEW.partition(";")[2])
    op.execute("GRANT SELECT ON audit.v_answers_affected_by_change TO citebound_officer")
    op.execute("DROP TABLE citebound.affected_cards")
    op.execute("DROP INDEX citebound.affected_answers_edition_state_idx")
    op.execute("CREATE INDEX affected_answers_edition_idx ON citebound.affected_answers (edition)")
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0043_affected_cards'")


def view() -> str:
    """Return the statement that makes the view as it was, in place of the one there is."""
    before = earlier("0040_officer_views")
    return before.affected().replace(before.BEFORE, before.FENCED)


def earlier(name: str) -> ModuleType:
    """Return an earlier migration."""
    scripts = op.get_context().environment_context.script
    return scripts.get_revision(name).module
