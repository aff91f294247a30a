"""Run the migrations on one connection: a transaction a revision.

The connection is handed over by the caller (`config.attributes["connection"]`), who also sees to it
that nobody else migrates meanwhile. Tests, the embedded database and a real server take this way.
Of `alembic` itself, the database is that of the settings, under the same lock. Whoever it is, what
is made belongs to the owner's role, once there is one.
"""

import asyncio
from collections.abc import Collection, Mapping
from typing import Any

from alembic import context
from alembic.runtime.migration import MigrationContext, MigrationInfo
from alembic.util import CommandError
from sqlalchemy import Connection, event, text

from core.adapters.postgres.access import migration_url
from core.adapters.postgres.engine.ledger import Ledger, append_migration
from core.adapters.postgres.engine.roles import BECOME_OWNER
from core.adapters.postgres.engine.schema import alone, revision_of
from core.adapters.system import SystemClock, UuidSource
from core.audit.documents import Event
from core.config.settings import Settings
from core.domain.audit import Tag

LIMITS = text(
    "SELECT set_config('lock_timeout', '2s', true), set_config('statement_timeout', '10min', true),"
    " set_config('client_min_messages', 'warning', true)"
)
"""Of each transaction, not of the session: a pooler would hand that to others."""


GIVEN = context.config.attributes
"""`unit`: that of the records of migrations; None: the database is new, and nothing in it changes.
"""
HAS_RECORD = text("SELECT to_regclass('audit.record') IS NOT NULL")
HAS_RECORDS = text("SELECT EXISTS (SELECT FROM audit.record)")
MIGRATOR = text("SELECT session_user FROM audit.tag WHERE tag = 'schema:migrated'")


def _record(
    ctx: MigrationContext, step: MigrationInfo, heads: Collection[Any], run_args: Mapping[str, Any]
) -> None:
    """Record a step in its transaction, unless the schema knew no such record then."""
    connection, unit = ctx.connection, GIVEN["unit"]
    if connection is None or unit is None or not connection.scalar(HAS_RECORD):
        return
    login = connection.scalar(MIGRATOR)
    # To take back what an empty record has must not be what keeps it from being taken back.
    if login is None or not (step.is_upgrade or connection.scalar(HAS_RECORDS)):
        return
    migrated = Event(
        tag=Tag.SCHEMA_MIGRATED,
        actor=login,
        actor_kind="operator",
        conversation=None,
        seq=None,
        subject=None,
        cause=None,
        trace_id=None,
        says={
            "before": "".join(step.source_revision_ids),
            "after": "".join(step.destination_revision_ids),
        },
    )
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit=unit)
    append_migration(connection, ledger, migrated)


def _limited(connection: Connection) -> None:
    connection.execute(LIMITS)
    connection.execute(BECOME_OWNER)


def run(connection: Connection) -> None:
    """Upgrade or downgrade."""
    event.listen(connection, "begin", _limited)
    if connection.scalar(text("SELECT to_regnamespace('citebound')")) is None:
        connection.execute(text("CREATE SCHEMA citebound"))
    connection.commit()
    try:
        context.configure(
            connection=connection,
            transaction_per_migration=True,
            version_table_schema="citebound",
            on_version_apply=_record,
        )
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()
    finally:
        connection.rollback()
        event.remove(connection, "begin", _limited)


def run_by_command() -> None:
    """Run what somebody typed as `alembic`.

    Raises:
        CommandError: SQL is wanted instead of a migration: steps read what is stored.
    """
    if context.is_offline_mode():
        raise CommandError("migrations can't be written as SQL: run `citebound migrate`")
    settings = Settings.from_environment()

    def work(connection: Connection) -> None:
        GIVEN["unit"] = None if revision_of(connection) is None else settings.unit
        run(connection)

    asyncio.run(alone(asyncio.run(migration_url(settings)), work))


if "connection" in GIVEN:
    run(GIVEN["connection"])
else:
    run_by_command()
