"""What the tables of the record must be like in the database: triggers, functions, columns, rows.

Who drops a trigger, a policy or the expression of a generated column can change what officers see;
the lines below are those of this release, and `citebound audit verify` names each that differs.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.record.comparisons import rows_of
from core.audit.verification import ProblemClass, ProblemLog

SCHEMA = text(Path(__file__).with_name("ledger_schema.sql").read_text())
"""One line for each part of the schema that what people see rests on, and what it is made of."""
VERSION = text("SELECT current_setting('server_version_num')::integer / 10000")
FOREIGN_READER = re.compile(
    r"grant (SELECT|EXECUTE|USAGE) on \S+( \S+)? to (?!citebound_|public)\S+"
)
"""A right to read that an administrator has given to a role of their own."""
RELEASE = Path(__file__).with_name("ledger_schema.json")
"""The lines of this release; `python -m tests.ledger_schema` writes them anew from the migrations.

What Postgres writes out again from how it has parsed it (views, policies, constraints) is kept by
the server's major version, since each may write it in another way.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSchema:
    """What the schema of this release is like."""

    lines: frozenset[str]
    """The same on each server."""
    written_out: Mapping[str, frozenset[str]]
    """Views, policies and the like, by the major version of the server."""

    @classmethod
    def read(cls) -> "ReleaseSchema":
        """Return it as the file has it."""
        found: dict[str, Any] = json.loads(RELEASE.read_text())
        return cls(
            lines=frozenset(found["lines"]),
            written_out={
                version: frozenset([*lines, *found["written_out_alike"]])
                for version, lines in found["written_out"].items()
            },
        )


def line_of(row: Mapping[Any, Any]) -> str:
    """Return the line of a part, with the hash of its source: made here, not by the server."""
    source = row["source"]
    digest = "" if source is None else hashlib.sha256(str(source).encode()).hexdigest()[:48]
    return f"{row['line']}: {digest}" if digest else str(row["line"])


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSchema:
    """What a comparison with the release could not settle."""

    warnings: Sequence[str]
    """Rights to read that somebody gave to roles of their own."""
    lacks: Sequence[str]
    """Why not everything was compared: without it nothing is called intact."""


async def compare_schema(connection: AsyncConnection, log: ProblemLog) -> ComparedSchema:
    """Hold the schema of the database to that of the release."""
    release = ReleaseSchema.read()
    rows = await rows_of(connection, SCHEMA, "schema", log)
    version = str(await connection.scalar(VERSION))
    expected = release.lines | release.written_out.get(version, frozenset())
    is_known = version in release.written_out
    here = {line_of(row) for row in rows if is_known or not row["is_written_out"]}
    for line in sorted(expected - here):
        log.add(ProblemClass.SCHEMA_ALTERED, f"missing: {line}")
    warnings: list[str] = []
    for line in sorted(here - expected):
        if FOREIGN_READER.fullmatch(line):
            warnings.append(f"not of this release: {line}")
        else:
            log.add(ProblemClass.SCHEMA_ALTERED, f"not of this release: {line}")
    unknown = (
        f"Postgres {version} is not known to this release, so that views, row policies and triggers"
        f" were not compared: it knows {', '.join(sorted(release.written_out))}; upgrade Citebound,"
        " or verify on one of these"
    )
    return ComparedSchema(warnings=warnings, lacks=[] if is_known else [unknown])
