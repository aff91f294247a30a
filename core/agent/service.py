"""One message in, one recorded reply out.

The message is understood in its thread, answered by the pipeline, recorded, and only then shown.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from core.agent.conversation.misconduct import is_confidential
from core.agent.conversation.referring import resolve
from core.agent.conversation.small_talk import SmallTalk
from core.agent.conversation.spelling import corrected
from core.agent.conversation.understanding import clean, small_talk_of
from core.agent.fallback import AbandonedError, Fallback
from core.agent.pipeline import Pipeline
from core.agent.policy_facts.question_forms import bind_to_policies
from core.agent.precedents import SimilarPrecedents
from core.agent.rehearsal import Sections, WithoutSections, without_sections
from core.agent.reply import compose
from core.agent.reply.release import may_be_off_topic, remarked, stands_alone, unless_off_topic
from core.agent.reply.source_facts import unless_altered, with_sources
from core.agent.request import (
    MAX_QUESTION,
    NO_PROGRESS,
    AskRequest,
    CalibrationSource,
    PipelineParts,
    Reply,
    ShippedCalibrations,
    Task,
    unanswered,
)
from core.agent.search_log import SearchLog
from core.confidence.calibration import SHIPPED, Calibrations, calibrations_json
from core.domain.answer import Answer
from core.domain.errors import (
    ContractError,
    EmptyCorpusError,
    StarvedError,
    UsageError,
    first_transient,
    raised_at,
)
from core.domain.question import Question, Turn
from core.domain.run import Run, RunSetup
from core.ontology.graphs.whole import WholeOntology
from core.ontology.tools.toolbox import OntologyToolbox
from core.ports import (
    AuditLog,
    Completion,
    ConversationStore,
    Embedder,
    IdSource,
    Knowledge,
    OntologyStore,
    Progress,
    ReasonerFactory,
)
from core.ports.text_models import EnglishWords, OffTopic

logger = logging.getLogger(__name__)

NO_EDITION = 0
"""The edition of a message that was closed before anything was published."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Answering(PipelineParts):
    """Answers questions. Safe from many tasks."""

    fallback: ReasonerFactory | None = None
    """Answers what the language model of `reasoner` cannot finish."""
    ontology: OntologyStore
    """Opens what is known, for a question."""
    conversations: ConversationStore
    """Reads threads."""
    log: AuditLog
    """Records."""
    ids: IdSource
    """Names questions and conversations."""
    english: EnglishWords | None = None
    """Corrects the spelling of questions for the search; None: nothing does."""
    likeness: Embedder | None = None
    """Finds what a follow-up replaces; None: words and places do."""
    off_topic: OffTopic | None = None
    """Tells what has nothing to do with policies; None: only the search does."""
    models: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    """Recorded; see `RunSetup.models`."""
    calibrations: CalibrationSource = field(default_factory=ShippedCalibrations)
    """Those in force."""

    @cached_property
    def _similar(self) -> SimilarPrecedents:
        return SimilarPrecedents(self.precedents, self.likeness)

    def _pipeline_of(self, parts: PipelineParts) -> Fallback:
        second = replace(parts, reasoner=self.fallback) if self.fallback else None
        return Fallback(Pipeline(parts), Pipeline(second) if second else None)

    async def ask(
        self,
        request: AskRequest,
        *,
        progress: Progress = NO_PROGRESS,
        completion: Completion | None = None,
    ) -> Reply:
        """Answer one message.

        Args:
            request: The message and where it was asked.
            progress: Told what is being done, in words for people.
            completion: What a surface settles with the record; None: nothing.

        What would break again is an outcome too: it is recorded as failed, with an apology.

        Raises:
            UsageError: The message is empty or too long.
            EmptyCorpusError: Nothing was ever ingested.
            OvertakenError: The completion's lease is lost. Nothing was recorded.
            TransientError: The database failed, or `StarvedError`. Nothing was recorded.
        """
        known = await self.conversations.find(request.place)
        history = await self.conversations.history(known) if known else ()
        question = await self._checked(request, conversation_id=known)
        try:
            question = await self._in_thread(question, request, history)
            talk = small_talk_of(question)
            if talk is not None:
                run = self._chatting(request, question, talk)
                return await self._recorded(run, completion)
            knowledge = await self.ontology.open(question.scope)
            run = await self._run(request, question, knowledge, self, progress)
            run = replace(run, answer=await self._similar.beside(run.question, run.answer))
        except Exception as error:  # whatever it is, whoever asked hears of it
            return await self._recorded(self._failed(question, error, completion), completion)
        try:
            return await self._recorded(run, completion)
        except Exception as error:  # as above
            return await self._recorded(self._failed(question, error, completion), completion)

    async def may_be_report(self, request: AskRequest) -> bool:
        """Say whether a message may tell of misconduct, before anything shows that it is read.

        By its words, and by what its thread told before; no model is asked.

        Raises:
            TransientError: The database failed.
        """
        known = await self.conversations.find(request.place)
        history = await self.conversations.history(known) if known else ()
        text = clean(request.text)[:MAX_QUESTION]
        question = self._question(request, text=text, conversation_id=known, edition=NO_EDITION)
        return is_confidential(replace(question, history=history))

    def _failed(self, question: Question, error: Exception, completion: Completion | None) -> Run:
        """Return the run of a question that broke.

        Raises:
            TransientError: It was that, or the machine alone kept a question from the queue beyond
                its deadline: it may be answered if it is asked again.
        """
        passing = first_transient(error)
        if passing is not None:
            raise passing
        if isinstance(error, TimeoutError) and completion is not None:
            raise StarvedError from error
        cause = error.cause if isinstance(error, AbandonedError) else error
        name = type(cause).__name__
        # Name and place alone: what an error says may hold what was asked.
        logger.error("question %s failed: %s at %s", question.question_id, name, raised_at(cause))
        answer = compose.failed(question.language)
        return self._unanswered(question, answer, cause=name)

    def _chatting(self, request: AskRequest, question: Question, talk: SmallTalk) -> Run:
        answer = compose.small_talk_reply(talk, question.language)
        run = self._unanswered(question, answer, cause="small_talk")
        return replace(run, setup=self._setup(request, SHIPPED))

    async def close(
        self,
        request: AskRequest,
        answer: Answer,
        *,
        cause: str,
        completion: Completion | None = None,
    ) -> Reply:
        """Record a message that is not put through the pipeline, with the reply that it gets.

        Args:
            request: The message; nothing is asked of its text.
            answer: What is shown.
            cause: Why, in a word, for the trace.
            completion: See `ask`.

        Raises:
            OvertakenError: See `ask`.
            TransientError: See `ask`.
        """
        known = await self.conversations.find(request.place)
        edition = request.edition or await self.corpus.current_edition() or NO_EDITION
        text = clean(request.text)[:MAX_QUESTION]
        question = self._question(request, text=text, conversation_id=known, edition=edition)
        return await self._recorded(self._unanswered(question, answer, cause=cause), completion)

    async def _recorded(self, run: Run, completion: Completion | None) -> Reply:
        receipt = await self.log.record(run, completion=completion)
        return Reply(
            answer=receipt.answer,
            run=replace(run, answer=receipt.answer),
            receipt=receipt,
            conversation_id=run.question.conversation_id,
        )

    async def rehearse(
        self,
        request: AskRequest,
        *,
        history: tuple[Turn, ...] = (),
        without: Sections = frozenset(),
    ) -> Run:
        """Answer as `ask` does without recording: for evaluation, never to be shown as an answer.

        Args:
            request: The message.
            history: Earlier turns, in place of a recorded conversation.
            without: Sections to answer without.
        """
        question = await self._checked(request, conversation_id=None)
        question = await self._in_thread(question, request, history)
        talk = small_talk_of(question)
        if talk is not None:
            return self._chatting(request, question, talk)
        if not without:
            knowledge = await self.ontology.open(question.scope)
            return await self._run(request, question, knowledge, self, NO_PROGRESS)
        left = without_sections(await self.ontology.snapshot(question.scope), without)
        parts = replace(self, retriever=WithoutSections(self.retriever, without))
        return await self._run(request, question, WholeOntology(left), parts, NO_PROGRESS)

    async def _run(
        self,
        request: AskRequest,
        question: Question,
        knowledge: Knowledge,
        parts: PipelineParts,
        progress: Progress,
    ) -> Run:
        """Take a question through the pipeline, and keep what a replay needs."""
        searches = SearchLog(parts.retriever)
        calibrations = await self.calibrations.active()
        most, deadline_s = parts.limits.tool_calls, parts.limits.deadline_s * request.attempt
        limits = replace(parts.limits, deadline_s=deadline_s)
        run = await self._pipeline_of(replace(parts, retriever=searches, limits=limits)).run(
            Task(
                question=await self._prepared(question, knowledge),
                knowledge=knowledge,
                tools=lambda: OntologyToolbox(knowledge.lookup, max_calls=most),
                calibrations=calibrations,
                use_rag=request.use_rag,
                progress=progress,
            )
        )
        run = await self._finished(request, question, run)
        run = await unless_altered(run, self.corpus)
        setup = self._setup(request, calibrations)
        return replace(run, setup=setup, searches=searches.made)

    def _setup(self, request: AskRequest, calibrations: Calibrations) -> RunSetup:
        return RunSetup(
            limits=self.limits,
            use_rag=request.use_rag,
            is_unread=request.is_unread,
            are_groups_unread=request.are_groups_unread,
            models=self.models,
            calibrations=calibrations_json(calibrations),
            language=request.language,
        )

    async def _finished(self, request: AskRequest, question: Question, run: Run) -> Run:
        """Return a run as it is recorded: with remarks, or as off topic."""
        answer = remarked(question, run.answer, request)
        answer = await with_sources(question, answer, self)
        is_told = stands_alone(question) and may_be_off_topic(answer)
        if self.off_topic is None or not is_told:
            return replace(run, answer=answer)
        try:
            likelihood = await self.off_topic.likelihood(question.text)
        except ContractError as error:
            logger.warning("no message is taken for off topic: %s", error)
            return replace(run, answer=answer)
        return replace(run, answer=unless_off_topic(answer, likelihood))

    async def _prepared(self, question: Question, knowledge: Knowledge) -> Question:
        """Return a question as it is searched: spelling corrected, bound to policies it names."""
        searched = await corrected(question.standalone, knowledge, self.english)
        searched = "" if searched == question.standalone else searched
        return await bind_to_policies(replace(question, searched=searched), self.corpus)

    async def _in_thread(
        self, question: Question, request: AskRequest, history: tuple[Turn, ...]
    ) -> Question:
        """Return the question with what its thread adds."""
        read = partial(resolve, question.text, history, request.context, asker=question.asker)
        meant = read()
        if meant.compared and self.likeness is not None:
            try:
                found = await self.likeness.embed_documents(meant.compared)
            except ContractError as error:
                logger.warning("what a follow-up exchanges is found by its words: %s", error)
            else:
                meant = read(vectors=dict(zip(meant.compared, found, strict=True)))
        return replace(
            question,
            standalone=meant.standalone,
            context=meant.context,
            referent=meant.referent,
            history=history,
            assumptions=meant.assumptions,
            conditions=meant.conditions,
        )

    async def _checked(self, request: AskRequest, *, conversation_id: str | None) -> Question:
        text = clean(request.text)
        if not text:
            raise UsageError("the question is empty")
        if len(text) > MAX_QUESTION:
            raise UsageError(
                f"the question has {len(text)} characters; at most {MAX_QUESTION} are taken"
            )
        edition = await self.corpus.current_edition()
        if edition is None:
            raise EmptyCorpusError
        if request.edition is not None and not 1 <= request.edition <= edition:
            raise UsageError(f"there is no edition {request.edition}; the newest one is {edition}")
        return self._question(
            request, text=text, conversation_id=conversation_id, edition=request.edition or edition
        )

    def _question(
        self, request: AskRequest, *, text: str, conversation_id: str | None, edition: int
    ) -> Question:
        """Return the question as it stands alone, without its thread."""
        now = self.clock.now()
        return Question(
            question_id=request.question_id or self.ids.new(),
            conversation_id=conversation_id or self.ids.new(),
            place=request.place,
            asker=request.asker,
            text=text,
            standalone=text,
            scope=request.scope(
                today=self.clock.day_of(now, request.jurisdiction), edition=edition
            ),
            asked_at=now,
            is_addressed=request.is_addressed,
            language=request.language,
        )

    def _unanswered(self, question: Question, answer: Answer, *, cause: str) -> Run:
        name, edition = self.reasoner.name, question.scope.edition or NO_EDITION
        return unanswered(question, answer, edition=edition, cause=cause, reasoner=name)
