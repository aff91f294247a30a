"""The moving picture of README: composed of what the product sends, and small enough to be seen."""

from collections.abc import Iterator
from html import escape
from typing import Any, cast

from PIL import Image

from tests.pictures.__main__ import IMAGES, MOVING
from tests.pictures.exchange import NOTE, QUESTION, STEPS, Press, Shot, Type, exchange, shots
from tests.pictures.scenes import SAMPLES
from tests.servers.teams.wire import Json

LARGEST = 2_000_000
"""Bytes."""
FEWEST, SHORTEST_MS, LONGEST_MS, HELD_MS = 60, 15_000, 30_000, 3_000
WIDEST = 1_700
"""Pixels: a page shows half as many, and each of them sharp."""
HIDDEN = {"child_blocks", "confirm"}
GIFTS = ("gifts-v2.md", "gifts-de.html", "gifts-gb.html")


def test_the_picture_is_small_and_repeats() -> None:
    """It is no larger than a page may hold, long enough to be read, and rests at its end."""
    file = IMAGES / MOVING
    assert file.stat().st_size <= LARGEST
    with Image.open(file) as picture:
        lasting: list[int] = []
        for number in range(getattr(picture, "n_frames", 1)):
            picture.seek(number)
            lasting.append(int(picture.info["duration"]))
        assert picture.info["loop"] == 0
        assert picture.width <= WIDEST
    assert len(lasting) >= FEWEST
    assert SHORTEST_MS <= sum(lasting) <= LONGEST_MS
    assert lasting[-1] >= HELD_MS


async def test_the_shots_show_what_the_product_sends(database_url: str) -> None:
    """Each message and modal stands in a shot, word for word, and what is pressed is there."""
    sent = await exchange(database_url, [SAMPLES / name for name in GIFTS])
    taken = list(shots(sent))
    views = [view["blocks"] for view in (sent.evidence, sent.form, sent.sent)]
    for blocks in (sent.asked_back, sent.chosen, sent.answer, *views, sent.case):
        texts = [escape(text, quote=False).replace("\n", "<br>") for text in _visible(blocks)]
        assert texts
        assert any(all(text in _read(shot) for text in texts) for shot in taken), texts
    assert any(sent.status in shot.body for shot in taken)
    steps = [shot.step for shot in taken]
    assert steps == sorted(steps)
    assert set(steps) == set(range(len(STEPS)))
    typed = [move.text for shot in taken for move in shot.moves if isinstance(move, Type)]
    assert typed == [QUESTION, NOTE]
    for shot in taken:
        pressed = [move.button for move in shot.moves if isinstance(move, Press)]
        assert all(f">{button}</button>" in shot.body for button in pressed)


def _read(shot: Shot) -> str:
    return shot.body.replace("&#x27;", "'").replace("&quot;", '"')


def _visible(given: Any) -> Iterator[str]:
    """Yield the texts of blocks that stand there before anything in them is opened."""
    if isinstance(given, list):
        for inner in cast("list[Any]", given):
            yield from _visible(inner)
    elif isinstance(given, dict):
        block = cast("Json", given)
        if block.get("type") in {"text", "plain_text"}:
            yield str(block["text"])
            return
        is_select = block.get("type") == "static_select"
        hidden = {*HIDDEN, "options"} if is_select else HIDDEN
        for inner in (block[key] for key in block.keys() - hidden):
            yield from _visible(inner)
