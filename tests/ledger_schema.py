"""Write anew what the ledger's schema is like in this release, from the migrations.

    python -m tests.ledger_schema

For each migration that touches the schema `audit`. A test holds the file to the migrations.
"""

import asyncio
import json

from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.schema import open_database
from core.adapters.postgres.record.ledger_schema import (
    RELEASE,
    SCHEMA,
    VERSION,
    ReleaseSchema,
    line_of,
)
from tests.servers.postgres_versions import postgres_of, without_vectors

VERSIONS = (15, 16, 17, 18)
"""Of Postgres, which the release knows."""


async def schema_of(connection: AsyncConnection) -> str:
    """Return the file's text as a database has it; other versions of Postgres stay as they are."""
    rows = (await connection.execute(SCHEMA)).mappings().all()
    version = str(await connection.scalar(VERSION))
    written_out = dict(ReleaseSchema.read().written_out)
    written_out[version] = frozenset(line_of(row) for row in rows if row["is_written_out"])
    alike = {
        line
        for line in written_out[version]
        if all(line in other for other in written_out.values())
    }
    whole = {
        "lines": sorted(line_of(row) for row in rows if not row["is_written_out"]),
        "written_out_alike": sorted(alike),
        "written_out": {known: sorted(written_out[known] - alike) for known in sorted(written_out)},
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


async def _write(url: str) -> None:
    async with open_database(url) as engine, engine.connect() as connection:
        RELEASE.write_text(await schema_of(connection))


def main() -> None:
    """Migrate a database of each version of Postgres that the release knows, and write the file."""
    for version in VERSIONS:
        with without_vectors(version) as programs, postgres_of(programs) as server:
            asyncio.run(_write(server.url("postgres")))


if __name__ == "__main__":
    main()
