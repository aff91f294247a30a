"""Our stores in the SDK's interfaces, for Bolt's installation flow, and the exchange of tokens.

- People's own tokens are not kept: the app asks for none.
- What is found has no refresh token: the SDK would spend it without a lock.
- A refresh token is exchanged once, and nothing is repeated. If Slack's answer is lost, so is the
  refresh token; the access token lives on until it ends, and whoever runs this is told to install
  the app again.
"""

from datetime import UTC, datetime, timedelta

from slack_sdk.oauth.installation_store import Bot
from slack_sdk.oauth.installation_store import Installation as SlackInstallation
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore

from bot.call_results import Rejected, Succeeded
from bot.json_fields import Object
from bot.slack.inbound.payload import maybe, need
from bot.slack.install.credentials import ManyWorkspaces
from bot.slack.web.calls import Slack
from core.adapters.postgres.platforms.installations import (
    PostgresInstallations,
    PostgresOAuthStates,
    Refresh,
)
from core.domain.errors import ContractError, TransientError
from core.domain.installation import Installation, Tokens, Workspace
from core.ports import Clock


class StoredInstallations(AsyncInstallationStore):
    """`AsyncInstallationStore` on our port."""

    def __init__(self, installations: PostgresInstallations, credentials: ManyWorkspaces) -> None:
        self._installations = installations
        self._credentials = credentials

    async def async_save(self, installation: SlackInstallation) -> None:
        """Keep an installation."""
        await self._installations.save(ours(installation))

    async def async_find_installation(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None = None,
        is_enterprise_install: bool | None = False,
    ) -> SlackInstallation | None:
        """Return the installation, whoever installed it."""
        team = None if is_enterprise_install and enterprise_id else team_id
        if not (team or enterprise_id):
            return None
        found = await self._credentials.installation(Workspace(enterprise=enterprise_id, team=team))
        return None if found is None else theirs(found)

    async def async_find_bot(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        is_enterprise_install: bool | None = False,
    ) -> Bot | None:
        """Return the bot of the installation."""
        found = await self.async_find_installation(
            enterprise_id=enterprise_id,
            team_id=team_id,
            is_enterprise_install=is_enterprise_install,
        )
        return None if found is None else found.to_bot()

    async def async_delete_bot(self, *, enterprise_id: str | None, team_id: str | None) -> None:
        """Forget the installation."""
        if enterprise_id or team_id:
            await self._installations.delete(Workspace(enterprise=enterprise_id, team=team_id))

    async def async_delete_installation(
        self, *, enterprise_id: str | None, team_id: str | None, user_id: str | None = None
    ) -> None:
        """Forget the installation; of one person alone nothing is kept."""
        if user_id is None:
            await self.async_delete_bot(enterprise_id=enterprise_id, team_id=team_id)


class StoredStates(AsyncOAuthStateStore):
    """`AsyncOAuthStateStore` on our port."""

    def __init__(self, states: PostgresOAuthStates) -> None:
        self._states = states

    async def async_issue(self, *_args: object, **_more: object) -> str:
        """Return a new state."""
        return await self._states.issue()

    async def async_consume(self, state: str) -> bool:
        """Use it up."""
        return await self._states.consume(state)


def ours(given: SlackInstallation) -> Installation:
    """Return an installation of the SDK's as ours.

    Raises:
        ContractError: It lacks what Slack promises.
    """
    needed = (given.app_id, given.bot_id, given.bot_user_id, given.bot_token, given.user_id)
    app, bot, bot_user, token, installer = (one or "" for one in needed)
    if not all((app, bot, bot_user, token, installer)):
        raise ContractError("expected an app, its bot, its token and who installed it from Slack")
    ends_at = given.bot_token_expires_at
    is_whole = given.is_enterprise_install and given.enterprise_id
    return Installation(
        workspace=Workspace(
            enterprise=given.enterprise_id or None, team=None if is_whole else given.team_id
        ),
        installer=installer,
        app=app,
        bot=bot,
        bot_user=bot_user,
        label=(given.enterprise_name if is_whole else given.team_name) or "",
        scopes=tuple(given.bot_scopes or ()),
        tokens=Tokens(
            access=token,
            refresh=given.bot_refresh_token,
            expires_at=None if ends_at is None else datetime.fromtimestamp(ends_at, UTC),
        ),
    )


def theirs(installation: Installation) -> SlackInstallation:
    """Return an installation as the SDK's, without its refresh token."""
    where = installation.workspace
    is_whole = where.team is None
    return SlackInstallation(
        app_id=installation.app,
        enterprise_id=where.enterprise,
        enterprise_name=installation.label if is_whole else None,
        team_id=where.team,
        team_name=None if is_whole else installation.label,
        bot_token=installation.tokens.access,
        bot_id=installation.bot,
        bot_user_id=installation.bot_user,
        bot_scopes=list(installation.scopes),
        user_id=installation.installer,
        is_enterprise_install=is_whole,
        token_type="bot",  # noqa: S106  # its kind
    )


def refresh_by(slack: Slack, *, client_id: str, client_secret: str, clock: Clock) -> Refresh:
    """Return how tokens are exchanged with Slack."""

    async def refresh(installation: Installation) -> Tokens:
        if installation.tokens.refresh is None:
            raise ContractError("expected a refresh token beside a token that ends")
        told = await slack.read(
            "oauth.v2.access",
            client_id=client_id,
            client_secret=client_secret,
            grant_type="refresh_token",
            refresh_token=installation.tokens.refresh,
        )
        match told:
            case Succeeded():
                return tokens_of(told.body, clock)
            case Rejected():
                raise ContractError(
                    f"Slack does not take the refresh token ({told.code}): install the app again"
                )
            case _:
                raise TransientError("Slack could not be asked to exchange a token")

    return refresh


def tokens_of(told: Object, clock: Clock) -> Tokens:
    """Read the tokens of a bot from an answer of `oauth.v2.access`.

    Raises:
        ContractError: They are not there.
    """
    if maybe(told, "token_type") != "bot":
        raise ContractError("expected the token of a bot from Slack")
    lasts_s, refresh = told.get("expires_in"), maybe(told, "refresh_token") or None
    if lasts_s is not None and not (isinstance(lasts_s, int) and lasts_s > 0):
        raise ContractError("expected seconds in 'expires_in' from Slack")
    if (lasts_s is None) != (refresh is None):
        raise ContractError("expected a refresh token with a token that ends, and only then")
    return Tokens(
        access=need(told, "access_token"),
        refresh=refresh,
        expires_at=None if lasts_s is None else clock.now() + timedelta(seconds=lasts_s),
    )
