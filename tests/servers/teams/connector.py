"""The connector service over HTTP: who calls, what goes wrong, what is done."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from tests.servers.slack.clock import Clock
from tests.servers.slack.faults import Fault, Faults
from tests.servers.slack.journal import Entry, Journal
from tests.servers.teams import content
from tests.servers.teams.limits import Limits
from tests.servers.teams.login import Login
from tests.servers.teams.streams import OUT_OF_ORDER, DroppedError, Streams
from tests.servers.teams.tenant import Conversation, Message, Tenant
from tests.servers.teams.wire import Json, RefusedError, is_object, objects, refused

SMALLEST_PAGE, LARGEST_PAGE = 50, 500
FRESH_S = 24 * 3_600.0
"""A targeted message is gone after that."""


class Connector:
    """Answers `/v3/conversations…`."""

    def __init__(
        self,
        tenant: Tenant,
        login: Login,
        streams: Streams,
        *,
        clock: Clock,
        faults: Faults,
        limits: Limits,
        journal: Journal,
    ):
        self._tenant = tenant
        self._login = login
        self._streams = streams
        self._clock = clock
        self._faults = faults
        self._limits = limits
        self._journal = journal
        self.page = LARGEST_PAGE
        """Members on a page at most."""

    def routes(self, prefix: str) -> list[web.RouteDef]:
        """Return what is served."""
        at = f"{prefix}/v3/conversations"
        return [
            web.post(at, self._handler("create", self._create)),
            web.post(f"{at}/{{cid}}/activities", self._handler("post", self._post)),
            web.post(f"{at}/{{cid}}/activities/{{aid}}", self._handler("reply", self._post)),
            web.put(f"{at}/{{cid}}/activities/{{aid}}", self._handler("update", self._update)),
            web.delete(f"{at}/{{cid}}/activities/{{aid}}", self._handler("delete", self._delete)),
            web.get(f"{at}/{{cid}}/pagedmembers", self._handler("members", self._members)),
        ]

    def _handler(self, call: str, do: Callable[[web.Request, Json], tuple[int, Json]]) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            entry = Entry(method=call, at=self._clock.now())
            entry.user_agent = request.headers.get("User-Agent", "")
            entry.token = request.headers.get("Authorization", "").removeprefix("Bearer ")
            self._journal.entries.append(entry)
            fault = self._faults.take(call) or Fault()
            await asyncio.sleep(fault.delay_s)
            if fault.drop_before:
                entry.outcome = "dropped"
                return _cut(request)
            if fault.status is not None:
                entry.outcome = str(fault.status)
                return _spoilt(fault)
            return await self._answer(request, entry, fault, do)

        return handle

    async def _answer(
        self,
        request: web.Request,
        entry: Entry,
        fault: Fault,
        do: Callable[[web.Request, Json], tuple[int, Json]],
    ) -> web.StreamResponse:
        try:
            entry.args = await _body(request)
            self._admit(request, entry.method)
            status, entry.result = do(request, entry.args)
        except DroppedError:
            entry.outcome = OUT_OF_ORDER
            return web.json_response({"error": {"code": OUT_OF_ORDER}}, status=202)
        except RefusedError as error:
            entry.outcome, entry.result = error.code, error.body()
            wait = error.retry_after_s
            headers = {} if wait is None else {"Retry-After": str(wait)}
            return web.json_response(error.body(), status=error.status, headers=headers)
        entry.was_done, entry.outcome = True, "ok"
        await asyncio.sleep(fault.delay_answer_s)
        if fault.drop_after:
            entry.outcome = "dropped after"
            return _cut(request)
        if fault.garble:
            entry.outcome = "garbled"
            return web.Response(text='{"id": "1', content_type="application/json")
        if status == 202 and not entry.result:
            return web.Response(status=status)
        return web.json_response(entry.result, status=status)

    def _admit(self, request: web.Request, call: str) -> None:
        header = request.headers.get("Authorization", "")
        if self._tenant.requires_token and not self._login.is_good(header):
            told = "Authorization has been denied for this request."
            raise refused(401, "Unauthorized", told)
        self._limits.check(call, request.match_info.get("cid", ""))

    def _conversation(self, request: web.Request) -> tuple[Conversation, str | None]:
        """Return a conversation, and the thread that is meant."""
        held, _, root = request.match_info["cid"].partition(";messageid=")
        found = self._tenant.conversations.get(held)
        if found is None:
            raise refused(404, "ConversationNotFound", "Conversation not found.")
        if not found.has_bot:
            told = "The bot is not part of the conversation roster."
            raise refused(403, "BotNotInConversationRoster", told)
        return found, (root or None)

    def _open(self, request: web.Request) -> tuple[Conversation, str | None]:
        found, root = self._conversation(request)
        if found.refuses is not None:
            raise RefusedError(*found.refuses)
        if found.kind == "personal" and found.members[0].has_blocked_bot:
            raise refused(403, "ConversationBlockedByUser", "User blocked the conversation.")
        return found, root

    def _post(self, request: web.Request, activity: Json) -> tuple[int, Json]:
        conversation, root = self._open(request)
        content.check(activity, conversation)
        if self._streams.is_part(activity):
            status, message = self._streams.take(activity, conversation)
            return status, ({"id": message.id} if status == 201 else {})
        place = f"{conversation.id};messageid={root}" if root else conversation.id
        if activity["type"] == "typing":
            self._tenant.typing.append((place, self._clock.now()))
            return 201, {"id": self._tenant.new_id()}
        only_for = _target(request, activity, conversation)
        message_id = self._tenant.new_id()
        if conversation.kind == "channel":
            root = root or request.match_info.get("aid") or message_id
        message = Message(
            id=message_id,
            conversation=conversation.id,
            root=root if conversation.kind == "channel" else None,
            activity=activity,
            by=self._tenant.bot_id,
            only_for=only_for,
        )
        self._tenant.messages.append(message)
        return 201, {"id": message.id}

    def _own(self, request: web.Request, conversation: Conversation) -> Message:
        found = self._tenant.find(request.match_info["aid"], conversation.id)
        if found is None or found.by != self._tenant.bot_id:
            told = "Activity not found in conversation."
            raise refused(404, "ActivityNotFoundInConversation", told)
        if (found.only_for is not None) != _is_targeted(request):
            raise refused(400, "BadArgument", "A targeted message, or not: as it was sent")
        return found

    def _update(self, request: web.Request, activity: Json) -> tuple[int, Json]:
        conversation = self._open(request)[0]
        content.check(activity, conversation)
        message = self._own(request, conversation)
        if activity["type"] != "message" or self._streams.is_part(activity):
            raise refused(400, "BadSyntax", "Only messages can be updated")
        if message.stream is not None and self._streams.state(message.stream) == "open":
            raise refused(403, "ContentStreamNotAllowed", "Content stream is not allowed: open")
        if _is_targeted(request) and activity.get("recipient"):
            raise refused(400, "BadArgument", "An update names no recipient")
        message.history.append(message.activity)
        message.activity = activity
        return 200, {"id": message.id}

    def _delete(self, request: web.Request, _: Json) -> tuple[int, Json]:
        conversation = self._open(request)[0]
        self._own(request, conversation).deleted = True
        return 200, {}

    def _create(self, _: web.Request, given: Json) -> tuple[int, Json]:
        told: dict[str, Any] = {key.lower(): value for key, value in given.items()}
        data: Json = told.get("channeldata") or {}
        place: Json = data.get("channel") or {}
        channel = str(place.get("id"))
        if told.get("isgroup"):
            return 201, self._thread(channel, told.get("activity"))
        if told.get("tenantid") != self._tenant.id:
            raise refused(403, "Forbidden", "Expected the tenant's id")
        ids = [one.get("id") for one in objects(told.get("members"))]
        people = self._tenant.people.values()
        found = [one for one in people if len(ids) == 1 and ids[0] in {one.id, one.aad}]
        if not found:
            raise refused(400, "BadSyntax", "Bad format of conversation members")
        if found[0].has_blocked_bot:
            raise refused(403, "ConversationBlockedByUser", "User blocked the conversation.")
        return 201, {"id": self._tenant.personal(found[0]).id}

    def _thread(self, channel: str, activity: Any) -> Json:
        conversation = self._tenant.conversations.get(channel)
        if conversation is None or conversation.kind != "channel":
            raise refused(404, "ConversationNotFound", "Conversation not found.")
        if conversation.refuses is not None:
            raise RefusedError(*conversation.refuses)
        if not is_object(activity):
            raise refused(400, "BadSyntax", "A new thread begins with an activity")
        content.check(activity, conversation)
        number = self._tenant.new_id()
        self._tenant.messages.append(
            Message(
                id=number,
                conversation=channel,
                root=number,
                activity=activity,
                by=self._tenant.bot_id,
            )
        )
        return {"id": f"{channel};messageid={number}", "activityId": number}

    def _members(self, request: web.Request, _: Json) -> tuple[int, Json]:
        conversation = self._conversation(request)[0]
        size = int(request.query.get("pageSize", LARGEST_PAGE))
        if not SMALLEST_PAGE <= size <= LARGEST_PAGE:
            raise refused(400, "BadArgument", "pageSize: 50 to 500")
        start = int(request.query.get("continuationToken", "0") or 0)
        end = start + min(size, self.page)
        told: Json = {"members": [one.member() for one in conversation.members[start:end]]}
        if end < len(conversation.members):
            told["continuationToken"] = str(end)
        return 200, told


def _is_targeted(request: web.Request) -> bool:
    return request.query.get("isTargetedActivity") == "true"


def _target(request: web.Request, activity: Json, conversation: Conversation) -> str | None:
    if not _is_targeted(request):
        return None
    recipient: Any = activity.get("recipient")
    wanted = recipient.get("id") if is_object(recipient) else None
    if conversation.kind == "personal":
        raise refused(400, "BadArgument", "Targeted messages are not for personal chats")
    for one in conversation.members:
        if wanted in {one.id, one.aad}:
            return one.id
    raise refused(400, "BadArgument", "The recipient is not in the conversation")


async def _body(request: web.Request) -> Json:
    raw = await request.read()
    if not raw:
        return {}
    try:
        told: Any = json.loads(raw)
    except ValueError:
        raise refused(400, "BadSyntax", "Invalid JSON") from None
    if not is_object(told):
        raise refused(400, "BadSyntax", "Expected an object")
    return told


def _spoilt(fault: Fault) -> web.Response:
    headers, status = dict(fault.headers), fault.status or 500
    if isinstance(fault.body, str):
        return web.Response(text=fault.body, status=status, headers=headers)
    return web.json_response(fault.body, status=status, headers=headers)


def _cut(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
