"""A message is stored with its record and its job, once, or not at all."""

import asyncio
from dataclasses import replace
from typing import cast

import pytest
from sqlalchemy import text

from bot.intake import Intake
from core.domain.conversation import Place
from core.domain.errors import TransientError
from core.domain.message import Accepted, Ignored, InboundMessage, MessageKind, Seen
from tests.life import Deployment, deploy, message

COUNTED = (
    "citebound.inbox",
    "citebound.conversations",
    "audit.identity",
    "audit.record",
    "audit.content",
)


UNFINISHED = "SELECT 1 FROM citebound.inbox WHERE state IN ('received', 'running')"


async def counts(deployment: Deployment) -> dict[str, object]:
    """Count what a message leaves behind."""
    return {
        name: (await deployment.rows(f"SELECT count(*) AS n FROM {name}"))[0]["n"]  # noqa: S608  # constants
        for name in COUNTED
    }


async def test_a_message_is_stored_with_its_record(deployment: Deployment) -> None:
    """What is acknowledged is there, whole; its personal text stands in the content alone."""
    result = await deployment.intake.accept(message("May I accept cash?", key="m1"))
    assert isinstance(result, Accepted)
    (row,) = await deployment.rows("SELECT * FROM citebound.inbox")
    assert (row["id"], row["state"], row["attempt"]) == (result.message_id, "received", 0)
    (record,) = await deployment.rows("SELECT id, tag, actor, doc::text AS doc FROM audit.record")
    assert (record["tag"], record["id"]) == ("message:received", row["record_id"])
    assert record["actor"] == row["asker"] != "U1"
    assert "cash" not in str(record["doc"])
    content = await deployment.rows("SELECT field, body FROM audit.content")
    assert {str(part["field"]): part["body"] for part in content}["message"] == "May I accept cash?"


async def test_a_repeated_delivery_changes_nothing(deployment: Deployment) -> None:
    """Not with the same event, and not when one message comes as two events."""
    first = message("a gift", event="Ev1", key="T1:C1:17.1")
    await deployment.intake.accept(first)
    before = await counts(deployment)
    twin = message("a gift", event="Ev2", key="T1:C1:17.1")
    for again in (first, twin, first):
        assert await deployment.intake.accept(again) == Seen(reason="repeated")
    assert await counts(deployment) == before
    await deployment.intake.accept(message("next"))
    numbers = await deployment.rows("SELECT seq FROM audit.record ORDER BY seq")
    assert [row["seq"] for row in numbers] == [1, 2]


async def test_fifty_deliveries_at_once_are_one_message(deployment: Deployment) -> None:
    """Whoever comes first stores it; nobody fails."""
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(
                deployment.intake.accept(message("a gift", event=f"Ev{n % 2}", key="m1"))
            )
            for n in range(50)
        ]
    accepted = [task.result() for task in tasks if isinstance(task.result(), Accepted)]
    assert len(accepted) == 1
    assert set((await counts(deployment)).values()) == {1, 2}
    assert (await counts(deployment))["audit.content"] == 2


