"""The model calls of one run: bounded by its budget, repeated after errors that pass, recorded.

One call, in order: the ledger (a request that was answered before is not made again), the budgets
of the run and of the day, the breaker, attempts until the deadline, the ledger again, the count of
tokens. The reply is in the ledger before it is used, so that a crash after it costs nothing. A
ledger that fails is logged and passed over: at worst a call is paid for twice, and no question is
lost for it.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from core.adapters.anthropic.api.api_types import ModelReply, ModelRequest
from core.adapters.anthropic.api.breaker import Breaker
from core.adapters.anthropic.api.client import MessagesClient
from core.adapters.anthropic.api.failures import AgainError, LateError
from core.adapters.anthropic.api.providers import Prices
from core.adapters.anthropic.api.stream import Message, reply_from, tokens_from
from core.domain.backoff import Backoff
from core.domain.budget import Budget
from core.domain.errors import (
    BudgetSpentError,
    CiteboundError,
    ContractError,
    ModelUnavailableError,
)
from core.domain.run import Json, ModelCall, TokenUse
from core.failpoints import failpoint
from core.ports import Clock, ModelCallLog, Spending, StoredCall

MARGIN_S = 1.0
"""Of the run's time, kept for what follows the last call: falling back, recording."""
LEDGER_S = 3.0
"""Longest wait for the ledger."""
TELLING_S = 5.0
"""An attempt that had less time than this, and was late, says nothing of the service."""

