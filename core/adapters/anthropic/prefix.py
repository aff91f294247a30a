"""What comes first in every request about one edition and scope, byte for byte the same.

The system prompt, the tools, and a digest of the ontology. Names in the digest were written by
those who wrote the policies, so it is data in the first turn, and not part of the system prompt.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from core.adapters.anthropic.blocks import cached, data_block, text_block
from core.adapters.anthropic.wire import Block
from core.agent.prompts import Prompt
from core.domain.ontology import EntityType, Snapshot
from core.domain.run import Json

POLICIES = 80
"""Policies named at most."""
NAMES = 60
"""Names of one type given at most."""
CHARACTERS = 100
"""Characters of a name shown."""
_NAMED = (EntityType.DEFINITION, EntityType.ROLE, EntityType.JURISDICTION)


def system(prompt: Prompt, *, is_cached: bool) -> tuple[Block, ...]:
    """Return the system prompt: words of ours alone."""
    block = text_block(prompt.text)
    return (cached(block) if is_cached else block,)


def digest(snapshot: Snapshot, *, is_cached: bool) -> Block:
    """Return what the ontology covers, in an order that no query decides."""
    counts = Counter(entity.type.value for entity in snapshot.entities)
    policies = sorted(
        {(place.policy_title, place.jurisdiction or "") for place in snapshot.places.values()}
    )
    titles: list[Json] = [
        f"{title[:CHARACTERS]} ({country})" if country else title[:CHARACTERS]
        for title, country in policies[:POLICIES]
    ]
    value: Mapping[str, Json] = {
        "edition": snapshot.edition,
        "policies": titles,
        "policies_in_all": len(policies),
        "facts": dict(sorted(counts.items())),
        "names": {type_.value: _names(snapshot, type_) for type_ in _NAMED},
    }
    block = data_block("ontology", value)
    return cached(block) if is_cached else block


def _names(snapshot: Snapshot, type_: EntityType) -> Sequence[Json]:
    names = {entity.name[:CHARACTERS] for entity in snapshot.entities if entity.type is type_}
    return sorted(names)[:NAMES]
