"""The one path of a question, and the only module that knows the order of its stages."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace

from core.agent import compose
from core.agent.ablation import WithoutSections
from core.agent.limits import Budget, Limits
from core.agent.report import place_json, plan_json
from core.agent.stages.critique import critique
from core.agent.stages.decide import Ruling, Situation, decide
from core.agent.stages.draft import draft
from core.agent.stages.explore import explore
from core.agent.stages.gate import gate
from core.agent.stages.judge import judge
from core.agent.stages.plan import plan
from core.agent.stages.retrieve import gather, retrieve
from core.agent.stages.verify import verify
from core.agent.wording import WITHOUT_MODEL
from core.confidence.badge import badge_of
from core.confidence.calibrate import DEFAULT, calibrate
from core.confidence.features import features_of
from core.domain.answer import (
    Answer,
    Confidence,
    Critique,
    Decision,
    Draft,
    Judgement,
    NotJudged,
    Outcome,
    RefusalKind,
    Verified,
)
from core.domain.evidence import Evidence
from core.domain.ontology import EntityType, SectionRef, Snapshot
from core.domain.policy import Span
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

REPORTING = "report a concern in confidence, speak up, protection against retaliation"
"""What is searched to name the reporting line to somebody who reports."""
NEAREST = 3
"""Sections that a refusal names."""
OFF_TOPIC = 0.12
"""Relevance below which a question has nothing to do with the corpus."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempted:
    """One draft with all that was said of it."""

    draft: Draft
    verified: Verified
    critique: Critique | None
    judgement: Judgement | NotJudged
    confidence: Confidence
    ruling: Ruling
    evidence: Evidence


class Pipeline:
    """Runs questions; keeps nothing between them."""

    def __init__(self, parts: Parts) -> None:
        """Take the parts."""
        self._parts = parts

    async def run(
        self,
        question: Question,
        snapshot: Snapshot,
        *,
        toolbox: Toolbox,
        use_rag: bool,
        notify: Callable[[str], None] | None = None,
    ) -> Run:
        """Take one question to its outcome.

        Args:
            question: As understood in its thread, its scope pinned to an edition.
            snapshot: The ontology of that edition and scope.
            toolbox: The ontology's tools, for this run alone.
            use_rag: False: graph only.
            notify: Told what is being done, in words for people.

        Raises:
            ContractError: The reasoner broke its contract.
            TransientError: A dependency failed.
        """
        return await _Course(self._parts, question, snapshot, toolbox, use_rag, notify).run()


