"""Each statement of a store is one that the role of its process may run."""

import importlib
import pkgutil
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import TextClause
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

import core.adapters.postgres
from core.adapters.postgres.engine.roles import DatabaseRole
from tests.databases import as_role

PACKAGE = "core.adapters.postgres"
OTHERS = {
    "console": DatabaseRole.CONSOLE,
    "console.access": DatabaseRole.APP,
    "record.comparisons": DatabaseRole.AUDITOR,
    "record.receipts": DatabaseRole.SEQUENCER,
    "record.tree_state": DatabaseRole.SEQUENCER,
    "record.sequencer": DatabaseRole.SEQUENCER,
    "record.verification": DatabaseRole.AUDITOR,
    "record.ledger_schema": DatabaseRole.AUDITOR,
    "record.export": DatabaseRole.CONSOLE,
    "record.record_proof": DatabaseRole.AUDITOR,
    "record.recorded_questions": DatabaseRole.CONSOLE,
    "record.audit_reader": DatabaseRole.CONSOLE,
}
"""Modules and packages whose statements are not the application's."""
OWNERS = ("access", "engine.", "officers.")
"""Modules with statements of several roles."""
EXPLAINED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")


def statements() -> Iterator[tuple[str, str, TextClause]]:
    """Yield module, name and statement of all that stand in a module."""
    for found in pkgutil.walk_packages(core.adapters.postgres.__path__, f"{PACKAGE}."):
        short = found.name.removeprefix(f"{PACKAGE}.")
        if not short.startswith(OWNERS):
            for name, value in vars(importlib.import_module(found.name)).items():
                if isinstance(value, TextClause) and value.text.strip().startswith(EXPLAINED):
                    yield short, name, value


def role_of(module: str) -> DatabaseRole:
    """Return whose statements a module holds."""
    return OTHERS.get(module) or OTHERS.get(module.partition(".")[0]) or DatabaseRole.APP


@pytest.mark.parametrize("role", [DatabaseRole.APP, *dict.fromkeys(OTHERS.values())])
def test_the_role_may_run_each_statement(database_url: str, role: DatabaseRole) -> None:
    """Postgres plans it for the role, and looks at its rights, without values."""
    ours = [one for one in statements() if role_of(one[0]) is role]
    assert ours
    dialect, refused, planned = PGDialect_psycopg(paramstyle="numeric_dollar"), list[str](), 0
    with psycopg.connect(as_role(database_url, role), autocommit=True) as connection:
        for module, name, statement in ours:
            words = str(statement.compile(dialect=dialect)).replace("%%", "%")
            try:
                connection.execute(f"EXPLAIN (GENERIC_PLAN) {words}".encode())
                planned += 1
            except errors.InsufficientPrivilege as error:
                refused.append(f"{module}.{name}: {error}")
            except (
                errors.IndeterminateDatatype,
                errors.AmbiguousFunction,
                errors.UndefinedFunction,
            ):
                pass  # nothing says which type a value has
    assert refused == [], f"grant it to {role}, or say in OTHERS whose statements these are"
    assert planned > len(ours) / 2
