"""The one path of a question, and the only module that knows the order of its stages."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, replace
from typing import TypeAlias

from core.agent import compose
from core.agent.abandoned import AbandonedError
from core.agent.ahead import started_ahead
from core.agent.binding import bind, noted, query_of
from core.agent.confidential import is_confidential
from core.agent.contradiction import Contradiction, contradiction_in
from core.agent.conversation import asked_back
from core.agent.release import nearest_sections, refusal, release
from core.agent.report import entities_quoted, exploration_json, plan_json, retrieval_json
from core.agent.scope_facts import foreign_countries
from core.agent.situation import Attempted, Situation
from core.agent.stages.critique import critique
from core.agent.stages.decide import decide
from core.agent.stages.draft import draft
from core.agent.stages.explore import explore
from core.agent.stages.gate import gate
from core.agent.stages.judge import judge
from core.agent.stages.plan import plan
from core.agent.stages.retrieve import gather, retrieve
from core.agent.stages.verify import verify
from core.agent.task import Parts, Task
from core.agent.timing import covered_s, let_others_run
from core.agent.urgent import SHOWN_FROM, urgent_duties
from core.confidence.calibrate import DEFAULT, DEFAULT_OF_MODELS
from core.confidence.confidence import confidence_of
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
from core.domain.budget import Budget
from core.domain.errors import ContractError, ModelUnavailableError
from core.domain.evidence import Evidence, Finding
from core.domain.run import (
    Attempt,
    Clarification,
    Exploration,
    GateDecision,
    Json,
    ModelCall,
    Plan,
    Run,
    Step,
)
from core.ports import Progressed, Reasoner, RunContext, Toolbox
from core.retrieval.retriever import Retrieved

Search: TypeAlias = Callable[[], Awaitable[Retrieved]]
REPORTING = (
    "how to raise a concern: speak up line, hotline, ombudsperson, anonymous, no retaliation"
)
"""What is searched to name the reporting line to somebody who reports."""


class Pipeline:
    """Runs questions; keeps nothing between them."""

    def __init__(self, parts: Parts) -> None:
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
        course = _Course(self._parts, task)
        try:
            async with asyncio.timeout(self._parts.limits.deadline_s):
                return await course.run()
        except (ContractError, ModelUnavailableError, TimeoutError) as error:
            if not self._parts.reasoner.is_model:
                raise
            raise AbandonedError(cause=error, model_calls=course.model_calls) from error


class _Course:
    """One run through the stages."""

    def __init__(self, parts: Parts, task: Task) -> None:
        self._parts = parts
        self._task = task
        self._question = task.question
        self._started_s = self._mark_s = parts.clock.monotonic_s()
        self._budget = Budget(parts.limits, started_s=self._started_s)
        self._reasoner: Reasoner | None = None
        self._has_chunks = False
        self._steps: list[Step] = []
        self._attempts: list[Attempt] = []
        self._exploration: Exploration | None = None
        self._gate: GateDecision | None = None
        self._evidence = Evidence(items=())
        self._retrieved: list[Retrieved] = []
        self._missing: str | None = None
        self._duties: tuple[Claim, ...] = ()

    @property
    def model_calls(self) -> tuple[ModelCall, ...]:
        return (*self._task.model_calls, *(self._reasoner.model_calls if self._reasoner else ()))

    async def run(self) -> Run:
        self._tell("plan", "Reading the question")
        task, question = self._task, self._question
        self._has_chunks = task.use_rag and await self._parts.corpus.has_chunks(question.scope)
        toolbox = task.tools()
        self._reasoner = reasoner = self._parts.reasoner.begin(
            RunContext(
                question=question,
                knowledge=task.knowledge,
                toolbox=toolbox,
                budget=self._budget,
                use_rag=task.use_rag,
                has_chunks=self._has_chunks,
            )
        )
        self._budget.may_step()
        await let_others_run()
        if is_confidential(question):
            return await self._passed_on(Plan(intent="report"))
        ahead = self._has_chunks and self._parts.reasoner.is_model
        async with started_ahead(self._search_first if ahead else None) as first_search:
            planned = await plan(reasoner, question, task.knowledge)
            if isinstance(planned, Plan) and planned.intent == "report":
                return await self._passed_on(planned)
            self._step("plan", plan_json(planned))
            await let_others_run()
            if isinstance(planned, Clarification):
                return await self._end(planned, self._asked_back(planned))
            await self._explore(reasoner, planned, toolbox)
            best = await self._draft_until_decided(reasoner, planned, first_search)
        self._evidence = best.evidence
        answer = await release(
            best.situation,
            best.ruling,
            question=question,
            corpus=self._parts.corpus,
            nearest=nearest_sections(self._retrieved, self._findings),
            is_modelled=self._parts.reasoner.is_model or bool(task.notes),
            is_partial=self._parts.reasoner.is_model and bool(best.situation.draft.missing),
            duties=self._duties,
        )
        return await self._end(planned, noted(answer, best.situation.notes))

    def _asked_back(self, planned: Clarification) -> Answer:
        if self._may_clarify():
            return compose.clarifying(planned)
        return refusal(RefusalKind.NOT_FOUND, nearest=(), best_relevance=None, reported=None)

    async def _passed_on(self, planned: Plan) -> Run:
        """Name the reporting line, so that whoever reports is never left with a bare refusal."""
        self._step("plan", plan_json(planned))
        if not self._task.use_rag:
            return await self._end(planned, compose.escalated(nearest=()))
        found = await retrieve(
            self._parts.retriever, REPORTING, self._question.scope, depth=3, neighbours=0
        )
        self._retrieved.append(found)
        return await self._end(planned, compose.escalated(nearest=nearest_sections([found], ())))

    async def _explore(self, reasoner: Reasoner, planned: Plan, toolbox: Toolbox) -> None:
        task = self._task
        self._tell("explore", f"Following {task.knowledge.extent.facts} facts of the policies")
        asked, known = self._question, task.knowledge
        found = await explore(reasoner, asked, planned, knowledge=known, toolbox=toolbox)
        self._exploration = found
        self._budget.tools(len(found.calls))
        self._step("explore", exploration_json(found))
        await let_others_run()
        self._gate = gate(
            (found.reported_confidence, *found.later_confidences),
            threshold=self._parts.limits.gate_threshold,
            use_rag=task.use_rag,
            has_chunks=self._has_chunks,
        )
        self._step("gate", asdict(self._gate))

    async def _draft_until_decided(
        self, reasoner: Reasoner, planned: Plan, first_search: Search | None
    ) -> Attempted:
        """Draft until something other than RETRY is decided; the better judged draft counts."""
        await self._gather(first_search or self._search_first, 1)
        best = await self._attempt(reasoner, planned, 1)
        number = 1
        while best.ruling.decision is Decision.RETRY and self._budget.may_step():
            number += 1
            await self._gather(lambda: self._search_again(planned), number)
            again = await self._attempt(reasoner, planned, number)
            best = again if again.score > best.score else _settled(best)
        return _settled(best) if best.ruling.decision is Decision.RETRY else best

    async def _attempt(self, reasoner: Reasoner, planned: Plan, number: int) -> Attempted:
        self._tell("draft", "Writing the answer")
        previous = self._attempts[-1] if self._attempts else None
        proposed = await draft(reasoner, self._question, planned, self._evidence, previous=previous)
        self._missing = proposed.missing
        self._step("draft", {"claims": len(proposed.claims), "missing": proposed.missing})
        bound = bind(self._question, await self._verify(proposed), self._evidence)
        verified, branch = bound.verified, bound.branch or proposed.branch
        remaining = replace(proposed, claims=verified.claims)
        criticised, judged = await self._review(reasoner, planned, remaining)
        may_retry = self._may_retry(number)
        conflict = None
        if self._parts.reasoner.is_model:
            conflict = await contradiction_in(verified.claims, self._evidence, self._task.knowledge)
        is_conflict = proposed.is_conflict or conflict is Contradiction.TOLD
        situation = Situation(
            draft=replace(proposed, is_conflict=is_conflict, branch=branch),
            verified=verified,
            judgement=judged,
            critique=criticised if self._parts.reasoner.is_model else None,
            confidence=bound.capped(
                confidence_of(
                    verified,
                    judged,
                    evidence=self._evidence,
                    reported=self._exploration.reported_confidence if self._exploration else None,
                    is_conflict=is_conflict or conflict is not None,
                    is_degraded=any(found.is_degraded for found in self._retrieved),
                    calibration=DEFAULT_OF_MODELS if self._parts.reasoner.is_model else DEFAULT,
                )
            ),
            may_retry=may_retry,
            may_refine=may_retry and number == 1,
            may_clarify=self._may_clarify(),
            best_relevance=self._best_relevance(),
            relevance_threshold=self._parts.limits.relevance_threshold,
            ontology_suffices=not (self._gate and self._gate.retrieve),
            is_beside=bound.is_beside,
            notes=bound.notes,
        )
        if (situation.confidence.calibrated or 0.0) >= SHOWN_FROM:
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
        return Attempted(situation=situation, ruling=ruling, evidence=self._evidence)

    async def _gather(self, search: Search, number: int) -> None:
        if self._gate and self._gate.retrieve and self._budget.may_retrieve():
            sections = self._task.knowledge.extent.sections
            self._tell("retrieve", f"Searching {sections} sections" if sections else "Searching")
            found = await search()
            self._retrieved.append(found)
            self._step("retrieve", retrieval_json(found, self._depth(number)))
        # A model has been shown what earlier searches found, and may still cite it.
        given = self._retrieved if self._parts.reasoner.is_model else self._retrieved[-1:]
        chunks = [one for found in given for one in (*found.result.hits, *found.result.neighbours)]
        self._evidence = gather(self._findings, chunks)

    async def _search_first(self) -> Retrieved:
        return await self._search(query_of(self._question), self._depth(1))

    def _depth(self, number: int) -> int:
        limits = self._parts.limits
        depth = limits.retrieval_depth if number == 1 else limits.retry_depth
        return depth if self._parts.reasoner.is_model else max(depth, limits.wide_depth)

    async def _search_again(self, planned: Plan) -> Retrieved:
        """Search deeper, and for what was missing too: by other words, or as a model says it."""
        missing = set((self._missing or "").split(", "))
        others = {
            other for term in planned.terms if term.word in missing for other in term.alternatives
        }
        if self._missing and self._parts.reasoner.is_model:
            others.add(self._missing)
        query = " ".join([query_of(self._question), *sorted(others)])
        return await self._search(query, self._depth(2))

    async def _search(self, query: str, depth: int) -> Retrieved:
        return await retrieve(
            self._parts.retriever,
            query,
            self._question.scope,
            depth=depth,
            neighbours=self._parts.limits.neighbours,
        )

    async def _verify(self, proposed: Draft) -> Verified:
        self._tell("verify", "Checking each claim")
        spans = {citation.span for claim in proposed.claims for citation in claim.citations}
        stored = await self._parts.corpus.read_spans(sorted(spans), self._question.scope)
        asked = proposed.branch if self._may_clarify() else None
        knowledge, said = self._task.knowledge, "\n".join(one.text for one in proposed.claims)
        verified = verify(
            proposed,
            self._evidence,
            stored=stored,
            role_names=await knowledge.role_names(said),
            foreign=foreign_countries(self._question, knowledge.extent.countries, asked=asked),
        )
        failed = [f"{one.check.value}: {one.reason}" for one in verified.verdicts if not one.passed]
        kept, dropped = len(verified.claims), len(verified.dropped)
        self._step("verify", {"kept": kept, "dropped": dropped, "failed": list(failed)})
        return verified

    async def _review(
        self, reasoner: Reasoner, planned: Plan, remaining: Draft
    ) -> tuple[Critique | None, Judgement | NotJudged]:
        """Ask critic and judge at the same time about what is left of the draft."""
        if not remaining.claims:
            return None, NotJudged(reason="no claim is left")
        question, evidence = self._question, self._evidence
        self._tell("review", "Reading it once more")
        try:
            async with asyncio.TaskGroup() as group:
                reading = group.create_task(critique(reasoner, question, evidence, remaining))
                judging = group.create_task(judge(reasoner, question, planned, evidence, remaining))
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from failures
        criticised, judged = reading.result(), judging.result()
        self._step("critique", {"refine": criticised.refine, "issues": list(criticised.issues)})
        measures = dict(judged.measures) if isinstance(judged, Judgement) else {}
        self._step("judge", {"reason": judged.reason, "measures": measures})
        return criticised, judged

    @property
    def _findings(self) -> tuple[Finding, ...]:
        return self._exploration.findings if self._exploration else ()

    def _best_relevance(self) -> float | None:
        found = [chunk.relevance for one in self._retrieved for chunk in one.result.hits]
        return max(found, default=0.0) if self._retrieved else None

    def _may_retry(self, number: int) -> bool:
        differs = self._parts.reasoner.is_model or bool(self._gate and self._gate.retrieve)
        return differs and number < self._parts.limits.max_attempts

    def _may_clarify(self) -> bool:
        return asked_back(self._question.history) < self._parts.limits.max_clarifications

    def _tell(self, stage: str, words: str) -> None:
        self._task.progress.report(Progressed(stage=stage, words=words))

    def _step(self, stage: str, detail: Mapping[str, Json]) -> None:
        now_s = self._parts.clock.monotonic_s()
        self._steps.append(Step(stage=stage, detail=detail, took_ms=(now_s - self._mark_s) * 1_000))
        self._mark_s = now_s

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
            entities=await entities_quoted(answer, self._findings, self._task.knowledge),
            attempts=tuple(self._attempts),
            budget=self._budget.use,
            steps=tuple(self._steps),
            retrieval_time_ms=sum(found.took_ms for found in self._retrieved),
            generation_time_ms=covered_s(calls) * 1_000,
            total_time_ms=(self._parts.clock.monotonic_s() - self._started_s) * 1_000,
            versions=tuple(sorted({item.span.version_id for item in evidence.items})),
            model_calls=calls,
            warnings=tuple(
                dict.fromkeys(
                    (
                        *self._task.warnings,
                        *(warning for found in self._retrieved for warning in found.warnings),
                    )
                )
            ),
        )


def _settled(attempted: Attempted) -> Attempted:
    """Decide a draft again that no further attempt will replace."""
    situation = replace(attempted.situation, may_retry=False, may_refine=False)
    return replace(attempted, situation=situation, ruling=decide(situation))
