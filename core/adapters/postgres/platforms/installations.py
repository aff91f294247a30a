"""Installations of the Slack app by OAuth, their tokens encrypted.

- Unique are client, organisation, workspace and installer; the newest installation of a workspace
  replaces those before it, since all of them share one bot.
- Changes to a workspace's installation, and the exchange of its refresh token, are made under one
  advisory lock; whoever waited for it reads again first.
"""

import asyncio
import base64
import hashlib
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from sqlalchemy import ColumnElement, Row, delete, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import (
    database_store,
    engine_for,
    raises_transient,
    server_facts,
)
from core.adapters.postgres.engine.ledger import Ledger, RecordingStore
from core.adapters.postgres.engine.schema import fits
from core.adapters.postgres.engine.tables import slack_installations, slack_oauth_states
from core.adapters.postgres.engine.transactions import AdvisoryLock, wait_for_one
from core.adapters.postgres.platforms.secret_box import SecretBox
from core.audit.documents import Event
from core.config.settings import Settings
from core.domain.audit import Tag
from core.domain.errors import IntegrityError
from core.domain.installation import Installation, Tokens, Workspace
from core.domain.json_value import Json
from core.failpoints import failpoint

Refresh = Callable[[Installation], Awaitable[Tokens]]
"""Exchanges a refresh token, which is good for one exchange. Raises `TransientError` if Slack could
not be asked, `ContractError` if it refused."""
LIFETIME = timedelta(minutes=10)
"""For reading what the app asks for, and agreeing: as long as Bolt's cookie is valid."""
STATE_BYTES = 32
LOCK_WAIT_S = 15
"""Longer than Slack may take for an exchange (10 s); whoever waits longer gives up."""
SLACK = "slack"
UNIQUE = ("client_id", "enterprise_id", "team_id", "user_id")
_kept = slack_installations.c


