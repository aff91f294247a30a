"""What the app's own page in Teams links to: who this is, what it records, on what terms.

Short, and true of every deployment. A company with pages of its own redirects there before us.
"""

from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

PAGES: Mapping[str, str] = {
    "/": "Citebound answers questions about your company's policies, and quotes them."
    " Ask it in Slack or Microsoft Teams.",
    "/privacy": "Privacy\n\nYour company runs this assistant and decides how long data are kept."
    " It records your questions, its answers, what you send to Compliance, and who asked."
    " A question may be sent to the language model that your company chose."
    "\n\nTo ask what is held about you, write to your company's Compliance department.",
    "/terms": "Terms of use\n\nAnswers are automated guidance on company policy, not legal advice."
    " Each rests on the quoted text; where that does not settle it, ask Compliance."
    "\n\nUse is subject to your company's own rules.",
}
"""Path -> what it says. The manifest of Teams names all of them."""


def routes() -> list[web.RouteDef]:
    """Return them as text, for anybody."""
    return [web.get(path, _saying(text)) for path, text in PAGES.items()]


def _saying(text: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def tell(_: web.Request) -> web.StreamResponse:
        return web.Response(text=f"{text}\n", headers={"X-Content-Type-Options": "nosniff"})

    return tell
