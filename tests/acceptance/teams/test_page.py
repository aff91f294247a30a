"""The page of Microsoft's own client, once: a question is typed, and the answer is looked at.

The screenshot is kept as `build/teams-playground.png`, for people to look at.
"""

from pathlib import Path

from tests.servers.browser import browser, need_browser
from tests.teams_playground import playing

SCREENSHOT = Path(__file__).parents[3] / "build" / "teams-playground.png"
QUESTION = "What is the limit for gifts that employees accept from business partners?"


EDITOR = "document.querySelector('[contenteditable=true]')"


async def test_the_page(policies_database: str) -> None:
    """Greeted first; then typed, sent, answered with badge, quote, sources and buttons."""
    program = need_browser()
    async with playing(policies_database) as (_, ground), browser(program) as page:
        await page.open(ground.base_url)
        await page.until("document.body.innerText.includes('Compliance Assistant')")
        await page.until(f"{EDITOR} !== null")
        await page.evaluate(f"{EDITOR}.focus()")
        await page.type(QUESTION)
        await page.press_enter()
        await page.until("document.body.innerText.includes('High confidence')")
        await page.until("document.body.innerText.includes('Report a problem')")
        seen = str(await page.evaluate("document.body.innerText"))
        picture = await page.screenshot()
    SCREENSHOT.parent.mkdir(exist_ok=True)
    SCREENSHOT.write_bytes(picture)
    for part in (QUESTION, "EUR 75", "Sources (2)", "Show evidence", "Ask Compliance"):
        assert part in seen, f"not on the page: {part}"
    assert picture.startswith(b"\x89PNG")
