"""The migration that says which space serves, on a database that was filled before it."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.schema import migrate
from core.adapters.postgres.search.spaces import PostgresSpaceStore

FILLED = """
INSERT INTO citebound.editions VALUES (1, now(), 'first');
INSERT INTO citebound.policies (key) VALUES ('gifts');
INSERT INTO citebound.policy_versions (policy_id, number, edition_from, title, audience, tags,
    source_name, media_type, sha256, original, text, page_starts, notes)
  SELECT id, 1, 1, 'Gifts', '{everyone}', '{}', 'g', 't', '', '', 'ab', '{}', '{}'
    FROM citebound.policies;
INSERT INTO citebound.sections (version_id, ordinal, eid, title, path, level, char_start,
    body_start, char_end)
  SELECT id, 0, 's', 'S', '{}', 1, 0, 0, 2 FROM citebound.policy_versions;
INSERT INTO citebound.chunks (version_id, section_id, chunk_id, chunk_index, section_title,
    char_start, char_end, text, content_hash)
  SELECT version_id, id, 'g_' || n, n, 'S', n, n + 1, 'a', '' FROM citebound.sections,
         generate_series(0, 1) n;
INSERT INTO citebound.embedding_spaces (provider, model, dimensions, revision, fusion_weight)
  VALUES ('local', 'full', 2, '1', 0.5), ('local', 'half', 2, '1', 0.5);
INSERT INTO citebound.chunk_embeddings (space_id, chunk_id, version_id, vector)
  SELECT s.id, c.id, c.version_id, '[1,0]' FROM citebound.chunks c, citebound.embedding_spaces s
   WHERE s.model = 'full' OR c.chunk_index = 0;
"""


async def test_the_fullest_space_serves_after_the_upgrade(engine: AsyncEngine) -> None:
    """A corpus that was searched before is searched as before."""
    await migrate(engine, to="0007_officer_views")
    async with engine.begin() as connection:
        for statement in FILLED.split(";\n"):
            if statement.strip():
                await connection.execute(text(statement))
    await migrate(engine)
    found = await PostgresSpaceStore(engine).spaces()
    assert [(one.space.name, one.state.value, one.missing) for one in found] == [
        ("local:full", "serving", 0),
        ("local:half", "kept", 1),
    ]
