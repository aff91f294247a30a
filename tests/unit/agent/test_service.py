"""From a message to a recorded reply, or to an error that says what is off."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import pytest

from core.agent.request import MAX_QUESTION, AskRequest
from core.agent.service import Answering
from core.agent.wording import IN_ENGLISH
from core.domain.answer import Draft, Outcome, RefusalKind
from core.domain.conversation import Place
from core.domain.errors import (
    ContractError,
    EmptyCorpusError,
    IntegrityError,
    StarvedError,
    TransientError,
    UsageError,
)
from core.domain.ontology import Snapshot
from core.domain.question import Scope, Turn
from core.domain.run import RunLimits
from core.language.languages import Language
from core.ports import Completion, Embedder, EmbeddingSpace, Knowledge, Progressed, Vector
from core.ports.text_models import OffTopic
from core.retrieval.retriever import Retriever
from tests.factories import NOW, make_judgement
from tests.fakes import (
    CountingIds,
    FixedClock,
    InMemoryConversations,
    InMemoryCorpus,
    InMemoryLog,
    InMemoryOntology,
    InMemorySearch,
    ScriptedReasoner,
)
from tests.unit.agent.world import CASH, GIFTS, REPORTING, SECRET, TRUE

GOOD = ScriptedReasoner(drafts=[TRUE], judgements=[make_judgement()])
REQUEST = AskRequest(text="May I accept cash as a gift?", place=Place(thread="new"))


class CountingOntology(InMemoryOntology):
    """Counts how often it is opened, and how often it is read whole."""

    opened = 0
    reads = 0

    async def open(self, scope: Scope, /) -> Knowledge:
        self.opened += 1
        return await super().open(scope)

    async def snapshot(self, scope: Scope, /) -> Snapshot:
        self.reads += 1
        return await super().snapshot(scope)


@dataclass(kw_only=True)
class Service:
    answering: Answering
    log: InMemoryLog
    corpus: InMemoryCorpus
    ontology: CountingOntology
    search: InMemorySearch


def make_service(
    reasoner: ScriptedReasoner = GOOD,
    *,
    edition: int | None = 3,
    turns: tuple[Turn, ...] | None = None,
    limits: RunLimits | None = None,
    failure: Exception | None = None,
    likeness: Embedder | None = None,
    off_topic: OffTopic | None = None,
) -> Service:
    corpus = InMemoryCorpus(GIFTS, REPORTING, SECRET, edition=edition)
    log = InMemoryLog(failure=failure)
    ontology = CountingOntology(corpus)
    search = InMemorySearch(corpus)
    answering = Answering(
        reasoner=replace(reasoner, asked=[]),
        corpus=corpus,
        ontology=ontology,
        conversations=InMemoryConversations(turns={} if turns is None else {"known": turns}),
        retriever=Retriever(search, None),
        log=log,
        clock=FixedClock(),
        ids=CountingIds(),
        limits=limits or RunLimits(),
        likeness=likeness,
        off_topic=off_topic,
    )
    return Service(answering=answering, log=log, corpus=corpus, ontology=ontology, search=search)


async def test_what_is_shown_was_recorded() -> None:
    """The reply is that of the one recorded run, with its receipt."""
    service = make_service()
    reply = await service.answering.ask(REQUEST)
    assert [reply.run] == service.log.runs
    assert reply.answer is reply.run.answer
    assert (reply.answer.outcome, reply.answer.text) == (
        Outcome.ANSWERED,
        f"Not allowed. [1]\n\n{CASH} [1]",
    )
    assert (reply.receipt.record_id, reply.conversation_id) == ("record-1", "id-2")
    question = reply.run.question
    assert (question.question_id, question.asked_at) == ("id-1", NOW)
    assert (question.scope.edition, question.scope.as_of) == (3, NOW.date())


class Likeness:
    """Finds whatever starts with the same letter alike, or breaks."""

    space = EmbeddingSpace(
        provider="fake", model="letters", dimensions=26, revision="1", fusion_weight=0.0
    )

    def __init__(self, *, is_broken: bool = False) -> None:
        self._is_broken = is_broken

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        """See `Embedder.embed_documents`."""
        if self._is_broken:
            raise ContractError
        letters = [ord(text[0].casefold()) - ord("a") for text in texts]
        return [tuple(float(place == at) for place in range(26)) for at in letters]

    async def embed_query(self, text: str, /) -> Vector:
        """See `Embedder.embed_query`."""
        return (await self.embed_documents([text]))[0]


@pytest.mark.parametrize(
    ("likeness", "asked"),
    [
        (None, "May I buy coffee by card?"),
        (Likeness(is_broken=True), "May I buy coffee by card?"),
        (Likeness(), "May I buy books by coffee?"),
    ],
)
async def test_what_a_follow_up_exchanges_is_what_is_alike(
    likeness: Likeness | None, asked: str
) -> None:
    """Without an embedder, or with a broken one, words and places decide."""
    turn = Turn(question="May I buy books by card?", outcome="answered", answer="Yes.")
    service = make_service(turns=(turn,), likeness=likeness)
    reply = await service.answering.ask(
        replace(REQUEST, text="and coffee?", place=Place(thread="known"))
    )
    assert reply.run.question.standalone == asked


class Elsewhere:
    """Takes every message for off topic, or breaks."""

    def __init__(self, *, is_broken: bool = False) -> None:
        self._is_broken = is_broken

    async def likelihood(self, text: str, /) -> float:
        """See `OffTopic.likelihood`."""
        if self._is_broken:
            raise ContractError
        return 1.0 if text else 0.0


@pytest.mark.parametrize(
    ("off_topic", "refused"),
    [
        (None, RefusalKind.POLICY_SILENT),
        (Elsewhere(is_broken=True), RefusalKind.POLICY_SILENT),
        (Elsewhere(), RefusalKind.OUT_OF_SCOPE),
    ],
)
async def test_a_refused_message_may_be_off_topic(
    off_topic: Elsewhere | None, refused: RefusalKind
) -> None:
    """What is told so is recorded so; where nothing can tell, Compliance is offered."""
    silent = ScriptedReasoner(drafts=[lambda _: Draft(claims=())])
    service = make_service(silent, off_topic=off_topic)
    reply = await service.answering.ask(REQUEST)
    assert reply.answer.refusal is refused
    assert service.log.runs[0].answer is reply.answer


@pytest.mark.parametrize(
    ("text", "language", "notes"),
    [
        ("Is coffee reimbursed in the office?", Language.ENGLISH, ()),
        ("Qual è il limite per i regali dai fornitori?", Language.ENGLISH, (IN_ENGLISH.en,)),
        ("贈り物の上限はいくらですか", Language.GERMAN, (IN_ENGLISH.de,)),
        ("Какой лимит для подарков?", Language.ENGLISH, (IN_ENGLISH.en,)),
    ],
)
async def test_only_who_asked_in_another_language_is_pointed_to_english(
    text: str, language: Language, notes: tuple[str, ...]
) -> None:
    """A refusal says that English is understood best, except of a question that was English."""
    silent = ScriptedReasoner(drafts=[lambda _: Draft(claims=())])
    asked = replace(REQUEST, text=text, language=language)
    answer = (await make_service(silent, off_topic=Elsewhere()).answering.ask(asked)).answer
    assert answer.outcome is Outcome.REFUSED
    assert tuple(note for note in answer.notes if note in IN_ENGLISH.each) == notes
    assert "nglish" not in answer.text


async def test_an_answer_is_never_off_topic() -> None:
    """Whoever was answered was understood."""
    reply = await make_service(off_topic=Elsewhere()).answering.ask(REQUEST)
    assert reply.answer.outcome is Outcome.ANSWERED


async def test_a_follow_up_is_of_the_topic_of_its_thread() -> None:
    """ "And coffee?" says too little by itself to be called anything."""
    turn = Turn(question="May I buy books by card?", outcome="answered", answer="Yes.")
    silent = ScriptedReasoner(drafts=[lambda _: Draft(claims=())])
    service = make_service(silent, turns=(turn,), off_topic=Elsewhere())
    asked = replace(REQUEST, text="and coffee?", place=Place(thread="known"))
    assert (await service.answering.ask(asked)).answer.refusal is RefusalKind.POLICY_SILENT


async def test_a_mere_statement_is_shown_no_closest_passage() -> None:
    """Whoever only tells something is asked what they would like to know."""
    unsure = ScriptedReasoner(drafts=[TRUE], judgements=[make_judgement(0.5, answers=0.5)])
    service = make_service(unsure)
    assert (await service.answering.ask(REQUEST)).answer.is_closest
    told = replace(REQUEST, text="A supplier gave me cash and I kept it.")
    answer = (await service.answering.ask(told)).answer
    assert (answer.outcome, answer.citations) == (Outcome.CLARIFICATION, ())


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u200b\u202e\ufeff", "\x00\x07"])
async def test_an_empty_question_is_refused(text: str) -> None:
    """Nothing, or nothing visible, is no question; it is not recorded."""
    service = make_service()
    with pytest.raises(UsageError, match="empty"):
        await service.answering.ask(replace(REQUEST, text=text))
    assert service.log.runs == []


async def test_a_question_has_a_longest_length() -> None:
    """8,000 characters are taken, one more is not."""
    service = make_service()
    await service.answering.ask(replace(REQUEST, text="x" * MAX_QUESTION))
    with pytest.raises(UsageError, match="8001 characters; at most 8000"):
        await service.answering.ask(replace(REQUEST, text="x" * (MAX_QUESTION + 1)))


async def test_invisible_characters_are_removed() -> None:
    """A question is understood and recorded without characters that nobody sees."""
    service = make_service()
    await service.answering.ask(replace(REQUEST, text=" May I\u202e accept\x07 cash? "))
    assert service.log.runs[0].question.text == "May I accept cash?"


@pytest.mark.parametrize("edition", [0, -1, 4])
async def test_an_unknown_edition_is_refused(edition: int) -> None:
    """An edition that never was is named, with the newest one."""
    with pytest.raises(UsageError, match=f"no edition {edition}; the newest one is 3"):
        await make_service().answering.ask(replace(REQUEST, edition=edition))


async def test_an_earlier_edition_and_day_may_be_asked_for() -> None:
    """An as-of question keeps its edition and its day."""
    service = make_service()
    reply = await service.answering.ask(replace(REQUEST, edition=2, as_of=date(2025, 5, 1)))
    scope = reply.run.question.scope
    assert (scope.edition, scope.as_of) == (2, date(2025, 5, 1))


async def test_an_empty_corpus_says_how_to_ingest() -> None:
    """Without any policy there is nothing to answer from."""
    with pytest.raises(EmptyCorpusError, match="citebound ingest"):
        await make_service(edition=None).answering.ask(REQUEST)


@pytest.mark.parametrize(
    "failure",
    [
        ContractError("secret detail"),
        IntegrityError("detail"),
        KeyError("secret detail"),
        RecursionError("detail"),
        UsageError("detail"),
        ExceptionGroup("detail", [ValueError("detail")]),
    ],
)
async def test_a_failure_is_recorded_as_failed(
    failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """What broke is an outcome of its own, recorded, in words that name no detail.

    Whatever it is: it would break again, and whoever asked hears of it at once.
    """
    service = make_service(replace(GOOD, drafts=[failure]))
    reply = await service.answering.ask(REQUEST)
    assert reply.answer.outcome is Outcome.FAILED
    assert "detail" not in reply.answer.text
    assert [run.warnings for run in service.log.runs] == [(type(failure).__name__,)]
    assert (reply.answer.claims, reply.answer.citations) == ((), ())
    assert f"failed: {type(failure).__name__} at fakes.py:" in caplog.text
    assert "detail" not in caplog.text


async def test_a_question_that_cannot_be_understood_has_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thread that breaks the understanding of its next message is no reason for silence."""

    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("core.agent.service.resolve", broken)
    service = make_service()
    assert (await service.answering.ask(REQUEST)).answer.outcome is Outcome.FAILED
    assert [run.question.text for run in service.log.runs] == [REQUEST.text]


