"""What the tables of the record must be like in the database: triggers, functions, columns, rows.

Who drops a trigger, a policy or the expression of a generated column can change what officers see;
the lines below are those of this release, and `citebound audit verify` names each that differs.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.record.comparisons import rows_of
from core.audit.verification import ProblemClass, ProblemLog

SCHEMA = text("""
SELECT format('trigger %s on %s: %s, fires %s', t.tgname, c.relname, p.proname, t.tgenabled) AS
       line,
       false AS is_written_out
  FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_proc AS p ON p.oid = t.tgfoid
 WHERE n.nspname = 'audit' AND NOT t.tgisinternal
UNION ALL
SELECT format('function %s: %s', p.proname, encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex')),
       false
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE n.nspname = 'audit'
UNION ALL
SELECT format('definer of %s: %s, %s', p.proname, p.proowner::regrole,
              array_to_string(p.proconfig, '; ')), false
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE n.nspname = 'audit'
   AND p.prosecdef
UNION ALL
SELECT format('column %s.%s: %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
              CASE WHEN a.attnotnull THEN ', not null' ELSE '' END,
              CASE a.attgenerated WHEN 's' THEN ', generated' ELSE '' END), false
  FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'audit' AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT format('constraint %s on %s, validated %s', k.conname, c.relname, k.convalidated), false
  FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'audit' AND k.contype <> 'n'
UNION ALL
SELECT format('table %s of %s, row security %s, forced %s', c.relname, c.relowner::regrole,
              c.relrowsecurity, c.relforcerowsecurity), false
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'audit' AND c.relkind = 'r'
UNION ALL
SELECT format('policy %s on %s: %s %s', policyname, tablename, lower(cmd),
              left(encode(sha256(convert_to(concat_ws(
                ' with ', permissive, array_to_string(roles, ','), qual, with_check
              ), 'UTF8')), 'hex'), 48)), true
  FROM pg_policies WHERE schemaname = 'audit'
UNION ALL
SELECT format('rule %s on %s', r.rulename, c.relname), false
  FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'audit' AND c.relkind = 'r'
UNION ALL
SELECT format('view %s of %s%s: %s', c.relname, c.relowner::regrole,
              coalesce(', ' || array_to_string(c.reloptions, ', '), ''),
              left(encode(sha256(convert_to(pg_get_viewdef(c.oid), 'UTF8')), 'hex'), 48)), true
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'audit' AND c.relkind IN ('v', 'm')
UNION ALL
SELECT format('grant %s on %s to %s%s', granted.privilege_type, thing,
              CASE granted.grantee WHEN 0 THEN 'public' ELSE granted.grantee::regrole::text END,
              CASE WHEN granted.is_grantable THEN ', who may grant it' END), false
  FROM (SELECT c.relname::text AS thing, c.relacl AS acl, c.relowner AS owner FROM pg_class AS c
          JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE n.nspname = 'audit' AND c.relkind IN ('r', 'v', 'm')
        UNION ALL
        SELECT format('%s.%s', c.relname, a.attname), a.attacl, c.relowner FROM pg_attribute AS a
          JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE n.nspname = 'audit' AND a.attacl IS NOT NULL AND NOT a.attisdropped
        UNION ALL
        SELECT format('%s()', p.proname), coalesce(p.proacl, acldefault('f', p.proowner)),
               p.proowner
          FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
         WHERE n.nspname = 'audit'
        UNION ALL
        SELECT format('schema %s', nspname), nspacl, nspowner FROM pg_namespace
         WHERE nspname = 'audit') AS things, aclexplode(acl) AS granted
 WHERE granted.grantee <> owner
""")
"""One line for each part of the schema that what officers see rests on."""
VERSION = text("SELECT current_setting('server_version_num')::integer / 10000")
FOREIGN_READER = re.compile(
    r"grant (SELECT|EXECUTE|USAGE) on \S+( \S+)? to (?!citebound_|public)\S+"
)
"""A right to read that an administrator has given to a role of their own."""
RELEASE = Path(__file__).with_name("ledger_schema.json")
"""The lines of this release; `python -m tests.ledger_schema` writes them anew from the migrations.

What Postgres writes out again from how it has parsed it (views, policies) is kept by the server's
major version, since each may write it in another way.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSchema:
    """What the schema of this release is like."""

    lines: frozenset[str]
    """The same on each server."""
    written_out: Mapping[str, frozenset[str]]
    """Views and policies, by the major version of the server."""

    @classmethod
    def read(cls) -> "ReleaseSchema":
        """Return it as the file has it."""
        found: dict[str, Any] = json.loads(RELEASE.read_text())
        return cls(
            lines=frozenset(found["lines"]),
            written_out={
                version: frozenset(lines) for version, lines in found["written_out"].items()
            },
        )


async def compare_schema(connection: AsyncConnection, log: ProblemLog) -> list[str]:
    """Hold the schema of the database to that of the release; return what less was compared."""
    release = ReleaseSchema.read()
    found = await rows_of(connection, SCHEMA, "schema", log)
    version = str(await connection.scalar(VERSION))
    expected = release.lines | release.written_out.get(version, frozenset())
    is_known = version in release.written_out
    here = {str(row["line"]) for row in found if is_known or not row["is_written_out"]}
    for line in sorted(expected - here):
        log.add(ProblemClass.SCHEMA_ALTERED, f"missing: {line}")
    warnings: list[str] = []
    for line in sorted(here - expected):
        if FOREIGN_READER.fullmatch(line):
            warnings.append(f"not of this release: {line}")
        else:
            log.add(ProblemClass.SCHEMA_ALTERED, f"not of this release: {line}")
    if not is_known:
        warnings.append(f"views and policies were not compared: Postgres {version} is not known")
    return warnings
