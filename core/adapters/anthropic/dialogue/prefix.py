"""What comes first in every request about one edition and scope, byte for byte the same.

The system prompt, the tools, and a digest of the ontology. Names in the digest were written by
those who wrote the policies, so it is data in the first turn, and not part of the system prompt.
"""

from collections.abc import Mapping, Sequence

from core.adapters.anthropic.api.api_types import Block
from core.adapters.anthropic.dialogue.blocks import cached, data_block, text_block
from core.agent.prompts import Prompt
from core.domain.knowledge import Outline
from core.domain.ontology import EntityType
from core.domain.run import Json

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
