"""The dialogue with a model in one run: its turns, content blocks, and the sources it was shown.

Turns are append-only: what was sent once is sent again unchanged, so that providers find it in
their cache and the same run gives the same requests.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.adapters.anthropic.api.api_types import Block, CitedBlocks, ModelReply, ToolUse
from core.agent.prompts import Prompt
from core.domain.json_value import Json
from core.domain.ontology import EntityType, Outline, SectionRef
from core.language.lead_ins import LeadIn
from core.language.sentences import split_sentences
from core.language.spans import Span

_ITEM = re.compile(r"(?:[-*\u2022\u25aa]|\(?[a-z0-9]{1,4}[.)])\s", re.IGNORECASE)
_ROW = re.compile(r"^\||\s\|\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Citable:
    """One sentence of a source."""

    text: str
    """As sent: with the white space up to the next sentence, so that the texts of all sentences
    join to the source's."""
    span: Span
    """Of the sentence, without that white space."""
    introduced_by: int | None = None
    """For a list item or a table row: the index of its lead-in or header, which may have one
    itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitableSource:
    """A passage of a policy version that a model is shown."""

    span: Span
    """Of the passage."""
    text: str
    """The stored text of the span."""
    title: str
    """Policy and section, for people."""
    reference: str
    """Policy and section, for the program (`gifts#sec_4.2`)."""
    sentences: tuple[Citable, ...]
    """Its lead-ins, if it is an item or a row shown alone; then its text, split."""

    def spans(self, start: int, end: int) -> tuple[Span, ...]:
        """Return the spans of the sentences [start, end): a single one, if they are prose.

        An item or a row says little without its lead-in ("Employees must not accept: ... -
        vouchers"), so that comes before it.
        """
        cited = range(start, end)
        if all(self.sentences[number].introduced_by is None for number in cited):
            first, last = self.sentences[start].span, self.sentences[end - 1].span
            return (replace(first, char_end=last.char_end),)
        numbers = [place for number in cited for place in self._chain(number)]
        return tuple(self.sentences[number].span for number in dict.fromkeys(numbers))

    def _chain(self, number: int) -> list[int]:
        """Return the indexes of a sentence's lead-ins, outermost first, and its own."""
        chain = [number]
        while (above := self.sentences[chain[0]].introduced_by) is not None:
            chain.insert(0, above)
        return chain

    def quote(self, span: Span) -> str:
        """Return the stored text of a span that `spans` gave."""
        lead = next((one for one in self.sentences if one.span == span), None)
        if lead is not None:
            return lead.text.rstrip()
        start = span.char_start - self.span.char_start
        return self.text[start : start + span.char_end - span.char_start]


def source_of(
    text: str, span: Span, place: SectionRef, *, lead_in: LeadIn | None = None
) -> CitableSource | None:
    """Return a passage of a policy as a source, or None if it has no text.

    Args:
        text: Its stored text.
        span: Its position.
        place: Its policy and section.
        lead_in: Its lead-in, shown before it and cited with it.
    """
    cuts = split_sentences(text)
    if not cuts:
        return None
    starts = [0, *(cut.char_start for cut in cuts[1:]), len(text)]
    introduced_by = _introductions([cut.of(text) for cut in cuts])
    before = _before(lead_in)
    own = tuple(
        Citable(
            text=text[starts[number] : starts[number + 1]],
            span=Span(
                version_id=span.version_id,
                char_start=span.char_start + cut.char_start,
                char_end=span.char_start + cut.char_end,
            ),
            introduced_by=_shifted(introduced_by[number], number, by=len(before)),
        )
        for number, cut in enumerate(cuts)
    )
    section = " ".join(filter(None, (place.number, place.title)))
    title = ", ".join(filter(None, (place.policy_title, section))) or place.policy_key
    return CitableSource(
        span=span,
        text=text,
        title=f"{title} ({place.jurisdiction})" if place.jurisdiction else title,
        reference=f"{place.policy_key}#{place.eid}",
        sentences=(*before, *own),
    )


def _before(lead_in: LeadIn | None) -> tuple[Citable, ...]:
    """Return a lead-in as the first sentences of a source, each introduced by the one before."""
    chain = lead_in.chain if lead_in else ()
    return tuple(
        Citable(text=f"{one.text}\n", span=one.span, introduced_by=number - 1 if number else None)
        for number, one in enumerate(chain)
    )


def _shifted(introduced_by: int | None, number: int, *, by: int) -> int | None:
    """Return the index of a lead-in after `by` sentences were put first."""
    if introduced_by is not None:
        return introduced_by + by
    return by - 1 if by and number == 0 else None


def is_introduced(text: str) -> bool:
    """Return whether a text is a list item or a table row, which needs its lead-in."""
    return _ROW.search(text) is not None or _ITEM.match(text) is not None


def _introductions(units: Sequence[str]) -> list[int | None]:
    """Return the index of each item's lead-in, which ends in a colon, and of each row's header."""
    found: list[int | None] = []
    lead_in: int | None = None
    header: int | None = None
    for number, unit in enumerate(units):
        is_row = _ROW.search(unit) is not None
        is_item = not is_row and is_introduced(unit)
        found.append(header if is_row else lead_in if is_item else None)
        if not is_row:
            header = None
            if not is_item or unit.endswith(":"):
                lead_in = number if unit.endswith(":") else None
        elif header is None:
            header = number
    return found


def search_result(source: CitableSource) -> Block:
    """Return a source as a block that the model cites natively."""
    return {
        "type": "search_result",
        "source": source.reference,
        "title": source.title,
        "content": [{"type": "text", "text": one.text} for one in source.sentences],
        "citations": {"enabled": True},
    }


def numbered(source: CitableSource, *, first: int) -> Block:
    """Return a source as a block whose sentences are marked `[c1]`, `[c2]`, ... from `first`."""
    lines = [
        f"[c{number}] {_on_one_line(one.text)}"
        for number, one in enumerate(source.sentences, start=first)
    ]
    return text_block(
        "\n".join(
            (
                "<evidence>",
                f"from: {_on_one_line(source.title)} ({_on_one_line(source.reference)})",
                *lines,
                "</evidence>",
            )
        )
    )


def data_block(name: str, value: Json) -> Block:
    """Return a value as JSON between tags that nothing in it can close."""
    return text_block(f"<{name}>\n{dumped(value)}\n</{name}>")


def dumped(value: Json) -> str:
    """Return JSON without `<`; equal values have equal texts."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")


def text_block(text: str) -> Block:
    """Return our own text as a block."""
    return {"type": "text", "text": text}


def result_block(use_id: str, content: Sequence[Block], *, is_error: bool = False) -> Block:
    """Return the result of a tool call."""
    block: dict[str, Json] = {
        "type": "tool_result",
        "tool_use_id": use_id,
        "content": list(content),
    }
    return block | {"is_error": True} if is_error else block


def cached(block: Block) -> Block:
    """Mark a block as the end of the prefix that providers cache."""
    return {**block, "cache_control": {"type": "ephemeral"}}


def _on_one_line(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;")


CHARACTERS = 100
"""Characters shown of a name."""
_NAMED = (EntityType.DEFINITION, EntityType.ROLE, EntityType.JURISDICTION)


def system(prompt: Prompt, *, is_cached: bool) -> tuple[Block, ...]:
    """Return the system prompt, which has no text of policies or people."""
    block = text_block(prompt.text)
    return (cached(block) if is_cached else block,)


def digest(outline: Outline, *, is_cached: bool) -> Block:
    """Return an overview of the ontology, in an order that does not depend on the database."""
    titles: list[Json] = [
        f"{title[:CHARACTERS]} ({country})" if country else title[:CHARACTERS]
        for title, country in outline.policies
    ]
    counts = {type_.value: count for type_, count in outline.counts.items()}
    value: Mapping[str, Json] = {
        "edition": outline.edition,
        "policies": titles,
        "policies_in_all": outline.policies_in_all,
        "facts": dict(sorted(counts.items())),
        "names": {type_.value: _names(outline, type_) for type_ in _NAMED},
    }
    block = data_block("ontology", value)
    return cached(block) if is_cached else block


def _names(outline: Outline, type_: EntityType) -> Sequence[Json]:
    return sorted({name[:CHARACTERS] for name in outline.names.get(type_, ())})


NOTHING_SAID = "(nothing)"
"""Replaces an empty turn of the model, which may not be sent back."""
NOT_NOW = "Not run: no tools are left in this run. Answer from what you have."


class Dialogue:
    """The turns of one run.

    With `is_marked` sources are cited by marks in the text, for providers without native citations.
    """

    def __init__(self, *, is_marked: bool) -> None:
        self._is_marked = is_marked
        self._turns: list[dict[str, Json]] = []
        self._sources: list[CitableSource] = []
        self._marks: list[CitedBlocks] = []
        self._unanswered: tuple[ToolUse, ...] = ()
        self._results: tuple[Block, ...] = ()

    @property
    def turns(self) -> tuple[dict[str, Json], ...]:
        """All turns so far."""
        return tuple(self._turns)

    @property
    def marks(self) -> Sequence[CitedBlocks]:
        """What `[c1]`, `[c2]`, ... refer to, in order; empty with native citations."""
        return self._marks

    def has_shown(self, span: Span) -> bool:
        """Return whether exactly this span was shown."""
        return any(source.span == span for source in self._sources)

    def show(self, source: CitableSource) -> Block:
        """Return a source as a block; blocks must be sent in the order of these calls."""
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

    def locate(self, cited: CitedBlocks) -> tuple[CitableSource, tuple[Span, ...]] | None:
        """Return source and spans of cited blocks, or None if no such blocks were shown."""
        if not 0 <= cited.search_result < len(self._sources):
            return None
        source = self._sources[cited.search_result]
        if not 0 <= cited.start_block < cited.end_block <= len(source.sentences):
            return None
        return source, source.spans(cited.start_block, cited.end_block)

    def answer(self, results: Sequence[Block]) -> None:
        """Keep the results of the last turn's calls, to be sent with our next turn."""
        self._results = tuple(results)

    def say(self, blocks: Sequence[Block] = ()) -> None:
        """Add a turn of ours: tool results first, as the API requires.

        A call without a result is answered with an error, so that none stays open.
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
        """Add the model's turn as received, without blank text blocks, which the API refuses."""
        content = [
            block
            for block in reply.content
            if block.get("type") != "text" or str(block.get("text", "")).strip()
        ]
        self._turns.append({"role": "assistant", "content": content or [text_block(NOTHING_SAID)]})
        self._unanswered = tuple(part for part in reply.parts if isinstance(part, ToolUse))