async def test_an_answer_that_cannot_be_recorded_has_failed() -> None:
    """What the log refuses for what it is, is recorded without it."""
    service = make_service()
    service.log.refuses = Outcome.ANSWERED
    assert (await service.answering.ask(REQUEST)).answer.outcome is Outcome.FAILED
    assert [run.answer.outcome for run in service.log.runs] == [Outcome.FAILED]


async def test_being_cancelled_is_no_failure() -> None:
    """Whoever stops a run does not get an apology recorded."""
    service = make_service(replace(GOOD, delay_s=30.0))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await service.answering.ask(REQUEST)
    assert service.log.runs == []


@pytest.mark.parametrize(
    "lost", [TransientError("gone"), ExceptionGroup("two", [ValueError(), TransientError("gone")])]
)
async def test_what_may_pass_is_raised(lost: Exception) -> None:
    """Also where it comes among others: the same question may be answered if it comes again."""
    service = make_service(replace(GOOD, drafts=[lost]))
    with pytest.raises(TransientError, match="gone"):
        await service.answering.ask(REQUEST)
    assert service.log.runs == []


@pytest.mark.parametrize("stage", ["critique", "judge"])
async def test_a_failing_reviewer_is_recorded_as_failed(stage: str) -> None:
    """Critic and judge run at once; what one of them breaks is an outcome like any other."""
    broken = ContractError("no JSON")
    reasoner = (
        replace(GOOD, critique_given=broken)
        if stage == "critique"
        else replace(GOOD, judgements=[broken])
    )
    service = make_service(reasoner)
    assert (await service.answering.ask(REQUEST)).answer.outcome is Outcome.FAILED
    assert len(service.log.runs) == 1


