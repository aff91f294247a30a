"""Invokes through the `CloudAdapter` of Microsoft's archived SDK, where that transport is chosen.

It is given the principal that we verified and does not check again, has no secret, and makes no
call: what it answers is the response to the request.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

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

from bot.json_fields import maybe_object
from bot.teams.actions.dispatch import Response
from bot.teams.auth.token_verifier import Principal
from bot.teams.protocol.conversations import CHANNEL_ID
from bot.teams.protocol.identity import TeamsIdentity
from bot.teams.protocol.payload import maybe
from core.domain.json_value import Json

logger = logging.getLogger(__name__)


class BotbuilderAdapter:
    """Answers invokes through the SDK."""

    def __init__(self, identity: TeamsIdentity) -> None:
        self._app_id = identity.app_id
        authentication = ConfigurationBotFrameworkAuthentication(
            object(), credentials_factory=_NoCredentials(identity.app_id)
        )
        self._adapter = CloudAdapter(authentication)
        self._adapter.on_turn_error = _raised

    async def answered(
        self, principal: Principal, answer: Callable[[], Awaitable[Response]]
    ) -> Response:
        """Return what `answer` says, as the SDK hands it on."""
        reply: Any = await self._adapter.process_activity(
            self._authenticated(principal), _spoken(principal), Bot(answer).on_turn
        )
        return Response(status=reply.status, body=reply.body.serialize())

    def _authenticated(self, principal: Principal) -> AuthenticateRequestResult:
        """Return our own check's result in the SDK's words."""
        audience = AuthenticationConstants.AUDIENCE_CLAIM
        identity = ClaimsIdentity({**principal.claims, audience: self._app_id}, True)
        result = AuthenticateRequestResult()
        result.claims_identity = identity
        result.audience = AuthenticationConstants.TO_CHANNEL_FROM_BOT_OAUTH_SCOPE
        result.connector_factory = (
            self._adapter.bot_framework_authentication.create_connector_factory(identity)
        )
        return result


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


async def _raised(_: TurnContext, error: Exception) -> None:
    """Let the endpoint answer what a handler let escape."""
    raise error


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
