"""What Teams sends over HTTP: `POST /api/messages`.

Nothing is believed before the token is checked, over the body as it came. Messages and events are
kept and acknowledged without the SDK; an invoke goes through its `CloudAdapter`, under the
principal that we verified, and is answered in the response. Whatever is sent, by whomever: no
answer is an error of ours, except 503 where the database is away and Teams is to send again.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage
from aiohttp.web_exceptions import HTTPRequestEntityTooLarge
from botbuilder.core import InvokeResponse, TurnContext
from botbuilder.core.teams import TeamsActivityHandler
from botbuilder.integration.aiohttp import CloudAdapter, ConfigurationBotFrameworkAuthentication
from botbuilder.schema import Activity, ChannelAccount, ConversationAccount
from botframework.connector.auth import (
    AppCredentials,
    AuthenticateRequestResult,
    AuthenticationConstants,
    ClaimsIdentity,
    MicrosoftAppCredentials,
    ServiceClientCredentialsFactory,
)
from msrest.serialization import Model

from bot.intake import NotForUs
from bot.json_fields import maybe_object
from bot.teams.actions.dispatch import Response, TeamsDispatcher, failed
from bot.teams.app.event_intake import TeamsEventIntake
from bot.teams.auth.token_verifier import Principal, Reject, Verifier
from bot.teams.inbound.interaction import TeamsInteraction, parse_invoke
from bot.teams.protocol.conversations import CHANNEL_ID
from bot.teams.protocol.identity import TeamsIdentity
from bot.teams.protocol.payload import maybe
from core.domain.errors import ContractError, TransientError, raised_at
from core.domain.json_value import Json

PATH = "/api/messages"
LONGEST_BODY = 1024 * 1024
"""Bytes: more is refused unread."""
_AUDIENCE = AuthenticationConstants.TO_CHANNEL_FROM_BOT_OAUTH_SCOPE

logger = logging.getLogger(__name__)


class _NoCredentials(ServiceClientCredentialsFactory):
    """Lets the adapter answer invokes, and post nothing: whatever it sends has no token."""

    def __init__(self, app_id: str) -> None:
        self._app_id = app_id

    async def is_valid_app_id(self, app_id: str) -> bool:
        return app_id == self._app_id

    async def is_authentication_disabled(self) -> bool:
        return False

    async def create_credentials(
        self, app_id: str, oauth_scope: str, login_endpoint: str, validate_authority: bool
    ) -> AppCredentials:
        del app_id, oauth_scope, login_endpoint, validate_authority
        return MicrosoftAppCredentials.empty()


def adapter_for(identity: TeamsIdentity) -> CloudAdapter:
    """Return an adapter of the SDK that answers invokes; it has no secret and makes no call."""
    factory = _NoCredentials(identity.app_id)
    authentication = ConfigurationBotFrameworkAuthentication(object(), credentials_factory=factory)
    adapter = CloudAdapter(authentication)
    adapter.on_turn_error = _on_turn_error
    return adapter


async def _on_turn_error(_: TurnContext, error: Exception) -> None:
    """Log what a handler let escape; the person is answered by `TeamsEndpoint`."""
    logger.error("a turn of Teams failed", exc_info=error)


class TeamsEndpoint:
    """Takes what Teams sends."""

    def __init__(
        self,
        verifier: Verifier,
        keeper: TeamsEventIntake,
        presses: TeamsDispatcher,
        *,
        identity: TeamsIdentity,
    ) -> None:
        self._verifier = verifier
        self._keeper = keeper
        self._presses = presses
        self._identity = identity
        self._adapter = adapter_for(identity)

    async def take(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        try:
            body = await request.read()
        except HTTPRequestEntityTooLarge:
            return web.Response(status=413)
        except (BadHttpMessage, web.RequestPayloadError):
            return web.Response(status=400)
        found = await self._verifier.verify(request.headers, body)
        if isinstance(found, Reject):
            logger.warning("a request that Teams did not send was refused: %s", found.reason)
            return web.Response(status=found.status)
        if request.content_type != "application/json":
            return web.Response(status=400)
        return await self._believed(found)

    async def _believed(self, principal: Principal) -> web.StreamResponse:
        """Answer what Teams sent."""
        try:
            if principal.activity.get("type") == "invoke":
                return await self._invoke(principal)
            await self._keeper.keep(principal.activity)
        except ContractError as error:
            logger.warning("an activity can't be read: %s", error)
            return web.Response(status=400)
        except TransientError as error:
            # What Postgres says of a refused value may quote it.
            logger.warning("an activity can't be kept: %s", raised_at(error))
            return web.Response(status=503)
        except Exception:
            # The edge of the product: whatever nobody foresaw, Teams is to send it again.
            logger.exception("an activity failed")
            return web.Response(status=503)
        return web.Response(status=200)

    async def _invoke(self, principal: Principal) -> web.StreamResponse:
        """Answer an invoke through the adapter."""
        found = parse_invoke(principal.activity, self._identity)

        async def answer() -> Response:
            return await self._presses.take(found)

        reply: Any = await self._adapter.process_activity(
            self._authenticated(principal), _spoken(principal), Bot(answer).on_turn
        )
        if reply is None or reply.body is None:
            return _failed(found)
        return web.json_response(reply.body.serialize(), status=reply.status)

    def _authenticated(self, principal: Principal) -> AuthenticateRequestResult:
        """Return our own check's result in the SDK's words: it does not check again."""
        audience = AuthenticationConstants.AUDIENCE_CLAIM
        identity = ClaimsIdentity({**principal.claims, audience: self._identity.app_id}, True)
        result = AuthenticateRequestResult()
        result.claims_identity = identity
        result.audience = _AUDIENCE
        result.connector_factory = (
            self._adapter.bot_framework_authentication.create_connector_factory(identity)
        )
        return result


def _spoken(principal: Principal) -> Activity:
    """Return as much of an invoke as the SDK needs: what it would not read can't break it."""
    activity = principal.activity

    def id_of(key: str) -> str:
        return maybe(maybe_object(activity, key), "id")

    return Activity(
        type="invoke",
        id=maybe(activity, "id"),
        name=maybe(activity, "name"),
        channel_id=CHANNEL_ID,
        service_url=maybe(activity, "serviceUrl"),
        conversation=ConversationAccount(id=id_of("conversation")),
        from_property=ChannelAccount(id=id_of("from")),
        recipient=ChannelAccount(id=id_of("recipient")),
    )


def _failed(found: TeamsInteraction | NotForUs) -> web.StreamResponse:
    """Answer an invoke whose handler failed in a way that nobody foresaw."""
    if isinstance(found, NotForUs):
        return web.Response(status=501)
    return web.json_response(dict(failed(found).body))


class RawBody(Model):
    """Any JSON object as the body of an answer; `RawBody({})` is sent as `{}`.

    The SDK's own answer to an invoke is serialised twice, and fails.
    """

    _attribute_map = {  # noqa: RUF012  # msrest reads it from the class
        "additional_properties": {"key": "", "type": "{object}"}
    }

    def __init__(self, data: Mapping[str, Json]) -> None:
        super().__init__()
        self.additional_properties: dict[str, Any] = dict(data)


class Bot(TeamsActivityHandler):
    """Answers one invoke, whatever its name, by what is given."""

    def __init__(self, answer: Callable[[], Awaitable[Response]]) -> None:
        super().__init__()
        self._answer = answer

    async def on_invoke_activity(self, turn_context: TurnContext) -> InvokeResponse:
        """Answer; the stock dispatch reads the payload once more, and fails on our names."""
        del turn_context  # all that counts of it was read before
        response = await self._answer()
        return InvokeResponse(status=response.status, body=RawBody(response.body))
