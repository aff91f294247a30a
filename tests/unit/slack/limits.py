"""Faults of blocks that Slack refuses, but neither types nor SDK nor any validator finds."""

from collections.abc import Iterator, Mapping, Sequence

from core.domain.json_value import Json

IN_MESSAGE, IN_VIEW = 50, 100
MARKDOWN = 12_000


def own_rules(blocks: Sequence[Mapping[str, Json]], limit: int = IN_MESSAGE) -> Iterator[str]:
    """Yield each fault; `limit` is how many blocks the surface takes."""
    if len(blocks) > limit:
        yield f"{len(blocks)} blocks, at most {limit}"
    markdown = [str(one.get("text")) for one in blocks if one["type"] == "markdown"]
    if sum(map(len, markdown)) > MARKDOWN:
        yield "markdown blocks together exceed 12,000 characters"
    yield from _of_each(blocks, "blocks")


def _of_each(blocks: Sequence[Mapping[str, Json]], path: str) -> Iterator[str]:
    """Yield the faults of each block, and of those within it."""
    for index, block in enumerate(blocks):
        elements = _objects(block.get("elements"))
        ids = [one["action_id"] for one in elements if "action_id" in one]
        if len(ids) != len(set(ids)):
            yield f"{path}[{index}]: action_id used twice"
        if block["type"] == "rich_text" and not elements:
            yield f"{path}[{index}]: empty rich_text"
        yield from _of_each(_objects(block.get("child_blocks")), f"{path}[{index}].child_blocks")


def _objects(given: Json) -> list[Mapping[str, Json]]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        return []
    return [one for one in given if isinstance(one, Mapping)]
