"""How a document service is called: where credentials go, what is repeated, what is bounded."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace

import pytest
from aiohttp import web

from core.adapters.sources.credentials import FixedCredentials, TokenCredentials
from core.adapters.sources.http import (
    ServiceHttp,
    ServiceRules,
    open_session,
)
from core.domain.errors import BusyError, ConfigError, DocumentError, TransientError
from core.service_access.tokens import FetchedToken, client_credentials
from tests.servers.in_thread import serving

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
RULES = ServiceRules(name="the library", check="check its access", a_second=1000, burst=2)


@dataclass
class Service:
    """Answers by script; the last answer stays."""

    script: list[web.Response | int] = field(default_factory=list[web.Response | int])
    seen: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Path and `Authorization` of each request."""
    tokens: int = 0
    """How many were given out."""
    url: str = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.seen.append((request.path_qs, request.headers.get("Authorization", "")))
        if request.path == "/token":
            self.tokens += 1
            return web.json_response({"access_token": f"t{self.tokens}", "expires_in": 3600})
        given = self.script.pop(0) if self.script else 200
        return web.json_response({"value": []}, status=given) if isinstance(given, int) else given


@contextmanager
def running() -> Generator[Service]:
    service = Service()
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", service.answer)
    with serving(application) as service.url:
        yield service


@pytest.fixture
def service() -> Generator[Service]:
    """The service itself."""
    with running() as one:
        yield one


@dataclass
class Called:
    """A client, and how long it was told to wait."""

    http: ServiceHttp
    rests: list[float]


@asynccontextmanager
async def calling(
    service: Service, *, renews: bool = False, a_second: float = 1000.0
) -> AsyncGenerator[Called]:
    rests: list[float] = []

    async def sleep(seconds: float) -> None:
        rests.append(seconds)

    async with open_session() as session:
        fixed = FixedCredentials("Bearer fixed")
        request = client_credentials(f"{service.url}/token", client="c", secret="s-1", scope="x")  # noqa: S106
        token = FetchedToken(session, lambda: request, now=lambda: 0.0)
        yield Called(
            http=ServiceHttp(
                session,
                base=f"{service.url}/v1.0",
                credentials=TokenCredentials(token=token, check="-") if renews else fixed,
                rules=replace(RULES, a_second=a_second),
                sleep=sleep,
                share=lambda: 1.0,
            ),
            rests=rests,
        )


async def test_an_expired_token_is_renewed_once(service: Service) -> None:
    """And no more: a service that refuses a fresh one refuses us."""
    async with calling(service, renews=True) as one:
        address = one.http.address("/items")
        service.script = [401, 200]
        assert await one.http.get_json(address) == {"value": []}
        assert [sent for path, sent in service.seen if path != "/token"] == [
            "Bearer t1",
            "Bearer t2",
        ]
        service.script = [401, 401]
        with pytest.raises(ConfigError, match=r"refuses us .401.: check its access"):
            await one.http.get_json(address)


async def test_a_service_may_ask_to_wait(service: Service) -> None:
    """As long as it says; for too long a wait the next synchronisation is early enough."""
    async with calling(service) as one:
        address = one.http.address("/items", top="2")
        service.script = [web.Response(status=429, headers={"Retry-After": "7"}), 503, 200]
        await one.http.get_json(address)
        assert 7 in one.rests
        assert [path for path, _ in service.seen] == ["/v1.0/items?top=2"] * 3
        service.script = [web.Response(status=429, headers={"Retry-After": "3600"})]
        with pytest.raises(BusyError) as busy:
            await one.http.get_json(address)
        assert busy.value.after_s == 3600
        service.script = [500] * 10
        with pytest.raises(TransientError, match=r"fails .500."):
            await one.http.get_json(address)
        assert len(service.script) == 4


async def test_credentials_stay_with_the_service(service: Service) -> None:
    """A next page elsewhere is not asked for; a redirect of a download is followed without them."""
    with running() as other:
        async with calling(service) as one:
            for leads_away in (
                f"{other.url}/v1.0/items",
                f"{service.url}/v1.00/items",
                f"{service.url}/v1.0/../admin",
                service.url.replace("http://", "http://user@") + "/v1.0/items",
                service.url + ".example.com/v1.0/items",
                "file:///v1.0/items",
            ):
                with pytest.raises(TransientError, match="another host"):
                    await one.http.get(leads_away)
            moved = web.Response(status=302, headers={"Location": f"{other.url}/file?sig=1"})
            service.script = [moved]
            other.script = [web.Response(body=b"text")]
            assert await one.http.download(one.http.address("/content")) == b"text"
            assert service.seen == [("/v1.0/content", "Bearer fixed")]
            assert other.seen == [("/file?sig=1", "")]
            service.script = [web.Response(status=302, headers={"Location": "ftp://x/y"})]
            with pytest.raises(TransientError, match="without encryption"):
                await one.http.download(one.http.address("/content"))
            service.script = [web.Response(status=302, headers={"Location": f"{other.url}/x"})]
            with pytest.raises(ConfigError, match=r"refuses us .302."):
                await one.http.get(one.http.address("/items"))


async def test_answers_are_bounded(service: Service) -> None:
    """A document that is too large, gone or closed fails alone; others are still read."""
    async with calling(service) as one:
        address = one.http.address("/content")
        big = web.Response(body=bytes(2_000_000))
        for given, why in (
            (big, "over the limit of 1 MB"),
            (404, "deleted in the meantime"),
            (403, "may not read it: check its access"),
            (418, "does not give it .418."),
        ):
            service.script = [given]
            with pytest.raises(DocumentError, match=why):
                await one.http.download(address, most=1 << 20)
        page = web.Response(text="<html>sign in", content_type="text/html")
        service.script = [page]
        with pytest.raises(TransientError, match="a web page in place of a document"):
            await one.http.download(address)
        service.script = [web.Response(text="<html>", content_type="text/html")]
        assert await one.http.download(address, is_page=True) == b"<html>"
        service.script = [404]
        assert await one.http.find_json(address, missing={404}) is None
        service.script = [web.Response(text='{"id": "7"}')]
        assert await one.http.find_json(address, missing={404}) == {"id": "7"}
        service.script = [web.Response(text='{"id": "7')]
        with pytest.raises(TransientError, match="what is no JSON"):
            await one.http.find_json(address, missing={404})
        service.script = [web.Response(body=b"<html>")]
        with pytest.raises(TransientError, match="what is no JSON"):
            await one.http.get_json(address)
        service.script = [web.Response(body=b"[" * 100_000)]
        with pytest.raises(TransientError, match="what is no JSON"):
            await one.http.get_json(address)


async def test_requests_are_paced(service: Service) -> None:
    """After the first few, no more in a second than the service likes."""
    async with calling(service, a_second=1.0) as one:
        for _ in range(4):
            await one.http.get(one.http.address("/items"))
        assert len(one.rests) == 2
        assert sum(one.rests) > 1
    assert "fixed" not in repr(FixedCredentials("Bearer fixed"))
