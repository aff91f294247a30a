"""Installation by OAuth, for several workspaces and organisations: Bolt's flow on our stores.

    /slack/install -> Slack's page -> /slack/oauth_redirect -> kept, or a page that says why not

- Only the workspaces and organisations of the settings may install: once an app may be installed
  elsewhere, anybody who finds the address can, and would read the policies. What another company
  installed is revoked at once.
- The code of an installation is exchanged by `Slack`, which logs nothing; Bolt's own flow would
  log the code.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.error import BoltError
from slack_bolt.oauth.async_callback_options import (
    AsyncCallbackOptions,
    AsyncFailureArgs,
    AsyncSuccessArgs,
)
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.oauth.installation_store import Installation as SlackInstallation

from bot.call_results import Rejected, Succeeded
from bot.json_fields import Object, maybe_object
from bot.slack.inbound.payload import maybe
from bot.slack.install.credentials import Credentials, ManyWorkspaces
from bot.slack.install.stores import StoredInstallations, StoredStates, refresh_by, tokens_of
from bot.slack.manifest import REDIRECT_PATH, scopes
from bot.slack.web.calls import Slack, client_for
from core.adapters.postgres.platforms.installations import OAuthStores
from core.config.settings import Settings
from core.domain.errors import CiteboundError, TransientError
from core.ports import Clock

HEADERS: dict[str, str] = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}
"""The address of the page holds a code: it is passed on to nobody."""

REASONS: Mapping[str, str] = {
    "access_denied": "The installation was cancelled in Slack. Nothing has changed.",
    "invalid_browser": "This installation was started in another browser, or took too long.",
    "invalid_state": "This installation was finished before, or took longer than ten minutes.",
    "missing_code": "Slack sent nothing to finish the installation with.",
    "invalid_code": "Slack no longer takes what it sent to finish the installation with.",
    "not_allowed": "This workspace may not install the app, so it was removed again. The"
    " operator can add the workspace to SLACK_WORKSPACES.",
    "unavailable": "Slack or the database can't be reached at the moment.",
}
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem}}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{text}</p>
<p><a href="{href}">{link}</a></p>
</body>
</html>
"""


INSTALL_PATH = "/slack/install"
LONGEST_CODE = 512
UNAVAILABLE, FORBIDDEN = 503, 403
NOT_ALLOWED = "not_allowed"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuth:
    """What an app needs that several workspaces install."""

    routes: tuple[web.RouteDef, ...]
    """To be added to the application, beside `/slack/events`."""
    credentials: Credentials
    """Whose token speaks for a workspace."""
    stores: OAuthStores
    """Where installations are kept."""


async def open_oauth(
    settings: Settings, stores: OAuthStores, *, clock: Clock, api_url: str | None = None
) -> OAuth:
    """Wire the flow, and encrypt with the current key what an older one encrypted.

    Raises:
        ConfigError: An installation was encrypted with a key that is not set.
    """
    resealed = await stores.installations.reseal()
    if resealed:
        logger.info("encrypted %d installations with the new key", resealed)
    client_id, client_secret = settings.slack_client_id or "", settings.slack_client_secret or ""
    slack = Slack(client_for(None, api_url=api_url))
    refresh = refresh_by(slack, client_id=client_id, client_secret=client_secret, clock=clock)
    credentials = ManyWorkspaces(stores.installations, refresh=refresh, clock=clock)
    flow = _Flow(
        settings=AsyncOAuthSettings(
            client_id=client_id,
            client_secret=client_secret,
            scopes=scopes(),
            user_scopes=(),
            redirect_uri=f"{(settings.public_url or '').rstrip('/')}{REDIRECT_PATH}",
            install_path=INSTALL_PATH,
            redirect_uri_path=REDIRECT_PATH,
            install_page_rendering_enabled=False,
            authorization_url=authorization_url(api_url),
            installation_store=StoredInstallations(stores.installations, credentials),
            state_store=StoredStates(stores.states),
            callback_options=AsyncCallbackOptions(success=_succeeded, failure=_failed),
        ),
        slack=slack,
        clock=clock,
        installable=settings.installable,
    )
    return OAuth(
        routes=(
            web.get(INSTALL_PATH, _served(flow.handle_installation), allow_head=False),
            web.get(REDIRECT_PATH, _served(flow.handle_callback), allow_head=False),
        ),
        credentials=credentials,
        stores=stores,
    )


