"""Content blocks: data that is no instruction, and sources cited sentence by sentence."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.adapters.anthropic.api.api_types import Block
from core.domain.ontology import SectionRef
from core.domain.run import Json
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
    """Say whether a text is a list item or a table row: what stands before it completes it."""
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
