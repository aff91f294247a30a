"""A model that reads sections, by script: what a diligent one would record, and a hostile one.

with anthropic_server(diligent) as server: ...
"""

import re
from collections.abc import Callable
from typing import Any

from core.domain.ontology import EntityType
from core.language.modality import Modality, modality
from core.language.quantities import quantities
from core.language.sentences import split_sentences
from core.ontology.extract.norms import NORM_TYPES
from tests.servers.anthropic_steps import Reply, Step, reply, tool_use, usage

Body = dict[str, Any]
Facts = dict[str, list[dict[str, Any]]]
NOTHING: Facts = {"entities": [], "relations": []}
_DATA = re.compile(
    r"<(data-[0-9a-f]{12})>\npolicy: .*\nheadings: .*\nsection:\n(.*)\n</\1>", re.DOTALL
)
_LEDGER = re.compile(r"\b(?:[A-Z][a-z]+ )+(?:Ledger|Calendar|Circle)\b")


def section_of(body: Body) -> str:
    """Return the section's text as a request shows it."""
    match = _DATA.search(body["messages"][0]["content"][0]["text"])
    assert match is not None
    return match[2]


def records(facts: Any, **used: int) -> Reply:
    """Return a reply that records facts."""
    return reply(tool_use("record_facts", facts), usage=usage(**used))


def read(text: str) -> Facts:
    """Return what a diligent reader finds: rules, numbers and names, each with its sentence."""
    entities: list[dict[str, Any]] = []
    relations: list[dict[str, Any]] = []

    def add(type_: EntityType, name: str, quote: str, **more: Any) -> str:
        key = f"e{len(entities) + 1}"
        entities.append({"id": key, "type": type_.value, "name": name, "quote": quote, **more})
        return key

    for span in split_sentences(text):
        quote = span.of(text)
        kind = modality(quote)
        type_ = NORM_TYPES[kind] if kind is not Modality.NONE else None
        rule = add(type_, quote[:60], quote) if type_ else None
        for quantity in quantities(quote):
            if quantity.kind in {"amount", "percentage"}:
                limit = add(EntityType.THRESHOLD, quantity.raw, quote)
                if rule:
                    relations.append(
                        {"source": rule, "type": "has_threshold", "target": limit, "quote": quote}
                    )
            elif quantity.kind == "duration":
                add(EntityType.DEADLINE, quantity.raw, quote)
        for match in _LEDGER.finditer(quote):
            add(EntityType.RECORD, match[0], quote)
    return {"entities": entities[:200], "relations": relations[:200]}


def diligent(body: Body) -> Step:
    """Read the section; use tokens in proportion, the prefix from the cache."""
    text = section_of(body)
    facts = read(text)
    return records(facts, fresh=len(text) // 4, cache_read=1_900, output=len(str(facts)) // 4)


def always(facts: Any) -> Callable[[Body], Step]:
    """Record the same for each section, whatever it says."""
    return lambda _body: records(facts)
