"""Signing in and out: by a link that the bot sends, or by OpenID Connect; never by a password.

A link shows a button, and the button signs in: what merely looks at a link, as previews and virus
scanners do, uses nothing up.
"""

from aiohttp import web

from bot.officer.gate import HOME, SIGN_IN, Gate, Visit
from bot.officer.oidc import OidcProvider, SignInFailedError
from bot.officer.rendering import Pages
from core.adapters.postgres.console.access import LINK_MINUTES, PostgresConsoleAccess
from core.domain.officers import Account, NoLink, Officers, SignInLink

ATTEMPT_S = 600
"""How long a sign-in at the provider may take."""


class ConsoleLinks:
    """See `bot.delivery.SignInLinks`."""

    def __init__(self, access: PostgresConsoleAccess, officers: Officers, *, origin: str) -> None:
        self._access = access
        self._officers = officers
        self._origin = origin.rstrip("/")

    async def link_for(self, *accounts: Account) -> SignInLink | NoLink:
        """See `SignInLinks.link_for`."""
        for account in accounts:
            officer = self._officers.find(account)
            if officer is not None and await self._access.is_officer(officer.login):
                secret = await self._access.issue_link(officer.login, platform=account.platform)
                if secret is None:
                    return NoLink.TOO_MANY
                return SignInLink(url=f"{self._origin}{SIGN_IN}/{secret}", minutes=LINK_MINUTES)
        return NoLink.NOT_OFFICER


class SignInPages:
    """The pages before the others."""

    def __init__(
        self,
        gate: Gate,
        pages: Pages,
        access: PostgresConsoleAccess,
        officers: Officers,
        *,
        provider: OidcProvider | None,
    ) -> None:
        self._gate = gate
        self._pages = pages
        self._access = access
        self._officers = officers
        self._provider = provider
        self._attempt = "__Host-citebound-oidc" if gate.is_secure else "citebound-oidc"

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        gate = self._gate
        found = [
            web.get(SIGN_IN, gate.open(self.show)),
            web.get(f"{SIGN_IN}/{{secret}}", gate.open(self.offer)),
            web.post(f"{SIGN_IN}/{{secret}}", gate.open(self.redeem)),
            web.post(f"{HOME}/sign-out", gate.page(self.leave)),
        ]
        if self._provider is not None:
            found += [
                web.get(f"{HOME}/oidc", gate.open(self.depart)),
                web.get(f"{HOME}/oidc/callback", gate.open(self.arrive)),
            ]
        return tuple(found)

    async def show(self, _: web.Request) -> web.StreamResponse:
        """Say how to sign in."""
        return self._told("")

    async def offer(self, request: web.Request) -> web.StreamResponse:
        """Offer to sign in by a link, as long as it works."""
        if not await self._access.is_open(request.match_info["secret"]):
            return self._told("link", status=410)
        return self._pages.response("offer.html", visit=None, path=request.path)

    async def redeem(self, request: web.Request) -> web.StreamResponse:
        """Sign in by a link, which is used up."""
        secret = await self._access.redeem(request.match_info["secret"])
        return self._told("link", status=410) if secret is None else self._welcome(secret)

    async def leave(self, visit: Visit) -> web.StreamResponse:
        """Sign out, in this browser or everywhere."""
        if (await visit.form()).get("everywhere"):
            await self._access.end_all(visit.officer.login)
        else:
            await self._access.end(self._gate.secret(visit.request))
        return self._gate.sign_out(_to(SIGN_IN))

    async def depart(self, _: web.Request) -> web.StreamResponse:
        """Lead to the provider; the browser keeps what its answer has to fit."""
        assert self._provider is not None  # noqa: S101
        attempt = await self._provider.begin()
        response = _to(attempt.url)
        response.set_cookie(
            self._attempt,
            attempt.kept,
            max_age=ATTEMPT_S,
            path="/",
            secure=self._gate.is_secure,
            httponly=True,
            samesite="Lax",
        )
        return response

    async def arrive(self, request: web.Request) -> web.StreamResponse:
        """Take the provider's answer."""
        assert self._provider is not None  # noqa: S101
        try:
            kept = request.cookies.get(self._attempt, "")
            subject = await self._provider.subject(kept, request.query)
        except SignInFailedError:
            return self._forgotten(self._told("provider", status=403))
        officer = next((one for one in self._officers.all if one.subject == subject), None)
        if officer is None or not await self._access.is_officer(officer.login):
            return self._forgotten(self._told("unknown", status=403, subject=subject))
        return self._forgotten(self._welcome(await self._access.begin(officer.login, by="oidc")))

    def _told(self, why: str, *, status: int = 200, subject: str = "") -> web.Response:
        return self._pages.response(
            "sign_in.html",
            status=status,
            visit=None,
            why=why,
            subject=subject,
            has_provider=self._provider is not None,
        )

    def _welcome(self, secret: str) -> web.Response:
        return self._gate.sign_in(_to(HOME), secret)

    def _forgotten(self, response: web.Response) -> web.Response:
        response.del_cookie(
            self._attempt, path="/", secure=self._gate.is_secure, httponly=True, samesite="Lax"
        )
        return response


def _to(path: str) -> web.Response:
    return web.Response(status=303, headers={"Location": path})