async def test_a_hundred_messages_at_once_are_stored_each_with_its_record(
    deployment: Deployment,
) -> None:
    """Written together, some of them twice: none is lost, and no number is left out."""
    async with asyncio.TaskGroup() as group:
        for n in range(100):
            told = message(f"m{n}", event=f"Ev{n}", key=f"m{n // 2}", thread=str(n // 2 % 20))
            group.create_task(deployment.intake.accept(told))
    assert set((await counts(deployment)).values()) == {50, 20, 1, 100}
    numbered = await deployment.rows(
        "SELECT array_agg(seq ORDER BY seq) AS seqs FROM audit.record GROUP BY conversation"
    )
    assert {tuple(cast("list[int]", row["seqs"])) for row in numbered} == {(1, 2, 3), (1, 2)}
    strangers = await deployment.rows(
        "SELECT 1 FROM citebound.inbox i JOIN audit.record r ON r.id = i.record_id"
        " JOIN audit.content c ON c.record_id = r.id AND c.field = 'message'"
        " WHERE c.body <> i.text OR r.conversation::text <> i.conversation_id::text"
        " OR r.subject::text <> i.question_id::text"
    )
    assert strangers == []


async def test_one_message_that_is_refused_takes_no_other_with_it(deployment: Deployment) -> None:
    """Those written together with it are stored."""
    async with deployment.engine.begin() as connection:
        await connection.execute(
            text("ALTER TABLE citebound.inbox ADD CONSTRAINT x CHECK (text <> 'm7')")
        )

    async def accept(n: int) -> object:
        try:
            return await deployment.intake.accept(message(f"m{n}", thread=str(n)))
        except TransientError as error:
            return error

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(accept(n)) for n in range(20)]
    results = [task.result() for task in tasks]
    assert [n for n, one in enumerate(results) if not isinstance(one, Accepted)] == [7]
    assert isinstance(results[7], TransientError)


async def test_two_processes_that_are_told_the_same_store_it_once(deployment: Deployment) -> None:
    """Each gathers by itself; whoever comes second at any moment sees."""
    other = deploy(deployment.engine)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(one.intake.accept(message(f"m{n}", key=f"m{n}", thread=str(n % 7))))
            for n in range(60)
            for one in (deployment, other)
        ]
    accepted = [task.result() for task in tasks if isinstance(task.result(), Accepted)]
    assert len(accepted) == 60
    assert (await counts(deployment))["audit.record"] == 60


@pytest.mark.parametrize(
    "refusal",
    [
        "ALTER TABLE citebound.inbox ADD CONSTRAINT x CHECK (text <> 'a gift')",
        "DELETE FROM audit.tag WHERE tag = 'message:received'",
        "ALTER TABLE audit.content ADD CONSTRAINT x CHECK (body <> 'a gift')",
        "ALTER FUNCTION citebound.notify_due RENAME TO lost; CREATE FUNCTION citebound.notify_due()"
        " RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full'; END $$; DROP TRIGGER inbox_due"
        " ON citebound.inbox; CREATE TRIGGER inbox_due AFTER INSERT ON citebound.inbox"
        " FOR EACH ROW EXECUTE FUNCTION citebound.notify_due()",
    ],
)
async def test_what_the_database_refuses_is_not_acknowledged(
    deployment: Deployment, refusal: str
) -> None:
    """Whichever part is refused, nothing is stored, and the surface hears of it."""
    async with deployment.engine.begin() as connection:
        await connection.execute(text(refusal))
    with pytest.raises(TransientError):
        await deployment.intake.accept(message("a gift"))
    assert set((await counts(deployment)).values()) == {0}


async def test_a_database_that_does_not_answer_is_not_waited_for(deployment: Deployment) -> None:
    """The platform's patience ends before ours."""
    hasty = Intake(deployment.inbox, put_within_s=0.2)
    await deployment.intake.accept(message("a gift"))
    async with deployment.engine.begin() as connection:
        await connection.execute(text("SELECT FROM citebound.conversations FOR UPDATE"))
        with pytest.raises(TransientError, match="too long"):
            await hasty.accept(message("again"))
    # What nobody waits for any more is written all the same, once it can be.
    await deployment.until("SELECT FROM citebound.inbox OFFSET 1")


async def test_what_postgres_can_not_keep_is_replaced(deployment: Deployment) -> None:
    """A NUL or half a surrogate pair would be refused, and come again for ever."""
    odd = InboundMessage(
        place=Place(platform="fake", thread="1"),
        dedupe_key="fake:odd",
        person="U1",
        text="may\x00 I \ud83d",
        sent_at=message("x").sent_at,
        raw={"te\x00xt": ["a\x00", {"b": "\udc00"}]},
    )
    await deployment.intake.accept(odd)
    (row,) = await deployment.rows("SELECT text, raw FROM citebound.inbox")
    assert row == {"text": "may I ?", "raw": {"text": ["a", {"b": "?"}]}}


