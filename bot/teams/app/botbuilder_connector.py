"""Teams' connector service through Microsoft's SDK, botbuilder. See `Transport`.

The SDK's client makes the requests and reads the answers; the bytes travel by `ConnectorHttp`. Its
own way blocks every other task while it fetches a token, repeats an update by itself on errors, and
waits for 100 s.
"""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from botbuilder.schema import Activity, ConversationParameters, Entity
from botframework.connector import AsyncBfPipeline
from botframework.connector.aio import ConnectorClient
from msrest.exceptions import ClientException
from msrest.pipeline import AsyncHTTPSender, Request, Response, SansIOHTTPPolicy
from msrest.universal_http import AsyncClientResponse, ClientRequest

from bot.call_results import CallResult, Succeeded, Uncertain
from bot.teams.connector.connector import PAGE, Address, RestTransport
from bot.teams.connector.http_client import ConnectorHttp, HttpResponse, Object, call_result
from core.domain.json_value import Json

HOPS = 64
"""Services whose client is kept: a few, of the regions of one cloud."""


class BotbuilderTransport:
    """See `Transport`."""

    def __init__(self, exchange: ConnectorHttp) -> None:
        self._exchange = exchange
        self._rest = RestTransport(exchange)
        self._clients: dict[str, Any] = {}

    async def post(
        self, at: Address, activity: Object, /, *, reply_to: str = "", is_targeted: bool = False
    ) -> CallResult:
        """See `Transport.post`."""
        if is_targeted:  # the SDK cannot add the query
            return await self._rest.post(at, activity, reply_to=reply_to, is_targeted=True)
        conversations, sent = self._conversations(at.service_url), to_activity(activity)
        if reply_to:
            return await _outcome(
                lambda: conversations.reply_to_activity(at.conversation, reply_to, sent, raw=True)
            )
        return await _outcome(
            lambda: conversations.send_to_conversation(at.conversation, sent, raw=True)
        )

    async def update(
        self, at: Address, activity_id: str, activity: Object, /, *, is_targeted: bool = False
    ) -> CallResult:
        """See `Transport.update`."""
        if is_targeted:
            return await self._rest.update(at, activity_id, activity, is_targeted=True)
        sent = to_activity({**activity, "id": activity_id})
        conversations = self._conversations(at.service_url)
        return await _outcome(
            lambda: conversations.update_activity(at.conversation, activity_id, sent, raw=True)
        )

    async def delete(
        self, at: Address, activity_id: str, /, *, is_targeted: bool = False
    ) -> CallResult:
        """See `Transport.delete`."""
        if is_targeted:
            return await self._rest.delete(at, activity_id, is_targeted=True)
        conversations = self._conversations(at.service_url)
        return await _outcome(
            lambda: conversations.delete_activity(at.conversation, activity_id, raw=True)
        )

    async def create(self, service_url: str, parameters: Object, /) -> CallResult:
        """See `Transport.create`."""
        given = {key: value for key, value in parameters.items() if key != "activity"}
        sent = cast("ConversationParameters", ConversationParameters().deserialize(given))
        sent.tenant_id = cast("str", parameters.get("tenantId"))
        activity = parameters.get("activity")
        if isinstance(activity, dict):
            sent.activity = to_activity(activity)
        conversations = self._conversations(service_url)
        return await _outcome(lambda: conversations.create_conversation(sent, raw=True))

    async def members(self, at: Address, /, *, page: str = "") -> CallResult:
        """See `Transport.members`."""
        conversations = self._conversations(at.service_url)
        return await _outcome(
            lambda: conversations.get_teams_conversation_paged_members(
                at.conversation, page_size=PAGE, continuation_token=page or None, raw=True
            )
        )

    def _conversations(self, service_url: str) -> Any:
        client = self._clients.get(service_url)
        if client is None:
            if len(self._clients) >= HOPS:
                self._clients.clear()
            client = ConnectorClient(
                _Keyless(),
                base_url=service_url,
                pipeline_type=AsyncBfPipeline,
                sender=cast("Any", _Sender(self._exchange, service_url)),
            )
            self._clients[service_url] = client
        return client.conversations


class _Keyless(SansIOHTTPPolicy[Any, Any]):
    """In the place of the SDK's credentials: the token is set where the bytes are sent."""


class _EndedError(Exception):
    """The call ended, and not well."""

    def __init__(self, outcome: CallResult) -> None:
        super().__init__()
        self.outcome = outcome


class _Answered(AsyncClientResponse):
    """An answer as the SDK reads it."""

    def __init__(self, request: ClientRequest, answer: HttpResponse, told: Succeeded) -> None:
        super().__init__(request, told)  # the SDK hands this out as the raw response
        self.status_code = answer.status
        self.headers = dict(answer.headers)
        self._body = answer.body

    def body(self) -> bytes:
        return self._body


class _Sender(AsyncHTTPSender[Any, Any]):
    """Sends what the SDK made; lets the SDK see good answers only."""

    def __init__(self, exchange: ConnectorHttp, service_url: str) -> None:
        self._exchange = exchange
        self._service_url = service_url

    async def send(self, request: Request[Any], **config: Any) -> Response[Any, Any]:
        """Send one request, once.

        Raises:
            _EndedError: It was refused, or nobody knows.
        """
        made: ClientRequest = request.http_request
        path = str(made.url).removeprefix(self._service_url.rstrip("/")).lstrip("/")
        body = cast("str | None", made.data)
        answer = await self._exchange.send(
            made.method,
            self._service_url,
            path,
            body=None if body is None else body.encode(),
        )
        outcome = call_result(answer) if isinstance(answer, HttpResponse) else answer
        if not (isinstance(answer, HttpResponse) and isinstance(outcome, Succeeded)):
            raise _EndedError(outcome)
        return Response(request, _Answered(made, answer, outcome))

    async def __aexit__(self, *details: object) -> None:
        """Leave the session open: it is not ours."""


async def _outcome(call: Callable[[], Awaitable[Any]]) -> CallResult:
    try:
        raw = await call()
    except _EndedError as ended:
        return ended.outcome
    except ClientException as error:
        # It came back well, and the SDK does not know what it says.
        return Uncertain(why=type(error).__name__)
    return cast("Succeeded", raw.response)


class RawEntity(Entity):
    """An entity that keeps every key.

    The SDK's own sends `type` and silently drops the rest: citations, the label of AI, and the
    state of a stream would vanish without an error.
    """

    _attribute_map = {  # noqa: RUF012  # msrest reads it from the class
        "additional_properties": {"key": "", "type": "{object}"},
        "type": {"key": "type", "type": "str"},
    }

    def __init__(self, **data: Json) -> None:
        super().__init__(type=cast("str", data.get("type")))
        self.additional_properties: dict[str, Any] = {
            key: value for key, value in data.items() if key != "type"
        }


def to_activity(message: Object) -> Activity:
    """Return an activity that is sent as it is written here."""
    rest = {key: value for key, value in message.items() if key != "entities"}
    activity = cast("Activity", Activity().deserialize(rest))
    entities = message.get("entities")
    told = entities if isinstance(entities, list) else []
    activity.entities = [RawEntity(**one) for one in told if isinstance(one, dict)]
    return activity
