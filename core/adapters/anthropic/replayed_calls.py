"""The model calls of a replayed run: replies and failures as recorded; nothing is sent."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.adapters.anthropic.api.api_types import ModelReply, ModelRequest, response_hash
from core.adapters.anthropic.api.providers import capabilities_of, usual_choice
from core.adapters.anthropic.api.stream import reply_from
from core.adapters.anthropic.reasoner import AnthropicReasonerFactory
from core.agent.extractive.reasoner import ExtractiveReasoner
from core.agent.prompts import Prompts
from core.agent.prompts.choice import recorded_prompts
from core.agent.wording import DAY_BUDGET_SPENT
from core.config.settings import Settings
from core.domain.codec import value_of
from core.domain.errors import BudgetSpentError, DayBudgetSpentError, ModelUnavailableError
from core.domain.run import Budget, ModelCall
from core.ports import StoredCall
from core.replay.recorded import RecordedQuestion, ReplayImpossibleError

_CANCELLED = "cancelled"
_REVIEWS = frozenset({"critique", "judge", "translate"})


class ReplayedCalls:
    """See `api_types.RecordedCalls`; `recorded` is what the trace has of each call, in order."""

    def __init__(
        self,
        recorded: Iterable[Mapping[str, Any]],
        stored: Mapping[str, StoredCall],
        *,
        budget: Budget,
        is_day_spent: bool,
    ) -> None:
        self._recorded: defaultdict[str, deque[Mapping[str, Any]]] = defaultdict(deque)
        for call in recorded:
            self._recorded[call["request_hash"]].append(call)
        self._stored = stored
        self._budget = budget
        self._is_day_spent = is_day_spent
        self._made: list[ModelCall] = []

    @property
    def made(self) -> tuple[ModelCall, ...]:
        """See `RecordedCalls.made`."""
        return tuple(self._made)

    async def call(self, request: ModelRequest, /) -> ModelReply:
        """See `Calls.call`.

        Raises:
            ReplayImpossibleError: This call was not recorded then.
        """
        key = request.sha256().hex()
        if not self._recorded[key]:
            raise ReplayImpossibleError(
                f"no call {request.purpose!r} with the request {key[:16]} was recorded: model,"
                " prompts or settings are others than then, or what it was asked about is"
            )
        recorded = self._recorded[key].popleft()
        self._made.append(_made(recorded))
        if recorded["error"] is not None:
            await self._fail(str(recorded["error"]))
        stored = self._stored.get(key)
        if stored is None:
            raise ReplayImpossibleError(
                f"the stored reply to the call {request.purpose!r} ({key[:16]}) is gone"
            )
        if recorded.get("response_hash") not in {None, response_hash(stored.response)}:
            raise ReplayImpossibleError(
                f"the stored reply to the call {request.purpose!r} is not the recorded one"
            )
        self._budget.may_call_model()
        self._budget.wrote(stored.tokens.output)
        return reply_from(stored.response)

    async def _fail(self, error: str) -> None:
        """Fail as the call failed then.

        What was cancelled waited for longer than its caller did, or its sibling failed: in the
        second case that one's failure comes first here, too.
        """
        if error == _CANCELLED:
            await asyncio.sleep(0)
            raise TimeoutError
        if self._is_day_spent:
            raise DayBudgetSpentError(error)
        is_spent = "budget is spent" in error
        raise (BudgetSpentError if is_spent else ModelUnavailableError)(error)


def _made(recorded: Mapping[str, Any]) -> ModelCall:
    names = "purpose model prompt request_hash tokens cost_usd attempts error response_hash~"
    return value_of(ModelCall, recorded, names, started_s=0.0, ended_s=0.0)


def replaying_reasoner(
    question: RecordedQuestion,
    settings: Settings,
    *,
    rules: ExtractiveReasoner,
    prompts: Prompts,
) -> AnthropicReasonerFactory:
    """Return the language model of a recorded run as a reasoner whose calls are the recorded ones.

    No key is needed. Models that it did not call are those of the settings, and so are prompts
    (`prompts`) that it did not use, or that no release has any more.
    """
    calls: Sequence[Mapping[str, Any]] = question.trace["model_calls"]
    by_role = {call["purpose"] in _REVIEWS: str(call["model"]) for call in calls}
    answer, review = by_role.get(False, settings.model), by_role.get(True, settings.small_model)
    is_day_spent = not DAY_BUDGET_SPENT.each.isdisjoint(question.answer["notes"])
    return AnthropicReasonerFactory(
        models=usual_choice(answer=answer, review=review),
        calls=lambda context: ReplayedCalls(
            calls, question.calls, budget=context.budget, is_day_spent=is_day_spent
        ),
        capabilities=capabilities_of(answer, citations=settings.citations),
        ahead=rules,
        threshold=question.limits.gate_threshold,
        prompts=recorded_prompts([str(call["prompt"]) for call in calls], prompts),
    )
