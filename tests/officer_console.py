"""The officers' console over a real database, and a browser without scripts that visits it."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie

import psycopg
from aiohttp import ClientSession

from bot.app.connections import ConnectionLimits, listening
from bot.app.http import Metered, application
from bot.metrics import Meter
from bot.officer.app import console_links, console_routes
from bot.officer.gate import SIGN_IN
from bot.officer.sign_in import ConsoleLinks
from core.bootstrap import Service
from core.domain.officers import Account, SignInLink

ORIGIN = "http://127.0.0.1"
OFFICERS = (
    '[{"login": "ada", "name": "Ada Lovelace", "accounts": ["slack/T1/UA"], "on_call": true},'
    ' {"login": "grace", "name": "Grace Hopper", "accounts": ["slack/T1/UG"],'
    ' "subject": "sub-grace"}]'
)
ADA = Account(platform="slack", tenant="T1", person="UA")
GRACE = Account(platform="slack", tenant="T1", person="UG")
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


def grant(database_url: str, *logins: str, units: str = "{*}") -> None:
    """Let officers read the record of units, as an operator does."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        for login in logins:
            connection.execute(
                "INSERT INTO audit.officer (login, units, audiences) VALUES (%s, %s, '{*}')",
                (login, units),
            )


@dataclass
class Visitor:
    """A browser with cookies of its own, which follows no redirect by itself."""

    base: str
    session: ClientSession
    cookies: dict[str, str] = field(default_factory=dict[str, str])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    """Of the last answer."""
    body: bytes = b""
    """Likewise."""

    async def get(self, path: str, **more: str) -> tuple[int, str]:
        """Open a page of the console."""
        return await self._send("GET", path, None, more)

    async def post(self, path: str, form: dict[str, str], **more: str) -> tuple[int, str]:
        """Send a form, as a browser does: it says from where."""
        return await self._send("POST", path, form, {"Origin": self.base, **more})

    async def fields(self, path: str) -> dict[str, str]:
        """Return what the forms of a page hold that nobody sees."""
        status, page = await self.get(path)
        assert status == 200, page
        return dict(_HIDDEN.findall(page))

    async def _send(
        self, method: str, path: str, form: dict[str, str] | None, headers: dict[str, str]
    ) -> tuple[int, str]:
        held = "; ".join(f"{name}={value}" for name, value in self.cookies.items() if value)
        sent = {**({"Cookie": held} if held else {}), **headers}
        async with self.session.request(
            method, f"{self.base}{path}", data=form, headers=sent, allow_redirects=False
        ) as answer:
            for line in answer.headers.getall("Set-Cookie", []):
                for name, one in SimpleCookie(line).items():
                    self.cookies[name] = one.value
            self.headers = dict(answer.headers)
            self.body = await answer.read()
            return answer.status, self.body.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """A console that is served."""

    base: str
    service: Service
    links: ConsoleLinks
    session: ClientSession

    def visitor(self) -> Visitor:
        """Return a browser in which nobody is signed in."""
        return Visitor(base=self.base, session=self.session)

    async def link(self, account: Account = ADA) -> str:
        """Return the path of a new link."""
        made = await self.links.link_for(account)
        assert isinstance(made, SignInLink)
        assert SIGN_IN in made.url
        return made.url.removeprefix(self.base)

    async def signed_in(self, account: Account = ADA) -> Visitor:
        """Return a browser in which an officer is signed in."""
        visitor = self.visitor()
        status, _ = await visitor.post(await self.link(account), {})
        assert status == 303
        return visitor


@asynccontextmanager
async def served(service: Service, port: int) -> AsyncGenerator[Console]:
    """Serve the console of a service whose settings name this port."""
    links = console_links(service)
    assert links is not None
    async with (
        console_routes(service) as routes,
        listening(
            application(routes, Metered(Meter())),
            host="127.0.0.1",
            port=port,
            settings="",
            limits=ConnectionLimits(),
        ),
        ClientSession() as session,
    ):
        base = f"{ORIGIN}:{port}"
        yield Console(base=base, service=service, links=links, session=session)
