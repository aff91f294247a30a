"""The address that comes with an interaction: five uses within half an hour, no token."""

from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.servers.slack.blocks import blocks_faults
from tests.servers.slack.journal import Entry, Journal
from tests.servers.slack.posts import Ephemeral, Message
from tests.servers.slack.wire import Json, is_object, objects
from tests.servers.slack.workspace import Workspace

MOST_USES = 5
LIVES_S = 1800.0


@dataclass(slots=True, kw_only=True)
class _Given:
    channel: str
    user: str
    thread_ts: str | None
    original: Message | Ephemeral | None
    at: float
    uses: int = 0


class ResponseUrls:
    """Gives them out, and answers them."""

    def __init__(self, workspace: Workspace, journal: Journal):
        self.base_url = ""
        self._workspace = workspace
        self._journal = journal
        self._given: dict[str, _Given] = {}

    def give(self, channel: str, user: str, original: Message | Ephemeral | None = None) -> str:
        """Return a new address; it can replace the message whose button was pressed."""
        key = str(self._workspace.number())
        self._given[key] = _Given(
            channel=channel,
            user=user,
            thread_ts=original.thread_ts if original else None,
            original=original,
            at=self._workspace.clock.now(),
        )
        return f"{self.base_url}/response/{key}"

    async def handle(self, request: web.Request) -> web.Response:
        """Show, replace or delete."""
        body: Any = await request.json()
        now = self._workspace.clock.now()
        args: Json = body if is_object(body) else {}
        entry = Entry(method="response_url", at=now, args=args)
        self._journal.entries.append(entry)
        given = self._given.get(request.match_info["key"])
        fault = self._fault(given, args, now)
        if fault or given is None:
            entry.outcome = fault
            return web.json_response({"ok": False, "error": fault}, status=404)
        given.uses += 1
        self._do(given, args)
        entry.outcome, entry.was_done = "ok", True
        return web.Response(text="ok")

    def _fault(self, given: _Given | None, args: Json, now: float) -> str:
        if given is None:
            return "no_service"
        if now - given.at > LIVES_S:
            return "expired_url"
        if given.uses >= MOST_USES:
            return "used_url"
        if "blocks" in args and blocks_faults(args["blocks"], "message"):
            return "invalid_blocks"
        if not (args.keys() & {"text", "blocks", "delete_original"}):
            return "no_text"
        return ""

    def _do(self, given: _Given, args: Json) -> None:
        original = given.original
        if original and args.get("delete_original"):
            original.deleted = True
        elif original and args.get("replace_original"):
            original.text = str(args.get("text", ""))
            original.blocks = objects(args.get("blocks"))
        elif args.get("response_type") == "in_channel":
            self._post(given, args)
        else:
            self.show(given.channel, given.user, args, thread_ts=given.thread_ts)

    def show(
        self, channel: str, user: str, args: Json, *, thread_ts: str | None = None
    ) -> Ephemeral:
        """Show something to one person."""
        shown = Ephemeral(
            channel=channel,
            ts=self._workspace.new_ts(),
            user=user,
            text=str(args.get("text", "")),
            blocks=objects(args.get("blocks")),
            thread_ts=args.get("thread_ts") or thread_ts,
        )
        return self._workspace.show(shown)

    def _post(self, given: _Given, args: Json) -> None:
        workspace = self._workspace
        message = Message(
            channel=given.channel,
            ts=workspace.new_ts(),
            user=workspace.app.bot_user,
            team=workspace.team_id,
            bot_id=workspace.app.bot_id,
            app_id=workspace.app.id,
            text=str(args.get("text", "")),
            blocks=objects(args.get("blocks")),
            thread_ts=args.get("thread_ts") or given.thread_ts,
        )
        workspace.add(message)
