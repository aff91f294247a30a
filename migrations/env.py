"""Run the migrations on one connection: a transaction a revision, one runner at a time.

The connection is handed over by the caller (`config.attributes["connection"]`), so that tests, the
embedded database and
a real server take the same way.
"""

from alembic import context
from sqlalchemy import Connection, text

ADVISORY_LOCK = 7_203_114_026
"""Any constant: it only has to be ours."""


def run(connection: Connection) -> None:
    """Upgrade or downgrade, holding a session lock so that two starts do not migrate at once."""
    connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": ADVISORY_LOCK})
    connection.execute(text("SET lock_timeout = '2s'"))
    connection.execute(text("SET statement_timeout = '10min'"))
    connection.execute(text("SET client_min_messages = warning"))
    connection.execute(text("CREATE SCHEMA IF NOT EXISTS citebound"))
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
        connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": ADVISORY_LOCK})
        connection.execute(text("RESET lock_timeout"))
        connection.execute(text("RESET statement_timeout"))
        connection.execute(text("RESET client_min_messages"))
        connection.commit()


run(context.config.attributes["connection"])
