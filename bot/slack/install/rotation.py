"""Exchange a refresh token for the next tokens: once, and nothing is repeated.

If Slack's answer is lost, so is the refresh token; the access token lives on until it ends, and
whoever runs this is told to install the app again.
"""

from datetime import timedelta

from bot.json_fields import Object
from bot.slack.inbound.payload import maybe, need
from bot.slack.web.calls import Refused, Slack, Told
from core.domain.errors import ContractError, TransientError
from core.domain.installation import Installation, Tokens
from core.ports import Clock
from core.ports.platforms import Refresh


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
            case Told():
                return tokens_of(told.body, clock)
            case Refused():
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
