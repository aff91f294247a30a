"""The beginning of a case: its row, its record, its cards, and what its asker hears, together.

A person opens one with a press. We open one ourselves with the answer that only a person can give:
its number is taken before the answer is recorded, so that the answer can name it.
"""

from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_log import Actor, CaseLog, actor_of
from core.adapters.postgres.cases.case_opening import (
    Asked,
    add_to_case,
    count_passed_on,
    find_asked,
    insert_case,
    next_number,
)
from core.adapters.postgres.cases.case_posts import CasePosts
from core.adapters.postgres.cases.case_queries import CaseRow, case_by_id
from core.adapters.postgres.engine.ledger import Ledger
from core.agent.conversation.misconduct import is_report, speaks_of_somebody
from core.agent.conversation.speech import is_asked
from core.domain.audit import Tag
from core.domain.case import CaseState
from core.domain.case_rules import PASSED_ON_AT_MOST, Account, NoCase, Opener, Opening
from core.domain.errors import IntegrityError
from core.domain.officers import Officers
from core.domain.run import Run

_OURSELVES = Actor(kind="system", ref="pipeline")


class Beginning:
    """Opens cases within the transaction of whoever holds the conversation's lock."""

    def __init__(self, *, ledger: Ledger, officers: Officers) -> None:
        """Take the record, and where cards go."""
        self._ledger = ledger
        self._log = CaseLog(ledger)
        self._officers = officers
        self._posts = CasePosts(ids=ledger.ids)

    async def number_for(self, connection: AsyncConnection, run: Run) -> int | NoCase:
        """Return the number of the case that an answer opens by itself, or why it opens none.

        A mere statement, and what was not addressed to us, opens none: see
        `core.agent.conversation.speech`. Nothing that may tell of somebody is passed on without the
        wish of who tells it, and nothing at all where no officer would hear of it. Of one person's,
        no more than officers can take.
        """
        told = (run.question.text, run.question.own)
        if not run.answer.needs_person or not self._officers.routes(is_sensitive=False):
            return NoCase.NOT_MEANT
        if not run.question.is_addressed or not is_asked(run.question):
            return NoCase.NOT_MEANT
        if any(is_report(one) or speaks_of_somebody(one) for one in told):
            return NoCase.NOT_MEANT
        before = await count_passed_on(connection, run.question.asker, ledger=self._ledger)
        if before >= PASSED_ON_AT_MOST:
            return NoCase.TOO_MANY
        return await next_number(connection)

    async def ourselves(
        self, connection: AsyncConnection, run: Run, *, answer_id: str, person: str, number: int
    ) -> None:
        """Open the case of an answer that was just settled: without name and place.

        Raises:
            IntegrityError: The answer is not stored with its message.
        """
        place = run.question.place
        opening = Opening(
            answer_id=answer_id,
            by=Account(platform=place.platform, tenant=place.tenant, person=person),
            key=f"answer:{answer_id}",
            opener=Opener.PIPELINE,
        )
        asked = await find_asked(connection, opening)
        if asked is None:
            raise IntegrityError(f"the answer {answer_id} has no message to open a case for")
        await self._begin(connection, asked, opening, _OURSELVES, number=number)

    async def by_person(
        self, connection: AsyncConnection, asked: Asked, opening: Opening
    ) -> CaseRow:
        """Open a case because its asker wishes it, who is told, or an officer."""
        is_asker = asked.is_by(opening.by)
        actor = await actor_of(connection, opening.by, None if is_asker else opening.officer)
        number = await next_number(connection)
        case = await self._begin(connection, asked, opening, actor, number=number)
        if is_asker or opening.officer is None:
            await self._posts.tell_news(connection, case, CaseState.OPEN)
        return case

    async def added_to(
        self, connection: AsyncConnection, case: CaseRow, opening: Opening
    ) -> CaseRow:
        """Add the asker's note, and the name if they wish, to a case that we opened ourselves.

        A note that tells of somebody takes the card out of the channel: it goes to those on call.
        """
        await add_to_case(connection, case.case_id, opening, ledger=self._ledger)
        after = await _read(connection, case.case_id)
        actor = await actor_of(connection, opening.by, None)
        await self._log.add(
            connection, after, actor, kind="note", key=opening.key, body=opening.note
        )
        await self._log.record(
            connection,
            Tag.CASE_NOTED,
            after,
            actor,
            content={"note": opening.note},
            says={"is_anonymous": after.is_anonymous, "is_sensitive": after.is_sensitive},
        )
        await self._posts.update_cards(connection, after)
        if after.is_sensitive and not case.is_sensitive:
            routes = self._officers.routes(is_sensitive=True)
            await self._posts.first_cards(connection, after, routes)
        return after

    async def _begin(
        self,
        connection: AsyncConnection,
        asked: Asked,
        opening: Opening,
        actor: Actor,
        *,
        number: int,
    ) -> CaseRow:
        case_id = await insert_case(connection, asked, opening, ledger=self._ledger, number=number)
        case = await _read(connection, case_id)
        routes = self._officers.routes(is_sensitive=case.is_sensitive)
        await self._log.add(
            connection, case, actor, kind="open", key=opening.key, body=opening.note
        )
        await self._log.record(
            connection,
            Tag.CASE_OPENED,
            case,
            actor,
            content={"note": opening.note},
            record_id=case.record_id,
            says={
                "route": ["direct" if route.is_direct else "channel" for route in routes],
                "is_private": case.is_private,
                "is_anonymous": case.is_anonymous,
                "is_sensitive": case.is_sensitive,
            },
        )
        await self._posts.first_cards(connection, case, routes)
        return case


async def _read(connection: AsyncConnection, case_id: str) -> CaseRow:
    case = await case_by_id(connection, case_id)
    if case is None:
        raise IntegrityError(f"the case {case_id} was stored and can't be read")
    return case
