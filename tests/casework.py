"""Officers, askers and answers around the deployment in small."""

from dataclasses import dataclass
from itertools import count

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.cases.cases import PostgresCases
from core.adapters.postgres.cases.feedback import PostgresFeedback
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.system import SystemClock, UuidSource
from core.agent.request import AskRequest
from core.cases.feedback import FeedbackService
from core.cases.service import CaseService
from core.domain.answer import Answer, Badge, Confidence, Outcome, RefusalKind, ShownClaim
from core.domain.case_actions import CaseDone, CaseResult
from core.domain.message import Accepted, Claimed
from core.domain.officers import Account, Officer, Officers
from core.ports import Completion
from tests.life import PSEUDONYMS, Deployment, deploy, message

ASKER = Account(platform="fake", tenant="T1", person="U1")
OTHER = Account(platform="fake", tenant="T1", person="U2")
ADA = Account(platform="fake", tenant="T1", person="UA")
GRACE = Account(platform="fake", tenant="T1", person="UG")
ROOM = Account(platform="fake", tenant="T1", person="COFF")
OFFICERS = (
    Officer(login="ada", name="Ada Lovelace", accounts=(ADA,), is_on_call=True),
    Officer(login="grace", name="Grace Hopper", accounts=(GRACE,)),
)
SURE = Confidence(reported=0.9, calibrated=0.9, badge=Badge.HIGH, is_calibrated=True)
_keys = count(1)


def fresh() -> str:
    """Return the identity of a click that was never made."""
    return f"click:{next(_keys)}"


def reply(
    outcome: Outcome, words: str = "Up to EUR 50.", *, refusal: RefusalKind | None = None
) -> Answer:
    """Return what an asker got."""
    claims = (ShownClaim(text=words, numbers=()),) if outcome is Outcome.ANSWERED else ()
    return Answer(outcome=outcome, text=words, claims=claims, confidence=SURE, refusal=refusal)


@dataclass(kw_only=True)
class Office:
    """A deployment with officers."""

    life: Deployment
    desk: CaseService
    feedback: FeedbackService
    officers: Officers

    async def answered(
        self,
        question: str = "May I accept a gift?",
        outcome: Outcome = Outcome.ANSWERED,
        *,
        thread: str = "1",
        mode: str = "thread",
        person: str = "U1",
        refusal: RefusalKind | None = None,
        words: str = "Up to EUR 50.",
        answer: Answer | None = None,
    ) -> str:
        """Ask and answer a question, post the reply, and return the answer's id."""
        told = message(question, event=fresh(), thread=thread, mode=mode, person=person)
        accepted = await self.life.intake.accept(told)
        assert isinstance(accepted, Accepted)
        claimed = await self.life.backlog.claim(accepted.conversation_id)
        assert isinstance(claimed, Claimed)
        result = await self.life.worker._answering.close(  # pyright: ignore[reportPrivateUsage]
            AskRequest(
                text=claimed.text,
                place=claimed.place,
                asker=claimed.asker,
                question_id=claimed.question_id,
                edition=claimed.edition,
            ),
            answer or reply(outcome, words, refusal=refusal),
            cause="test",
            completion=Completion(
                message_id=claimed.message_id, lease_token=claimed.token, cause=claimed.record_id
            ),
        )
        await self.life.deliverer.deliver(accepted.conversation_id)
        return result.receipt.answer_id

    async def opened(self, answer_id: str | None = None, **more: object) -> str:
        """Open a case, post what is to be posted, and return its id."""
        answer_id = answer_id or await self.answered()
        done = await self.desk.open(answer_id, ASKER, key=fresh(), **more)  # pyright: ignore[reportArgumentType]
        await self.deliver()
        return done_case(done)

    async def deliver(self) -> None:
        """Post all that is queued, as if whatever is put off were due."""
        async with self.life.engine.begin() as connection:
            await connection.execute(
                text(
                    "UPDATE citebound.outbox SET next_at = now() - interval '1 s',"
                    " lease_until = NULL WHERE settled_at IS NULL"
                )
            )
        for row in await self.life.rows(
            "SELECT DISTINCT conversation_id::text AS id FROM citebound.outbox"
            " WHERE settled_at IS NULL"
        ):
            await self.life.deliverer.deliver(str(row["id"]))

    async def posts(self) -> list[tuple[object, object]]:
        """Return where something is shown, and what."""
        rows = await self.life.rows("SELECT channel, body FROM posts ORDER BY id")
        return [(row["channel"], row["body"]) for row in rows]

    async def tags(self, like: str = "case:%") -> list[object]:
        """Return what was recorded, in order."""
        rows = await self.life.rows(
            "SELECT tag FROM audit.record WHERE tag LIKE :like OR tag LIKE 'answer:%' ORDER BY seq",
            like=like,
        )
        return [row["tag"] for row in rows]


def done_case(result: CaseResult) -> str:
    """Return the id of a case on which something was done."""
    assert isinstance(result, CaseDone)
    return result.case.case_id


def office(
    engine: AsyncEngine,
    *,
    officers: tuple[Officer, ...] = OFFICERS,
    room: Account | None = ROOM,
    unit: str = "test",
) -> Office:
    """Wire it; nothing runs yet."""
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit=unit, pseudonyms=PSEUDONYMS)
    listed = Officers(all=officers, channel=room)
    life = deploy(engine, officers=listed, unit=unit)
    desk = CaseService(
        PostgresCases(engine, ledger=ledger),
        officers=listed,
        clock=ledger.clock,
        ids=ledger.ids,
    )
    return Office(
        life=life,
        desk=desk,
        feedback=FeedbackService(
            PostgresFeedback(engine, ledger=ledger, officers=listed), cases=desk
        ),
        officers=listed,
    )