async def test_a_lost_database_is_raised() -> None:
    """A transient failure is for the caller to try again: nothing is recorded or shown."""
    service = make_service(replace(GOOD, judgements=[TransientError("gone")]))
    with pytest.raises(TransientError):
        await service.answering.ask(REQUEST)
    assert service.log.runs == []


async def test_an_unrecorded_answer_is_not_shown() -> None:
    """If the log can't store the run, nothing comes back to show."""
    service = make_service(failure=TransientError("the log is down"))
    with pytest.raises(TransientError, match="log is down"):
        await service.answering.ask(REQUEST)


async def test_a_run_beyond_its_deadline_has_failed() -> None:
    """A reasoner that never comes back is cut off, and that is recorded."""
    service = make_service(replace(GOOD, delay_s=30.0), limits=RunLimits(deadline_s=0.01))
    reply = await service.answering.ask(REQUEST)
    assert reply.answer.outcome is Outcome.FAILED
    assert service.log.runs[0].warnings == ("TimeoutError",)


async def test_a_queued_question_that_the_machine_delayed_is_begun_again() -> None:
    """Nothing is recorded, and the next attempt has more time; at a terminal it has failed."""
    service = make_service(replace(GOOD, delay_s=0.2), limits=RunLimits(deadline_s=0.01))
    queued = Completion(message_id=1, lease_token="t", cause="r")  # noqa: S106  # a lease
    with pytest.raises(StarvedError):
        await service.answering.ask(REQUEST, completion=queued)
    assert service.log.runs == []
    again = await service.answering.ask(replace(REQUEST, attempt=6_000))
    assert again.answer.outcome is Outcome.ANSWERED