class _Flow(AsyncOAuthFlow):
    """Bolt's flow, but that calls are ours and that not everybody is let in."""

    def __init__(
        self,
        *,
        settings: AsyncOAuthSettings,
        slack: Slack,
        clock: Clock,
        installable: frozenset[str],
    ) -> None:
        super().__init__(settings=settings, client=slack.client)
        self._slack = slack
        self._clock = clock
        self._installable = installable

    async def run_installation(self, code: str) -> SlackInstallation | None:
        """Exchange a code; None: Slack does not take it.

        Raises:
            TransientError: Slack can't be asked.
        """
        if len(code) > LONGEST_CODE:
            return None
        told = await self._slack.read(
            "oauth.v2.access",
            code=code,
            client_id=self.settings.client_id,
            client_secret=self.settings.client_secret,
            redirect_uri=self.settings.redirect_uri or "",
        )
        if isinstance(told, Rejected):
            logger.warning("Slack refused an installation: %s", told.code)
            return None
        if not isinstance(told, Succeeded):
            raise TransientError("Slack could not be asked for an installation")
        tokens = tokens_of(told.body, self._clock)
        as_bot = Slack(client_for(tokens.access, api_url=self._slack.client.base_url))
        who = await as_bot.read("auth.test")
        if not isinstance(who, Succeeded):
            raise TransientError("Slack could not be asked who was installed")
        ends_at = tokens.expires_at
        return _installation(
            told.body,
            bot_id=maybe(who.body, "bot_id"),
            bot_refresh_token=tokens.refresh,
            bot_token_expires_at=None if ends_at is None else int(ends_at.timestamp()),
        )

    async def store_installation(
        self, request: AsyncBoltRequest, installation: SlackInstallation
    ) -> None:
        """Keep what may be kept, and revoke the rest.

        Raises:
            BoltError: It may not.
        """
        where = {installation.enterprise_id, installation.team_id}
        if not where & self._installable:
            base_url = self._slack.client.base_url
            await Slack(client_for(installation.bot_token, api_url=base_url)).read("auth.revoke")
            logger.error(
                "%s installed the app and is not in SLACK_WORKSPACES: its token was revoked",
                installation.team_id or installation.enterprise_id,
            )
            raise BoltError(NOT_ALLOWED)
        await super().store_installation(request, installation)
        logger.info("installed in %s", installation.team_id or installation.enterprise_id)


def _installation(told: Object, **more: Any) -> SlackInstallation:
    enterprise, team = maybe_object(told, "enterprise"), maybe_object(told, "team")
    return SlackInstallation(
        app_id=maybe(told, "app_id"),
        enterprise_id=maybe(enterprise, "id") or None,
        enterprise_name=maybe(enterprise, "name") or None,
        team_id=maybe(team, "id") or None,
        team_name=maybe(team, "name") or None,
        bot_token=maybe(told, "access_token"),
        bot_user_id=maybe(told, "bot_user_id"),
        bot_scopes=maybe(told, "scope"),
        user_id=maybe(maybe_object(told, "authed_user"), "id"),
        is_enterprise_install=told.get("is_enterprise_install") is True,
        token_type="bot",  # noqa: S106  # its kind
        **more,
    )


async def _succeeded(args: AsyncSuccessArgs) -> BoltResponse:
    page = installed_page(
        app=args.installation.app_id or "",
        team=args.installation.team_id,
        is_organisation=args.installation.is_enterprise_install,
    )
    return _page(args.settings, 200, page)


async def _failed(args: AsyncFailureArgs) -> BoltResponse:
    is_refused = str(args.error) == NOT_ALLOWED
    reason = NOT_ALLOWED if is_refused else args.reason
    status = FORBIDDEN if is_refused else args.suggested_status_code
    if reason in REASONS:
        logger.warning("an installation failed: %s", reason)
    return _page(args.settings, status, failed_page(reason, INSTALL_PATH))


def _page(settings: AsyncOAuthSettings, status: int, page: str) -> BoltResponse:
    """Return a page, and take the state from the browser."""
    forgotten = settings.state_utils.build_set_cookie_for_deletion()
    headers: dict[str, str | Sequence[str]] = {**HEADERS, "Set-Cookie": forgotten}
    return BoltResponse(status=status, headers=headers, body=page)


def _served(
    step: Callable[[AsyncBoltRequest], Awaitable[BoltResponse]],
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Return a step of the flow as a handler; what can't be done now is told as a page."""

    async def handle(request: web.Request) -> web.StreamResponse:
        try:
            return await to_aiohttp_response(await step(await to_bolt_request(request)))
        except CiteboundError as error:
            logger.error("an installation failed: %s", error)  # noqa: TRY400  # it says what
            page = failed_page("unavailable", INSTALL_PATH)
            return web.Response(status=UNAVAILABLE, text=page, headers=HEADERS)

    return handle


def installed_page(*, app: str, team: str | None, is_organisation: bool) -> str:
    """Return the page of an app that is installed."""
    text = (
        "A Slack administrator can now add it to workspaces."
        if is_organisation
        else "Invite it to a channel and mention it there, or write to it directly."
    )
    places = {"app": app} | ({"team": team} if team else {})
    href = f"https://slack.com/app_redirect?{urlencode(places)}".replace("&", "&amp;")
    return _PAGE.format(title="Installed", text=text, href=href, link="Open it in Slack")


def failed_page(reason: str, again: str) -> str:
    """Return the page of an installation that failed; a reason that is not ours is not repeated."""
    text = REASONS.get(reason, "Slack did not let the installation finish.")
    return _PAGE.format(title="Not installed", text=text, href=again, link="Try again")


def authorization_url(api_url: str | None) -> str | None:
    """Return where somebody is asked to install the app: beside the API, if that is elsewhere."""
    if api_url is None:
        return None
    parts = urlsplit(api_url)
    return f"{parts.scheme}://{parts.netloc}/oauth/v2/authorize"
