"""The model calls of one run: within its budget, retried, recorded.

One call, in order: the ledger (an answered request is not made again), the budgets of the run and
of the day, the breaker, attempts until the deadline, the ledger again, the count of tokens. The
reply is stored in the ledger before it is used, so that it survives a crash. A ledger that fails is
logged and ignored: at worst a call is paid for twice, but no question is lost.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from core.adapters.anthropic.api.api_types import ModelReply, ModelRequest, response_hash
from core.adapters.anthropic.api.client import MessagesClient
from core.adapters.anthropic.api.failures import LateError, RetryableModelError
from core.adapters.anthropic.api.providers import Prices
from core.adapters.anthropic.api.stream import Message, reply_from, tokens_from
from core.backoff import Retries
from core.domain.errors import (
    BudgetSpentError,
    CiteboundError,
    ContractError,
    ModelUnavailableError,
)
from core.domain.json_value import Json
from core.domain.run import Budget, ModelCall, TokenUse
from core.failpoints import failpoint
from core.ports import Clock, ModelCallLog, Spending, StoredCall


class Breaker:
    """A circuit breaker: after many failures of a model in a row, calls fail at once.

    Closed: calls pass. After `failures` in a row, from 1, it is open for `pause_s`: nothing passes.
    Then it is half open: one call passes as a probe, and its outcome closes or opens it again. Time
    is given, in seconds of the monotonic clock.
    """

    def __init__(self, *, failures: int = 5, pause_s: float = 30.0) -> None:
        self._limit = failures
        self._pause_s = pause_s
        self._failed = 0
        self._opened_s: float | None = None
        self._is_probing = False

    def may_pass(self, now_s: float) -> bool:
        """Return whether a call may be made; if so, one of the methods below must follow it."""
        if self._opened_s is None:
            return True
        if self._is_probing or now_s < self._opened_s + self._pause_s:
            return False
        self._is_probing = True
        return True

    def succeeded(self) -> None:
        """Record that the service answered, possibly with a refusal."""
        self._failed, self._opened_s, self._is_probing = 0, None, False

    def failed(self, now_s: float) -> None:
        """Record that the service failed in a way that may pass."""
        self._failed += 1
        if self._is_probing or self._failed >= self._limit:
            self._opened_s = now_s
        self._is_probing = False

    def gave_up(self) -> None:
        """Record that the call ended without a result: another one may probe."""
        self._is_probing = False


MARGIN_S = 1.0
"""Of the run's time, reserved for what follows the last call: falling back, recording."""
LEDGER_S = 3.0
"""Timeout of the ledger."""
TELLING_S = 5.0
"""A timeout shorter than this says nothing about the service."""

_log = logging.getLogger(__name__)
_UNUSED = TokenUse(fresh=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAccess:
    """What the calls of all runs share."""

    client: MessagesClient
    """Whom to call."""
    breakers: Mapping[str, Breaker]
    """By model; created on first use."""
    prices: Prices
    """Of its provider."""
    spending: Spending | None
    """Limit of the day; None: no limit. Calls that belong to no question are not limited."""
    clock: Clock
    """Time."""
    retries: Retries
    """When to try again; by the same clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ledger:
    """The stored calls of one question; failures are logged and ignored."""

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
    """See `api_types.Calls`. Safe for calls that run together.

    Replies are kept in `log` under the question; None: nowhere.
    """

    def __init__(
        self,
        access: ModelAccess,
        *,
        budget: Budget,
        log: ModelCallLog | None,
        question_id: str | None,
    ) -> None:
        self._access = access
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
        async with self._same[request_hash]:  # otherwise two equal requests would both be paid for
            record = ModelCall(
                purpose=request.purpose,
                model=request.model,
                prompt=request.prompt,
                request_hash=request_hash.hex(),
                tokens=_UNUSED,
                cost_usd=0.0,
                attempts=0,
                started_s=self._access.clock.monotonic_s(),
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
        self._made.append(replace(record, ended_s=self._access.clock.monotonic_s()))

    async def _reply(
        self, request: ModelRequest, request_hash: bytes, record: ModelCall, attempts: "_Attempts"
    ) -> tuple[ModelReply, ModelCall]:
        found = await self._ledger.find(request_hash) if self._ledger else None
        if not self._budget.may_call_model():
            raise BudgetSpentError("no model call is left: the budget is spent")
        if found is not None:
            reply, stored = found
            return reply, replace(
                record, tokens=stored.tokens, response_hash=response_hash(stored.response)
            )
        if self._ledger and self._access.spending:
            await self._access.spending.check()
        made = await self._paid(request, attempts)
        if self._ledger:
            await self._ledger.store(request, request_hash, made)
        return reply_from(made.message), replace(
            record,
            tokens=made.tokens,
            cost_usd=made.cost_usd,
            attempts=made.attempts,
            response_hash=response_hash(made.message),
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
            cost_usd=self._access.prices.cost_usd(request.model, tokens),
            attempts=attempts.made,
            latency_ms=latency_s * 1_000,
        )

    async def _attempted(
        self, model: str, body: Mapping[str, Any], attempts: "_Attempts"
    ) -> tuple[Message, float]:
        """Return the message of the first attempt that succeeds, and how long that one took."""
        access, breaker = self._access, self._access.breakers[model]
        await access.client.open()  # loading the SDK is no latency of the service

        async def attempt(number: int, left_s: float) -> tuple[Message, float]:
            started_s = access.clock.monotonic_s()
            if left_s <= 0:
                raise attempts.failure or ModelUnavailableError("no time is left to call a model")
            if not breaker.may_pass(started_s):
                why = f" ({attempts.failure})" if attempts.failure else ""
                raise ModelUnavailableError(f"{model} fails often: not called for a while{why}")
            attempts.made = number
            try:
                message = await self._attempt(body, left_s, breaker)
            except RetryableModelError as failed:
                attempts.failure = failed
                raise
            return message, access.clock.monotonic_s() - started_s

        return await access.retries.run(attempt, ends_s=self._budget.deadline_s - MARGIN_S)

    async def _attempt(self, body: Mapping[str, Any], limit_s: float, breaker: Breaker) -> Message:
        """Make one attempt, and record its result in the breaker."""
        verdict: Callable[[], None] = breaker.gave_up
        try:
            message = await self._access.client.send(body, limit_s=limit_s)
            reply_from(message)  # an unreadable reply is not stored
            verdict = breaker.succeeded
        except LateError:
            if limit_s >= TELLING_S:
                verdict = self._failing(breaker)
            raise
        except RetryableModelError:
            verdict = self._failing(breaker)
            raise
        except (ModelUnavailableError, ContractError):
            verdict = breaker.succeeded
            raise
        finally:
            verdict()
        return message

    def _failing(self, breaker: Breaker) -> Callable[[], None]:
        return lambda: breaker.failed(self._access.clock.monotonic_s())


@dataclass(slots=True)
class _Attempts:
    """The attempts of a call, also of one that failed."""

    made: int = 0
    failure: ModelUnavailableError | None = None
    """Of the last attempt that may be retried."""

    def failed(self, record: ModelCall, error: BaseException) -> ModelCall:
        """Return the record of a failed call; its cost is unknown once it was sent."""
        said = str(error) if isinstance(error, CiteboundError) else type(error).__name__
        if isinstance(error, asyncio.CancelledError):
            said = "cancelled"
        cost_usd = 0.0 if self.made == 0 else None
        return replace(record, error=said, attempts=self.made, cost_usd=cost_usd)
