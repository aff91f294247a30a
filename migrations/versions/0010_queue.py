"""The job queue's own tables, functions and triggers.

They are procrastinate's, and unqualified as it writes them: the files of its package are run in
order up to the newest one that this release knows, which is the same on a new database and on an
old one. A later file is for a later migration of ours. They rest in `public`, where its workers
look for them.
"""

from importlib.resources import files

from alembic import op
from alembic.util import CommandError

revision = "0010_queue"
down_revision = "0009_model_call_costs"

NEWEST = "03.04.00_50_post_add_retry_failed_job_procedure.sql"
"""The last file of procrastinate 3.10."""

DROP = """
DROP TABLE procrastinate_events, procrastinate_periodic_defers, procrastinate_jobs,
  procrastinate_workers CASCADE;
DO $$
DECLARE
  routine regprocedure;
BEGIN
  FOR routine IN SELECT p.oid::regprocedure FROM pg_proc p
                  WHERE p.pronamespace = 'public'::regnamespace
                    AND p.proname LIKE 'procrastinate\\_%' LOOP
    EXECUTE 'DROP FUNCTION ' || routine || ' CASCADE';
  END LOOP;
END $$;
DROP TYPE procrastinate_job_to_defer_v1, procrastinate_job_event_type, procrastinate_job_status;
"""


def upgrade() -> None:
    """Run the files."""
    found = (files("procrastinate.sql") / "migrations").iterdir()
    scripts = sorted(
        (file for file in found if file.name.endswith(".sql") and file.name <= NEWEST),
        key=lambda file: file.name,
    )
    if scripts[-1].name != NEWEST:
        message = "procrastinate 3.10 or later must be installed"
        raise CommandError(message)
    for script in scripts:
        _run(script.read_text(encoding="utf-8"))


def downgrade() -> None:
    """Drop the queue: the sweep makes new jobs from the tables once it is there again."""
    _run(DROP)


def _run(script: str) -> None:
    """Run a file as it is: a percent sign or a colon in it is no parameter."""
    op.get_bind().execution_options(no_parameters=True).exec_driver_sql(script)
