"""Who may do what, from two sides: what migrations granted, and what the catalogue says."""

import importlib.util
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.engine.schema import MIGRATIONS

ROLES = (*(role.value for role in DatabaseRole if role is not DatabaseRole.OWNER), "public")
INHERITS = {DatabaseRole.CONSOLE.value: DatabaseRole.OFFICER.value}
"""Which role has the rights of another one, too."""
STATEMENT = re.compile(
    r"^(GRANT|REVOKE) ([A-Z, ]+?)(?: \(([a-z_, ]+)\))? ON (?:(SCHEMA|FUNCTION|SEQUENCE) )?(\S.*?)"
    r" (?:TO|FROM) ([a-z_, ]+);$"
)


class Right(NamedTuple):
    """One thing that one role may do."""

    role: str
    thing: str
    """`schema.name`, of a column with its name, of a function with the types of its arguments."""
    verb: str


HELD = text("""
WITH ours AS (
  SELECT c.oid, c.oid::regclass::text AS name, relkind FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = relnamespace
   WHERE nspname IN ('citebound', 'audit') AND relkind IN ('r', 'v', 'm', 'f', 'p', 'S')),
named AS (SELECT unnest(CAST(:roles AS text[])) AS role)
SELECT role, name AS thing, verb
  FROM named, ours, unnest(ARRAY['TRUNCATE', 'DELETE', 'TRIGGER']) AS verb
 WHERE relkind <> 'S' AND has_table_privilege(role, oid, verb)
UNION ALL
SELECT role, name || '.' || attname, verb
  FROM named, ours JOIN pg_attribute ON attrelid = oid AND attnum > 0 AND NOT attisdropped,
       unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS verb
 WHERE relkind <> 'S' AND has_column_privilege(role, oid, attnum, verb)
UNION ALL
SELECT role, name, verb FROM named, ours, unnest(ARRAY['USAGE', 'SELECT', 'UPDATE']) AS verb
 WHERE relkind = 'S' AND has_sequence_privilege(role, oid, verb)
UNION ALL
SELECT role, p.oid::regprocedure::text, 'EXECUTE' FROM named, pg_proc AS p
  JOIN pg_namespace AS n ON n.oid = pronamespace
 WHERE nspname IN ('citebound', 'audit') AND has_function_privilege(role, p.oid, 'EXECUTE')
UNION ALL
SELECT role, nspname, verb FROM named, pg_namespace, unnest(ARRAY['USAGE', 'CREATE']) AS verb
 WHERE nspname IN ('citebound', 'audit') AND has_schema_privilege(role, oid, verb)
""")
COLUMNS = text("""
SELECT c.oid::regclass::text AS thing, array_agg(attname::text) AS columns
  FROM pg_class AS c JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
  JOIN pg_namespace AS n ON n.oid = relnamespace
 WHERE nspname IN ('citebound', 'audit') AND relkind IN ('r', 'v') GROUP BY c.oid
""")
FUNCTIONS = text("""
SELECT p.oid::regprocedure::text FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace
 WHERE nspname IN ('citebound', 'audit')
""")


def statements() -> Iterator[str]:
    """Yield what the migrations grant, in their order."""
    for path in sorted((MIGRATIONS / "versions").glob("[0-9]*.py")):
        yield from (line for line in grants_of(path).splitlines() if line)


def grants_of(path: Path) -> str:
    """Return the constant of a migration; one without it grants nothing."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, "GRANTS", "")


async def granted(connection: AsyncConnection, lines: Iterable[str]) -> set[Right]:
    """Return what statements grant of what there is, down to the column."""
    known = {row.thing: row.columns for row in await connection.execute(COLUMNS)}
    known |= {name.replace(" ", ""): [name] for name in await connection.scalars(FUNCTIONS)}
    rights: set[Right] = set()
    for line in lines:
        found = STATEMENT.match(line)
        assert found is not None, f"expected a grant a line, got {line!r}"
        does, verbs, only, kind, things, roles = found.groups()
        named = [things] if kind == "FUNCTION" else things.split(", ")
        told = {
            Right(role, thing, verb)
            for role in roles.split(", ")
            for verb in verbs.split(", ")
            for name in named
            for thing in _parts(name, verb, only, kind, known)
        }
        rights = rights | told if does == "GRANT" else rights - told
    for role, other in INHERITS.items():
        rights |= {right._replace(role=role) for right in rights if right.role == other}
    return rights


def _parts(
    name: str, verb: str, only: str | None, kind: str | None, known: dict[str, list[str]]
) -> list[str]:
    if kind is not None:
        return [name] if kind in {"SCHEMA", "SEQUENCE"} else known.get(name.replace(" ", ""), [])
    if name not in known:
        return []
    if verb in {"DELETE", "TRUNCATE", "TRIGGER"}:
        return [name]
    return [f"{name}.{one}" for one in (only.split(", ") if only else known[name])]


async def held(connection: AsyncConnection) -> set[Right]:
    """Return what each role, and everybody, may really do."""
    found = await connection.execute(HELD, {"roles": list(ROLES)})
    return {Right(*row) for row in found}
