"""Claude as a reader of sections: one request for each section, well-formed facts or none.

- Policy text appears only in the user's turn, between tags that nothing in it can close: they carry
  the hash of what they enclose.
- System prompt and tool are the same bytes in every request, and cached.
- A malformed reply is refused and requested once more; it is never repaired.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.adapters.anthropic.api.api_types import Block, Calls, ModelReply, ModelRequest, ToolUse
from core.adapters.anthropic.api.failures import RefusedError
from core.agent.prompts import EXTRACT, Prompt
from core.domain.errors import ContractError, ModelUnavailableError
from core.domain.json_value import Json
from core.domain.ontology import RelationType
from core.domain.proposals import ProposedFacts, facts_from_json
from core.domain.run import TokenUse, total_cost, total_tokens
from core.ontology.model.proposals import POLICY_END, SECTION_END
from core.ontology.model.proposed_entities import PROPOSED_TYPES
from core.ports.extraction import NotRead, SectionInput, SectionReading

NAME = "record_facts"
_QUOTE: Mapping[str, Json] = {
    "type": "string",
    "description": "the sentence, list item or table row, copied exactly",
}
_ATTRIBUTES = ("actor", "action", "condition", "meaning")
_END = f"id of an entity, or {SECTION_END}, or {POLICY_END}"
Pricing = Callable[[str, TokenUse], float | None]
"""Returns the cost of one call of a model, in US dollars; None if its price is not known."""
MAX_TOKENS = 12_000
"""Of one reply, thinking included; a part of 4,000 characters needs about 5,000."""
REPLIES = 2
"""Replies requested at most; the second only if the first is malformed."""
CHARACTERS_A_TOKEN = 2.7
"""Of English policies with their numbers and markup, roughly, as models of the 5.5 family count
(some 30 % more tokens than those before); for estimates alone."""
_WRITTEN_PER_READ = 3.0
"""Tokens written for each of the section's, roughly: each sentence comes back as a quote of an
entity and of a relation."""
_WRITTEN_ANYWAY = 200
_MARK_DIGITS = 12
_AUTO: Mapping[str, Json] = {"type": "auto"}


def _strings(description: str) -> Mapping[str, Json]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _text(description: str) -> Mapping[str, Json]:
    return {"type": "string", "description": description}


def _object(properties: Mapping[str, Json], required: tuple[str, ...]) -> Mapping[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_ENTITY = _object(
    {
        "id": _text("unique in this call"),
        "type": {"type": "string", "enum": [type_.value for type_ in PROPOSED_TYPES]},
        "name": _text("as the quote has it"),
        "quote": _QUOTE,
        "aliases": _strings("other names that the section introduces beside the name"),
        "description": _text("a sentence of the section, copied exactly"),
        "attributes": _object({name: {"type": "string"} for name in _ATTRIBUTES}, ()),
    },
    ("id", "type", "name", "quote"),
)


_RELATION = _object(
    {
        "source": _text(_END),
        "type": {"type": "string", "enum": [type_.value for type_ in RelationType]},
        "target": _text(_END),
        "quote": _QUOTE,
    },
    ("source", "type", "target", "quote"),
)


TOOL: Mapping[str, Json] = {
    "name": NAME,
    "description": "Records the facts that the section states. Call it exactly once.",
    "input_schema": _object(
        {
            "entities": {"type": "array", "items": _ENTITY},
            "relations": {"type": "array", "items": _RELATION},
        },
        ("entities", "relations"),
    ),
}
"""As the Messages API takes it."""


def facts_of(reply: ModelReply) -> ProposedFacts:
    """Return the facts that a reply proposes.

    Raises:
        ContractError: It does not call the tool exactly once, was cut off, or has another shape;
            the message says which, and may be sent back to the model.
    """
    if reply.stop_reason == "max_tokens":
        raise ContractError("the reply was cut off: record fewer facts")
    if reply.stop_reason == "refusal":
        raise ContractError("the model declined to read the section")
    uses = [part for part in reply.parts if isinstance(part, ToolUse)]
    if len(uses) != 1 or uses[0].name != NAME:
        raise ContractError(f"expected one call of {NAME}, got {len(uses)} calls")
    return facts_from_json(uses[0].arguments)


@dataclass(slots=True, kw_only=True)
class ClaudeSectionReader:
    """See `core.ports.extraction.SectionReader`. Safe from many tasks of one event loop."""

    calls: Calls
    """Calls of the Messages API."""
    model: str
    """The provider's name of the model."""
    pricing: Pricing
    """What a call costs."""
    forced_tools: bool = False
    """True if the model is forced to call its tool. Several models refuse such requests: after a
    refusal the request is repeated without, and so are all that follow."""
    prompt_file: Prompt = EXTRACT
    """The system prompt."""

    @property
    def prompt(self) -> str:
        """See `SectionReader.prompt`."""
        return self.prompt_file.label

    async def read(self, text: SectionInput, /) -> SectionReading | NotRead:
        """See `SectionReader.read`."""
        used: list[TokenUse] = []
        problem = ""
        for attempt in range(REPLIES):
            try:
                reply = await self._asked(text, refused=problem)
            except ModelUnavailableError as error:
                return self._not_read(str(error), used, refused=attempt)
            except ContractError as error:
                problem = str(error)
                continue
            used.append(reply.tokens)
            found = _facts_or_problem(reply)
            if isinstance(found, str):
                problem = found
                continue
            return SectionReading(
                proposals=found,
                tokens=total_tokens(used),
                cost_usd=self._cost(used),
                refused=attempt,
            )
        return self._not_read(f"malformed twice: {problem}", used, refused=REPLIES)

    async def _asked(self, text: SectionInput, *, refused: str) -> ModelReply:
        request = self.request(text, refused=refused)
        try:
            return await self.calls.call(request)
        except RefusedError:
            if request.tool_choice == _AUTO:
                raise
            self.forced_tools = False
            return await self.calls.call(self.request(text, refused=refused))

    def request(self, text: SectionInput, *, refused: str = "") -> ModelRequest:
        """Return the request for a section: the same bytes whenever it is made.

        Args:
            text: the section.
            refused: what was wrong with the previous reply; empty for the first request.
        """
        blocks = [section_block(text)]
        if refused:
            note = f"Your last reply was refused ({refused}). Read the section again, and call"
            blocks.append({"type": "text", "text": f"{note} {NAME} once, as its schema says."})
        return ModelRequest(
            purpose="extract",
            prompt=self.prompt,
            model=self.model,
            max_tokens=MAX_TOKENS,
            system=(
                {
                    "type": "text",
                    "text": self.prompt_file.text,
                    "cache_control": {"type": "ephemeral"},
                },
            ),
            messages=({"role": "user", "content": blocks},),
            tools=(TOOL,),
            tool_choice={"type": "tool", "name": NAME} if self.forced_tools else _AUTO,
        )

    def estimate(self, text: SectionInput, /) -> TokenUse:
        """See `SectionReader.estimate`: the prefix is cached, sentences come back as quotes."""
        shown = len(str(section_block(text)["text"])) / CHARACTERS_A_TOKEN
        prefix = len(self.prompt_file.text) + len(json.dumps(TOOL))
        return TokenUse(
            fresh=math.ceil(shown),
            cache_read=math.ceil(prefix / CHARACTERS_A_TOKEN),
            output=math.ceil(len(text.text) / CHARACTERS_A_TOKEN * _WRITTEN_PER_READ)
            + _WRITTEN_ANYWAY,
        )

    def price(self, tokens: TokenUse, /) -> float | None:
        """See `SectionReader.price`."""
        return self.pricing(self.model, tokens)

    def _not_read(self, reason: str, used: list[TokenUse], *, refused: int) -> NotRead:
        return NotRead(
            reason=reason, tokens=total_tokens(used), cost_usd=self._cost(used), refused=refused
        )

    def _cost(self, used: list[TokenUse]) -> float | None:
        return total_cost(map(self.price, used))


def section_block(text: SectionInput) -> Block:
    """Return a section as data, with its text unchanged, so that it can be quoted exactly."""
    mark = text.sha256.hex()[:_MARK_DIGITS]
    lines = (
        f"<data-{mark}>",
        f"policy: {_one_line(text.title)}",
        f"headings: {_one_line(' > '.join(text.path))}",
        "section:",
        text.text,
        f"</data-{mark}>",
    )
    return {"type": "text", "text": "\n".join(lines)}


def _facts_or_problem(reply: ModelReply) -> ProposedFacts | str:
    try:
        return facts_of(reply)
    except ContractError as error:
        return str(error)


def _one_line(text: str) -> str:
    return " ".join(text.split())
