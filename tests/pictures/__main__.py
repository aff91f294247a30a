"""Draw the pictures of the pages: `python -m tests.pictures [FOLDER]`, by default `docs/images`.

The product answers (`scenes`), its own renderers make the blocks and cards, and Chromium draws
them: cards by Microsoft's renderer, blocks by `slack`. Colours and type are like the platforms',
which draw them a little differently. Sheets (`sheets`) show each kind of reply in both themes and
languages, wide and narrow; `--sheets` draws these alone. `exchange` is the one that moves; it alone
is drawn with `--moving`. Needs Node, npm and Chromium.
"""

import asyncio
import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from core.language.languages import Language
from tests.pictures import sheets, slack, teams
from tests.pictures.exchange import exchange, shots
from tests.pictures.film import film, keep
from tests.pictures.scenes import ASKER, Picture, database, pictures
from tests.servers.browser import browser, need_browser
from tests.servers.npm import package

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SCALE = 2
"""Pixels of a picture for each pixel of the page."""
MOVING = "slack-exchange.gif"
COLOURS, SHEET_COLOURS, GERMAN_COLOURS = 128, 56, 24
"""Of a picture's palette: text needs few."""
FONTS = {
    "slack": ("Lato", "@fontsource/lato", "5.3.0", "lato", (400, 700, 900)),
    "teams": ("Open Sans", "@fontsource/open-sans", "5.3.0", "open-sans", (400, 600, 700)),
}
"""Of each platform: family, package on npm, version, name of its files, weights."""
NOTE = (
    "Rendered from the product's own {what}, with collapsed parts open,"
    " on the sample policies of an invented company."
)


def page(picture: Picture) -> str:
    """Return the HTML of a picture."""
    platform = picture.name.partition("-")[0]
    is_slack = platform == "slack"
    drawn = slack.blocks(picture.posted["blocks"]) if is_slack else teams.message(picture.posted)
    note = NOTE.format(what="Block Kit blocks" if is_slack else "messages and Adaptive Cards")
    style = (Path(__file__).parent / "page.css").read_text()
    cards = "" if is_slack else _cards()
    return (
        f"<!doctype html><meta charset='utf-8'><style>{_fonts(platform)}{style}</style>"
        f"<body><div id='picture' class='{platform}'>{_asked(picture)}"
        f"<div class='line app'><div class='avatar'>C</div><div class='said'>"
        f"<div class='who'>Citebound<em>APP</em></div><div class='bubble'>{drawn}</div></div></div>"
        f"<p id='note'>{note}</p></div>{cards}</body>"
    )


def _asked(picture: Picture) -> str:
    if not picture.question:
        return ""
    return (
        f"<div class='line'><div class='avatar'>{ASKER[0]}</div><div class='said'>"
        f"<div class='who'>{ASKER}</div><div class='bubble'><span class='mention'>@Citebound</span>"
        f" {picture.question}</div></div></div>"
    )


def sheet_page(platform: str, theme: str, language: Language = Language.ENGLISH) -> str:
    """Return the HTML of a sheet."""
    style = (Path(__file__).parent / "page.css").read_text()
    cards = _cards(theme) if platform == "teams" else ""
    return (
        f"<!doctype html><meta charset='utf-8'><style>{_fonts(platform)}{style}</style>"
        f"<body>{sheets.sheet(platform, theme, language)}{cards}</body>"
    )


def _cards(theme: str = "light") -> str:
    library = package(*teams.CARDS) / "dist" / "adaptivecards.min.js"
    return f"<script src='{library.as_uri()}'></script><script>{teams.script(theme)}</script>"


def _fonts(platform: str) -> str:
    family, name, version, file, weights = FONTS[platform]
    files = package(name, version) / "files"
    return "".join(
        f"@font-face {{ font-family: '{family}'; font-weight: {weight}; font-style: {style};"
        f" src: url('{(files / f'{file}-latin-{weight}-{style}.woff2').as_uri()}'); }}"
        for weight in weights
        for style in ("normal", "italic")
    )


async def draw(pages: dict[str, str], folder: Path, *, scale: int, colours: int) -> None:
    """Draw pages into a folder, by the names of their pictures."""
    with tempfile.TemporaryDirectory(prefix="citebound-pictures-") as made:
        async with browser(need_browser(), scale=scale) as shown:
            for name, html in pages.items():
                file = Path(made) / f"{name}.html"
                await asyncio.to_thread(file.write_text, html)
                await shown.open(file.as_uri())
                is_drawn = "document.body.dataset.drawn" if "teams" in name else "true"
                await shown.until(f"document.fonts.status === 'loaded' && {is_drawn}")
                taken = await shown.screenshot(of="#picture")
                await asyncio.to_thread(_keep, taken, folder / f"{name}.png", colours)


def _keep(taken: bytes, file: Path, colours: int) -> None:
    """Write a picture with a palette, which makes it a third as large."""
    image = Image.open(io.BytesIO(taken)).convert("RGB")
    image.quantize(colours, dither=Image.Dither.NONE).save(file, optimize=True)
    _tell(file)


async def main(folder: Path, *, sheets_alone: bool) -> None:
    """Ask and draw."""
    shown = {
        f"{platform}-{theme}": sheet_page(platform, theme)
        for platform in ("slack", "teams")
        for theme in ("light", "dark")
    }
    await draw(shown, folder, scale=1, colours=SHEET_COLOURS)
    german = {
        f"{platform}-german": sheet_page(platform, "light", Language.GERMAN)
        for platform in ("slack", "teams")
    }
    await draw(german, folder, scale=1, colours=GERMAN_COLOURS)
    if not sheets_alone:
        with database() as url:
            found = await pictures(url)
        await draw({one.name: page(one) for one in found}, folder, scale=SCALE, colours=COLOURS)
        await _draw_exchange(folder / MOVING)


async def _draw_exchange(file: Path) -> None:
    """Draw the moving picture, over a database of its own: its case is the first."""
    with database() as url:
        sent = await exchange(url)
    frames = await film(shots(sent), fonts=_fonts("slack"))
    await asyncio.to_thread(keep, frames, file)
    _tell(file)


def _tell(file: Path) -> None:
    sys.stdout.write(f"{file.name}: {file.stat().st_size // 1000} kB\n")


if __name__ == "__main__":
    given = [one for one in sys.argv[1:] if not one.startswith("--")]
    made = Path(given[0]) if given else IMAGES
    made.mkdir(parents=True, exist_ok=True)
    if "--moving" in sys.argv:
        asyncio.run(_draw_exchange(made / MOVING))
    else:
        asyncio.run(main(made, sheets_alone="--sheets" in sys.argv))