@database_store
class PostgresInstallations:
    """Installations of one app with their tokens, which are stored encrypted.

    Nothing is cached: what one process deletes is gone for every other. Safe from many processes.
    """

    def __init__(
        self, engine: AsyncEngine, *, client_id: str, envelope: SecretBox, ledger: Ledger
    ) -> None:
        self._engine = engine
        self._client_id = client_id
        self._envelope = envelope
        self._ledger = ledger
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def save(self, installation: Installation, /) -> None:
        """Keep an installation, in place of all earlier ones of its workspace, and record it."""
        row = self._row(installation)
        put = insert(slack_installations).values(**row, installed_at=func.now())
        updated = {name: put.excluded[name] for name in (*row, "installed_at")}
        async with self._engine.begin() as connection:
            await self._lock(connection, installation.workspace)
            await connection.execute(
                delete(slack_installations).where(
                    self._is_in(installation.workspace), _kept.user_id != installation.installer
                )
            )
            await connection.execute(put.on_conflict_do_update(index_elements=UNIQUE, set_=updated))
            says = {"scopes": sorted(installation.scopes)}
            event = _event(Tag.WORKSPACE_CONNECTED, SLACK, installation.workspace.name, says)
            await self._ledger.event(connection, event, content={})

    async def find(self, workspace: Workspace, /) -> Installation | None:
        """Return the installation of a workspace, else that of its organisation, else None.

        Raises:
            ConfigError: It was encrypted with a key that is not set.
            IntegrityError: It was altered, or belongs to another row.
        """
        async with self._engine.connect() as connection:
            row = await self._find(connection, workspace)
        return None if row is None else self._read(row)

    async def renew(
        self, workspace: Workspace, /, *, due_by: datetime, refresh: Refresh
    ) -> Installation | None:
        """Return the installation with tokens that last beyond an instant.

        They are refreshed if need be, by one caller at a time: those that waited get the same
        tokens, and hold no connection meanwhile. What `refresh` raises leaves the old tokens.

        Raises:
            TransientError: Also if another process refreshes them for too long.
        """
        async with self._turns.setdefault(workspace.name, asyncio.Lock()):
            found = await self.find(workspace)
            if found is None or found.tokens.lasts_beyond(due_by):
                return found
            async with self._engine.begin() as connection:
                await self._lock(connection, found.workspace)
                row = await self._find(connection, workspace)
                if row is None:
                    return None
                held = self._read(row)
                if held.tokens.lasts_beyond(due_by):
                    return held
                renewed = replace(held, tokens=await refresh(held))
                failpoint("F12")
                return renewed if await self._put_tokens(connection, row.id, renewed) else None

    async def held(self) -> tuple[Installation, ...]:
        """Return all installations; see `find`."""
        query = select(slack_installations).where(_kept.client_id == self._client_id)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(query.order_by(_kept.id))).all()
        return tuple(map(self._read, rows))

    async def delete(self, workspace: Workspace, /, *, token: str | None = None) -> int:
        """Delete the installations in exactly this workspace, and return how many there were.

        Args:
            workspace: where.
            token: delete only those with this token, so that a newer installation stays; None:
                all of them.
        """
        query = select(slack_installations).where(self._is_in(workspace)).with_for_update()
        async with self._engine.begin() as connection:
            rows = (await connection.execute(query)).all()
            gone = [
                row.id for row in rows if token is None or self._read(row).tokens.access == token
            ]
            await connection.execute(delete(slack_installations).where(_kept.id.in_(gone)))
        return len(gone)

    async def reseal(self) -> int:
        """Encrypt tokens that have an older key with the current one; return how many there were.

        A row that is rotated meanwhile has the current key.

        Raises:
            ConfigError: Something was encrypted with a key that is not set.
        """
        query = select(slack_installations).where(_kept.client_id == self._client_id)
        async with self._engine.begin() as connection:
            rows = (await connection.execute(query.with_for_update())).all()
            old = [row for row in rows if not self._envelope.is_current(row.sealed)]
            for row in old:
                await self._put_tokens(connection, row.id, self._read(row))
        return len(old)

    async def _lock(self, connection: AsyncConnection, workspace: Workspace) -> None:
        await connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_WAIT_S}s'"))
        name = f"{self._client_id}:{workspace.name}"
        await wait_for_one(connection, AdvisoryLock.ROTATING, name)

    def _is_in(self, workspace: Workspace) -> ColumnElement[bool]:
        """Match exactly this workspace, which keeps its id when it joins an organisation."""
        is_there = (
            _kept.team_id == workspace.team
            if workspace.team
            else _kept.team_id.is_(None) & (_kept.enterprise_id == workspace.enterprise)
        )
        return is_there & (_kept.client_id == self._client_id)

    async def _find(
        self, connection: AsyncConnection, workspace: Workspace
    ) -> "Row[tuple[object, ...]] | None":
        """Return the newest row of the workspace, else of its organisation."""
        organisation = Workspace(enterprise=workspace.enterprise) if workspace.enterprise else None
        places = [self._is_in(one) for one in (workspace, organisation) if one]
        query = (
            select(slack_installations)
            .where(or_(*places))
            .order_by(_kept.team_id.nulls_last(), _kept.installed_at.desc(), _kept.id.desc())
            .limit(1)
        )
        return (await connection.execute(query)).first()

    async def _put_tokens(
        self, connection: AsyncConnection, row_id: int, installation: Installation
    ) -> bool:
        """Replace the tokens of a row; return whether it still existed."""
        row = self._row(installation)
        put = (
            update(slack_installations)
            .where(_kept.id == row_id)
            .values(sealed=row["sealed"], token_expires_at=row["token_expires_at"])
            .returning(_kept.id)
        )
        return (await connection.execute(put)).first() is not None

    def _row(self, installation: Installation) -> dict[str, object]:
        where, tokens = installation.workspace, installation.tokens
        plain = json.dumps({"access": tokens.access, "refresh": tokens.refresh}).encode()
        bound = _identity(self._client_id, where.enterprise, where.team, installation.installer)
        return {
            "client_id": self._client_id,
            "enterprise_id": where.enterprise,
            "team_id": where.team,
            "user_id": installation.installer,
            "app_id": installation.app,
            "bot_id": installation.bot,
            "bot_user_id": installation.bot_user,
            "label": installation.label,
            "scopes": list(installation.scopes),
            "sealed": self._envelope.seal(plain, bound_to=bound),
            "token_expires_at": tokens.expires_at,
        }

    def _read(self, row: "Row[tuple[object, ...]]") -> Installation:
        bound = _identity(row.client_id, row.enterprise_id, row.team_id, row.user_id)
        try:
            secret = json.loads(self._envelope.open(row.sealed, bound_to=bound))
            access, refresh = secret["access"], secret["refresh"]
        except (ValueError, KeyError) as error:
            raise IntegrityError("an encrypted token does not hold what it should") from error
        return Installation(
            workspace=Workspace(enterprise=row.enterprise_id, team=row.team_id),
            installer=row.user_id,
            app=row.app_id,
            bot=row.bot_id,
            bot_user=row.bot_user_id,
            label=row.label,
            scopes=tuple(row.scopes),
            tokens=Tokens(access=access, refresh=refresh, expires_at=row.token_expires_at),
            installed_at=row.installed_at,
        )


