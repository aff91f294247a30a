"""Whether rich text and tables are such as Slack takes them."""

from collections.abc import Iterator
from typing import Any

from tests.servers.slack.shapes import faults_of_shape
from tests.servers.slack.wire import Json, is_array, is_object, objects

PARTS = frozenset({"rich_text_section", "rich_text_list", "rich_text_quote"}) | {
    "rich_text_preformatted"
}
LEAVES = frozenset(
    ["broadcast", "channel", "color", "date", "emoji", "link", "team", "text", "user", "usergroup"]
)
STYLES = frozenset({"bold", "code", "italic", "strike", "underline"}) | {
    "client_highlight",
    "highlight",
    "unlink",
}
CELLS = frozenset({"raw_text", "raw_number", "rich_text"})


def rich_text_faults(block: Json, path: str) -> Iterator[str]:
    """Check a rich_text block."""
    parts = objects(block.get("elements"))
    if not parts:
        yield f"must have at least 1 element [json-pointer:{path}/elements]"
    for index, part in enumerate(parts):
        yield from _part_faults(part, PARTS, f"{path}/elements/{index}")


def _part_faults(part: Json, allowed: frozenset[str], path: str) -> Iterator[str]:
    kind = part.get("type")
    if kind not in allowed:
        yield f"unsupported element: {kind} [json-pointer:{path}/type]"
        return
    yield from faults_of_shape(part, "rich text", path)
    if kind == "rich_text_list":
        if part.get("style") not in {"bullet", "ordered"}:
            yield f"style must be bullet or ordered [json-pointer:{path}/style]"
        if not 0 <= int(part.get("indent", 0)) <= 8:
            yield f"indent must be 0 to 8 [json-pointer:{path}/indent]"
        inner = frozenset({"rich_text_section"})
    else:
        inner = LEAVES
    for index, one in enumerate(objects(part.get("elements"))):
        here = f"{path}/elements/{index}"
        if inner is LEAVES:
            yield from _leaf_faults(one, here)
        else:
            yield from _part_faults(one, inner, here)


def _leaf_faults(leaf: Json, path: str) -> Iterator[str]:
    if leaf.get("type") not in LEAVES:
        yield f"unsupported element: {leaf.get('type')} [json-pointer:{path}/type]"
        return
    yield from faults_of_shape(leaf, "rich text", path)
    if leaf["type"] == "text" and not leaf.get("text"):
        yield f"must be more than 0 characters [json-pointer:{path}/text]"
    if leaf["type"] == "link" and not leaf.get("url"):
        yield f"must be more than 0 characters [json-pointer:{path}/url]"
    if leaf["type"] == "broadcast" and leaf.get("range") not in {"here", "channel", "everyone"}:
        yield f"unknown range [json-pointer:{path}/range]"
    style: Any = leaf.get("style", {})
    if not is_object(style) or style.keys() - STYLES:
        yield f"unknown style [json-pointer:{path}/style]"


def table_faults(block: Json, path: str) -> Iterator[str]:
    """Check a table (100 x 20) or a data_table (2 to 201 rows, 20 columns, a caption)."""
    is_data = block.get("type") == "data_table"
    rows: list[Any] = block["rows"] if is_array(block.get("rows")) else []
    least, most = (2, 201) if is_data else (1, 100)
    if not least <= len(rows) <= most:
        yield f"expected {least} to {most} rows, got {len(rows)} [json-pointer:{path}/rows]"
    for index, row in enumerate(rows):
        cells = objects(row)
        if not 1 <= len(cells) <= 20:
            yield f"expected 1 to 20 columns [json-pointer:{path}/rows/{index}]"
        yield from _cell_faults(cells, f"{path}/rows/{index}")
    if is_data:
        yield from _data_table_faults(block, rows, path)


def _cell_faults(cells: list[Json], path: str) -> Iterator[str]:
    for index, cell in enumerate(cells):
        if cell.get("type") not in CELLS:
            yield f"unsupported cell: {cell.get('type')} [json-pointer:{path}/{index}]"
        elif cell["type"] == "rich_text":
            yield from rich_text_faults(cell, f"{path}/{index}")


def _data_table_faults(block: Json, rows: list[Any], path: str) -> Iterator[str]:
    caption = block.get("caption")
    if not (isinstance(caption, str) and caption):
        yield f"must be a string, not empty [json-pointer:{path}/caption]"
    if not 1 <= int(block.get("page_size", 1)) <= 100:
        yield f"must be 1 to 100 [json-pointer:{path}/page_size]"
    length = sum(len(str(cell.get("text", ""))) for row in rows for cell in objects(row))
    if length > 20_000:
        yield f"must be less than 20001 characters, got {length} [json-pointer:{path}/rows]"
    if len({len(objects(row)) for row in rows}) > 1:
        yield f"rows of different lengths [json-pointer:{path}/rows]"
