"""The rows of inbox and outbox are the queue: new ones notify, and procrastinate's tables go.

A job said no more than that its conversation has unfinished rows, so nothing is lost with it. A
process of the release before can't store messages from here on: it answers 503, and the platform
delivers again. What it has begun ends as a failed attempt, which a process of this release repeats.
A database that goes back to that release needs the tables again:
`procrastinate schema --apply`, with the package of that release, makes them.
"""

from alembic import op

revision = "0029_notifications"
down_revision = "0028_lead_ins"

NOTIFY = """
CREATE FUNCTION citebound.notify_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('citebound_due', TG_ARGV[0]);
  RETURN NULL;
END $$;
COMMENT ON FUNCTION citebound.notify_due() IS
  'wakes the processes that answer and deliver, when the transaction commits';
CREATE TRIGGER inbox_due AFTER INSERT OR UPDATE OF next_at ON citebound.inbox
  FOR EACH ROW WHEN (NEW.state = 'received') EXECUTE FUNCTION citebound.notify_due('answer');
CREATE TRIGGER outbox_due AFTER INSERT ON citebound.outbox
  FOR EACH ROW WHEN (NEW.settled_at IS NULL) EXECUTE FUNCTION citebound.notify_due('deliver');
"""
DROP_JOBS = """
DROP TABLE IF EXISTS procrastinate_events, procrastinate_periodic_defers, procrastinate_jobs,
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
DROP TYPE IF EXISTS procrastinate_job_to_defer_v1, procrastinate_job_event_type,
  procrastinate_job_status;
"""


def upgrade() -> None:
    """Notify, and drop the jobs."""
    op.execute(NOTIFY)
    op.execute(DROP_JOBS)


def downgrade() -> None:
    """Notify no more."""
    op.execute("DROP TRIGGER inbox_due ON citebound.inbox")
    op.execute("DROP TRIGGER outbox_due ON citebound.outbox")
    op.execute("DROP FUNCTION citebound.notify_due()")
