"""Models that call a local server, with short pauses and a ledger in memory."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from core.adapters.anthropic.api.api_types import ModelRequest
from core.adapters.anthropic.api.composition import ClaudeModels, open_models
from core.adapters.anthropic.api.metered_calls import Breaker
from core.adapters.system import SystemClock
from core.backoff import Backoff
from core.config.settings import Settings
from core.domain.errors import TransientError
from core.domain.json_value import Json
from core.domain.run import Budget, RunLimits
from core.ports import ModelCallLog, StoredCall
from core.service_access.refusals import Note, unnoted
from tests.servers.anthropic import AnthropicServer

FAST = Backoff(first_s=0.01, longest_s=0.02, shortest_attempt_s=0.05)
PRICES = '{"claude-": {"input": 1, "cache_write": 2, "cache_read": 0.5, "output": 4}}'


@dataclass
class InMemoryCallLog:
    """A ledger that may be told to fail."""

    is_down: bool = False
    kept: dict[tuple[str, bytes], StoredCall] = field(
        default_factory=dict[tuple[str, bytes], StoredCall]
    )
    notes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    async def find(self, question_id: str, request_hash: bytes, /) -> StoredCall | None:
        if self.is_down:
            raise TransientError
        return self.kept.get((question_id, request_hash))

    async def store(
        self, question_id: str, request_hash: bytes, call: StoredCall, /, **notes: Json
    ) -> None:
        if self.is_down:
            raise TransientError
        self.kept.setdefault((question_id, request_hash), call)
        self.notes.append(notes)


@asynccontextmanager
async def models_at(
    server: AnthropicServer,
    *,
    log: ModelCallLog | None = None,
    backoff: Backoff = FAST,
    breaker: Callable[[], Breaker] = Breaker,
    silence_s: float = 5.0,
    note: Note = unnoted,
    **settings: Any,
) -> AsyncGenerator[ClaudeModels]:
    """Open models against a server, and close them."""
    given: dict[str, Any] = {
        "anthropic_api_key": server.key,
        "anthropic_base_url": server.url,
        "model_silence_s": silence_s,
        "prices": PRICES,
        **settings,
    }
    models = open_models(
        Settings(**given),
        clock=SystemClock(),
        log=log,
        backoff=backoff,
        breaker=breaker,
        note=note,
    )
    try:
        yield models
    finally:
        await models.aclose()


def budget(*, deadline_s: float = 20.0, calls: int = 8, tokens: int = 8_000) -> Budget:
    """Return a budget that begins now."""
    limits = RunLimits(model_calls=calls, output_tokens=tokens, deadline_s=deadline_s)
    return Budget(limits, started_s=time.monotonic())


def request(words: str = "May I?", **changed: Any) -> ModelRequest:
    """Return a small request; other words, another request."""
    given: dict[str, Any] = {
        "purpose": "answer",
        "prompt": "answer/1",
        "model": "claude-sonnet-5-5",
        "max_tokens": 1_000,
        "system": ({"type": "text", "text": "Answer.", "cache_control": {"type": "ephemeral"}},),
        "messages": ({"role": "user", "content": [{"type": "text", "text": words}]},),
    }
    return ModelRequest(**given | changed)
