"""Run the migrations on one connection: a transaction a revision.

The connection is handed over by the caller (`config.attributes["connection"]`), who also sees to it
that nobody else migrates meanwhile. Tests, the embedded database and a real server take this way.
Whoever it is, what is made belongs to the owner's role, once there is one.
"""

from alembic import context
from sqlalchemy import Connection, event, text

from core.adapters.postgres.engine.roles import BECOME_OWNER

LIMITS = text(
    "SELECT set_config('lock_timeout', '2s', true), set_config('statement_timeout', '10min', true),"
    " set_config('client_min_messages', 'warning', true)"
)
"""Of each transaction, not of the session: a pooler would hand that to others."""


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
        )
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()
    finally:
        connection.rollback()
        event.remove(connection, "begin", _limited)


run(context.config.attributes["connection"])
