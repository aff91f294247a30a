"""Past questions asked again, nightly: equal questions get equal answers, however they are worded.

Each of a sample is asked as it was, and held against what was told then; and as somebody else
worded it, where a past question is near enough, and held against its own answer of today. What
rests on a policy that has changed since contradicts nothing: `audit affected` is about that.
"""

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import date
from operator import mul
from typing import Protocol

from core.agent.precedents import SIMILAR_FROM, facts_of
from core.agent.rehearsal import Rehearses
from core.agent.reply.answer_json import answer_json
from core.agent.request import AskRequest
from core.domain.conversation import Place
from core.domain.errors import CiteboundError, ContractError, TransientError
from core.domain.json_value import JsonObject
from core.domain.run import Run
from core.language.question_form import question_form
from core.ports import CorpusStore, Embedder
from core.replay.contradiction import AnswerContradiction, ContradictionKind, contradiction

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastAnswer:
    """A past question that stands alone, with what was told."""

    answer_id: str
    """The answer."""
    record_id: str
    """Its record."""
    text: str
    """As asked."""
    groups: frozenset[str]
    """Audience groups of then."""
    jurisdiction: str | None
    """See `Scope.jurisdiction`."""
    tags: frozenset[str]
    """See `Scope.tags`."""
    edition: int
    """The edition that it was answered from."""
    versions: frozenset[int]
    """Versions of policies that it cites."""
    told: JsonObject
    """Outcome, text and citations, as `answer_json` writes them."""

    def asked_as(self, text: str, *, use_rag: bool = True) -> AskRequest:
        """Return a question for the asker of this one."""
        return AskRequest(
            text=text,
            place=Place(thread=f"consistency:{self.answer_id}"),
            groups=self.groups,
            jurisdiction=self.jurisdiction,
            tags=self.tags,
            use_rag=use_rag,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundContradiction:
    """Two answers to one question."""

    answer: PastAnswer
    """The question that was asked again."""
    other: PastAnswer
    """The same: then and now differ; another: it words the question otherwise."""
    contradiction: AnswerContradiction
    """What they disagree in."""


@dataclass(slots=True, kw_only=True)
class CheckCounts:
    """How far a check has come."""

    asked: int = 0
    """Questions asked again."""
    pairs: int = 0
    """Of them: those that were also asked in other words."""
    cost_usd: float = 0.0
    """Of language models."""
    unpriced: bool = False
    """True if a price is not known: the check ends."""


class ConsistencyStore(Protocol):
    """The checks and what they found. Safe from many processes."""

    async def claim(self, day: date, /) -> bool:
        """Claim the check of a day for a while; False: it is done, or somebody else's."""
        ...

    async def renew(self, day: date, /) -> None:
        """Hold the claim for longer."""
        ...

    async def pool(self) -> tuple[PastAnswer, ...]:
        """Return the newest answers to questions that stand alone, one of each wording."""
        ...

    async def keep(self, day: date, found: FoundContradiction, /) -> bool:
        """Store and record a contradiction; False: it was known."""
        ...

    async def finish(self, day: date, counts: CheckCounts, /) -> int:
        """Record the check, let officers hear of what it found, and return how much that is."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckLimits:
    """How much a check may do."""

    sample: int
    """Questions."""
    budget_usd: float | None = None
    """What language models may cost; None: none is asked."""


@dataclass(frozen=True, slots=True)
class ConsistencyCheck:
    """Asks a sample again. Nothing that it asks is recorded as an answer."""

    answering: Rehearses
    _: KW_ONLY
    corpus: CorpusStore
    embedder: Embedder | None
    """None: no question is asked in other words."""
    limits: CheckLimits
    counts: CheckCounts = field(default_factory=CheckCounts, init=False)

    async def found(
        self, chosen: Sequence[PastAnswer], pool: Sequence[PastAnswer]
    ) -> AsyncIterator[FoundContradiction | None]:
        """Yield what contradicts itself, and None after each question, for who paces it.

        Raises:
            TransientError: The database failed.
        """
        near = await self._nearest(chosen, pool)
        for one in chosen:
            if self._is_spent():
                return
            other = near.get(one.answer_id)
            try:
                async for found in self._checked(one, other):
                    yield found
            except TransientError:
                raise
            except CiteboundError as error:
                logger.warning(
                    "answer %s is not asked again: %s", one.answer_id, type(error).__name__
                )
            yield None

    async def _checked(
        self, one: PastAnswer, other: PastAnswer | None
    ) -> AsyncIterator[FoundContradiction]:
        run = await self._asked(one, one.text)
        self.counts.asked += 1
        now = answer_json(run.answer)
        differs = contradiction(one.told, now)
        if differs is not None and is_reported(differs) and await self._rests_on_the_same(one, run):
            yield FoundContradiction(answer=one, other=one, contradiction=differs)
        if other is None:
            return
        self.counts.pairs += 1
        worded = await self._asked(one, other.text)
        differs = contradiction(now, answer_json(worded.answer))
        if differs is not None and is_reported(differs):
            yield FoundContradiction(answer=one, other=other, contradiction=differs)

    async def _asked(self, one: PastAnswer, text: str) -> Run:
        run = await self.answering.rehearse(one.asked_as(text))
        costs = [call.cost_usd for call in run.model_calls]
        self.counts.unpriced |= None in costs
        self.counts.cost_usd += sum(cost for cost in costs if cost is not None)
        return run

    def _is_spent(self) -> bool:
        counts, budget = self.counts, self.limits.budget_usd
        return counts.unpriced or (budget is not None and counts.cost_usd >= budget)

    async def _rests_on_the_same(self, one: PastAnswer, run: Run) -> bool:
        """Say whether nothing has changed that either answer rests on."""
        live = {
            version.version_id: version.edition
            for version in await self.corpus.versions(run.question.scope)
        }
        cited = {citation.span.version_id for citation in run.answer.citations}
        return one.versions <= live.keys() and all(
            live.get(version, one.edition + 1) <= one.edition for version in cited
        )

    async def _nearest(
        self, chosen: Sequence[PastAnswer], pool: Sequence[PastAnswer]
    ) -> Mapping[str, PastAnswer]:
        """Return for each question the one that words it otherwise, where there is one."""
        if self.embedder is None or len(pool) < 2:  # noqa: PLR2004  # a pair
            return {}
        texts = list(dict.fromkeys(one.text for one in pool))
        try:
            vectors = dict(zip(texts, await self.embedder.embed_documents(texts), strict=True))
        except ContractError as error:
            logger.warning("no question is asked in other words: %s", error)
            return {}
        found: dict[str, PastAnswer] = {}
        for one in chosen:
            mine, form = vectors[one.text], question_form(one.text)
            near = [
                (sum(map(mul, mine, vectors[other.text])), other)
                for other in pool
                if question_form(other.text) != form and facts_of(other.text) == facts_of(one.text)
            ]
            cosine, nearest = max(near, key=lambda pair: pair[0], default=(0.0, one))
            if cosine >= SIMILAR_FROM:
                found[one.answer_id] = nearest
        return found


def is_reported(found: AnswerContradiction) -> bool:
    """Say whether officers hear of a contradiction of this kind."""
    return found.kind in REPORTED


REPORTED = frozenset(ContradictionKind)
"""Kinds of which officers hear."""