async def test_a_known_thread_goes_on() -> None:
    """A message in a known place belongs to its conversation and is understood in it."""
    asked = Turn(
        question="May I accept gifts?",
        outcome="clarification",
        answer="Where?",
        slot="jurisdiction",
        options=("Germany", "France"),
    )
    service = make_service(turns=(asked,))
    request = replace(REQUEST, text="2", place=Place(thread="known"))
    reply = await service.answering.ask(request)
    question = reply.run.question
    assert (reply.conversation_id, question.conversation_id) == ("known", "known")
    assert question.standalone == "May I accept gifts? France"
    assert [(one.slot, one.value) for one in question.assumptions] == [("jurisdiction", "France")]
    assert question.text == "2"


async def test_every_reader_is_of_everyone() -> None:
    """The group of everyone is always added, and no other."""
    service = make_service()
    reply = await service.answering.ask(replace(REQUEST, groups=frozenset({"sales"})))
    assert reply.run.question.scope.groups == {"sales", "everyone"}


async def test_no_question_reads_the_whole_ontology() -> None:
    """Each opens it anew, and reads in it what it needs; only an evaluation may hide sections."""
    service = make_service()
    for day in range(1, 4):
        await service.answering.ask(replace(REQUEST, as_of=date(2025, 1, day)))
    await service.answering.rehearse(REQUEST)
    assert (service.ontology.opened, service.ontology.reads) == (4, 0)
    await service.answering.rehearse(REQUEST, without=frozenset({("speak-up", "1")}))
    assert (service.ontology.opened, service.ontology.reads) == (4, 1)


async def test_a_rehearsal_is_never_recorded() -> None:
    """Evaluation answers without a record, with the turns that it is given."""
    service = make_service()
    turn = Turn(question="May I accept cash?", outcome="answered", answer="No.")
    run = await service.answering.rehearse(
        replace(REQUEST, text="and for contractors?"), history=(turn,)
    )
    assert service.log.runs == []
    assert run.question.history == (turn,)
    assert "contractors" in run.question.standalone


async def test_a_rehearsal_ends_as_a_question_does() -> None:
    """What evaluation counts is what people see: small talk gets its reply there too."""
    service = make_service()
    asked = replace(REQUEST, text="Good morning!")
    rehearsed = await service.answering.rehearse(asked)
    assert rehearsed.answer == (await service.answering.ask(asked)).answer


async def test_a_rehearsal_without_sections_does_not_find_them() -> None:
    """Removed sections are neither searched nor known to the ontology."""
    service = make_service()
    without = frozenset({("gifts", "1")})
    with pytest.raises(AssertionError, match="no evidence says"):
        await service.answering.rehearse(REQUEST, without=without)


async def test_what_is_done_is_told() -> None:
    """A surface can show each step while it waits."""
    told: list[Progressed] = []

    class Surface:
        def report(self, progressed: Progressed, /) -> None:
            told.append(progressed)

    await make_service().answering.ask(REQUEST, progress=Surface())
    assert [one.stage for one in told] == [
        "plan",
        "explore",
        "retrieve",
        "draft",
        "verify",
        "review",
    ]
    assert told[0].words.en == "Reading the question"
    assert re.fullmatch(r"Searching \d+ sections", told[2].words.en)
    assert told[4].words.en == "Checking each claim"
