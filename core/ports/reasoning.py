"""Who proposes: the reasoner of one run, and what it may use."""

from collections.abc import Mapping
from typing import Protocol

from core.domain.answer import Critique, Draft, Judgement, NotJudged
from core.domain.evidence import Evidence
from core.domain.ontology import Snapshot
from core.domain.question import Question
from core.domain.run import Clarification, Exploration, Json, Plan, ToolCall


class Toolbox(Protocol):
    """The ontology tools as a reasoner may use them.

    Read-only, in scope, counted against the budget.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The tools offered."""
        ...

    def call(self, tool: str, arguments: Mapping[str, Json], /) -> Mapping[str, Json]:
        """Return the tool's JSON, with `evidence` and `stats`.

        A bad argument gives `error`, never an exception.
        """
        ...

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """What was called so far."""
        ...


class Reasoner(Protocol):
    """Proposes; code decides. Nothing it returns reaches a person unverified."""

    @property
    def name(self) -> str:
        """Name and version, for the record."""
        ...

    async def plan(self, question: Question, snapshot: Snapshot, /) -> Plan | Clarification:
        """Say what to do, or ask for the fact without which nothing can be done."""
        ...

    async def explore(
        self, question: Question, plan: Plan, snapshot: Snapshot, toolbox: Toolbox, /
    ) -> Exploration:
        """Establish findings, and report how completely they answer."""
        ...

    async def draft(self, question: Question, plan: Plan, evidence: Evidence, /) -> Draft:
        """Propose claims, each citing spans of the evidence."""
        ...

    async def critique(self, question: Question, evidence: Evidence, draft: Draft, /) -> Critique:
        """Read the verified draft for consistency, missing exceptions and gaps."""
        ...

    async def judge(
        self, question: Question, plan: Plan, evidence: Evidence, draft: Draft, /
    ) -> Judgement | NotJudged:
        """Score the verified draft and say what to do with it."""
        ...