class _Course:
    """One run through the stages."""

    def __init__(
        self,
        parts: Parts,
        question: Question,
        snapshot: Snapshot,
        toolbox: Toolbox,
        use_rag: bool,  # noqa: FBT001
        notify: Callable[[str], None] | None,
    ) -> None:
        self._parts = parts
        self._question = question
        self._snapshot = snapshot
        self._toolbox = toolbox
        self._use_rag = use_rag
        self._notify = notify or (lambda _message: None)
        self._budget = Budget(parts.limits)
        self._started_s = parts.clock.monotonic_s()
        self._mark_s = self._started_s
        self._steps: list[Step] = []
        self._attempts: list[Attempt] = []
        self._exploration: Exploration | None = None
        self._gate: GateDecision | None = None
        self._evidence = Evidence(items=())
        self._retrieved: list[Retrieved] = []
        self._missing: str | None = None

    async def run(self) -> Run:
        self._notify("Reading the question")
        self._budget.step()
        planned = await plan(self._parts.reasoner, self._question, self._snapshot)
        self._step("plan", plan_json(planned))
        if isinstance(planned, Clarification):
            if self._may_clarify():
                return self._end(planned, compose.clarifying(planned))
            return self._end(planned, await self._refusal(RefusalKind.NOT_FOUND, None))
        if planned.intent == "report":
            return self._end(planned, compose.escalated(nearest=await self._reporting_line()))
        await self._explore(planned)
        best: _Attempted | None = None
        for number in range(1, self._parts.limits.max_attempts + 1):
            attempted = await self._attempt(planned, number)
            if best is None or _score(attempted) > _score(best):
                best = attempted
            if attempted.ruling.decision is not Decision.RETRY:
                break
        assert best is not None  # noqa: S101  # at least one attempt is allowed by `Settings`
        self._evidence = best.evidence
        return self._end(planned, await self._outcome(best))

    async def _explore(self, planned: Plan) -> None:
        self._notify(f"Following {len(self._snapshot.entities)} facts of the policies")
        self._exploration = await explore(
            self._parts.reasoner,
            self._question,
            planned,
            snapshot=self._snapshot,
            toolbox=self._toolbox,
        )
        self._budget.tools(len(self._exploration.calls))
        self._step(
            "explore",
            {
                "findings": len(self._exploration.findings),
                "reported_confidence": self._exploration.reported_confidence,
                "reasoning": self._exploration.reasoning,
                "calls": [asdict(call) for call in self._exploration.calls],
            },
        )
        self._gate = gate(
            self._exploration.reported_confidence,
            threshold=self._parts.limits.gate_threshold,
            use_rag=self._use_rag,
            has_chunks=self._use_rag and await self._parts.corpus.has_chunks(self._question.scope),
        )
        self._step("gate", asdict(self._gate))

    async def _attempt(self, planned: Plan, number: int) -> _Attempted:
        await self._gather(planned, number)
        self._budget.step()
        self._notify("Writing the answer")
        proposed = await draft(self._parts.reasoner, self._question, planned, self._evidence)
        self._missing = proposed.missing
        self._step("draft", {"claims": len(proposed.claims), "missing": proposed.missing})
        verified = await self._verify(proposed)
        remaining = replace(proposed, claims=verified.claims)
        criticised, judged = await self._review(planned, remaining)
        confidence = self._confidence(verified, judged, is_conflict=proposed.is_conflict)
        ruling = decide(
            Situation(
                draft=proposed,
                verified=verified,
                judgement=judged,
                confidence=confidence,
                may_retry=self._may_retry(number),
                may_clarify=self._may_clarify(),
                best_relevance=self._best_relevance(),
                relevance_threshold=self._parts.limits.relevance_threshold,
                ontology_suffices=not (self._gate and self._gate.retrieve),
            )
        )
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
        return _Attempted(
            draft=proposed,
            verified=verified,
            critique=criticised,
            judgement=judged,
            confidence=confidence,
            ruling=ruling,
            evidence=self._evidence,
        )

    async def _gather(self, planned: Plan, number: int) -> None:
        """Collect the evidence of an attempt; a retry searches deeper, with what was missing."""
        findings = self._exploration.findings if self._exploration else ()
        if self._gate and self._gate.retrieve and self._budget.may_retrieve():
            limits = self._parts.limits
            self._notify("Searching the policies")
            depth = limits.retrieval_depth if number == 1 else limits.retry_depth
            found = await retrieve(
                self._parts.retriever,
                self._query(planned, number),
                self._question.scope,
                depth=depth,
                neighbours=limits.neighbours,
            )
            self._retrieved.append(found)
            self._step(
                "retrieve",
                {
                    "depth": depth,
                    "searched": found.result.searched,
                    "took_ms": round(found.took_ms, 3),
                    "chunks": [
                        {
                            "chunk_id": chunk.chunk_id,
                            "score": round(chunk.score, 4),
                            "relevance": round(chunk.relevance, 4),
                            "neighbour": chunk.via is not None,
                        }
                        for chunk in (*found.result.hits, *found.result.neighbours)
                    ],
                },
            )
        chunks = [
            chunk
            for found in self._retrieved[-1:]
            for chunk in (*found.result.hits, *found.result.neighbours)
        ]
        self._evidence = gather(findings, chunks)

    def _query(self, planned: Plan, number: int) -> str:
        if number == 1:
            return self._question.standalone
        missing = set((self._missing or "").split(", "))
        others = sorted(
            other for term in planned.terms if term.word in missing for other in term.alternatives
        )
        return " ".join([self._question.standalone, *others])

    async def _verify(self, proposed: Draft) -> Verified:
        self._notify("Checking each claim")
        spans = {citation.span for claim in proposed.claims for citation in claim.citations}
        stored = await self._parts.corpus.read_spans(sorted(spans), self._question.scope)
        roles = [
            name
            for entity in self._snapshot.entities
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
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(critique(reasoner, question, evidence, remaining))
            judging = group.create_task(judge(reasoner, question, planned, evidence, remaining))
        criticised, judged = reading.result(), judging.result()
        self._step("critique", {"refine": criticised.refine, "issues": list(criticised.issues)})
        self._step(
            "judge",
            {
                "judged": isinstance(judged, Judgement),
                "reason": judged.reason,
                "measures": dict(judged.measures) if isinstance(judged, Judgement) else {},
            },
        )
        return criticised, judged

    def _confidence(
        self, verified: Verified, judged: Judgement | NotJudged, *, is_conflict: bool
    ) -> Confidence:
        reported = self._exploration.reported_confidence if self._exploration else None
        if not verified.claims:
            return replace(compose.NO_CONFIDENCE, reported=reported)
        features = features_of(
            verified=verified, judgement=judged, evidence=self._evidence, reported=reported
        )
        calibrated = calibrate(features)
        return Confidence(
            reported=reported,
            calibrated=round(calibrated, 4),
            badge=badge_of(calibrated, is_weakened=bool(verified.dropped) or is_conflict),
            is_calibrated=DEFAULT.is_measured,
            features=tuple(sorted((name, round(value, 4)) for name, value in features.items())),
        )

    async def _outcome(self, best: _Attempted) -> Answer:
        ruling = best.ruling
        if ruling.decision is Decision.CLARIFY and best.draft.branch is not None:
            return compose.clarifying(best.draft.branch, confidence=best.confidence)
        if ruling.decision is Decision.FINAL or ruling.refusal is RefusalKind.CONFLICT:
            return await self._released(best)
        return await self._refusal(ruling.refusal or RefusalKind.NOT_FOUND, best.confidence)

    async def _released(self, best: _Attempted) -> Answer:
        claims = best.verified.claims
        spans = [citation.span for claim in claims for citation in claim.citations]
        places = await self._parts.corpus.places(spans)
        versions = {
            version.version_id: version
            for version in await self._parts.corpus.versions(self._question.scope)
        }
        if best.ruling.refusal is RefusalKind.CONFLICT:
            return compose.conflicting(
                claims, confidence=best.confidence, places=places, versions=versions
            )
        notes = [WITHOUT_MODEL] if self._parts.reasoner.name.startswith("extractive") else []
        return compose.answered(
            claims,
            confidence=best.confidence,
            places=places,
            versions=versions,
            assumptions=self._question.assumptions,
            notes=notes,
        )

    async def _refusal(self, kind: RefusalKind, confidence: Confidence | None) -> Answer:
        relevance = self._best_relevance()
        if kind is RefusalKind.POLICY_SILENT and relevance is not None and relevance < OFF_TOPIC:
            kind = RefusalKind.OUT_OF_SCOPE
        shown = replace(
            compose.NO_CONFIDENCE, reported=confidence.reported if confidence else None
        )
        return compose.refused(kind, nearest=self._nearest(), confidence=shown, notes=())

    def _nearest(self) -> list[SectionRef]:
        """Name the sections nearest to the question: of chunks if any were retrieved, else of findings."""
        places = [
            chunk.place for found in self._retrieved[:1] for chunk in found.result.hits
        ] or [finding.place for finding in (self._exploration.findings if self._exploration else ())]
        return list(dict.fromkeys(replace(place, page=None) for place in places))[:NEAREST]

    async def _reporting_line(self) -> list[SectionRef]:
        """Find who takes reports, so that somebody who reports is never left with a bare refusal."""
        found = await retrieve(
            self._parts.retriever, REPORTING, self._question.scope, depth=3, neighbours=0
        )
        self._retrieved.append(found)
        return self._nearest()

    def _best_relevance(self) -> float | None:
        """Return the highest relevance of a chunk found, or None without a search."""
        found = [chunk.relevance for one in self._retrieved for chunk in one.result.hits]
        return max(found, default=0.0) if self._retrieved else None

    def _may_retry(self, number: int) -> bool:
        return bool(
            self._gate and self._gate.retrieve and number < self._parts.limits.max_attempts
        )

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
        names = {entity.key: entity.name for entity in self._snapshot.entities}
        cited = {citation.span for citation in answer.citations}
        findings = self._exploration.findings if self._exploration else ()
        evidence = self._evidence
        return Run(
            question=self._question,
            answer=answer,
            edition=self._snapshot.edition,
            reasoner=self._parts.reasoner.name,
            plan=planned,
            exploration=self._exploration,
            gate=self._gate,
            evidence=evidence,
            used_rag=any(item.kind == "chunk" for item in evidence.items),
            chunks_used=tuple(item.chunk_id for item in evidence.items if item.chunk_id),
            entities=tuple(
                dict.fromkeys(
                    names[finding.entity]
                    for finding in findings
                    if any(_overlap(finding.span, span) for span in cited)
                )
            ),
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


def _score(attempted: _Attempted) -> float:
    """Return what a retry must raise: the judge's score; a draft that was not judged has none."""
    judgement = attempted.judgement
    return judgement.score if isinstance(judgement, Judgement) else -1.0


def _overlap(one: Span, other: Span) -> bool:
    return (
        one.version_id == other.version_id
        and one.char_start < other.char_end
        and other.char_start < one.char_end
    )
