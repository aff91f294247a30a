"""Being told to end, and hearing it: for loops that wait for a database."""

import asyncio


def end_if_cancelled() -> None:
    """Go on being cancelled, if the task of the caller was and nothing came of it.

    On Python 3.11 `asyncio.wait_for`, on which psycopg waits, returns its result instead if that
    comes in the same moment; until 3.13 a task group forgets that it was cancelled if a task of it
    fails just then. A loop that does not look would go on for ever.

    Raises:
        asyncio.CancelledError: It was cancelled.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
