"""Write anew what the ledger's schema is like in this release, from the migrations.

    python -m tests.ledger_schema

For each migration that touches the schema `audit`. A test holds the file to the migrations.
"""

import asyncio
import json
import tempfile
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded
from core.adapters.postgres.engine.schema import open_database
from core.adapters.postgres.record.ledger_schema import RELEASE, SCHEMA, VERSION, ReleaseSchema


async def schema_of(connection: AsyncConnection) -> str:
    """Return the file's text as a database has it; other versions of Postgres stay as they are."""
    rows = (await connection.execute(SCHEMA)).mappings().all()
    version = str(await connection.scalar(VERSION))
    written_out = {
        other: sorted(lines) for other, lines in ReleaseSchema.read().written_out.items()
    }
    written_out[version] = sorted(str(row["line"]) for row in rows if row["is_written_out"])
    lines = sorted(str(row["line"]) for row in rows if not row["is_written_out"])
    whole = {"lines": lines, "written_out": written_out}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


async def _write(url: str) -> None:
    async with open_database(url) as engine, engine.connect() as connection:
        RELEASE.write_text(await schema_of(connection))


def main() -> None:
    """Migrate a database of its own, and write the file."""
    with tempfile.TemporaryDirectory(prefix="citebound-schema-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        url = start_embedded(home, temporary=True)
        try:
            asyncio.run(_write(url))
        finally:
            stop_embedded(home)


if __name__ == "__main__":
    main()
