"""The words of questions and answers with their places: phrases are found without reading texts.

An index of words alone says which texts have them all; whether they follow each other, each text
had to be taken apart again to tell. The words stand in the row of the text, and leave with it.
"""

from types import ModuleType

from alembic import op

revision = "0049_search_words"
down_revision = "0048_events"

COLUMN = """
DROP INDEX audit.content_words_idx;
ALTER TABLE audit.content ADD COLUMN words tsvector GENERATED ALWAYS AS (
  CASE WHEN field IN ('question', 'answer') THEN to_tsvector('simple', body) END) STORED;
ALTER TABLE audit.content ALTER words SET STATISTICS 0;
COMMENT ON COLUMN audit.content.words IS
  'the words of a question or an answer and where they stand in it, to be searched';
CREATE INDEX content_words_idx ON audit.content USING gin (words) WHERE words IS NOT NULL;
"""
FUNCTION = """
CREATE OR REPLACE FUNCTION audit.records_with_words(words text, most integer) RETURNS uuid[]
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  units text[] := audit.my_units();
  wanted tsquery := websearch_to_tsquery('simple', records_with_words.words);
  found uuid[];
BEGIN
  -- Row-level security keeps officers' own statements from the index: it is not proven that the
  -- operator tells nothing of rows that they may not see. Here units are compared instead.
  SELECT array_agg(record_id) INTO found FROM (
    SELECT c.record_id FROM audit.content AS c
     WHERE c.words @@ wanted
       AND ('*' = ANY (units) OR EXISTS (
             SELECT FROM audit.record AS r WHERE r.id = c.record_id AND r.unit = ANY (units)))
     LIMIT most + 1) AS matches;
  IF cardinality(found) > most THEN
    RETURN NULL;
  END IF;
  RETURN coalesce(found, '{}');
END $$;
"""
COMPATIBLE = (
    "INSERT INTO citebound.schema_compatibility VALUES ('0049_search_words', '0044_identity')"
)


def upgrade() -> None:
    """Keep the words, and search them."""
    op.execute(COLUMN)
    op.execute(FUNCTION)
    op.execute(COMPATIBLE)


def downgrade() -> None:
    """Search the texts, as before."""
    made = earlier("0036_console").FUNCTIONS
    index = made[made.index("CREATE INDEX content_words_idx") :].partition(";")[0]
    function = made[made.index("CREATE FUNCTION audit.records_with_words") :].partition("$$;")[0]
    op.execute(function.replace("CREATE", "CREATE OR REPLACE", 1) + "$$")
    op.execute("ALTER TABLE audit.content DROP COLUMN words")
    op.execute(index)
    op.execute("ALTER INDEX audit.content_words_idx ALTER 1 SET STATISTICS 0")
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0049_search_words'")


def earlier(name: str) -> ModuleType:
    """Return an earlier migration."""
    scripts = op.get_context().environment_context.script
    return scripts.get_revision(name).module
