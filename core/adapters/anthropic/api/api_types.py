"""Requests and replies of the Messages API, as far as this program uses them.

The rest of this package sees these values alone; `client` translates them to the SDK and back.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import rfc8785

from core.domain.json_value import Json
from core.domain.run import ModelCall, TokenUse

Block: TypeAlias = Mapping[str, Json]
"""A content block as the Messages API writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One call of a model: the same request has the same bytes, whenever it is made."""

    purpose: str
    """`answer`, `critique`, `judge`, `extract`, `grade`."""
    prompt: str
    """Name and version of the prompt (`answer/1`); not sent."""
    model: str
    """The provider's name of the model."""
    max_tokens: int
    """Tokens that the reply may have, from 1."""
    system: tuple[Block, ...]
    """Text blocks of the system prompt; the last cacheable one has `cache_control`."""
    messages: tuple[Mapping[str, Json], ...]
    """Turns, alternating, the first and the last of the user."""
    tools: tuple[Mapping[str, Json], ...] = ()
    """Definitions of tools."""
    tool_choice: Mapping[str, Json] | None = None
    """`{"type": "auto" | "any" | "none"}` or `{"type": "tool", "name": ...}`; None: the API's
    default."""
    effort: str | None = None
    """How much the model thinks and writes: `low`, `medium`, `high`; None: its default, as for
    models that know no effort."""

    def body(self) -> dict[str, Any]:
        """Return the parameters of the Messages API."""
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "system": list(self.system),
            "messages": list(self.messages),
        }
        if self.tools:
            body["tools"] = list(self.tools)
        if self.tool_choice is not None:
            body["tool_choice"] = self.tool_choice
        if self.effort is not None:
            body["output_config"] = {"effort": self.effort}
        return body

    def sha256(self) -> bytes:
        """Return the SHA-256 of the canonical body (RFC 8785)."""
        return hashlib.sha256(rfc8785.dumps(self.body())).digest()


def response_hash(message: Mapping[str, Json]) -> str:
    """Return the SHA-256 of a reply in its canonical form (RFC 8785), in hex."""
    return hashlib.sha256(rfc8785.dumps(message)).hexdigest()  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedBlocks:
    """A citation as the API returns it: blocks of one search result."""

    search_result: int
    """Which of all `search_result` blocks of the request, from 0, in their order."""
    start_block: int
    """First block cited, from 0."""
    end_block: int
    """The block after the last one cited."""
    cited_text: str
    """What the model's provider says stands there; never shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """A stretch of the reply's text with the citations it carries."""

    text: str
    """As written."""
    citations: tuple[CitedBlocks, ...] = ()
    """None for text that rests on nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool that the model calls."""

    use_id: str
    """What its result is to name."""
    name: str
    """The tool."""
    arguments: Json
    """As written by the model: any JSON value, whatever the schema says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """A whole reply."""

    parts: tuple[TextPart | ToolUse, ...]
    """Text and tool calls in order; blocks of other kinds are left out."""
    content: tuple[Block, ...]
    """The content blocks as received: what goes back as the assistant's turn."""
    stop_reason: str
    """Why it ended: `end_turn`, `tool_use`, `max_tokens`, `refusal`, ..."""
    tokens: TokenUse
    """What it used."""


class Calls(Protocol):
    """Calls of one run: bounded by its budget, recorded, repeated after errors that pass."""

    async def call(self, request: ModelRequest, /) -> ModelReply:
        """Return the reply.

        Raises:
            ModelUnavailableError: The model can't be reached in time, refuses the key, the model's
                name or the request, or the budget is spent; the message says which, in one line.
            ContractError: The reply is none of the Messages API.
        """
        ...


class RecordedCalls(Calls, Protocol):
    """Calls of one run, with what was made of them."""

    @property
    def made(self) -> tuple[ModelCall, ...]:
        """Calls so far, in the order in which they began."""
        ...