_log = logging.getLogger(__name__)
_UNUSED = TokenUse(fresh=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What the calls of all runs share."""

    client: MessagesClient
    """Whom to call."""
    breakers: Mapping[str, Breaker]
    """By model; made as they are asked for."""
    prices: Prices
    """Of its provider."""
    spending: Spending | None
    """Of the day; None: there is no limit. What belongs to no question is not held to it."""
    clock: Clock
    """Time."""
    backoff: Backoff
    """When to try again."""
    sleep: Callable[[float], Awaitable[None]]
    """Waits for seconds."""
    share: Callable[[], float]
    """A random number in [0, 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ledger:
    """The calls of one question as kept; every failure is passed over."""

    log: ModelCallLog
    question_id: str

    async def find(self, request_hash: bytes) -> tuple[ModelReply, StoredCall] | None:
        try:
            async with asyncio.timeout(LEDGER_S):
                stored = await self.log.find(self.question_id, request_hash)
            return (reply_from(stored.response), stored) if stored else None
        except (CiteboundError, TimeoutError) as error:
            self._warn("read", error)
            return None

    async def store(self, request: ModelRequest, request_hash: bytes, made: "_Made") -> None:
        call = StoredCall(
            response=cast("Mapping[str, Json]", made.message),
            tokens=made.tokens,
            latency_ms=made.latency_ms,
        )
        try:
            async with asyncio.timeout(LEDGER_S):
                await self.log.store(
                    self.question_id,
                    request_hash,
                    call,
                    purpose=request.purpose,
                    model=request.model,
                    cost_usd=made.cost_usd,
                    attempts=made.attempts,
                )
        except (CiteboundError, TimeoutError) as error:
            self._warn("written", error)

    def _warn(self, verb: str, error: Exception) -> None:
        kind = type(error).__name__
        _log.warning("model calls of %s could not be %s: %s", self.question_id, verb, kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """A call that was made and answered."""

    message: Message
    tokens: TokenUse
    cost_usd: float | None
    attempts: int
    latency_ms: float


class RunCalls:
    """See `api_types.Calls`. Safe for calls that run together."""

    def __init__(
        self, line: Line, *, budget: Budget, log: ModelCallLog | None, question_id: str | None
    ) -> None:
        """Begin with no call made.

        Args:
            line: What all runs share.
            budget: Of the run; its deadline counts.
            log: Where replies are kept; None: nowhere.
            question_id: Whose they are; None with no log.
        """
        self._line = line
        self._budget = budget
        self._ledger: _Ledger | None = None
        if log is not None and question_id is not None:
            self._ledger = _Ledger(log=log, question_id=question_id)
        self._made: list[ModelCall] = []
        self._promised = 0
        """Tokens that calls under way may write."""
        self._same: dict[bytes, asyncio.Lock] = defaultdict(asyncio.Lock)

    @property
    def made(self) -> tuple[ModelCall, ...]:
        """Calls that have ended, failed ones among them, in the order in which they began."""
        return tuple(sorted(self._made, key=lambda call: call.started_s))

    async def call(self, request: ModelRequest, /) -> ModelReply:
        """See `Calls.call`."""
        request_hash = request.sha256()
        async with self._same[request_hash]:  # else two of the same would both be paid for
            record = ModelCall(
                purpose=request.purpose,
                model=request.model,
                prompt=request.prompt,
                request_hash=request_hash.hex(),
                tokens=_UNUSED,
                cost_usd=0.0,
                attempts=0,
                started_s=self._line.clock.monotonic_s(),
                ended_s=0.0,
            )
            attempts = _Attempts()
            try:
                reply, record = await self._reply(request, request_hash, record, attempts)
            except BaseException as error:
                self._note(attempts.failed(record, error))
                raise
            self._note(record)
            return reply

    def _note(self, record: ModelCall) -> None:
        self._made.append(replace(record, ended_s=self._line.clock.monotonic_s()))

    async def _reply(
        self, request: ModelRequest, request_hash: bytes, record: ModelCall, attempts: "_Attempts"
    ) -> tuple[ModelReply, ModelCall]:
        found = await self._ledger.find(request_hash) if self._ledger else None
        if not self._budget.may_call_model():
            raise BudgetSpentError("no model call is left: the budget is spent")
        if found is not None:
            reply, stored = found
            return reply, replace(record, tokens=stored.tokens)
        if self._ledger and self._line.spending:
            await self._line.spending.check()
        made = await self._paid(request, attempts)
        if self._ledger:
            await self._ledger.store(request, request_hash, made)
        return reply_from(made.message), replace(
            record, tokens=made.tokens, cost_usd=made.cost_usd, attempts=made.attempts
        )

    async def _paid(self, request: ModelRequest, attempts: "_Attempts") -> _Made:
        """Make the call, within what is left of tokens."""
        may_write = min(request.max_tokens, self._budget.tokens_left - self._promised)
        if may_write < 1:
            raise BudgetSpentError("no tokens are left: the budget is spent")
        self._promised += may_write
        failpoint("F5")
        try:
            body = {**request.body(), "max_tokens": may_write}
            message, latency_s = await self._attempted(request.model, body, attempts)
            tokens = tokens_from(message)
            self._budget.wrote(tokens.output)
        finally:
            self._promised -= may_write
        return _Made(
            message=message,
            tokens=tokens,
            cost_usd=self._line.prices.cost_usd(request.model, tokens),
            attempts=attempts.made,
            latency_ms=latency_s * 1_000,
        )

    async def _attempted(
        self, model: str, body: Mapping[str, Any], attempts: "_Attempts"
    ) -> tuple[Message, float]:
        """Return the message of the first attempt that succeeds, and how long that one took."""
        line, breaker = self._line, self._line.breakers[model]
        await line.client.open()  # loading the SDK is no latency of the service
        ends_s = self._budget.deadline_s - MARGIN_S
        failure = ModelUnavailableError("no time is left to call a model")
        while (started_s := line.clock.monotonic_s()) < ends_s:
            if not breaker.may_pass(started_s):
                why = f" ({failure})" if attempts.made else ""
                raise ModelUnavailableError(f"{model} fails often: not called for a while{why}")
            attempts.made += 1
            try:
                message = await self._attempt(body, ends_s - started_s, breaker)
            except AgainError as failed:
                failure = failed
            else:
                return message, line.clock.monotonic_s() - started_s
            pause_s = line.backoff.pause_s(
                attempt=attempts.made,
                share=line.share(),
                asked_s=failure.after_s,
                left_s=ends_s - line.clock.monotonic_s(),
            )
            if pause_s is None:
                break
            await line.sleep(pause_s)
        raise failure

    async def _attempt(self, body: Mapping[str, Any], limit_s: float, breaker: Breaker) -> Message:
        """Make one attempt, and tell the breaker what came of it."""
        verdict: Callable[[], None] = breaker.gave_up
        try:
            message = await self._line.client.send(body, limit_s=limit_s)
            reply_from(message)  # what can't be read is not kept
            verdict = breaker.succeeded
        except LateError:
            if limit_s >= TELLING_S:
                verdict = self._failing(breaker)
            raise
        except AgainError:
            verdict = self._failing(breaker)
            raise
        except (ModelUnavailableError, ContractError):
            verdict = breaker.succeeded
            raise
        finally:
            verdict()
        return message

    def _failing(self, breaker: Breaker) -> Callable[[], None]:
        return lambda: breaker.failed(self._line.clock.monotonic_s())


@dataclass(slots=True)
class _Attempts:
    """How often a call was tried, also where it never ended."""

    made: int = 0

    def failed(self, record: ModelCall, error: BaseException) -> ModelCall:
        """Return the record of a call that failed; what it cost is not known once it was sent."""
        said = str(error) if isinstance(error, CiteboundError) else type(error).__name__
        if isinstance(error, asyncio.CancelledError):
            said = "cancelled"
        cost_usd = 0.0 if self.made == 0 else None
        return replace(record, error=said, attempts=self.made, cost_usd=cost_usd)
