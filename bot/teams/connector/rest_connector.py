"""Teams' connector service over its REST interface, without an SDK. See `transport`."""

import json

from bot.teams.connector.calls import Answer, Object, Outcome, outcome_of
from bot.teams.connector.connector import Address, activities_path, members_path
from bot.teams.connector.http_client import Exchange


class RestTransport:
    """See `Transport`."""

    def __init__(self, exchange: Exchange) -> None:
        """Take what sends requests."""
        self._exchange = exchange

    async def post(
        self, at: Address, activity: Object, /, *, reply_to: str = "", is_targeted: bool = False
    ) -> Outcome:
        """See `Transport.post`."""
        path = activities_path(at.conversation, reply_to, is_targeted=is_targeted)
        return await self._call("POST", at.service_url, path, activity)

    async def update(
        self, at: Address, activity_id: str, activity: Object, /, *, is_targeted: bool = False
    ) -> Outcome:
        """See `Transport.update`."""
        path = activities_path(at.conversation, activity_id, is_targeted=is_targeted)
        return await self._call("PUT", at.service_url, path, {**activity, "id": activity_id})

    async def delete(
        self, at: Address, activity_id: str, /, *, is_targeted: bool = False
    ) -> Outcome:
        """See `Transport.delete`."""
        path = activities_path(at.conversation, activity_id, is_targeted=is_targeted)
        return await self._call("DELETE", at.service_url, path)

    async def create(self, service_url: str, parameters: Object, /) -> Outcome:
        """See `Transport.create`."""
        return await self._call("POST", service_url, "v3/conversations", parameters)

    async def members(self, at: Address, /, *, page: str = "") -> Outcome:
        """See `Transport.members`."""
        return await self._call("GET", at.service_url, members_path(at.conversation, page))

    async def _call(
        self, method: str, service_url: str, path: str, given: Object | None = None
    ) -> Outcome:
        body = None if given is None else json.dumps(dict(given), ensure_ascii=False).encode()
        answer = await self._exchange.send(method, service_url, path, body=body)
        return outcome_of(answer) if isinstance(answer, Answer) else answer
