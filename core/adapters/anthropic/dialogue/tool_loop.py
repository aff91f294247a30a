"""Answer the tool calls of one turn: each exactly once, in order, all in one turn of ours.

Passages are behind the gate. A call that searches the documents says that the ontology does not
suffice: without a reported score it counts as a missing one, which the gate treats as low, and ends
exploring. If a score at or above the threshold was reported, the call is refused until a lower one
is reported. So there is no retrieval, by the model itself either, unless the gate asks for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.adapters.anthropic.api.api_types import Block, ToolUse
from core.adapters.anthropic.dialogue.dialogue import (
    Dialogue,
    data_block,
    result_block,
    source_of,
    text_block,
)
from core.adapters.anthropic.dialogue.tools import (
    EMIT_CONFIDENCE,
    MAKE_PLAN,
    ClarificationRequest,
    Malformed,
    Reported,
    parse_confidence,
    parse_plan,
)
from core.adapters.anthropic.dialogue.turn_texts import Findings, span_of
from core.agent.document_search import READ_SECTION, SEARCH_PASSAGES
from core.domain.json_value import Json
from core.domain.run import ToolCall
from core.ports import Toolbox
from core.ports.reasoning import FoundPassages

LOOKS = frozenset({SEARCH_PASSAGES, READ_SECTION})
"""Tools that search the documents."""
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
BEHIND_THE_GATE = (
    "Not looked up: you reported that the findings suffice. If they do not, report the lower"
    " confidence first, in the same turn."
)
ALL_SHOWN = "All of it was shown before."
EXPLORED = "The ontology is not read any more: look things up in the passages, or answer."
TOO_LATE = "It is too late to ask. Answer what can be answered, and add an ASK line."
NAME = 90
"""Characters of a name: that of a rule is its whole sentence, which is in the evidence."""
_NAMES = frozenset({"name", "source_name", "target_name"})
_REPEATED = frozenset(
    {"sentence", "description", "meaning", "actor", "action", "condition", "modality", "scores"}
)
"""Fields whose content is in the evidence, or in its order."""
_Result = tuple[list[Block], bool]
"""The content of a tool result, and whether it is an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The results of the tool calls of one turn."""

    results: tuple[Block, ...]
    """One result for each call, in order."""
    explored: int
    """Calls of tools, of the ontology or for passages."""
    refused: int
    """Calls with arguments that could not be read."""
    planned: int
    """Plans made."""


class NoToolbox:
    """Stands in for the tools while exploring with rules, which uses none of the budget."""

    names: tuple[str, ...] = ()
    definitions: tuple[Mapping[str, Json], ...] = ()
    calls: tuple[ToolCall, ...] = ()

    async def call(self, _tool: str, _arguments: Mapping[str, Json], /) -> Mapping[str, Json]:
        """Return nothing."""
        return {"evidence": [], "stats": {}}


@dataclass(slots=True, kw_only=True, eq=False)
class Explorer:
    """Answers tool calls, and remembers what was found and reported.

    `may_ask`: the asker may be asked back once more.
    """

    dialogue: Dialogue
    findings: Findings
    toolbox: Toolbox
    passages: FoundPassages | None
    threshold: float
    has_chunks: bool
    use_rag: bool
    may_ask: bool
    _reported: list[Reported] = field(default_factory=list, init=False)
    _has_looked: bool = field(default=False, init=False)
    _asked: ClarificationRequest | None = field(default=None, init=False)

    @property
    def reported(self) -> tuple[Reported, ...]:
        """Confidences reported so far, in order."""
        return tuple(self._reported)

    @property
    def is_low(self) -> bool:
        """True once a confidence below the threshold was reported: the gate will ask for more."""
        return any(one.score < self.threshold for one in self._reported)

    @property
    def wants_documents(self) -> bool:
        """True once the gate will open: by a low confidence, or by a look without any."""
        return self.is_low or self._has_looked

    @property
    def asked(self) -> ClarificationRequest | None:
        """A question back that was accepted; None: there is none."""
        return self._asked

    async def answer(
        self, uses: Sequence[ToolUse], *, known: Sequence[str], has_explored: bool = False
    ) -> Answered:
        """Run the calls of one turn; a confidence counts before what else is called with it.

        Args:
            uses: The calls.
            known: What was said so far: a question back may name no figure that is not in it.
            has_explored: True once the gate has decided: the ontology is not read any more, and no
                confidence counts.
        """
        given: dict[int, _Result] = {}
        explored = refused = planned = 0
        is_gated = self.use_rag and not has_explored
        for number, use in enumerate(uses):
            if use.name == EMIT_CONFIDENCE and self.use_rag:
                given[number] = (
                    self._confidence(use.arguments)
                    if is_gated
                    else ([text_block(CHANGES_NOTHING)], False)
                )
            elif use.name == MAKE_PLAN:
                given[number] = self._plan(use.arguments, known)
                planned += not given[number][1]
        for number, use in enumerate(uses):
            if number not in given:
                given[number] = await self._tool(use, has_explored=has_explored)
                explored += 1
            refused += given[number][1]
        results = [
            result_block(use.use_id, given[number][0], is_error=given[number][1])
            for number, use in enumerate(uses)
        ]
        return Answered(results=tuple(results), explored=explored, refused=refused, planned=planned)

    def _confidence(self, arguments: Json) -> _Result:
        parsed = parse_confidence(arguments)
        if isinstance(parsed, Malformed):
            return [text_block(f"Not counted: {parsed.reason}.")], True
        was_low = self.is_low
        self._reported.append(parsed)
        if was_low:
            return [text_block(CHANGES_NOTHING)], False
        if not self.is_low:
            return [text_block(SUFFICES)], False
        return [text_block(FOLLOW if self.has_chunks else NO_DOCUMENTS)], False

    def _plan(self, arguments: Json, known: Sequence[str]) -> _Result:
        parsed = parse_plan(arguments, known=known)
        if isinstance(parsed, Malformed):
            return [text_block(f"Refused: {parsed.reason}.")], True
        if not isinstance(parsed, ClarificationRequest):
            return [text_block("Go on.")], False
        if not self.may_ask:
            return [text_block(TOO_LATE)], False
        self._asked = parsed
        return [text_block("Asked.")], False

    async def _tool(self, use: ToolUse, *, has_explored: bool) -> _Result:
        if not isinstance(use.arguments, Mapping):
            return [text_block("The arguments must be an object.")], True
        looks = use.name in LOOKS and use.name in self.toolbox.names
        if has_explored and not looks:
            return [text_block(EXPLORED)], True
        if looks and not has_explored and self._reported and not self.is_low:
            return [text_block(BEHIND_THE_GATE)], True
        self._has_looked |= looks
        found = await self.toolbox.call(use.name, use.arguments)
        error = found.get("error")
        if error:
            return [text_block(str(error))], True
        evidence = found.get("evidence")
        items = evidence if isinstance(evidence, list | tuple) else ()
        said = {name: _shorter(value) for name, value in found.items() if name != "evidence"}
        blocks = self._passages_of(items) if looks else await self._shown(items)
        if looks and items and not blocks:
            blocks = [text_block(ALL_SHOWN)]
        return [data_block("facts", said), *blocks], False

    def _passages_of(self, evidence: Sequence[Json]) -> list[Block]:
        """Return the passages of a tool's evidence that the model has not seen yet."""
        found = {chunk.span: chunk for chunk in self.passages.found} if self.passages else {}
        blocks: list[Block] = []
        for span in filter(None, map(span_of, evidence)):
            chunk = found.get(span)
            if chunk is None or self.dialogue.has_shown(span):
                continue
            source = source_of(chunk.text, span, chunk.place)
            if source is not None:
                blocks.append(self.dialogue.show(source))
        return blocks

    async def _shown(self, evidence: Sequence[Json]) -> list[Block]:
        """Return the sources of a tool's evidence that the model has not seen yet."""
        blocks: list[Block] = []
        found = await self.findings.read(evidence)
        for one in (*found, *await self.findings.complete()):
            if self.dialogue.has_shown(one.span):
                continue
            source = source_of(one.text, one.span, one.place, lead_in=one.lead_in)
            if source is not None:
                blocks.append(self.dialogue.show(source))
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
