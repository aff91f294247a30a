"""A reply is posted once, where it may be read, when its channel may be written to."""

import asyncio
from itertools import pairwise

import pytest
from sqlalchemy import text

from core.domain.delivery import (
    Ambiguous,
    CanNotTell,
    ContentRefused,
    NoReaders,
    Permanent,
    PostResult,
    Readers,
    RetryAfter,
)
from core.domain.message import Accepted
from tests.life import IN_DOUBT, Deployment, deploy, message


async def answered(deployment: Deployment, words: str = "a gift", **more: str) -> str:
    """Accept and answer a message, and return its conversation."""
    result = await deployment.intake.accept(message(words, **more))  # pyright: ignore[reportArgumentType]
    assert isinstance(result, Accepted)
    await deployment.worker.answer(result.conversation_id)
    return result.conversation_id


async def deliver(deployment: Deployment, thread: str) -> None:
    """Deliver, as if whatever is put off were due."""
    await change(
        deployment,
        "UPDATE citebound.outbox SET next_at = now() - interval '1 s', lease_until = NULL",
    )
    await deployment.deliverer.deliver(thread)


async def change(deployment: Deployment, statement: str) -> None:
    """Run a statement."""
    async with deployment.engine.begin() as connection:
        await connection.execute(text(statement))


async def outcome(deployment: Deployment) -> list[tuple[object, object]]:
    """Return state and text of each row of the outbox."""
    rows = await deployment.rows(
        "SELECT state, coalesce(reply->'answer'->>'answer', reply->>'notice') AS told"
        " FROM citebound.outbox ORDER BY id"
    )
    return [(row["state"], row["told"]) for row in rows]


async def posts(deployment: Deployment) -> list[tuple[object, ...]]:
    """Return channel, shape and body of what people see."""
    rows = await deployment.rows("SELECT channel, shape, body FROM posts ORDER BY id")
    return [tuple(row.values()) for row in rows]


async def tags(deployment: Deployment) -> list[object]:
    """Return what was recorded of replies."""
    rows = await deployment.rows(
        "SELECT tag FROM audit.record WHERE tag LIKE 'reply:%' ORDER BY seq"
    )
    return [row["tag"] for row in rows]


SAID = "You said: a gift"


async def test_a_reply_is_rendered_from_its_row(deployment: Deployment) -> None:
    """The poster gets the stored answer, its ids, and where it goes; the record says where."""
    thread = await answered(deployment)
    await deployment.deliverer.deliver(thread)
    (delivery,) = deployment.platform.asked
    assert delivery.reply.answer is not None
    assert (delivery.reply.answer.text, delivery.shape) == (SAID, 0)
    (answer,) = await deployment.rows("SELECT id::text AS id FROM citebound.answers")
    (record,) = await deployment.rows(
        "SELECT r.subject, r.doc->>'cause' AS cause, c.body FROM audit.record r"
        " JOIN audit.content c ON c.record_id = r.id WHERE tag = 'reply:posted'"
    )
    assert delivery.reply.answer_id == answer["id"] == record["subject"]
    assert record["cause"] == delivery.reply.record_id
    assert '"message": "1"' in str(record["body"])
    (row,) = await deployment.rows("SELECT remote_id FROM citebound.outbox")
    assert row["remote_id"] == "1"


async def test_delivering_again_posts_nothing(deployment: Deployment) -> None:
    """Not by several workers at once either."""
    thread = await answered(deployment)
    async with asyncio.TaskGroup() as group:
        for _ in range(8):
            group.create_task(deployment.deliverer.deliver(thread))
    await deployment.deliverer.deliver(thread)
    assert await posts(deployment) == [("C1", 0, SAID)]
    assert await tags(deployment) == ["reply:posted"]


@pytest.mark.parametrize(
    ("script", "seen", "state", "recorded"),
    [
        ([ContentRefused(code="invalid_blocks")], [("C1", 1, SAID)], "posted", ["reply:posted"]),
        (
            [ContentRefused(code="a"), ContentRefused(code="b"), ContentRefused(code="c")],
            [],
            "dead",
            ["reply:abandoned"],
        ),
        ([Permanent(code="is_archived")], [("U1", 0, SAID)], "posted", ["reply:posted"]),
        (
            [Permanent(code="is_archived"), Permanent(code="user_disabled")],
            [],
            "dead",
            ["reply:abandoned"],
        ),
        ([RetryAfter(after_s=30.0)], [("C1", 0, SAID)], "posted", ["reply:posted"]),
        (
            [Ambiguous(code="timeout")],
            [("C1", 0, SAID)],
            "posted",
            ["reply:uncertain", "reply:posted"],
        ),
        ([IN_DOUBT], [("C1", 0, SAID)], "posted", ["reply:uncertain", "reply:posted"]),
        (
            [Ambiguous(code="503"), RetryAfter(after_s=9.0), IN_DOUBT],
            [("C1", 0, SAID)],
            "posted",
            ["reply:uncertain", "reply:posted"],
        ),
    ],
)
async def test_what_the_platform_says_is_obeyed(
    deployment: Deployment,
    script: list[PostResult | str],
    seen: list[object],
    state: str,
    recorded: list[str],
) -> None:
    """A plainer shape, a direct message, a pause, a search: and one post at most."""
    deployment.platform.script = list(script)
    thread = await answered(deployment)
    for _ in range(6):
        await change(
            deployment, "UPDATE citebound.channel_paces SET rests_until = NULL, free_at = now()"
        )
        await deliver(deployment, thread)
    assert await posts(deployment) == seen
    assert await outcome(deployment) == [(state, SAID)]
    assert await tags(deployment) == recorded


