"""As whom Microsoft Graph is called: a registration of Entra, by its secret or managed identity.

The secret stands in the variable of the source. Where the source takes the bot's own registration,
the bot's secret or identity is taken.
"""

import time

from aiohttp import ClientSession

from core.config.settings import Settings, source_credential, source_variable
from core.config.teams import GRAPHS
from core.domain.errors import ConfigError
from core.service_access.tokens import (
    FetchedToken,
    TokenRequest,
    client_credentials,
    managed_identity,
)
from core.sources.connector import PolicySource


def graph_token(source: PolicySource, settings: Settings, session: ClientSession) -> FetchedToken:
    """Return where the token for Microsoft Graph comes from.

    Raises:
        ConfigError: There is no secret, or it would go to none of Microsoft's hosts.
    """
    graph = settings.graph_url.rstrip("/")
    if settings.environment == "production":
        if graph not in GRAPHS:
            raise ConfigError(
                f"CITEBOUND_GRAPH_URL gets a token: in production one of {', '.join(GRAPHS)}"
            )
        if settings.teams_login_url:
            raise ConfigError("CITEBOUND_TEAMS_LOGIN_URL gets the secret: unset it in production")
    request = _request(source, settings, graph)
    return FetchedToken(session, lambda: request, now=time.time)


def _request(source: PolicySource, settings: Settings, graph: str) -> TokenRequest:
    app, tenant = source.location["app"], source.location["tenant"]
    is_bot = app == (settings.app_id or "").lower()
    secret = source_credential(source.name) or (settings.app_password if is_bot else None)
    if secret is None and is_bot and settings.app_type == "UserAssignedMSI":
        return managed_identity(
            graph,
            client=app,
            endpoint=settings.identity_endpoint,
            header=settings.identity_header,
        )
    if secret is None:
        raise ConfigError(
            f"there is no client secret of the registration {app}: set"
            f" {source_variable(source.name)}, or a file by {source_variable(source.name)}_FILE"
        )
    login = settings.teams_login_url or GRAPHS.get(graph, GRAPHS["https://graph.microsoft.com"])
    return client_credentials(
        f"{login.rstrip('/')}/{tenant}/oauth2/v2.0/token",
        client=app,
        secret=secret,
        scope=f"{graph}/.default",
        is_proxied=True,
    )
