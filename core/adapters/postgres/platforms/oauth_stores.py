"""From settings to the stores of installations; None where one workspace has its token."""

import base64

from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for, newest_revision, server_facts
from core.adapters.postgres.platforms.installations import PostgresInstallations
from core.adapters.postgres.platforms.oauth_states import PostgresOAuthStates
from core.adapters.postgres.platforms.secret_box import Envelope
from core.config.settings import Settings
from core.domain.installation import Installation
from core.ports.installations import OAuthStores


def oauth_stores(engine: AsyncEngine, settings: Settings) -> OAuthStores | None:
    """Return the stores of an app that several workspaces may install; the settings are checked."""
    if settings.slack_client_id is None or settings.token_key is None:
        return None
    older = [settings.token_key_old] if settings.token_key_old else []
    envelope = Envelope(
        base64.b64decode(settings.token_key), older=[base64.b64decode(one) for one in older]
    )
    return OAuthStores(
        installations=PostgresInstallations(
            engine, client_id=settings.slack_client_id, envelope=envelope
        ),
        states=PostgresOAuthStates(engine),
    )


async def held_installations(url: str, settings: Settings) -> tuple[Installation, ...]:
    """Read all installations from a database that may not be migrated: then there are none.

    Raises:
        ConfigError: It can't be reached, or one was encrypted with a key that is not set.
        IntegrityError: One was altered.
        TransientError: Nobody can say now.
    """
    engine = engine_for(url, pooled=False)
    try:
        stores = oauth_stores(engine, settings)
        is_migrated = (await server_facts(engine)).revision == newest_revision()
        return await stores.installations.held() if stores and is_migrated else ()
    finally:
        await engine.dispose()
