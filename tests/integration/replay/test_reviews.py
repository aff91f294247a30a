"""Officers are told of policies that are past their review: once for each policy and date."""

import asyncio
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from core.domain.officers import Account, Officer, Officers
from tests.integration.replay.conftest import GIFTS, LOWER, Office, Publish

DAY = date(2100, 3, 1)
"""A version that states no first day is in force from the day on which it is published."""


async def told(office: Office, day: date = DAY + timedelta(days=1)) -> list[Any]:
    """Look once; return what was queued in all, in order."""
    await office.service.review_reminders.compare(on_day=day)
    rows = await office.rows(
        "SELECT reply->>'subject' AS subject FROM citebound.outbox"
        " WHERE cause LIKE 'review:%' ORDER BY id"
    )
    return [row["subject"] for row in rows]


async def test_a_policy_is_told_of_once_for_each_date(office: Office, publish: Publish) -> None:
    """From the day after; of another date again, and of one that is withdrawn no more."""
    await publish(GIFTS, review_by=DAY, owner="Legal", key="gifts")
    assert await told(office, DAY) == []
    first = "Gifts Policy (gifts), due by 2100-03-01, owner Legal"
    assert await told(office) == [first]
    assert await told(office, DAY + timedelta(days=400)) == [first]
    later = DAY + timedelta(days=10)
    await publish(LOWER, review_by=later, key="gifts")
    assert await told(office, later) == [first]
    again = await told(office, later + timedelta(days=1))
    assert again == [first, "Gifts Policy (gifts), due by 2100-03-11, owner Legal"]


async def test_the_owner_is_told_alone_and_no_channel_of_what_is_for_some(
    office: Office, publish: Publish
) -> None:
    """An officer whom the policy names as its owner; else whoever is on call, or the channel."""
    boss = Account(platform="fake", tenant="T1", person="O2")
    known = office.service.officers
    ada = Officer(login="ada", name="Ada Lovelace", accounts=(boss,))
    office.service.officers = replace(known, all=(*known.all, ada))
    office.service.__dict__.pop("review_reminders", None)
    for key, about in {
        "owned": {"owner": "ada lovelace"},
        "restricted": {"audience": frozenset({"board"})},
        "public": {"owner": "Legal"},
    }.items():
        await publish(GIFTS, name=f"{key}.md", key=key, review_by=DAY, **about)
    await told(office)
    rows = await office.rows(
        "SELECT c.channel, split_part(o.cause, ':', 2) AS key FROM citebound.outbox o"
        " JOIN citebound.conversations c ON c.id = o.conversation_id WHERE o.cause LIKE 'review:%'"
    )
    assert {row["key"]: row["channel"] for row in rows} == {
        "owned": "@O2",
        "restricted": "@O1",
        "public": "C9",
    }


async def test_two_processes_tell_once(office: Office, publish: Publish) -> None:
    """Whichever looks first."""
    await publish(GIFTS, review_by=DAY, key="gifts")
    reminders = office.service.review_reminders
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(reminders.compare(on_day=date.max))
    assert len(await told(office)) == 1


async def test_a_flood_comes_in_parts(office: Office, publish: Publish) -> None:
    """And a corpus without dates, or one without officers, tells nothing."""
    assert await told(office, date.max) == []
    for number in range(23):
        await publish(GIFTS, name=f"p{number}.md", key=f"p{number}", review_by=DAY)
    assert len(await told(office)) == 20
    assert len(await told(office)) == 23


async def test_without_officers_nobody_is_told(office: Office, publish: Publish) -> None:
    """And it is told once there are some."""
    await publish(GIFTS, review_by=DAY, key="gifts")
    known = office.service.officers
    office.service.officers = Officers(all=())
    office.service.__dict__.pop("review_reminders", None)
    assert await told(office) == []
    office.service.officers = known
    office.service.__dict__.pop("review_reminders", None)
    assert len(await told(office)) == 1
