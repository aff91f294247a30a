"""Run a question through its stages; the only module that knows their order."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from typing import TypeAlias

from core.agent import trace, wording
from core.agent.amendments import with_amendments
from core.agent.applicability import applicable_claims, foreign_countries, with_notes
from core.agent.concurrency import prefetched, yield_to_others
from core.agent.conversation.asked_language import is_foreign
from core.agent.decision_input import DecidedDraft, DecisionInput, better_of, relevance_read
from core.agent.document_search import DocumentSearch
from core.agent.early_replies import EarlyReply, early_reply, unless_about_us
from core.agent.fallback import AbandonedError
from core.agent.precedents import answer_without_reasoner
from core.agent.reply import compose
from core.agent.reply.duties import urgent_duties
from core.agent.reply.release import missing_words, nearest_sections, refusal, release
from core.agent.request import OUT_OF_SCOPE, REVIEWS, PipelineParts, Task
from core.agent.speak_up import speak_up
from core.agent.stages.decide import decide, settled
from core.agent.stages.draft import draft, gather
from core.agent.stages.explore import explore, gate, plan
from core.agent.stages.review import (
    Contradiction,
    contradiction_in,
    reviewed,
    without_unsupported,
)
from core.agent.stages.translate import translated
from core.agent.stages.verify import check_draft
from core.confidence.calibration import confidence_of
from core.domain.answer import (
    Answer,
    Claim,
    Critique,
    Decision,
    Draft,
    Judgement,
    NotJudged,
    RefusalKind,
    Verified,
)
from core.domain.errors import ContractError, ModelUnavailableError
from core.domain.evidence import Evidence, Finding
from core.domain.run import (
    Attempt,
    Budget,
    Clarification,
    Exploration,
    GateDecision,
    ModelCall,
    Plan,
    Run,
)
from core.ports import Progressed, Reasoner, RunContext, Toolbox
from core.retrieval.retriever import Retrieved

Search: TypeAlias = Callable[[], Awaitable[Retrieved]]


class Pipeline:
    """Runs questions; keeps nothing between them."""

    def __init__(self, parts: PipelineParts) -> None:
        self._parts = parts

    async def run(self, task: Task) -> Run:
        """Take one question to its outcome.

        Raises:
            AbandonedError: The reasoner's language model broke its contract, is not available, or
                took too long.
            ContractError: A reasoner without a language model broke its contract.
            TimeoutError: Such a reasoner took too long.
            TransientError: A dependency failed.
        """
        course = _PipelineRun(self._parts, task)
        try:
            async with asyncio.timeout(self._parts.limits.deadline_s):
                return await answer_without_reasoner(self._parts, task) or await course.run()
        except (ContractError, ModelUnavailableError, TimeoutError) as error:
            if not self._parts.reasoner.is_model:
                raise
            raise AbandonedError(cause=error, model_calls=course.model_calls) from error


class _PipelineRun:
    """One run through the stages."""

    def __init__(self, parts: PipelineParts, task: Task) -> None:
        self._parts = parts
        self._task = task
        self._question = task.question
        self._is_model = parts.reasoner.is_model
        self._is_foreign = self._is_model and is_foreign(task.question)
        self._log = trace.StepLog(parts.clock)
        self._step = self._log.add
        self._budget = Budget(parts.limits, started_s=self._log.started_s)
        self._reasoner: Reasoner | None = None
        self._has_chunks = False
        self._attempts: list[Attempt] = []
        self._exploration: Exploration | None = None
        self._gate: GateDecision | None = None
        self._evidence = Evidence(items=())
        self._passages = DocumentSearch(
            parts.retriever,
            task.question,
            budget=self._budget,
            limits=parts.limits,
            is_model=self._is_model,
        )
        self._missing: str | None = None
        self._duties: tuple[Claim, ...] = ()

    @property
    def model_calls(self) -> tuple[ModelCall, ...]:
        return (*self._task.model_calls, *(self._reasoner.model_calls if self._reasoner else ()))

    async def run(self) -> Run:
        self._tell("plan", wording.READING)
        task, question = self._task, self._question
        self._has_chunks = task.use_rag and await self._parts.corpus.has_chunks(question.scope)
        looks = self._has_chunks and self._is_model
        self._toolbox = toolbox = task.tools()
        if looks:
            toolbox.register(self._passages.tools)
        self._reasoner = reasoner = self._parts.reasoner.begin(
            RunContext(
                question=question,
                knowledge=task.knowledge,
                toolbox=toolbox,
                budget=self._budget,
                use_rag=task.use_rag,
                has_chunks=self._has_chunks,
                passages=self._passages if looks else None,
            )
        )
        self._budget.may_step()
        await yield_to_others()
        early = await early_reply(question, self._passages, self._parts, use_rag=task.use_rag)
        if early is not None:
            self._step("plan", trace.plan_json(early.plan))
            return await self._end(early.plan, early.answer)
        async with prefetched(self._passages.first if looks else None) as first_search:
            planned = await plan(reasoner, question, task.knowledge)
            if isinstance(planned, Plan) and planned.intent == "report":
                return await self._passed_on(planned)
            self._step("plan", trace.plan_json(planned))
            await yield_to_others()
            if isinstance(planned, Clarification):
                return await self._end(planned, self._asked_back(planned))
            if planned.intent == OUT_OF_SCOPE and await self._is_off_topic(first_search):
                off = RefusalKind.NOT_FOUND if self._is_foreign else RefusalKind.OUT_OF_SCOPE
                return await self._end(planned, refusal(off))
            explored = await self._explore(reasoner, planned, toolbox)
            if explored.asked is not None:
                return await self._end(explored.asked, self._asked_back(explored.asked))
            best = await self._draft_until_decided(reasoner, planned, first_search)
        self._evidence = best.evidence
        situation = await with_amendments(
            best.situation,
            corpus=self._parts.corpus,
            retriever=self._parts.retriever,
            scope=question.scope,
        )
        answer = await release(
            situation,
            best.ruling,
            question=question,
            corpus=self._parts.corpus,
            nearest=nearest_sections(self._passages.retrieved, self._findings),
            is_modelled=self._is_model or bool(task.notes),
            missing=await self._told_missing(best),
            duties=self._duties,
        )
        answer = with_notes(answer, best.situation.notes)
        by = reasoner if self._is_model else None
        told = await translated(by, question, answer, note=self._step)
        reply = EarlyReply(plan=planned, answer=told)
        reply = await unless_about_us(reply, question, self._passages, self._parts)
        return await self._end(reply.plan, reply.answer)

    def _asked_back(self, planned: Clarification) -> Answer:
        if not self._may_clarify():
            return refusal(RefusalKind.NOT_FOUND, language=self._question.language)
        return compose.clarifying(planned, language=self._question.language)

    async def _is_off_topic(self, first_search: Search | None) -> bool:
        """Say whether to believe a model that a question is not about policies.

        Only where the search found nothing relevant either, so that no draft could be final. A
        search by words of another language confirms nothing: such a question was not found.
        """
        if first_search is None or not self._passages.is_nothing_relevant(await first_search()):
            return False
        reason = "nothing about policies is asked, and nothing found is relevant"
        self._step("decide", {"decision": Decision.ESCALATE.value, "reason": reason})
        return True

    async def _passed_on(self, planned: Plan) -> Run:
        """Give whoever reports something to hold on to, never a bare refusal."""
        self._step("plan", trace.plan_json(planned))
        passages = self._passages if self._task.use_rag else None
        return await self._end(planned, await speak_up(self._question, passages, self._parts))

    async def _explore(self, reasoner: Reasoner, planned: Plan, toolbox: Toolbox) -> Exploration:
        task = self._task
        self._tell("explore", wording.FOLLOWING.format(facts=task.knowledge.extent.facts))
        found = await explore(
            reasoner, self._question, planned, knowledge=task.knowledge, toolbox=toolbox
        )
        self._exploration = found
        self._budget.tools(len(found.calls))
        self._step("explore", trace.exploration_json(found))
        await yield_to_others()
        self._gate = gate(
            (found.reported_confidence, *found.later_confidences),
            threshold=self._parts.limits.gate_threshold,
            use_rag=task.use_rag,
            has_chunks=self._has_chunks,
        )
        self._step("gate", asdict(self._gate))
        return found

    async def _draft_until_decided(
        self, reasoner: Reasoner, planned: Plan, first_search: Search | None
    ) -> DecidedDraft:
        """Draft until something other than RETRY is decided; the better judged draft counts."""
        await self._gather(first_search or self._passages.first, 1)
        best = await self._attempt(reasoner, planned, 1)
        number = 1
        while best.ruling.decision is Decision.RETRY and self._budget.may_step():
            number += 1
            await self._gather(lambda: self._passages.again(planned, self._missing), number)
            better = await self._attempt(reasoner, planned, number)
            best = better_of(settled(best), better)
        return settled(best) if best.ruling.decision is Decision.RETRY else best

    async def _attempt(self, reasoner: Reasoner, planned: Plan, number: int) -> DecidedDraft:
        self._tell("draft", wording.WRITING)
        previous = self._attempts[-1] if self._attempts else None
        proposed = await draft(reasoner, self._question, planned, self._evidence, previous=previous)
        self._missing = proposed.missing
        self._take_in_looks()
        self._step("draft", {"claims": len(proposed.claims), "missing": proposed.missing})
        bound = applicable_claims(self._question, await self._verify(proposed), self._evidence)
        verified, branch = bound.verified, bound.branch or proposed.branch
        remaining = replace(proposed, claims=verified.claims)
        criticised, judged = await self._review(reasoner, planned, remaining)
        verified = without_unsupported(verified, judged)
        may_retry = self._may_retry(number, proposed)
        conflict: Contradiction | None = None
        if self._is_model:  # it may not have noticed one; the rules look themselves
            conflict = await contradiction_in(verified.claims, self._evidence, self._task.knowledge)
        is_conflict = proposed.is_conflict or conflict is Contradiction.TOLD
        calibration = self._task.calibrations.of(judged, is_model=self._is_model)
        situation = DecisionInput(
            calibration=calibration,
            draft=replace(proposed, is_conflict=is_conflict, branch=branch),
            verified=verified,
            judgement=judged,
            critique=criticised if self._is_model else None,
            confidence=bound.capped(
                confidence_of(
                    verified,
                    judged,
                    evidence=self._evidence,
                    reported=self._exploration.reported_confidence if self._exploration else None,
                    is_conflict=is_conflict or conflict is not None,
                    is_degraded=self._passages.is_degraded,
                    calibration=calibration,
                )
            ),
            may_retry=may_retry,
            may_refine=may_retry and number == 1,
            may_clarify=self._may_clarify(),
            best_relevance=relevance_read(
                self._passages.best_relevance,
                judged,
                is_foreign=self._is_foreign,
            ),
            relevance_threshold=self._parts.limits.relevance_threshold,
            ontology_suffices=not (self._gate and self._gate.retrieve),
            bound=bound,
            has_more=number == 1 and bool(self._question.bound),
        )
        if (situation.confidence.calibrated or 0.0) >= calibration.urgent_from:
            self._duties = urgent_duties((*self._duties, *verified.claims))
        ruling = decide(situation)
        self._step("decide", {"decision": ruling.decision.value, "reason": ruling.reason})
        self._attempts.append(
            Attempt(
                decision=ruling.decision,
                reason=ruling.reason,
                verdicts=verified.verdicts,
                critique=criticised,
                judgement=judged,
            )
        )
        return DecidedDraft(situation=situation, ruling=ruling, evidence=self._evidence)

    async def _gather(self, search: Search, number: int) -> None:
        if self._gate and self._gate.retrieve and self._budget.may_retrieve():
            self._tell("retrieve", wording.searching(self._task.knowledge.extent.sections))
            found = await search()
            self._passages.retrieved.append(found)
            self._step("retrieve", trace.retrieval_json(found, self._passages.depth(number)))
        context = self._exploration.context if self._exploration else ()
        self._evidence = gather(self._findings, self._passages.chunks, context=context)
        self._take_in_looks()

    def _take_in_looks(self) -> None:
        """Add what a model looked up to the evidence and to the trace."""
        if self._gate and self._gate.retrieve:
            self._evidence = self._evidence.with_chunks(self._passages.found)
            for looked in self._passages.untold():
                self._step("retrieve", trace.looked_json(looked))

    async def _verify(self, proposed: Draft) -> Verified:
        self._tell("verify", wording.CHECKING_CLAIMS)
        knowledge, asked = self._task.knowledge, proposed.branch if self._may_clarify() else None
        verified = await check_draft(
            proposed,
            self._evidence,
            question=self._question,
            foreign=foreign_countries(self._question, knowledge.extent.countries, asked=asked),
            corpus=self._parts.corpus,
            knowledge=knowledge,
            guard=self._parts.guard,
        )
        failed = [f"{one.check.value}: {one.reason}" for one in verified.verdicts if not one.passed]
        counts = {"kept": len(verified.claims), "dropped": len(verified.dropped)}
        self._step("verify", {**counts, "failed": list(failed)})
        return verified

    async def _review(
        self, reasoner: Reasoner, planned: Plan, remaining: Draft
    ) -> tuple[Critique | None, Judgement | NotJudged]:
        """Ask critic and judge at the same time about what is left of the draft."""
        if not remaining.claims:
            return None, NotJudged(reason="no claim is left")
        self._tell("review", wording.READING_AGAIN)
        is_short = self._is_model and self._budget.model_calls_left < REVIEWS
        criticised, judged = await reviewed(
            reasoner, self._question, planned, self._evidence, remaining, is_short=is_short
        )
        self._step("critique", {"refine": criticised.refine, "issues": list(criticised.issues)})
        self._step("judge", trace.judgement_json(judged))
        return criticised, judged

    async def _told_missing(self, best: DecidedDraft) -> str | None:
        """Return the note of an answer in which a model leaves something open; None without one."""
        missing = best.situation.draft.missing
        if not self._is_model or not missing or best.ruling.decision is not Decision.FINAL:
            return None
        unmentioned = await self._passages.unmentioned(missing, self._task.knowledge)
        return missing_words(unmentioned, self._question.language)

    @property
    def _findings(self) -> tuple[Finding, ...]:
        return self._exploration.findings if self._exploration else ()

    def _may_retry(self, number: int, proposed: Draft) -> bool:
        """Say whether another draft can differ: by other evidence, or by a model told why.

        A model that searched in its own words, and found nothing to say, has no better ones left.
        """
        differs = self._is_model or bool(self._gate and self._gate.retrieve)
        found_nothing = not proposed.claims and bool(self._passages.looked)
        return differs and not found_nothing and number < self._parts.limits.max_attempts

    def _may_clarify(self) -> bool:
        return self._question.asked_back < self._parts.limits.max_clarifications

    def _tell(self, stage: str, words: wording.Text) -> None:
        self._task.progress.report(Progressed(stage=stage, words=words))

    async def _end(self, planned: Plan | Clarification, answer: Answer) -> Run:
        evidence, calls = self._evidence, self.model_calls
        return Run(
            question=self._question,
            answer=replace(answer, notes=(*answer.notes, *self._task.notes)),
            edition=self._task.knowledge.extent.edition,
            reasoner=self._parts.reasoner.name,
            plan=planned,
            exploration=self._exploration,
            gate=self._gate,
            evidence=evidence,
            used_rag=any(item.kind == "chunk" for item in evidence.items),
            chunks_used=tuple(item.chunk_id for item in evidence.items if item.chunk_id),
            entities=await trace.entities_quoted(answer, self._findings, self._task.knowledge),
            attempts=tuple(self._attempts),
            budget=self._budget.use,
            steps=self._log.steps,
            retrieval_time_ms=self._passages.took_ms,
            generation_time_ms=trace.covered_s(calls) * 1_000,
            total_time_ms=self._log.total_ms,
            versions=tuple(sorted({item.span.version_id for item in evidence.items})),
            model_calls=calls,
            warnings=tuple(dict.fromkeys((*self._task.warnings, *self._passages.warnings))),
        )
