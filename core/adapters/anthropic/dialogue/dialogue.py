"""What was said between this program and a model in one run, and which sources it was shown.

Turns are only ever added: what was sent once is sent again unchanged, so that providers find it in
their cache and the same course gives the same requests.
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
    """As sent: with the white space up to the next sentence, so that all texts join to the
    source's."""
    span: Span
    """Where the sentence stands, white space aside."""
    introduced_by: int | None = None
    """For a list item or a table row: the place of its lead-in or header among the sentences, which
    may be introduced in turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One stretch of a policy version that a model is shown."""

    span: Span
    """Where it lies."""
    text: str
    """The stored text of the span."""
    title: str
    """Where it stands, as people say it."""
    reference: str
    """Where it stands, as the program says it (`gifts#sec_4.2`)."""
    sentences: tuple[Citable, ...]
    """What introduces it, if it is an item or a row shown alone; then its text, cut."""

    def spans(self, start: int, end: int) -> tuple[Span, ...]:
        """Return where the sentences [start, end) stand: in one, if they are prose.

        An item or a row says little without what introduces it ("Employees must not accept: ...
        - vouchers"), so that stands before it.
        """
        cited = range(start, end)
        if all(self.sentences[number].introduced_by is None for number in cited):
            first, last = self.sentences[start].span, self.sentences[end - 1].span
            return (replace(first, char_end=last.char_end),)
        numbers = [place for number in cited for place in self._chain(number)]
        return tuple(self.sentences[number].span for number in dict.fromkeys(numbers))

    def _chain(self, number: int) -> list[int]:
        """Return the places of what introduces a sentence, outermost first, and its own."""
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
) -> Source | None:
    """Return a stretch of a policy as a source, or None if nothing is written there.

    Args:
        text: Its stored text.
        span: Where it lies.
        place: Where it stands, as people say it.
        lead_in: What introduces it; shown before it, and cited with it.
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
    return Source(
        span=span,
        text=text,
        title=f"{title} ({place.jurisdiction})" if place.jurisdiction else title,
        reference=f"{place.policy_key}#{place.eid}",
        sentences=(*before, *own),
    )


def _before(lead_in: LeadIn | None) -> tuple[Citable, ...]:
    """Return what introduces a source as its first sentences, each introduced by the one before."""
    chain = lead_in.chain if lead_in else ()
    return tuple(
        Citable(text=f"{one.text}\n", span=one.span, introduced_by=number - 1 if number else None)
        for number, one in enumerate(chain)
    )


def _shifted(introduced_by: int | None, number: int, *, by: int) -> int | None:
    """Return which sentence introduces one of a text behind `by` others, the last for the first."""
    if introduced_by is not None:
        return introduced_by + by
    return by - 1 if by and number == 0 else None


def is_introduced(text: str) -> bool:
    """Return whether a text is a list item or a table row: what stands before it completes it."""
    return _ROW.search(text) is not None or _ITEM.match(text) is not None


def _introductions(units: Sequence[str]) -> list[int | None]:
    """Return for each item the last sentence that ends in a colon, for each row its first row."""
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


def search_result(source: Source) -> Block:
    """Return a source as a block that the model cites natively."""
    return {
        "type": "search_result",
        "source": source.reference,
        "title": source.title,
        "content": [{"type": "text", "text": one.text} for one in source.sentences],
        "citations": {"enabled": True},
    }


def numbered(source: Source, *, first: int) -> Block:
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
    """Return a value as data: JSON between tags that nothing in it can close."""
    return text_block(f"<{name}>\n{dumped(value)}\n</{name}>")


def dumped(value: Json) -> str:
    """Return JSON without a `<`: the same value has the same text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")


def text_block(text: str) -> Block:
    """Return words of ours as a block."""
    return {"type": "text", "text": text}


def result_block(use_id: str, content: Sequence[Block], *, is_error: bool = False) -> Block:
    """Return what a tool gave."""
    block: dict[str, Json] = {
        "type": "tool_result",
        "tool_use_id": use_id,
        "content": list(content),
    }
    return block | {"is_error": True} if is_error else block


def cached(block: Block) -> Block:
    """Mark a block as the end of what providers keep in their prompt cache."""
    return {**block, "cache_control": {"type": "ephemeral"}}


def _on_one_line(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;")


CHARACTERS = 100
"""Characters of a name shown."""
_NAMED = (EntityType.DEFINITION, EntityType.ROLE, EntityType.JURISDICTION)


def system(prompt: Prompt, *, is_cached: bool) -> tuple[Block, ...]:
    """Return the system prompt: words of ours alone."""
    block = text_block(prompt.text)
    return (cached(block) if is_cached else block,)


def digest(outline: Outline, *, is_cached: bool) -> Block:
    """Return what the ontology covers, in an order that no query decides."""
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
        """Return whether this very stretch was shown."""
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
