"""Content blocks: data that is no instruction, and sources cited sentence by sentence."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from core.adapters.anthropic.wire import Block
from core.domain.ontology import SectionRef
from core.domain.policy import Span
from core.domain.run import Json
from core.domain.sentences import split_sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Citable:
    """One sentence of a source."""

    text: str
    """As sent: with the white space up to the next sentence, so that all texts join to the
    source's."""
    span: Span
    """Where the sentence stands, white space aside."""


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
    """Its text, cut; at least one."""


def source_of(text: str, span: Span, place: SectionRef) -> Source | None:
    """Return a stretch of a policy as a source, or None if nothing is written there."""
    cuts = split_sentences(text)
    if not cuts:
        return None
    starts = [0, *(cut.char_start for cut in cuts[1:]), len(text)]
    sentences = tuple(
        Citable(
            text=text[starts[number] : starts[number + 1]],
            span=Span(
                version_id=span.version_id,
                char_start=span.char_start + cut.char_start,
                char_end=span.char_start + cut.char_end,
            ),
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
        sentences=sentences,
    )


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
        "\n".join(("<evidence>", f"from: {_on_one_line(source.title)}", *lines, "</evidence>"))
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
