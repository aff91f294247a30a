"""The page on which somebody lets the app into the workspace."""

from urllib.parse import urlencode, urlsplit

from aiohttp import web

from tests.servers.slack.workspace import Workspace


class Installing:
    """Says yes at once, unless a knob says no, and sends the browser back with a code."""

    def __init__(self, workspace: Workspace):
        self._workspace = workspace

    async def handle(self, request: web.Request) -> web.Response:
        """Answer the browser."""
        asked = request.query
        back = asked.get("redirect_uri", "")
        if asked.get("client_id") != self._workspace.app.client_id or not urlsplit(back).scheme:
            return web.Response(status=400, text="unknown app, or no way back")
        told = {"state": asked.get("state", "")}
        if self._workspace.knobs.denies_install:
            told["error"] = "access_denied"
        else:
            told["code"] = f"code-{self._workspace.number()}-{self._workspace.team_id}"
            self._workspace.keys.codes.add(told["code"])
        return web.Response(status=302, headers={"Location": f"{back}?{urlencode(told)}"})
