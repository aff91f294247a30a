"""Officers are reminded of a case once before it is due, and once when it was."""

import asyncio
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.adapters.postgres.cases.cases import PostgresCases
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.system import SystemClock, UuidSource
from core.cases.reminders import CaseReminders
from core.domain.case import Urgency
from core.domain.officers import SpeakUpContacts
from tests.casework import ADA, ASKER, PSEUDONYMS, Office, fresh
from tests.running import ROOT

CONTACTS = SpeakUpContacts(line="Speak-up line: 0800 111", person="Ombudsperson Weber")
ROOM, ADAS = "COFF", "UA"
HOURS_BEFORE, AFTER = timedelta(hours=21), timedelta(days=1, minutes=1)
"""Since a case was opened that is due in a day: a reminder comes 4 hours before."""
KILLED = """
import asyncio, sys
from core.adapters.postgres.engine.database import engine_for
from core.failpoints import arm
from tests.casework import office
from tests.integration.cases.test_reminders import AFTER, reminders

async def main():
    engine = engine_for(sys.argv[1], pooled=False)
    arm("F13")
    await reminders(office(engine), later=AFTER).once()

asyncio.run(main())
"""


@dataclass
class LaterClock(SystemClock):
    """The time, some time later."""

    later: timedelta

    def now(self) -> datetime:
        """Return it."""
        return super().now() + self.later


def reminders(bureau: Office, *, later: timedelta) -> CaseReminders:
    """Return what reminds, so much later."""
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="test", pseudonyms=PSEUDONYMS)
    store = PostgresCases(bureau.life.engine, ledger=ledger)
    return CaseReminders(
        store, officers=bureau.officers, clock=LaterClock(later), contacts=CONTACTS
    )


async def told(bureau: Office) -> list[tuple[object, object]]:
    """Return where something of being due stands, and what."""
    await bureau.deliver()
    posts = await bureau.posts()
    return [one for one in posts if str(one[1]).startswith(("reminder:", "overdue:"))]


async def test_before_and_after(bureau: Office) -> None:
    """Nobody has claimed it: in the officers' channel. Whoever has is told alone."""
    case_id = await bureau.opened(urgency=Urgency.TODAY)
    assert await reminders(bureau, later=timedelta(hours=19)).once() == 0
    assert await reminders(bureau, later=HOURS_BEFORE).once() == 1
    assert await reminders(bureau, later=HOURS_BEFORE).once() == 0
    assert await told(bureau) == [(ROOM, "reminder:1 open")]
    await bureau.desk.claim(case_id, ADA, key=fresh())
    assert await reminders(bureau, later=AFTER).once() == 1
    assert await reminders(bureau, later=AFTER).once() == 0
    assert await told(bureau) == [(ROOM, "reminder:1 open"), (ADAS, "overdue:1 claimed")]
    assert await bureau.tags() == [
        "case:opened",
        "case:reminded",
        "case:assigned",
        "case:overdue",
    ]


async def test_what_was_missed_is_told_once(bureau: Office) -> None:
    """Nobody looked before it was due; and what is answered is no more due."""
    await bureau.opened(urgency=Urgency.TODAY)
    assert await reminders(bureau, later=AFTER).once() == 1
    assert await reminders(bureau, later=AFTER).once() == 0
    other = await bureau.opened(await bureau.answered(thread="2"), urgency=Urgency.TODAY)
    await bureau.desk.answer(other, ADA, key=fresh(), text="Yes.")
    assert await reminders(bureau, later=AFTER).once() == 0
    assert await bureau.tags("case:overdue") == ["case:overdue", "answer:superseded"]


async def test_what_is_asked_again_falls_due_anew(bureau: Office) -> None:
    """It is not overdue at once."""
    case_id = await bureau.opened(urgency=Urgency.TODAY)
    assert await reminders(bureau, later=AFTER).once() == 1
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="Yes.")
    await bureau.desk.ask_again(case_id, ASKER, key=fresh())
    (row,) = await bureau.life.rows(
        "SELECT overdue_at, reminded_at, due_at > now() AS is_due FROM citebound.cases"
    )
    assert (row["overdue_at"], row["reminded_at"], row["is_due"]) == (None, None, True)


async def test_many_processes_tell_once(bureau: Office) -> None:
    """However many look at the same time."""
    for n in range(5):
        await bureau.opened(await bureau.answered(thread=str(n)), urgency=Urgency.TODAY)
    async with asyncio.TaskGroup() as group:
        looking = [group.create_task(reminders(bureau, later=AFTER).once()) for _ in range(4)]
    assert sum(one.result() for one in looking) == 5
    assert (await bureau.tags("case:overdue")) == ["case:overdue"] * 5
    assert len(await told(bureau)) == 5


async def test_killed_in_the_middle_it_is_told_by_the_next(
    bureau: Office, database_url: str
) -> None:
    """F13: marked, recorded and queued, and not committed."""
    await bureau.opened(urgency=Urgency.TODAY)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, database_url, cwd=ROOT
    )
    assert await process.wait() == -9
    assert await bureau.tags("case:overdue") == []
    assert await reminders(bureau, later=AFTER).once() == 1
    assert await bureau.tags("case:overdue") == ["case:overdue"]
    assert len(await told(bureau)) == 1