def _identity(client_id: str, enterprise: str | None, team: str | None, user: str) -> bytes:
    """Return the data that a row's secrets are bound to: its unique key, without ambiguity."""
    return json.dumps(["slack_installations", client_id, enterprise, team, user]).encode()


@database_store
class PostgresOAuthStates:
    """The one-time states by which a browser that comes back from Slack is recognised.

    Only a hash is stored, which is of no use to whoever reads it.
    """

    def __init__(self, engine: AsyncEngine, *, lifetime: timedelta = LIFETIME) -> None:
        self._engine = engine
        self._lifetime = lifetime

    async def issue(self) -> str:
        """Return a new state, valid once and for some minutes; delete those that have expired."""
        state = secrets.token_urlsafe(STATE_BYTES)
        kept = slack_oauth_states
        async with self._engine.begin() as connection:
            await connection.execute(delete(kept).where(kept.c.expires_at <= func.now()))
            await connection.execute(
                insert(kept).values(state_hash=_hash(state), expires_at=func.now() + self._lifetime)
            )
        return state

    async def consume(self, state: str, /) -> bool:
        """Use up a state: True for exactly one caller, and False once it has expired."""
        kept = slack_oauth_states
        used = (
            delete(kept)
            .where(kept.c.state_hash == _hash(state), kept.c.expires_at > func.now())
            .returning(kept.c.state_hash)
        )
        async with self._engine.begin() as connection:
            return (await connection.execute(used)).first() is not None


def _hash(state: str) -> bytes:
    return hashlib.sha256(state.encode()).digest()


class PostgresDisconnections(RecordingStore):
    """Records which workspaces disconnected the app."""

    @raises_transient
    async def disconnected(self, *, platform: str, tenant: str, reason: str) -> None:
        """Record that a workspace removed the app, or revoked its token.

        Args:
            platform: see `Place.platform`.
            tenant: see `Place.tenant`.
            reason: the platform's name for it.
        """
        event = _event(Tag.WORKSPACE_DISCONNECTED, platform, tenant, {"reason": reason})
        async with self._engine.begin() as connection:
            await self._ledger.event(connection, event, content={})


def _event(tag: Tag, platform: str, tenant: str, says: Mapping[str, Json]) -> Event:
    return Event(
        tag=tag, actor=platform, actor_kind="system", subject=f"{platform}/{tenant}", says=says
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthStores:
    """Where an installation by OAuth is stored."""

    installations: PostgresInstallations
    """The installations."""
    states: PostgresOAuthStates
    """Those that are in progress."""


def oauth_stores(engine: AsyncEngine, settings: Settings, ledger: Ledger) -> OAuthStores | None:
    """Return the stores of an app that several workspaces may install; None for one workspace."""
    if settings.slack_client_id is None or settings.token_key is None:
        return None
    older = [settings.token_key_old] if settings.token_key_old else []
    envelope = SecretBox(
        base64.b64decode(settings.token_key), older=[base64.b64decode(one) for one in older]
    )
    return OAuthStores(
        installations=PostgresInstallations(
            engine, client_id=settings.slack_client_id, envelope=envelope, ledger=ledger
        ),
        states=PostgresOAuthStates(engine),
    )


async def held_installations(
    url: str, settings: Settings, ledger: Ledger
) -> tuple[Installation, ...]:
    """Read all installations from a database that may not be migrated: then there are none.

    Raises:
        ConfigError: It can't be reached, or one was encrypted with a key that is not set.
        IntegrityError: One was altered.
        TransientError: The database can't be reached now.
    """
    engine = engine_for(url, pooled=False)
    try:
        stores = oauth_stores(engine, settings, ledger)
        is_migrated = fits(await server_facts(engine))
        return await stores.installations.held() if stores and is_migrated else ()
    finally:
        await engine.dispose()