async def test_where_nobody_can_search_it_is_posted_at_most_once(deployment: Deployment) -> None:
    """It stays uncertain, and a line after it says so."""
    deployment.platform.script = [Ambiguous(code="timeout")]
    deployment.platform.searches = [CanNotTell()]
    thread = await answered(deployment)
    for _ in range(3):
        await deliver(deployment, thread)
    assert await outcome(deployment) == [("uncertain", SAID), ("posted", "maybe_above")]
    assert await posts(deployment) == [("C1", 0, "notice:maybe_above")]


async def test_a_doubt_is_not_looked_into_at_once(deployment: Deployment) -> None:
    """A platform may take a while until a post can be found."""
    deployment.platform.script = [IN_DOUBT]
    thread = await answered(deployment)
    await deployment.deliverer.deliver(thread)
    (row,) = await deployment.rows(
        "SELECT state, extract(epoch FROM next_at - now())::float AS wait_s FROM citebound.outbox"
    )
    assert row["state"] == "uncertain"
    assert 3.0 < float(str(row["wait_s"])) <= 5.0


async def test_a_channel_that_refuses_rests_and_others_go_on(deployment: Deployment) -> None:
    """All threads of the channel wait; another channel does not."""
    deployment.platform.script = [RetryAfter(after_s=60.0)]
    for n, channel in enumerate(("C1", "C1", "C2")):
        thread = await answered(deployment, f"m{n}", thread=str(n), channel=channel)
        await deployment.deliverer.deliver(thread)
    assert [post[0] for post in await posts(deployment)] == ["C2"]
    rows = await deployment.rows(
        "SELECT state, next_at > now() + interval '30 s' AS rests FROM citebound.outbox ORDER BY id"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("queued", True),
        ("queued", True),
        ("posted", False),
    ]


async def test_a_channel_gets_its_messages_at_its_pace(deployment: Deployment) -> None:
    """Several threads of one channel share it; direct messages go to a channel of their own."""
    paced = deploy(deployment.engine, interval_s=0.5)
    for n in range(3):
        await answered(paced, f"m{n}", thread=str(n))
    async with paced.working():
        await paced.quiet()
    rows = await paced.rows("SELECT extract(epoch FROM at)::float AS at FROM posts ORDER BY id")
    moments = [float(str(row["at"])) for row in rows]
    gaps = [after - before for before, after in pairwise(moments)]
    assert len(gaps) == 2
    assert min(gaps) >= 0.4


@pytest.mark.parametrize(
    ("now", "seen"),
    [
        (Readers(groups=frozenset({"staff"})), [("C1", 0, SAID)]),
        (
            NoReaders(may_read_direct=True, reason="shared_channel"),
            [("C1", 0, "notice:withheld"), ("U1", 0, SAID)],
        ),
        (
            NoReaders(may_read_direct=False, reason="outsider"),
            [("C1", 0, "notice:withheld")],
        ),
        (Readers(groups=frozenset()), [("C1", 0, "notice:withheld"), ("U1", 0, SAID)]),
    ],
)
async def test_readers_are_checked_again_before_posting(
    deployment: Deployment, now: Readers | NoReaders, seen: list[object]
) -> None:
    """What not everybody there may read any more is withheld, and goes to the asker if they may."""
    deployment.audience.told = Readers(groups=frozenset({"staff"}))
    thread = await answered(deployment)
    deployment.audience.told = now
    once = deployment.audience

    async def readers(*_place: object, is_direct: bool) -> Readers | NoReaders:
        return Readers(groups=frozenset({"staff"})) if is_direct else now

    once.readers = readers  # pyright: ignore[reportAttributeAccessIssue]
    for _ in range(3):
        await deliver(deployment, thread)
    assert await posts(deployment) == seen
    withheld = ["reply:withheld"] if len(seen) > 1 or "notice" in str(seen) else []
    assert (await tags(deployment))[: len(withheld)] == withheld


async def test_a_reply_that_was_being_posted_is_looked_for(deployment: Deployment) -> None:
    """Its process died; nobody knows how far it came, and nobody posts before it is known."""
    thread = await answered(deployment)
    claimed = await deployment.outbox.claim(thread)
    assert claimed is not None
    await deployment.outbox.begin(claimed)  # pyright: ignore[reportArgumentType]
    await deployment.platform.post(claimed)  # pyright: ignore[reportArgumentType]
    await deliver(deployment, thread)
    assert await posts(deployment) == [("C1", 0, SAID)]
    assert await tags(deployment) == ["reply:uncertain", "reply:posted"]
    assert await outcome(deployment) == [("posted", SAID)]
