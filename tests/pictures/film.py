"""A moving picture: shots that a browser draws, as a GIF that GitHub shows where it stands.

Frames differ in little but at a cut, so that a file of some seventy is small: one palette serves
all, and each frame keeps only what changed.
"""

import asyncio
import io
import json
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.pictures.exchange import Hold, Move, Press, Scroll, Shot, Type, page
from tests.servers.browser import Page, browser, need_browser

WIDTH, HEIGHT = 800, 664
SCALE = 2
FREQUENT = 160
"""Of the 256 colours of the palette, those that stay as they are."""
KEYS_MS, PER_FRAME = 80, 3
"""How long a frame of typing stands, and the characters typed in it."""
GLIDES, GLIDE_MS = 7, 40
"""Frames of the pointer's way to a button, or of a modal's to its end."""
PRESSED_MS = 260
CENTRE = """(() => {
  const all = [...document.querySelectorAll("button")].filter(one => one.textContent === %s);
  const {x, y, width, height} = all.at(-1).getBoundingClientRect();
  return [x + width / 2, y + height / 2];
})()"""
POINT = "document.getElementById('pointer').style.transform = 'translate(%dpx, %dpx)'"
PRESS = """[...document.querySelectorAll("button")].filter(one => one.textContent === %s)
  .at(-1).classList.add("pressed")"""
TYPE = """(() => {
  const field = document.getElementById(%s);
  field.innerHTML = %s;
  field.append(document.createTextNode(%s));
  field.parentElement.classList.add("typed");
})()"""
LEFT = "(form => form.scrollHeight - form.clientHeight)(document.querySelector('.form'))"
SCROLL = "document.querySelector('.form').scrollTop = %d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame."""

    png: bytes
    ms: int
    """How long it stands."""


class Camera:
    """Takes the frames of shots; the pointer stays where it was from one to the next."""

    def __init__(self, shown: Page):
        self._shown = shown
        self._x, self._y = WIDTH * 0.72, HEIGHT * 0.6

    async def frames(self, moves: Iterable[Move]) -> AsyncIterator[Frame]:
        """Yield the frames of what is shown."""
        await self._point(self._x, self._y)
        for move in moves:
            match move:
                case Hold():
                    yield await self._frame(move.ms)
                case Type():
                    async for frame in self._type(move):
                        yield frame
                case Press():
                    async for frame in self._press(move.button):
                        yield frame
                case Scroll():
                    async for frame in self._scroll():
                        yield frame

    async def _type(self, move: Type) -> AsyncIterator[Frame]:
        for end in range(PER_FRAME, len(move.text) + PER_FRAME, PER_FRAME):
            told = (f"in-{move.into}", move.lead, move.text[:end])
            await self._shown.evaluate(TYPE % tuple(map(json.dumps, told)))
            yield await self._frame(KEYS_MS)

    async def _scroll(self) -> AsyncIterator[Frame]:
        left = await self._shown.evaluate(LEFT)
        for done in range(1, GLIDES + 1):
            await self._shown.evaluate(SCROLL % (left * _eased(done / GLIDES)))
            yield await self._frame(GLIDE_MS)

    async def _press(self, button: str) -> AsyncIterator[Frame]:
        words = json.dumps(button)
        from_x, from_y = self._x, self._y
        self._x, self._y = await self._shown.evaluate(CENTRE % words)
        for done in range(1, GLIDES + 1):
            part = _eased(done / GLIDES)
            await self._point(
                from_x + (self._x - from_x) * part, from_y + (self._y - from_y) * part
            )
            yield await self._frame(GLIDE_MS)
        await self._shown.evaluate(PRESS % words)
        yield await self._frame(PRESSED_MS)

    async def _point(self, x: float, y: float) -> None:
        await self._shown.evaluate(POINT % (x, y))

    async def _frame(self, ms: int) -> Frame:
        return Frame(png=await self._shown.screenshot(of="#picture"), ms=ms)


def _eased(part: float) -> float:
    """Return how far something is that sets off slowly and comes in slowly."""
    return part * part * (3 - 2 * part)


async def film(shots: Iterable[Shot], *, fonts: str) -> list[Frame]:
    """Return the frames of shots."""
    taken: list[Frame] = []
    with tempfile.TemporaryDirectory(prefix="citebound-film-") as made:
        async with browser(need_browser(), width=WIDTH, height=HEIGHT, scale=SCALE) as shown:
            camera = Camera(shown)
            for number, shot in enumerate(shots):
                file = Path(made) / f"{number}.html"
                await asyncio.to_thread(file.write_text, page(shot, fonts=fonts))
                await shown.open(file.as_uri())
                await shown.until("document.fonts.status === 'loaded'")
                taken += [frame async for frame in camera.frames(shot.moves)]
    return taken


def keep(frames: list[Frame], file: Path) -> None:
    """Write them as a GIF that repeats for ever."""
    images = [Image.open(io.BytesIO(frame.png)).convert("RGB") for frame in frames]
    seen = Counter[Any]()
    for image in images:
        for count, colour in image.getcolors(image.width * image.height) or ():
            seen[colour] += count
    colours = np.array([colour for colour, _ in seen.most_common()])
    palette = _palette(colours)
    place = np.zeros(1 << 24, dtype=np.uint8)
    place[_codes(colours)] = [int(np.abs(palette - one).sum(1).argmin()) for one in colours]
    drawn = [Image.fromarray(place[_codes(np.asarray(image))]) for image in images]
    for image in drawn:
        image.putpalette(palette.ravel().tolist())
    drawn[0].save(
        file,
        save_all=True,
        append_images=drawn[1:],
        duration=[frame.ms for frame in frames],
        loop=0,
        optimize=False,
        disposal=1,
    )


def _codes(colours: np.ndarray) -> np.ndarray:
    """Return colours as numbers."""
    return colours.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)


def _palette(colours: np.ndarray) -> np.ndarray:
    """Return 256 colours: the most frequent as they are, and others near the rest."""
    rest = Image.fromarray(colours[None, FREQUENT:].astype(np.uint8))
    near = rest.quantize(256 - FREQUENT).getpalette() or []
    return np.concatenate([colours[:FREQUENT], np.array(near).reshape(-1, 3)])[:256]
