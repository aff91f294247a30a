"""Cases in memory: a store of one process, which keeps what is logged, recorded and posted."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Self, TypeVar

from core.cases.opening import AnswerRecorder
from core.cases.service import CaseService
from core.domain.answer import Answer, Confidence, Outcome, RefusalKind
from core.domain.audit import Tag
from core.domain.case import (
    AskedAnswer,
    CaseState,
    NewCase,
    Opener,
    ReviewVerdict,
    StoredCase,
    Urgency,
)
from core.domain.case_actions import Refusal
from core.domain.conversation import Place
from core.domain.delivery import AboutCase
from core.domain.errors import OvertakenError
from core.domain.evidence import Evidence
from core.domain.json_value import Json
from core.domain.officers import Account, Officer, Officers, Route
from core.domain.run import BudgetUse, Plan, Run
from core.ports import Completion, RecordReceipt
from core.ports.cases import Actor, CaseUnit, LoggedAction, RecordedEvent, SettledFilter
from core.ports.corrections import Correction
from core.ports.record import RecordUnit
from tests.factories import NOW, make_question
from tests.fakes import CountingIds, FixedClock

T = TypeVar("T")
ASKER, OTHER, ADA, GRACE = (
    Account(platform="p", tenant="T", person=one) for one in ("una", "ben", "ada", "grace")
)
CHANNEL = Account(platform="p", tenant="T", person="officers")
OFFICERS = Officers(
    all=(
        Officer(login="ada", name="Ada", accounts=(ADA,), is_on_call=True),
        Officer(login="grace", name="Grace", accounts=(GRACE,)),
    ),
    channel=CHANNEL,
)
PLACE = Place(platform="p", tenant="T", channel="C1", thread="1", mode="thread")
SURE = Confidence(reported=None, calibrated=None, badge=None, is_calibrated=False)
ANSWERED = Answer(outcome=Outcome.ANSWERED, text="Up to EUR 50.", confidence=SURE)
ESCALATED = Answer(
    outcome=Outcome.ESCALATED,
    text="I found nothing.",
    confidence=SURE,
    refusal=RefusalKind.NOT_FOUND,
)
REPORTED = replace(ESCALATED, refusal=None)


def asked(answer: Answer = ANSWERED, question: str = "May I accept a gift?") -> AskedAnswer:
    """Return an answer to the asker."""
    return AskedAnswer(
        answer_id="a1",
        outcome=answer.outcome,
        was_reported=answer.is_report,
        claims=(),
        question_id="q1",
        question=question,
        standalone=question,
        conversation_id="c1",
        asker="p-una",
        person=ASKER.person,
        mode="thread",
        reply_id=1,
    )


def run(answer: Answer, question: str = "May I accept a gift?") -> Run:
    """Return the run of an answer."""
    return Run(
        question=replace(make_question(question), place=PLACE),
        answer=answer,
        edition=1,
        reasoner="test/1",
        plan=Plan(intent="general"),
        exploration=None,
        gate=None,
        evidence=Evidence(items=()),
        used_rag=False,
        chunks_used=(),
        entities=(),
        attempts=(),
        budget=BudgetUse(),
        steps=(),
        retrieval_time_ms=0.0,
        generation_time_ms=0.0,
        total_time_ms=0.0,
    )


def stored(new: NewCase, answer: Answer) -> StoredCase:
    """Return a new case as it is read."""
    return StoredCase(
        case_id=new.case_id,
        number=new.number,
        state=CaseState.OPEN,
        urgency=new.urgency,
        opener=new.opener,
        opened_at=new.opened_at,
        due_at=new.due_at,
        owner=None,
        owner_name=None,
        claimed_at=None,
        answered_at=None,
        note=new.note,
        told="",
        record_id=new.record_id,
        account=replace(ASKER, person=new.asked.person),
        asker_name=new.asker_name,
        place=PLACE,
        permalink=new.permalink,
        is_private=new.is_private,
        is_anonymous=new.is_anonymous,
        is_sensitive=new.is_sensitive,
        clock=new.clock,
        is_wrong=False,
        reason=new.asked.outcome.value,
        question_id=new.asked.question_id,
        question=new.asked.standalone,
        conversation_id=new.asked.conversation_id,
        answer_id=new.asked.answer_id,
        answer=answer,
        reply_id=new.asked.reply_id,
        reply_record="r1",
    )


@dataclass
class Rows:
    """What a transaction may change; undone where it raises."""

    answer: Answer
    """The one answer that there is, of one question."""
    question: str
    cases: dict[str, StoredCase] = field(default_factory=dict[str, StoredCase])
    log: list[tuple[str, str, Refusal | None]] = field(
        default_factory=list[tuple[str, str, Refusal | None]]
    )
    keys: dict[tuple[str, str], Refusal | None] = field(
        default_factory=dict[tuple[str, str], Refusal | None]
    )
    verdicts: list[tuple[str, ReviewVerdict]] = field(
        default_factory=list[tuple[str, ReviewVerdict]]
    )
    tags: list[str] = field(default_factory=list[str])
    posts: list[str] = field(default_factory=list[str])
    answers: list[Answer] = field(default_factory=list[Answer])
    passed_on: int = 0


class InMemoryCases:
    """See `core.ports.cases.CaseStore` and `core.ports.record.RecordStore`; also their units."""

    def __init__(self, answer: Answer = ANSWERED, question: str = "May I accept a gift?") -> None:
        self.rows = Rows(answer=answer, question=question)
        self.locked: list[str] = []
        self.at_lock: Callable[[], None] = lambda: None
        """What others do until the lock is taken."""
        self.is_overtaken = False

    @property
    def service(self) -> CaseService:
        return CaseService(self, officers=OFFICERS, clock=FixedClock(), ids=CountingIds())

    def recorder(self, officers: Officers = OFFICERS) -> AnswerRecorder:
        return AnswerRecorder(
            _Records(self), officers=officers, clock=FixedClock(), ids=CountingIds()
        )

    @property
    def case(self) -> StoredCase:
        """The only case."""
        (case,) = self.rows.cases.values()
        return case

    async def transact(self, work: Awaitable[T]) -> T:
        before = deepcopy(self.rows)
        try:
            return await work
        except BaseException:
            self.rows = before
            raise

    def unit(self) -> CaseUnit:
        return CaseUnit(rows=self, log=_Log(self), posts=_Posts(self), codes=_Codes())

    def seen_by(self, *_: str) -> Self:
        """See `CaseStore.seen_by`: there is one unit."""
        return self

    async def run(self, work: Callable[[CaseUnit], Awaitable[T]], /) -> T:
        return await self.transact(work(self.unit()))

    async def asked(self, answer_id: str, by: Account, /) -> AskedAnswer | None:
        is_there = answer_id == "a1" and by.shares_workspace(ASKER)
        return asked(self.rows.answer, self.rows.question) if is_there else None

    async def lock(self, conversation_id: str, /) -> None:
        self.at_lock()
        self.locked.append(conversation_id)

    async def find(self, case_id: str, /) -> StoredCase | None:
        return self.rows.cases.get(case_id)

    async def of_question(self, question_id: str, /) -> StoredCase | None:
        return next(
            (one for one in self.rows.cases.values() if one.question_id == question_id), None
        )

    async def of_answer(self, answer_id: str, /) -> StoredCase | None:
        return next((one for one in self.rows.cases.values() if one.answer_id == answer_id), None)

    async def listed(self, states: Collection[CaseState], /) -> tuple[StoredCase, ...]:
        return tuple(one for one in self.rows.cases.values() if one.state in states)

    async def settled(self, wanted: SettledFilter, /, *, most: int) -> tuple[StoredCase, ...]:
        raise NotImplementedError(f"only the console lists {most} of {wanted}, from a database")

    async def of_asker(self, account: Account, /) -> tuple[StoredCase, ...]:
        return tuple(one for one in self.rows.cases.values() if one.account == account)

    async def forget_reports(self, *, before: datetime) -> None:
        """Keep no words of reports, and so forget none."""

    async def due(self, *, now: datetime, until: datetime) -> tuple[str, ...]:
        due = [(one.due_at, one.case_id) for one in self.rows.cases.values() if one.due_at]
        return tuple(case_id for at, case_id in due if at <= until)

    async def count_passed_on(self, asker: str, /, *, since: datetime) -> int:
        assert since < NOW
        return self.rows.passed_on

    async def next_number(self) -> int:
        return len(self.rows.cases) + 1

    async def insert(self, case: NewCase, /) -> StoredCase:
        self.rows.cases[case.case_id] = stored(case, self.rows.answer)
        return self.rows.cases[case.case_id]

    async def save(self, case: StoredCase, /) -> StoredCase:
        self.rows.cases[case.case_id] = case
        return case


class _Log:
    def __init__(self, store: InMemoryCases) -> None:
        self._store = store

    async def actor(
        self, by: Account, officer: Officer | None, /, *, conversation_id: str
    ) -> Actor:
        if officer is not None:
            return Actor(kind="officer", ref=officer.login)
        return Actor(kind="asker", ref=f"p-{by.person}")

    async def find(self, case: StoredCase, actor: Actor, key: str, /) -> LoggedAction | None:
        keys = self._store.rows.keys
        return LoggedAction(refusal=keys[actor.ref, key]) if (actor.ref, key) in keys else None

    async def add(
        self,
        case: StoredCase,
        actor: Actor,
        *,
        kind: str,
        key: str,
        body: str = "",
        refusal: Refusal | None = None,
        officer: Officer | None = None,
        is_direct: bool = False,
    ) -> int:
        rows = self._store.rows
        rows.keys[actor.ref, key] = refusal
        rows.log.append((kind, actor.ref, refusal))
        return len(rows.log)

    async def keep_verdict(
        self, case: StoredCase, actor: Actor, verdict: ReviewVerdict, *, key: str
    ) -> None:
        self._store.rows.verdicts.append((actor.ref, verdict))

    async def record(
        self,
        tag: Tag,
        case: StoredCase,
        actor: Actor,
        *,
        content: Mapping[str, str] | None = None,
        says: Mapping[str, Json] | None = None,
    ) -> RecordedEvent:
        self._store.rows.tags.append(tag.value)
        return RecordedEvent(record_id=f"r:{tag.value}", leaf_hash="")

    async def record_refused_opening(
        self, asked: AskedAnswer, actor: Actor, refusal: Refusal, /
    ) -> None:
        self._store.rows.tags.append(f"{Tag.CASE_REFUSED.value} {actor.ref} {refusal.value}")


class _Codes:
    """Keeps no code: `tests/integration/cases/test_codes.py` needs them."""

    async def keep(self, case_id: str, code: str, /) -> None:
        assert case_id
        assert code

    async def find(self, code: str, /) -> str | None:
        return None


class _Posts:
    def __init__(self, store: InMemoryCases) -> None:
        self._store = store

    def _post(self, what: str) -> None:
        self._store.rows.posts.append(what)

    async def first_cards(self, case: StoredCase, routes: tuple[Route, ...], /) -> None:
        for route in routes:
            self._post(f"card to {route.channel or '@' + route.person}")

    async def update_cards(self, case: StoredCase, /) -> None:
        self._post("cards")

    async def remind(
        self,
        case: StoredCase,
        about: AboutCase,
        recorded: RecordedEvent,
        routes: tuple[Route, ...],
        /,
    ) -> None:
        told = ",".join(route.channel or route.person for route in routes)
        self._post(f"{about.what.value} {case.number} {told}")

    async def tell_asker(
        self,
        case: StoredCase,
        about: AboutCase,
        recorded: RecordedEvent,
        /,
        *,
        is_direct: bool,
    ) -> None:
        state = f" {about.state.value}" if about.state else ""
        self._post(f"{about.what.value}{state} {'directly' if is_direct else 'in the thread'}")

    async def supersede(
        self, case: StoredCase, message_id: int, recorded: RecordedEvent, /
    ) -> None:
        self._post("superseded")


class _Records:
    """Also what `RecordUnit` needs for answers."""

    def __init__(self, store: InMemoryCases) -> None:
        self._store = store

    async def run(self, work: Callable[[RecordUnit], Awaitable[RecordReceipt]], /) -> RecordReceipt:
        unit = RecordUnit(answers=self, cases=self._store.unit())
        return await self._store.transact(work(unit))

    async def begin(self, run: Run, /) -> int:
        await self._store.lock(run.question.conversation_id)
        return 1

    async def append(self, run: Run, /, *, seq: int, cause: str | None) -> RecordReceipt:
        self._store.rows.answers.append(run.answer)
        return RecordReceipt(record_id="r1", answer_id="a1", leaf_hash=b"", answer=run.answer)

    async def append_events(self, run: Run, receipt: RecordReceipt, /) -> None:
        pass

    async def settle(self, completion: Completion, run: Run, receipt: RecordReceipt, /) -> str:
        if self._store.is_overtaken:
            raise OvertakenError
        self._store.rows.posts.append("answer")
        return ASKER.person

    async def correct(self, correction: Correction, run: Run, receipt: RecordReceipt, /) -> None:
        self._store.rows.posts.append("corrected answer")


def pipeline_case(**more: object) -> StoredCase:
    """Return a case that we opened ourselves."""
    new = NewCase(
        case_id="k1",
        number=1,
        asked=asked(ESCALATED),
        opened_at=NOW,
        due_at=NOW,
        urgency=Urgency.WEEK,
        opener=Opener.PIPELINE,
        record_id="r2",
        note="",
        permalink=None,
        asker_name=None,
        is_private=False,
        is_anonymous=False,
        is_sensitive=False,
    )
    return replace(stored(new, ESCALATED), **more)  # pyright: ignore[reportArgumentType]
