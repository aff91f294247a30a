"""The one path of a question, and the only module that knows the order of its stages."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace

from core.agent import compose
from core.agent.ablation import WithoutSections
from core.agent.limits import Budget, Limits
from core.agent.release import nearest_sections, refusal, release
from core.agent.report import entities_quoted, plan_json, retrieval_json
from core.agent.situation import Ruling, Situation
from core.agent.stages.critique import critique
from core.agent.stages.decide import decide
from core.agent.stages.draft import draft
from core.agent.stages.explore import explore
from core.agent.stages.gate import gate
from core.agent.stages.judge import judge
from core.agent.stages.plan import plan
from core.agent.stages.retrieve import gather, retrieve
from core.agent.stages.verify import verify
from core.confidence.confidence import confidence_of
from core.domain.answer import (
    Answer,
    Critique,
    Decision,
    Draft,
    Judgement,
    NotJudged,
    Outcome,
    RefusalKind,
    Verified,
)
from core.domain.evidence import Evidence, Finding
from core.domain.ontology import EntityType, Snapshot
from core.domain.question import Question
from core.domain.run import (
    Attempt,
    Clarification,
    Exploration,
    GateDecision,
    Json,
    Plan,
    Run,
    Step,
)
from core.ports import Clock, CorpusStore, Reasoner, Toolbox
from core.retrieval.retriever import Retrieved, Retriever

REPORTING = "who receives reports of misconduct: speak up channel, hotline, how to report"
"""What is searched to name the reporting line to somebody who reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the pipeline is built from."""

    reasoner: Reasoner
    """Proposes."""
    corpus: CorpusStore
    """Reads spans."""
    retriever: Retriever | WithoutSections
    """Searches chunks."""
    clock: Clock
    """Measures."""
    limits: Limits
    """Bounds."""


def _unheard(_message: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One question to take to its outcome."""

    question: Question
    """As understood in its thread, its scope pinned to an edition."""
    snapshot: Snapshot
    """The ontology of that edition and scope."""
    toolbox: Toolbox
    """The ontology's tools, for this run alone."""
    use_rag: bool = True
    """False: graph only."""
    notify: Callable[[str], None] = _unheard
    """Told what is being done, in words for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempted:
    """One draft with what was decided of it."""

    situation: Situation
    ruling: Ruling
    evidence: Evidence


class Pipeline:
    """Runs questions; keeps nothing between them."""

    def __init__(self, parts: Parts) -> None:
        """Take the parts."""
        self._parts = parts

    async def run(self, task: Task) -> Run:
        """Take one question to its outcome.

        Raises:
            ContractError: The reasoner broke its contract.
            TransientError: A dependency failed.
        """
        return await _Course(self._parts, task).run()


class _Course:
    """One run through the stages."""

    def __init__(self, parts: Parts, task: Task) -> None:
        self._parts = parts
        self._task = task
        self._question = task.question
        self._budget = Budget(parts.limits)
        self._started_s = self._mark_s = parts.clock.monotonic_s()
        self._steps: list[Step] = []
        self._attempts: list[Attempt] = []
        self._exploration: Exploration | None = None
        self._gate: GateDecision | None = None
        self._evidence = Evidence(items=())
        self._retrieved: list[Retrieved] = []
        self._missing: str | None = None

    async def run(self) -> Run:
        self._task.notify("Reading the question")
        self._budget.step()
        planned = await plan(self._parts.reasoner, self._question, self._task.snapshot)
        self._step("plan", plan_json(planned))
        if isinstance(planned, Clarification):
            return self._end(planned, self._asked_back(planned))
        if planned.intent == "report":
            return self._end(planned, await self._passed_on())
        await self._explore(planned)
        best = await self._draft_until_decided(planned)
        self._evidence = best.evidence
        answer = await release(
            best.situation,
            best.ruling,
            question=self._question,
            corpus=self._parts.corpus,
            nearest=nearest_sections(self._retrieved, self._findings),
            is_modelled=not self._parts.reasoner.name.startswith("extractive"),
        )
        return self._end(planned, answer)

    def _asked_back(self, planned: Clarification) -> Answer:
        if self._may_clarify():
            return compose.clarifying(planned)
        return refusal(RefusalKind.NOT_FOUND, nearest=(), best_relevance=None, reported=None)

    async def _passed_on(self) -> Answer:
        """Name the reporting line, so that whoever reports is never left with a bare refusal."""
        if not self._task.use_rag:
            return compose.escalated(nearest=())
        found = await retrieve(
            self._parts.retriever, REPORTING, self._question.scope, depth=3, neighbours=0
        )
        self._retrieved.append(found)
        return compose.escalated(nearest=nearest_sections([found], ()))

    async def _explore(self, planned: Plan) -> None:
        self._task.notify(f"Following {len(self._task.snapshot.entities)} facts of the policies")
        found = await explore(
            self._parts.reasoner,
            self._question,
            planned,
            snapshot=self._task.snapshot,
            toolbox=self._task.toolbox,
        )
        self._exploration = found
        self._budget.tools(len(found.calls))
        calls: list[Json] = [asdict(call) for call in found.calls]
        self._step(
            "explore",
            {
                "findings": len(found.findings),
                "reported_confidence": found.reported_confidence,
                "reasoning": found.reasoning,
                "calls": calls,
            },
        )
        use_rag = self._task.use_rag
        self._gate = gate(
            found.reported_confidence,
            threshold=self._parts.limits.gate_threshold,
            use_rag=use_rag,
            has_chunks=use_rag and await self._parts.corpus.has_chunks(self._question.scope),
        )
        self._step("gate", asdict(self._gate))

    async def _draft_until_decided(self, planned: Plan) -> _Attempted:
        """Draft until something other than RETRY is decided; the better judged draft counts."""
        best = await self._attempt(planned, 1)
        number = 1
        while best.ruling.decision is Decision.RETRY and self._may_retry(number):
            number += 1
            again = await self._attempt(planned, number)
            best = again if _score(again) > _score(best) else _settled(best)
        return best

    async def _attempt(self, planned: Plan, number: int) -> _Attempted:
        await self._gather(planned, number)
        self._budget.step()
        self._task.notify("Writing the answer")
        proposed = await draft(self._parts.reasoner, self._question, planned, self._evidence)
        self._missing = proposed.missing
        self._step("draft", {"claims": len(proposed.claims), "missing": proposed.missing})
        verified = await self._verify(proposed)
        remaining = replace(proposed, claims=verified.claims)
        criticised, judged = await self._review(planned, remaining)
        situation = Situation(
            draft=proposed,
            verified=verified,
            judgement=judged,
            confidence=confidence_of(
                verified,
                judged,
                evidence=self._evidence,
                reported=self._exploration.reported_confidence if self._exploration else None,
                is_conflict=proposed.is_conflict,
            ),
            may_retry=self._may_retry(number),
            may_clarify=self._may_clarify(),
            best_relevance=self._best_relevance(),
            relevance_threshold=self._parts.limits.relevance_threshold,
            ontology_suffices=not (self._gate and self._gate.retrieve),
        )
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
        return _Attempted(situation=situation, ruling=ruling, evidence=self._evidence)

    async def _gather(self, planned: Plan, number: int) -> None:
        """Collect the evidence of an attempt; a retry searches deeper, with what was missing."""
        limits = self._parts.limits
        if self._gate and self._gate.retrieve and self._budget.may_retrieve():
            self._task.notify("Searching the policies")
            depth = limits.retrieval_depth if number == 1 else limits.retry_depth
            found = await retrieve(
                self._parts.retriever,
                self._query(planned, number),
                self._question.scope,
                depth=depth,
                neighbours=limits.neighbours,
            )
            self._retrieved.append(found)
            self._step("retrieve", retrieval_json(found, depth))
        newest = self._retrieved[-1:]
        chunks = [one for found in newest for one in (*found.result.hits, *found.result.neighbours)]
        self._evidence = gather(self._findings, chunks)

    def _query(self, planned: Plan, number: int) -> str:
        if number == 1:
            return self._question.standalone
        missing = set((self._missing or "").split(", "))
        others = {
            other for term in planned.terms if term.word in missing for other in term.alternatives
        }
        return " ".join([self._question.standalone, *sorted(others)])

    async def _verify(self, proposed: Draft) -> Verified:
        self._task.notify("Checking each claim")
        spans = {citation.span for claim in proposed.claims for citation in claim.citations}
        stored = await self._parts.corpus.read_spans(sorted(spans), self._question.scope)
        roles = [
            name
            for entity in self._task.snapshot.entities
            if entity.type is EntityType.ROLE
            for name in (entity.name, *entity.aliases)
        ]
        verified = verify(proposed, self._evidence, stored=stored, role_names=roles)
        failures = [verdict for verdict in verified.verdicts if not verdict.passed]
        self._step(
            "verify",
            {
                "kept": len(verified.claims),
                "dropped": len(verified.dropped),
                "failed": [f"{verdict.check.value}: {verdict.reason}" for verdict in failures],
            },
        )
        return verified

    async def _review(
        self, planned: Plan, remaining: Draft
    ) -> tuple[Critique | None, Judgement | NotJudged]:
        """Ask critic and judge at the same time about what is left of the draft."""
        if not remaining.claims:
            return None, NotJudged(reason="no claim is left")
        reasoner, question, evidence = self._parts.reasoner, self._question, self._evidence
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
        """Return the highest relevance of a chunk found, or None without a search."""
        found = [chunk.relevance for one in self._retrieved for chunk in one.result.hits]
        return max(found, default=0.0) if self._retrieved else None

    def _may_retry(self, number: int) -> bool:
        limits = self._parts.limits
        return bool(self._gate and self._gate.retrieve and number < limits.max_attempts)

    def _may_clarify(self) -> bool:
        asked = 0
        for turn in reversed(self._question.history):
            if turn.outcome != Outcome.CLARIFICATION:
                break
            asked += 1
        return asked < self._parts.limits.max_clarifications

    def _step(self, stage: str, detail: Mapping[str, Json]) -> None:
        now_s = self._parts.clock.monotonic_s()
        self._steps.append(Step(stage=stage, detail=detail, took_ms=(now_s - self._mark_s) * 1_000))
        self._mark_s = now_s

    def _end(self, planned: Plan | Clarification, answer: Answer) -> Run:
        evidence = self._evidence
        return Run(
            question=self._question,
            answer=answer,
            edition=self._task.snapshot.edition,
            reasoner=self._parts.reasoner.name,
            plan=planned,
            exploration=self._exploration,
            gate=self._gate,
            evidence=evidence,
            used_rag=any(item.kind == "chunk" for item in evidence.items),
            chunks_used=tuple(item.chunk_id for item in evidence.items if item.chunk_id),
            entities=entities_quoted(answer, self._findings, self._task.snapshot),
            attempts=tuple(self._attempts),
            budget=self._budget.use,
            steps=tuple(self._steps),
            retrieval_time_ms=sum(found.took_ms for found in self._retrieved),
            generation_time_ms=0.0,
            total_time_ms=(self._parts.clock.monotonic_s() - self._started_s) * 1_000,
            versions=tuple(sorted({item.span.version_id for item in evidence.items})),
            warnings=tuple(
                dict.fromkeys(warning for found in self._retrieved for warning in found.warnings)
            ),
        )


def _settled(attempted: _Attempted) -> _Attempted:
    """Decide a draft again that no further attempt will replace."""
    situation = replace(attempted.situation, may_retry=False)
    return replace(attempted, situation=situation, ruling=decide(situation))


def _score(attempted: _Attempted) -> float:
    """Return what a retry must raise: the judge's score; a draft that was not judged has none."""
    judgement = attempted.situation.judgement
    return judgement.score if isinstance(judgement, Judgement) else -1.0
