"""Access tokens of services on the web (OAuth 2.0), fetched when they are due.

They are fetched by us and not by the services' SDKs, whose fetch blocks every other task. One
fetch at a time; a token is kept until five minutes before its end.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, cast

from aiohttp import ClientError, ClientSession, ClientTimeout

from core.service_access.proxy import proxy_for

MACHINE_URL = "http://169.254.169.254/metadata/identity/oauth2/token"
"""Of every virtual machine of Azure."""
TIMEOUT_S = 10.0
EARLY_S = 300.0
"""A token that ends sooner than this is renewed."""
SHORTEST_S = 30.0
"""A token is kept that long, whatever it says of its end."""
WATCHED_EVERY_S = 60.0
FINE, SERVER_FAILED = 200, 500


class TokenError(Exception):
    """There is no token; the text is the service's word for why, and no secret."""

    def __init__(self, why: str, *, is_refusal: bool = False) -> None:
        """`is_refusal`: the service answered that we get none; else it may do so later."""
        super().__init__(why)
        self.is_refusal = is_refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRequest:
    """How a token is asked for."""

    method: str
    """Of HTTP."""
    url: str
    """Of the service that issues tokens."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """May hold a secret."""
    params: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of the address; no secret."""
    form: Mapping[str, str] | None = field(default=None, repr=False)
    """The body; may hold a secret."""
    is_proxied: bool = False
    """True: by the proxy that the environment names."""


@dataclass(slots=True, eq=False)
class FetchedToken:
    """A token that is fetched when it is due. Safe from many tasks."""

    session: ClientSession
    """Fetches the token."""
    request: Callable[[], TokenRequest]
    """Says how, each time anew."""
    _: KW_ONLY
    now: Callable[[], float]
    """In seconds since 1970."""
    note: Callable[[str | None], None] = lambda _: None
    """Told the service's word for why it gives us none; None: it does."""
    _token: str = field(default="", init=False, repr=False)
    _ends_at: float = field(default=0.0, init=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def current(self) -> str:
        """Return a token that is good for some minutes.

        Raises:
            TokenError: There is none.
        """
        async with self._lock:
            if not self._token or self.now() >= self._ends_at:
                await self._fetch()
            return self._token

    def forget(self, token: str, /) -> None:
        """Fetch another one next time: the service refused this."""
        if token == self._token:
            self._token = ""

    async def _fetch(self) -> None:
        asked_at = self.now()
        request = self.request()
        try:
            async with self.session.request(
                request.method,
                request.url,
                headers=request.headers,
                params=request.params,
                data=request.form,
                timeout=ClientTimeout(total=TIMEOUT_S),
                allow_redirects=False,
                proxy=proxy_for(request.url) if request.is_proxied else None,
            ) as response:
                status, said = response.status, await response.text(errors="replace")
            if status >= SERVER_FAILED:
                raise TokenError(f"no_answer ({status})")
            told: Any = json.loads(said) if status == FINE else _maybe_json(said)
        except (ClientError, OSError, TimeoutError, ValueError) as error:
            raise TokenError(f"no_answer ({type(error).__name__})") from None
        body = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
        token = body.get("access_token")
        if status != FINE or not isinstance(token, str) or not token:
            is_refusal = status in {400, 401, 403}
            if is_refusal:
                self.note(_why(status, body))
            raise TokenError(_why(status, body), is_refusal=is_refusal)
        self.note(None)
        self._token = token
        lasts_s = _lasts_s(body, asked_at)
        self._ends_at = asked_at + max(SHORTEST_S, lasts_s - EARLY_S)


@asynccontextmanager
async def watched(*tokens: FetchedToken) -> AsyncGenerator[None]:
    """Keep tokens fresh until the block ends, so that one that is refused is known before use."""

    async def fetch() -> None:
        while True:
            for token in tokens:
                with suppress(TokenError):
                    await token.current()
            await asyncio.sleep(WATCHED_EVERY_S)

    async with asyncio.TaskGroup() as group:
        watching = group.create_task(fetch())
        try:
            yield
        finally:
            watching.cancel()


def client_credentials(
    url: str, *, client: str, secret: str, scope: str, is_proxied: bool = False
) -> TokenRequest:
    """Return how a program asks for a token with a secret (OAuth 2.0, section 4.4)."""
    form = {
        "grant_type": "client_credentials",
        "client_id": client,
        "client_secret": secret,
        "scope": scope,
    }
    return TokenRequest(method="POST", url=url, form=form, is_proxied=is_proxied)


def managed_identity(
    resource: str, *, client: str, endpoint: str | None, header: str | None
) -> TokenRequest:
    """Return how a managed identity of Azure asks for a token.

    Args:
        resource: the service that the token is for.
        client: id of the identity.
        endpoint: where App Service or Container Apps say that it is asked; None: on the machine.
        header: goes with it.
    """
    params = {"resource": resource, "client_id": client}
    if endpoint is None:
        return TokenRequest(
            method="GET",
            url=MACHINE_URL,
            headers={"Metadata": "true"},
            params=params | {"api-version": "2018-02-01"},
        )
    return TokenRequest(
        method="GET",
        url=endpoint,
        headers={"X-IDENTITY-HEADER": header or ""},
        params=params | {"api-version": "2019-08-01"},
    )


def _lasts_s(body: Mapping[str, Any], asked_at: float) -> float:
    """Return for how many seconds a token is good; App Service tells only when it ends."""
    for key, since in (("expires_in", 0.0), ("expires_on", asked_at)):
        told = str(body.get(key, ""))
        if told.isascii() and told.isdecimal():
            return float(told) - since
    return 0.0


def _maybe_json(said: str) -> Any:
    """Read what a refusal says; None where it is no JSON, as a proxy's."""
    try:
        return json.loads(said)
    except ValueError:
        return None


def _why(status: int, body: Mapping[str, Any]) -> str:
    error = body.get("error")
    word = error if isinstance(error, str) and error.isprintable() else str(status)
    codes = body.get("error_codes")
    numbers = cast("list[Any]", codes) if isinstance(codes, list) else []
    told = ", ".join(f"AADSTS{one}" for one in numbers if isinstance(one, int))
    return f"{word} ({told})" if told else word