async def test_what_is_ignored_is_recorded_with_its_reason(deployment: Deployment) -> None:
    """No text, one closing record, and nothing to do."""
    ignored = Ignored(
        place=Place(platform="fake", thread="1"),
        dedupe_key="fake:bot",
        person="B1",
        sent_at=message("x").sent_at,
        reason="bot",
    )
    assert isinstance(await deployment.intake.accept(ignored), Accepted)
    assert isinstance(await deployment.intake.accept(ignored), Seen)
    (record,) = await deployment.rows(
        "SELECT tag, outcome, doc->>'reason' AS why FROM audit.record"
    )
    assert tuple(record.values()) == ("message:ignored", "ignored", "bot")
    assert await deployment.rows(UNFINISHED) == []


async def test_thanks_are_recorded_and_not_answered(deployment: Deployment) -> None:
    """Whoever thanks is not asked what that is about; the next question is answered."""
    await deployment.intake.accept(message("Thank you!", key="m1"))
    (record,) = await deployment.rows("SELECT tag, doc->>'reason' AS why FROM audit.record")
    assert tuple(record.values()) == ("message:ignored", "thanks")
    assert await deployment.rows(UNFINISHED) == []
    await deployment.intake.accept(message("thanks, and for contractors?", key="m2"))
    assert len(await deployment.rows(UNFINISHED)) == 1


@pytest.mark.parametrize("kind", [MessageKind.EDITED, MessageKind.DELETED])
async def test_a_change_of_a_message_that_was_never_kept_is_nothing(
    deployment: Deployment, kind: MessageKind
) -> None:
    """It was not addressed to us: nothing of it is stored."""
    change = message("new words", event="Ev2", kind=kind, target="unknown")
    assert await deployment.intake.accept(change) == Seen(reason="unknown_target")
    assert set((await counts(deployment)).values()) == {0}


async def test_a_stop_without_anything_to_stop_is_nothing(deployment: Deployment) -> None:
    """It takes no number of the conversation either."""
    await deployment.intake.accept(message("a gift"))
    stop = message("", event="stop", kind=MessageKind.STOP, person="U2")
    before = await counts(deployment)
    assert await deployment.intake.accept(stop) == Seen(reason="nothing_to_stop")
    assert await counts(deployment) == before


async def test_one_person_has_one_pseudonym(deployment: Deployment) -> None:
    """In all conversations of a tenant; another person has another one."""
    for n, person in enumerate(("U1", "U2", "U1")):
        await deployment.intake.accept(message(f"m{n}", thread=str(n), person=person))
    rows = await deployment.rows("SELECT asker FROM citebound.inbox ORDER BY id")
    first, second, third = (row["asker"] for row in rows)
    assert first == third != second


async def test_help_is_queued_where_it_is_stored(deployment: Deployment) -> None:
    """With a record that no question was asked, the reply; once, or not at all."""
    wanted = replace(message("", key="m1"), kind=MessageKind.HELP)
    first = await deployment.intake.accept(wanted)
    assert isinstance(first, Accepted)
    assert await deployment.intake.accept(wanted) == Seen(reason="repeated")
    (reply,) = await deployment.rows("SELECT cause, reply->>'notice' AS n FROM citebound.outbox")
    assert tuple(reply.values()) == (f"message:{first.message_id}", "how_it_works")
    (record,) = await deployment.rows("SELECT tag, doc->>'reason' AS reason FROM audit.record")
    assert record["tag"] == "message:ignored"
    assert await deployment.rows(UNFINISHED) == []
    late = replace(
        message("May I?", key="m1:edited"), kind=MessageKind.EDITED, target_key=wanted.message_key
    )
    await deployment.intake.accept(late)
    told = await deployment.rows("SELECT reply->>'notice' AS n FROM citebound.outbox ORDER BY id")
    assert [row["n"] for row in told] == ["how_it_works", "edited_after_answer"]
