"""The services that issue the bot's tokens: by its secret, and to a managed identity."""

import json
from dataclasses import dataclass, field
from itertools import count

from aiohttp import web

from tests.servers.slack.clock import Clock
from tests.servers.slack.faults import Faults
from tests.servers.slack.journal import Entry, Journal
from tests.servers.teams.tenant import Tenant
from tests.servers.teams.wire import Json

AUDIENCE = "https://api.botframework.com"
IDENTITY_HEADER = "".join(("identity", "-", "header"))


@dataclass(slots=True, kw_only=True)
class Issued:
    """A token that was given out."""

    audience: str
    app_id: str
    ends_at: float
    is_revoked: bool = False


@dataclass(slots=True)
class Login:
    """Gives out tokens, and knows them again."""

    tenant: Tenant
    clock: Clock
    faults: Faults
    journal: Journal
    connector: str = AUDIENCE
    """For what the connector service wants tokens: each cloud has its own."""
    issued: dict[str, Issued] = field(default_factory=dict[str, Issued])
    lasts_s: int = 3_600
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    def issue(self, audience: str = AUDIENCE) -> str:
        """Give out a token."""
        token = f"token-{next(self._numbers)}-{self.tenant.app_id[:8]}"
        self.issued[token] = Issued(
            audience=audience,
            app_id=self.tenant.app_id,
            ends_at=self.clock.now() + self.lasts_s,
        )
        return token

    def revoke_all(self) -> None:
        """Let no token be good any more."""
        for one in self.issued.values():
            one.is_revoked = True

    def is_good(self, header: str, *, audience: str | None = None) -> bool:
        """Say whether a service may take a request with this header."""
        found = self.issued.get(header.removeprefix("Bearer "))
        return (
            header.startswith("Bearer ")
            and found is not None
            and not found.is_revoked
            and found.audience == (audience or self.connector)
            and found.ends_at > self.clock.now()
        )

    async def by_secret(self, request: web.Request) -> web.Response:
        """Answer `POST /{tenant}/oauth2/v2.0/token`."""
        entry = self._entry()
        spoilt = self._spoilt()
        if spoilt is not None:
            return spoilt
        form = {key: str(value) for key, value in (await request.post()).items()}
        expected = {
            "grant_type": "client_credentials",
            "client_id": self.tenant.app_id,
            "client_secret": self.tenant.app_password,
        }
        if request.match_info["tenant"] != self.tenant.id:
            return self._refuse(entry, 400, "invalid_request", 90002)
        if any(form.get(key) != value for key, value in expected.items()):
            return self._refuse(entry, 401, "invalid_client", 7000215)
        scope = form.get("scope", "")
        if not scope.endswith("/.default"):
            return self._refuse(entry, 400, "invalid_scope", 70011)
        entry.outcome = "ok"
        told: Json = {"token_type": "Bearer", "expires_in": self.lasts_s}
        return web.json_response(told | {"access_token": self.issue(scope[: -len("/.default")])})

    async def of_identity(self, request: web.Request) -> web.Response:
        """Answer what App Service and Container Apps answer a managed identity."""
        entry = self._entry()
        spoilt = self._spoilt()
        if spoilt is not None:
            return spoilt
        asked = request.query
        is_ours = request.headers.get("X-IDENTITY-HEADER") == IDENTITY_HEADER
        if not is_ours or asked.get("client_id") != self.tenant.app_id:
            return self._refuse(entry, 400, "invalid_request", 0)
        if asked.get("api-version") != "2019-08-01":
            return self._refuse(entry, 400, "unsupported_version", 0)
        entry.outcome = "ok"
        ends_at = str(int(self.clock.now() + self.lasts_s))
        token = self.issue(asked.get("resource", ""))
        return web.json_response({"access_token": token, "expires_on": ends_at})

    def _entry(self) -> Entry:
        entry = Entry(method="token", at=self.clock.now())
        self.journal.entries.append(entry)
        return entry

    def _spoilt(self) -> web.Response | None:
        fault = self.faults.take("token")
        if fault is None or fault.status is None:
            return None
        return web.Response(
            status=fault.status,
            text=fault.body if isinstance(fault.body, str) else json.dumps(fault.body),
        )

    def _refuse(self, entry: Entry, status: int, error: str, code: int) -> web.Response:
        entry.outcome = error
        told: Json = {
            "error": error,
            "error_description": f"AADSTS{code}: no",
            "error_codes": [code],
        }
        return web.json_response(told, status=status)
