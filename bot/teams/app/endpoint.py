"""What Teams sends over HTTP: `POST /api/messages`.

Nothing is believed before the token is checked, over the body as it came. Messages and events are
kept and acknowledged; an invoke is answered in the response. Whatever is sent, by whomever: no
answer is an error of ours, except 503 where the database is away and Teams is to send again.
"""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage
from aiohttp.web_exceptions import HTTPRequestEntityTooLarge

from bot.teams.actions.dispatch import Response, TeamsDispatcher
from bot.teams.app.event_intake import TeamsEventIntake
from bot.teams.auth.token_verifier import Principal, Reject, Verifier
from bot.teams.inbound.interaction import parse_invoke
from bot.teams.protocol.identity import TeamsIdentity
from core.domain.errors import ContractError, TransientError, raised_at

PATH = "/api/messages"
LONGEST_BODY = 1024 * 1024
"""Bytes: more is refused unread."""

logger = logging.getLogger(__name__)


class Adapter(Protocol):
    """An SDK through which invokes pass."""

    async def answered(
        self, principal: Principal, answer: Callable[[], Awaitable[Response]], /
    ) -> Response:
        """Return what `answer` says, as the SDK hands it on."""
        ...


class TeamsEndpoint:
    """Takes what Teams sends; `adapter`: None where no SDK is to see it."""

    def __init__(
        self,
        verifier: Verifier,
        keeper: TeamsEventIntake,
        presses: TeamsDispatcher,
        *,
        identity: TeamsIdentity,
        adapter: Adapter | None = None,
    ) -> None:
        self._verifier = verifier
        self._keeper = keeper
        self._presses = presses
        self._identity = identity
        self._adapter = adapter

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
        """Answer an invoke in the response."""
        interaction = parse_invoke(principal.activity, self._identity)
        answer = partial(self._presses.take, interaction)
        response = await (self._adapter.answered(principal, answer) if self._adapter else answer())
        return web.json_response(dict(response.body), status=response.status)
