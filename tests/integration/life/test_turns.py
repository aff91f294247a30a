"""Over a limit a question waits: told once, kept, and answered when its turn comes."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from core.adapters.postgres.engine.database import engine_for
from core.domain.delivery import CanNotTell
from core.domain.limits import TurnLimit, TurnLimits
from core.domain.message import Accepted, Claimed, Waiting
from tests.life import IN_DOUBT, UNLIMITED, Deployment, deploy, message, prepare
from tests.properties import examples
from tests.turns import let_turns_come

TWO = TurnLimit(times=2, within_s=600.0)
BEGUN = (
    "CREATE TABLE begun (kind text, key text, at timestamptz)",
    "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " IF NEW.taken <> OLD.taken THEN INSERT INTO begun"
    " VALUES (NEW.kind, NEW.key, NEW.taken[cardinality(NEW.taken)]); END IF; RETURN NEW; END $$",
    "CREATE TRIGGER keep AFTER UPDATE ON citebound.turns FOR EACH ROW EXECUTE FUNCTION keep()",
)
"""Keeps every turn: the table itself keeps as many as its limit counts."""


async def accepted(deployment: Deployment, words: str, **more: str) -> str:
    """Accept a message and return its conversation."""
    result = await deployment.intake.accept(message(words, **more))  # pyright: ignore[reportArgumentType]
    assert isinstance(result, Accepted)
    return result.conversation_id


async def change(deployment: Deployment, *statements: str) -> None:
    """Run statements."""
    async with deployment.engine.begin() as connection:
        for statement in statements:
            await connection.execute(text(statement))


async def bodies(deployment: Deployment) -> list[object]:
    """Return what people see, in order."""
    return [row["body"] for row in await deployment.rows("SELECT body FROM posts ORDER BY id")]


@pytest.mark.parametrize(
    ("limits", "notice", "asked"),
    [
        (replace(UNLIMITED, asker=TWO), "paced", ("1234", "1234", "1111")),
        (replace(UNLIMITED, channel=TWO), "busy", ("1234", "1111", "1234")),
        (replace(UNLIMITED, conversation=TWO), "paced", ("1111", "1111", "1234")),
    ],
)
async def test_over_a_limit_a_question_waits_and_its_asker_is_told(
    deployment: Deployment, limits: TurnLimits, notice: str, asked: tuple[str, str, str]
) -> None:
    """Two begun, two wait; once the time is over they are answered, with nothing said twice.

    That many questions wait is told where a channel has many, and not to whoever asked them all.
    """
    threads, channels, people = asked
    limited = deploy(deployment.engine, limits=limits)
    for n in range(4):
        await accepted(
            limited,
            f"m{n}",
            thread=threads[n],
            channel=f"C{channels[n]}",
            person=f"U{people[n]}",
        )
    told = 1 if threads == "1111" else 2
    async with limited.working():
        await limited.until(f"SELECT 1 FROM posts HAVING count(*) = {2 + told}")  # noqa: S608
        assert (await bodies(limited)).count(f"notice:{notice}") == told
    waiting = "SELECT conversation_id::text AS thread FROM citebound.inbox WHERE NOT has_turn"
    threads_that_wait = {str(row["thread"]) for row in await limited.rows(waiting)}
    for _ in range(2):
        await change(limited, "UPDATE citebound.inbox SET next_at = now() WHERE NOT has_turn")
        for thread in threads_that_wait:
            assert isinstance(await limited.backlog.claim(thread), Waiting)
    (waits, *_) = await limited.rows(
        "SELECT state, outcome, attempt, next_at > now() + interval '9 min' AS is_later"
        " FROM citebound.inbox WHERE NOT has_turn ORDER BY id"
    )
    assert tuple(waits.values()) == ("received", None, 0, True)
    await let_turns_come(limited.engine)
    async with limited.working():
        await limited.quiet()
    assert sorted(str(body) for body in await bodies(limited)) == sorted(
        [f"notice:{notice}"] * told + [f"You said: m{n}" for n in range(4)]
    )
    posted = await limited.rows("SELECT doc->>'notice' AS what FROM audit.record"
        " WHERE tag = 'reply:posted' AND doc->>'notice' IS NOT NULL")  # fmt: skip
    assert [row["what"] for row in posted] == [notice] * told


async def test_of_others_nothing_is_taken(deployment: Deployment) -> None:
    """A person over their limit takes neither the channel's turns nor anybody else's."""
    limits = replace(UNLIMITED, asker=TWO, channel=TurnLimit(times=3, within_s=600.0))
    limited = deploy(deployment.engine, limits=limits)
    loud = [await accepted(limited, f"loud {n}", thread=f"l{n}", person="U1") for n in range(6)]
    quiet = await accepted(limited, "quiet", thread="q", person="U2")
    for thread in [*loud, quiet]:
        await limited.worker.answer(thread)
    done = await limited.rows("SELECT text FROM citebound.inbox WHERE state = 'done' ORDER BY id")
    assert [row["text"] for row in done] == ["loud 0", "loud 1", "quiet"]


async def test_a_rerun_needs_no_second_turn(deployment: Deployment) -> None:
    """What was begun within the limit is begun again at once, also after an edit."""
    limited = deploy(
        deployment.engine,
        limits=replace(UNLIMITED, conversation=TurnLimit(times=1, within_s=60.0)),
    )
    thread = await accepted(limited, "a gift")
    first = await limited.backlog.claim(thread)
    assert isinstance(first, Claimed)
    await change(limited, "UPDATE citebound.inbox SET lease_until = now() - interval '1 s'")
    assert isinstance(await limited.backlog.claim(thread), Claimed)
    await change(
        limited, "UPDATE citebound.inbox SET attempt = 0, state = 'received', lease_until = NULL"
    )
    assert isinstance(await limited.backlog.claim(thread), Claimed)


async def test_a_flood_is_not_answered_with_a_flood(deployment: Deployment) -> None:
    """Of 30 questions in threads of their own 2 are begun, and 10 notices are posted."""
    limited = deploy(deployment.engine, limits=replace(UNLIMITED, asker=TWO))
    for n in range(30):
        thread = await accepted(limited, f"m{n}", thread=str(n))
        await limited.worker.answer(thread)
    rows = await limited.rows(
        "SELECT count(*) FILTER (WHERE reply->>'notice' = 'paced') AS told,"
        " count(*) AS all FROM citebound.outbox"
    )
    assert rows == [{"told": 10, "all": 12}]


async def test_who_waits_for_long_is_told_once(deployment: Deployment) -> None:
    """Whatever the reason: a sweep finds questions older than five minutes, and no younger ones."""
    await accepted(deployment, "old")
    young = await accepted(deployment, "young", thread="2")
    await accepted(deployment, "behind it")
    await change(
        deployment,
        "UPDATE citebound.inbox SET next_at = now() + interval '1 hour'",
        "UPDATE citebound.inbox SET received_at = now() - interval '301 s' WHERE text <> 'young'",
    )
    async with deployment.working():
        await deployment.until("SELECT 1 FROM posts")
        await asyncio.sleep(2.5)
    assert await bodies(deployment) == ["notice:busy"]
    told = await deployment.rows("SELECT text FROM citebound.inbox WHERE is_told ORDER BY id")
    assert [row["text"] for row in told] == ["old", "behind it"]
    assert isinstance(await deployment.backlog.claim(young), Waiting)


async def test_a_stopped_or_deleted_question_takes_no_turn(deployment: Deployment) -> None:
    """It waits no more, and what is behind it has its turn."""
    limited = deploy(deployment.engine, limits=replace(UNLIMITED, conversation=TWO))
    for n in range(3):
        thread = await accepted(limited, f"m{n}", key=f"k{n}")
    await limited.worker.answer(thread)  # pyright: ignore[reportPossiblyUnboundVariable]
    await change(limited, "UPDATE citebound.inbox SET state = 'done', outcome = 'ignored'"
                 " WHERE state = 'received'")  # fmt: skip
    await accepted(limited, "later")
    await let_turns_come(limited.engine)
    await limited.worker.answer(thread)  # pyright: ignore[reportPossiblyUnboundVariable]
    done = await limited.rows("SELECT text FROM citebound.inbox WHERE has_turn ORDER BY id")
    assert [row["text"] for row in done] == ["m0", "m1", "later"]


async def test_notices_do_not_follow_notices_for_ever(deployment: Deployment) -> None:
    """Where every post is lost and none can be found: three at most, of which one is the answer."""
    deployment.platform.script = [IN_DOUBT] * 20
    deployment.platform.searches = [CanNotTell()] * 20
    thread = await accepted(deployment, "a gift")
    await deployment.worker.answer(thread)
    for _ in range(12):
        await change(
            deployment,
            "UPDATE citebound.outbox SET next_at = now() - interval '1 s', lease_until = NULL",
        )
        await deployment.deliverer.deliver(thread)
    assert await bodies(deployment) == ["You said: a gift", *["notice:maybe_above"] * 2]
    assert not await deployment.rows("SELECT 1 FROM citebound.outbox WHERE settled_at IS NULL")


@pytest.mark.searches
def test_the_law_of_the_limits(database_url: str) -> None:
    """Whoever asks, wherever, by several workers at once: no window exceeds, nothing is lost."""

    async def first() -> None:
        engine = engine_for(database_url)
        await prepare(engine)
        await change(deploy(engine), *BEGUN)
        await engine.dispose()

    @examples(8)
    @given(
        asked=st.lists(
            st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from("12")),
            min_size=4,
            max_size=14,
        ),
        times=st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3)),
    )
    def law(asked: list[tuple[str, str, str]], times: tuple[int, int, int]) -> None:
        asyncio.run(keep(asked, times))

    async def keep(asked: list[tuple[str, str, str]], times: tuple[int, int, int]) -> None:
        within_s = 0.4
        limits = [TurnLimit(times=n, within_s=within_s) for n in times]
        engine = engine_for(database_url)
        deployment = deploy(
            engine,
            limits=TurnLimits(asker=limits[0], channel=limits[1], conversation=limits[2]),
        )
        await change(
            deployment,
            "TRUNCATE posts, paid CASCADE",
            "TRUNCATE citebound.outbox, citebound.inbox CASCADE",
            "DELETE FROM citebound.turns",
            "DELETE FROM begun",
        )
        for n, (person, channel, thread) in enumerate(asked):
            await accepted(
                deployment, f"m{n}", event=f"{n}", person=person, channel=channel, thread=thread
            )
        async with deployment.working():
            await deployment.quiet(within_s=60.0)
        done = await deployment.rows("SELECT body FROM posts WHERE body LIKE 'You said%'")
        assert len(done) == len(asked)
        begun = await deployment.rows("SELECT kind, key, at FROM begun ORDER BY at")
        for kind, limit in zip(("asker", "channel", "conversation"), limits, strict=True):
            of_kind = [row for row in begun if row["kind"] == kind]
            assert len(of_kind) == len(asked)
            for key in {row["key"] for row in of_kind}:
                at = [row["at"] for row in of_kind if row["key"] == key]
                for earlier, later in zip(at, at[limit.times :], strict=False):
                    assert isinstance(earlier, datetime)
                    assert isinstance(later, datetime)
                    assert later - earlier >= timedelta(seconds=within_s)
        await engine.dispose()

    asyncio.run(first())
    law()
