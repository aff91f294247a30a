"""How Teams is called: the seam between what we say and whose client says it.

Two implementations pass the same tests: `BotbuilderTransport`, with Microsoft's SDK, and
`RestTransport`, without. Neither raises, repeats or logs what it sends; bodies are plain dicts.
"""

import json
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

from bot.call_results import CallResult, Succeeded
from bot.teams.connector.http_client import ConnectorHttp, HttpResponse, Object, call_result
from bot.teams.protocol.payload import maybe

TARGETED = "?isTargetedActivity=true"
CHANNEL = "@thread.tacv2"
"""How ids of channels end; without a thread's, a new thread begins there."""
PAGE = 500
"""Members on a page at most; the service takes 50 to 500."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A conversation, and the service that keeps it."""

    service_url: str
    """Its host is checked at each use."""
    conversation: str
    """Its id; in a channel with `;messageid=`, which makes it the thread."""


class Transport(Protocol):
    """The calls of the connector service that we need. Safe from many tasks."""

    async def post(
        self, at: Address, activity: Object, /, *, reply_to: str = "", is_targeted: bool = False
    ) -> CallResult:
        """Send an activity; told is its id, except in the middle of a stream.

        `is_targeted`: only its `recipient` sees it.
        """
        ...

    async def update(
        self, at: Address, activity_id: str, activity: Object, /, *, is_targeted: bool = False
    ) -> CallResult:
        """Put an activity in the place of one of ours."""
        ...

    async def delete(
        self, at: Address, activity_id: str, /, *, is_targeted: bool = False
    ) -> CallResult:
        """Take one of ours back."""
        ...

    async def create(self, service_url: str, parameters: Object, /) -> CallResult:
        """Make a conversation: a person's own chat, or a channel's new thread."""
        ...

    async def members(self, at: Address, /, *, page: str = "") -> CallResult:
        """Read a page of the people in a conversation; `page` is the last one's token."""
        ...


def activities_path(conversation: str, activity: str = "", *, is_targeted: bool = False) -> str:
    """Return the path of a conversation's activities, or of one of them."""
    path = f"v3/conversations/{quote(conversation, safe='')}/activities"
    path += f"/{quote(activity, safe='')}" if activity else ""
    return path + (TARGETED if is_targeted else "")


def members_path(conversation: str, page: str) -> str:
    """Return the path of a page of members."""
    path = f"v3/conversations/{quote(conversation, safe='')}/pagedmembers?pageSize={PAGE}"
    return path + (f"&continuationToken={quote(page, safe='')}" if page else "")


async def say(transport: Transport, at: Address, activity: Object) -> CallResult:
    """Send an activity where it belongs: in a channel, without a thread, it begins one."""
    if not at.conversation.endswith(CHANNEL):
        return await transport.post(at, activity)
    begun = await transport.create(
        at.service_url,
        {
            "isGroup": True,
            "channelData": {"channel": {"id": at.conversation}},
            "activity": dict(activity),
        },
    )
    if not isinstance(begun, Succeeded):
        return begun
    return Succeeded(body={"id": maybe(begun.body, "activityId")})


class RestTransport:
    """See `Transport`."""

    def __init__(self, exchange: ConnectorHttp) -> None:
        self._exchange = exchange

    async def post(
        self, at: Address, activity: Object, /, *, reply_to: str = "", is_targeted: bool = False
    ) -> CallResult:
        """See `Transport.post`."""
        path = activities_path(at.conversation, reply_to, is_targeted=is_targeted)
        return await self._call("POST", at.service_url, path, activity)

    async def update(
        self, at: Address, activity_id: str, activity: Object, /, *, is_targeted: bool = False
    ) -> CallResult:
        """See `Transport.update`."""
        path = activities_path(at.conversation, activity_id, is_targeted=is_targeted)
        return await self._call("PUT", at.service_url, path, {**activity, "id": activity_id})

    async def delete(
        self, at: Address, activity_id: str, /, *, is_targeted: bool = False
    ) -> CallResult:
        """See `Transport.delete`."""
        path = activities_path(at.conversation, activity_id, is_targeted=is_targeted)
        return await self._call("DELETE", at.service_url, path)

    async def create(self, service_url: str, parameters: Object, /) -> CallResult:
        """See `Transport.create`."""
        return await self._call("POST", service_url, "v3/conversations", parameters)

    async def members(self, at: Address, /, *, page: str = "") -> CallResult:
        """See `Transport.members`."""
        return await self._call("GET", at.service_url, members_path(at.conversation, page))

    async def _call(
        self, method: str, service_url: str, path: str, given: Object | None = None
    ) -> CallResult:
        body = None if given is None else json.dumps(dict(given), ensure_ascii=False).encode()
        answer = await self._exchange.send(method, service_url, path, body=body)
        return call_result(answer) if isinstance(answer, HttpResponse) else answer
