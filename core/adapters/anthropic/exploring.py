"""Answer the tool calls of one turn: each exactly once, in order, all in one turn of ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.adapters.anthropic.blocks import (
    data_block,
    result_block,
    source_of,
    text_block,
)
from core.adapters.anthropic.dialogue import Dialogue
from core.adapters.anthropic.findings import Findings
from core.adapters.anthropic.tools import (
    EMIT_CONFIDENCE,
    MAKE_PLAN,
    Asked,
    Malformed,
    Reported,
    parse_confidence,
    parse_plan,
)
from core.adapters.anthropic.wire import Block, ToolUse
from core.domain.run import Json
from core.ports import Toolbox

SUFFICES = "The findings suffice. Answer from them alone."
FOLLOW = (
    "The findings do not suffice. What was found in the documents follows in this turn; answer from"
    " the findings and from it, using both."
)
NO_DOCUMENTS = (
    "The findings do not suffice, and there are no document passages in scope, so nothing can be"
    " retrieved. Answer from the findings alone, and say with MISSING what they do not state."
)
CHANGES_NOTHING = "Noted. A low confidence was reported before; a later one changes nothing."
TOO_LATE = "It is too late to ask. Answer what can be answered, and add an ASK line."
NAME = 90
"""Characters of a name: that of a rule is its whole sentence, which the evidence has."""
_NAMES = frozenset({"name", "source_name", "target_name"})
_REPEATED = frozenset(
    {"sentence", "description", "meaning", "actor", "action", "condition", "modality"}
)
"""What the evidence says in its own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What became of the tool calls of one turn."""

    results: tuple[Block, ...]
    """One result for each call, in order."""
    explored: int
    """Calls of tools of the ontology."""
    refused: int
    """Calls with arguments that could not be read."""
    planned: int
    """Plans made."""


class Explorer:
    """Answers tool calls, and remembers what was found and reported."""

    def __init__(
        self,
        *,
        dialogue: Dialogue,
        findings: Findings,
        toolbox: Toolbox,
        threshold: float,
        has_chunks: bool,
        use_rag: bool,
    ) -> None:
        """Take what a run has."""
        self._dialogue = dialogue
        self._findings = findings
        self._toolbox = toolbox
        self._threshold = threshold
        self._has_chunks = has_chunks
        self._use_rag = use_rag
        self._reported: list[Reported] = []

    @property
    def reported(self) -> tuple[Reported, ...]:
        """Confidences reported so far, in order."""
        return tuple(self._reported)

    @property
    def is_low(self) -> bool:
        """True once a confidence below the threshold was reported: the gate will ask for more."""
        return any(one.score < self._threshold for one in self._reported)

    async def answer(self, uses: Sequence[ToolUse]) -> Answered:
        """Run the calls of one turn."""
        results: list[Block] = []
        explored = refused = planned = 0
        for use in uses:
            if use.name == EMIT_CONFIDENCE and self._use_rag:
                content, is_error = self._confidence(use.arguments)
            elif use.name == MAKE_PLAN:
                content, is_error = self._plan(use.arguments)
                planned += not is_error
            else:
                content, is_error = await self._ontology(use)
                explored += 1
            refused += is_error
            results.append(result_block(use.use_id, content, is_error=is_error))
        return Answered(results=tuple(results), explored=explored, refused=refused, planned=planned)

    def _confidence(self, arguments: Json) -> tuple[list[Block], bool]:
        parsed = parse_confidence(arguments)
        if isinstance(parsed, Malformed):
            return [text_block(f"Not counted: {parsed.reason}.")], True
        was_low = self.is_low
        self._reported.append(parsed)
        if was_low:
            return [text_block(CHANGES_NOTHING)], False
        if not self.is_low:
            return [text_block(SUFFICES)], False
        return [text_block(FOLLOW if self._has_chunks else NO_DOCUMENTS)], False

    def _plan(self, arguments: Json) -> tuple[list[Block], bool]:
        parsed = parse_plan(arguments, known=())
        if isinstance(parsed, Malformed):
            return [text_block(f"Refused: {parsed.reason}.")], True
        return [text_block(TOO_LATE if isinstance(parsed, Asked) else "Go on.")], False

    async def _ontology(self, use: ToolUse) -> tuple[list[Block], bool]:
        if not isinstance(use.arguments, Mapping):
            return [text_block("The arguments must be an object.")], True
        found = await self._toolbox.call(use.name, use.arguments)
        error = found.get("error")
        if error:
            return [text_block(str(error))], True
        evidence = found.get("evidence")
        items = evidence if isinstance(evidence, list | tuple) else ()
        said = {name: _shorter(value) for name, value in found.items() if name != "evidence"}
        return [data_block("facts", said), *await self._shown(items)], False

    async def _shown(self, evidence: Sequence[Json]) -> list[Block]:
        """Return the sources of a tool's evidence that the model has not seen yet."""
        blocks: list[Block] = []
        found = await self._findings.read(evidence)
        for one in (*found, *await self._findings.complete()):
            if self._dialogue.has_shown(one.span):
                continue
            source = source_of(one.text, one.span, one.place, lead_in=one.lead_in)
            if source is not None:
                blocks.append(self._dialogue.show(source))
        return blocks


def _shorter(value: Json) -> Json:
    """Return JSON without what the evidence beside it says in full."""
    if isinstance(value, Mapping):
        return {
            name: own[:NAME] if name in _NAMES and isinstance(own, str) else _shorter(own)
            for name, own in value.items()
            if name not in _REPEATED and own not in ([], {}, "")
        }
    if isinstance(value, list | tuple):
        return [_shorter(own) for own in value]
    return value
