"""Go through what the tables and the platform hold, and name each promise that was broken."""

from collections import Counter

from tests.life import Deployment

_MESSAGES = (
    "SELECT id, state, outcome, question_id::text AS question, conversation_id::text AS thread,"
    " text FROM citebound.inbox WHERE kind IN ('message', 'choice') ORDER BY id"
)
_POSTS = (
    "SELECT p.id, p.outbox_id, p.body, o.conversation_id::text AS thread FROM posts p"
    " JOIN citebound.outbox o ON o.id = p.outbox_id ORDER BY p.id"
)
_OUTCOMES = (
    "SELECT r.doc->>'trace_id' AS question FROM audit.record r JOIN audit.tag t ON t.tag = r.tag"
    " WHERE t.is_outcome"
)
_NUMBERS = "SELECT conversation::text AS thread, seq FROM audit.record ORDER BY conversation, seq"


async def broken_promises(deployment: Deployment, *, accepted: int) -> list[str]:
    """Return one line for each; empty: nothing lost, nothing answered twice, in order."""
    messages = await deployment.rows(_MESSAGES)
    posts = await deployment.rows(_POSTS)
    problems: list[str] = []
    if len(messages) != accepted:
        problems.append(f"{accepted} accepted, {len(messages)} stored")
    problems += [
        f"message {row['id']} is {row['state']}, {row['outcome']}"
        for row in messages
        if row["state"] not in {"done", "dead"} or row["outcome"] is None
    ]
    closed = Counter(row["question"] for row in await deployment.rows(_OUTCOMES))
    problems += [
        f"message {row['id']} has {closed[row['question']]} outcome records"
        for row in messages
        if closed[row["question"]] != 1
    ]
    answered = [row for row in messages if row["outcome"] != "ignored"]
    shown = Counter(row["outbox_id"] for row in posts)
    problems += [f"reply {key} was posted {n} times" for key, n in shown.items() if n != 1]
    if len(posts) != len(answered):
        problems.append(f"{len(answered)} to be answered, {len(posts)} posted")
    recorded = await deployment.rows("SELECT 1 FROM audit.record WHERE tag = 'reply:posted'")
    if len(recorded) != len(posts):
        problems.append(f"{len(posts)} posted, {len(recorded)} recorded as posted")
    problems += _disorder(answered, posts)
    problems += _gaps(await deployment.rows(_NUMBERS))
    return problems


def _disorder(messages: list[dict[str, object]], posts: list[dict[str, object]]) -> list[str]:
    """Compare, thread by thread, the order of messages with that of replies."""
    problems: list[str] = []
    for thread in {row["thread"] for row in messages}:
        asked = [f"You said: {row['text']}" for row in messages if row["thread"] == thread]
        told = [row["body"] for row in posts if row["thread"] == thread]
        if asked != told:
            problems.append(f"thread {thread}: asked {asked}, told {told}")
    return problems


def _gaps(records: list[dict[str, object]]) -> list[str]:
    problems: list[str] = []
    for thread in {row["thread"] for row in records}:
        numbers = [row["seq"] for row in records if row["thread"] == thread]
        if numbers != list(range(1, len(numbers) + 1)):
            problems.append(f"thread {thread} has the numbers {numbers}")
    return problems
