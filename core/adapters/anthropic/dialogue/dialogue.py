"""What was said between this program and a model in one run, and which sources it was shown.

Turns are only ever added: what was sent once is sent again unchanged, so that providers find it in
their cache and the same course gives the same requests.
"""

from collections.abc import Sequence

from core.adapters.anthropic.api.api_types import Block, CitedBlocks, ModelReply, ToolUse
from core.adapters.anthropic.dialogue.blocks import (
    Source,
    numbered,
    result_block,
    search_result,
    text_block,
)
from core.domain.run import Json
from core.language.spans import Span

NOTHING_SAID = "(nothing)"
"""Stands for a turn in which the model said nothing: a turn may not be empty."""
NOT_NOW = "Not run: no tools are left in this run. Answer from what you have."


class Dialogue:
    """The turns of one run."""

    def __init__(self, *, is_marked: bool) -> None:
        """Begin with nothing said.

        Args:
            is_marked: True if sources are cited by marks in the text, for providers without native
                citations.
        """
        self._is_marked = is_marked
        self._turns: list[dict[str, Json]] = []
        self._sources: list[Source] = []
        self._marks: list[CitedBlocks] = []
        self._unanswered: tuple[ToolUse, ...] = ()
        self._results: tuple[Block, ...] = ()

    @property
    def turns(self) -> tuple[dict[str, Json], ...]:
        """All turns so far."""
        return tuple(self._turns)

    @property
    def marks(self) -> Sequence[CitedBlocks]:
        """What `[c1]`, `[c2]`, ... stand for, in order; empty with native citations."""
        return self._marks

    def has_shown(self, span: Span) -> bool:
        """Say whether this very stretch was shown."""
        return any(source.span == span for source in self._sources)

    def show(self, source: Source) -> Block:
        """Return a source as a block; the caller sends these blocks in the order of the calls."""
        number = len(self._sources)
        self._sources.append(source)
        if not self._is_marked:
            return search_result(source)
        first = len(self._marks) + 1
        self._marks += [
            CitedBlocks(search_result=number, start_block=at, end_block=at + 1, cited_text="")
            for at in range(len(source.sentences))
        ]
        return numbered(source, first=first)

    def locate(self, cited: CitedBlocks) -> tuple[Source, tuple[Span, ...]] | None:
        """Return where cited blocks stand, or None if no such blocks were shown."""
        if not 0 <= cited.search_result < len(self._sources):
            return None
        source = self._sources[cited.search_result]
        if not 0 <= cited.start_block < cited.end_block <= len(source.sentences):
            return None
        return source, source.spans(cited.start_block, cited.end_block)

    def answer(self, results: Sequence[Block]) -> None:
        """Keep the results of the last turn's calls, to be sent with what is said next."""
        self._results = tuple(results)

    def say(self, blocks: Sequence[Block] = ()) -> None:
        """Add a turn of ours: results of tools first, as the API wants them.

        A call without a result is answered too, so that none stays open.
        """
        answered = [result.get("tool_use_id") for result in self._results]
        missing = [
            result_block(use.use_id, [text_block(NOT_NOW)], is_error=True)
            for use in self._unanswered
            if use.use_id not in answered
        ]
        self._turns.append({"role": "user", "content": [*self._results, *missing, *blocks]})
        self._results, self._unanswered = (), ()

    def hear(self, reply: ModelReply) -> None:
        """Add the model's turn, as received; text blocks without text may not be sent back."""
        content = [
            block
            for block in reply.content
            if block.get("type") != "text" or str(block.get("text", "")).strip()
        ]
        self._turns.append({"role": "assistant", "content": content or [text_block(NOTHING_SAID)]})
        self._unanswered = tuple(part for part in reply.parts if isinstance(part, ToolUse))
