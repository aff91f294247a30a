"""A store of installations on the test's own database, and what is installed."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.envelope import Envelope
from core.adapters.postgres.installations import PostgresInstallations
from core.domain.installation import Installation, Tokens, Workspace

KEY, OTHER_KEY = bytes(range(32)), bytes(range(32, 64))
CLIENT_ID = "111.222"
"""Of the fake Slack's app."""
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ACCESS, REFRESH = "".join(("xoxb-", "held")), "".join(("xoxe-1-", "held"))

MakeStore = Callable[..., PostgresInstallations]


@pytest.fixture
def make_store(engine: AsyncEngine) -> MakeStore:
    """Another process on the same database."""

    def make(key: bytes = KEY, **more: Any) -> PostgresInstallations:
        envelope = Envelope(key, older=more.pop("older", ()))
        return PostgresInstallations(engine, envelope=envelope, **{"client_id": CLIENT_ID} | more)

    return make


@pytest.fixture
def store(make_store: MakeStore) -> PostgresInstallations:
    """The store."""
    return make_store()


def installation(
    *,
    team: str | None = "T1",
    enterprise: str | None = None,
    installer: str = "U1",
    access: str = ACCESS,
    lasts: timedelta | None = None,
) -> Installation:
    """Return an installation; one that `lasts` has tokens that rotate."""
    return Installation(
        workspace=Workspace(enterprise=enterprise, team=team),
        installer=installer,
        app="A1",
        bot="B1",
        bot_user="U0BOT",
        label="Home",
        scopes=("chat:write", "commands"),
        tokens=Tokens(
            access=access,
            refresh=REFRESH if lasts else None,
            expires_at=NOW + lasts if lasts else None,
        ),
    )
