"""Who gets a page of the console, and what every response of it carries.

- A request is for the console's own host, so that no other name leads a browser here.
- A page is shown to officers who are signed in and still on the list; others are led to sign in.
- What changes something comes by POST from a page of ours: the browser says so in `Origin`, and the
  form holds a token that is bound to the session.
- No script runs, nothing is loaded from elsewhere, no page is kept by the browser or framed.
"""

import hashlib
import hmac
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import UUID

from aiohttp import web

from bot.officer.rendering import Pages
from core.adapters.postgres.cases.reviews import PostgresReviews
from core.adapters.postgres.console.access import SESSION_HOURS, PostgresConsoleAccess
from core.adapters.postgres.officers.session import OfficerSession, Reading
from core.adapters.postgres.record.affected_editions import PostgresAffectedEditions
from core.adapters.postgres.record.question_drafts import PostgresQuestionDrafts
from core.cases.precedents import PrecedentService
from core.domain.errors import TransientError, raised_at
from core.domain.officers import ConsoleSession, Officer, Officers

HOME, SIGN_IN = "/officer", "/officer/sign-in"
TOKEN = "csrf"  # noqa: S105  # the name of a field
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self';"
        " frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    # `no-referrer` would make browsers say that a form of ours comes from `null`.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}
LONGEST = 2_000
"""Characters of an address that are recorded."""
HSTS = {"Strict-Transport-Security": "max-age=31536000"}

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What an officer works on besides records and cases: only what they may see of it."""

    precedents: PrecedentService
    editions: PostgresAffectedEditions
    drafts: PostgresQuestionDrafts
    reviews: PostgresReviews


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A request of an officer who is signed in."""

    request: web.Request
    officer: Officer
    session: ConsoleSession
    csrf: str
    """What the forms of this session send back."""
    record: OfficerSession
    """The record, as this officer may read it."""
    desk: Desk
    """The rest, likewise."""

    def query(self, name: str) -> str:
        """Return a part of the address; empty: it is not there."""
        return self.request.query.get(name, "").strip()

    def part(self, name: str) -> str:
        """Return a part of the path."""
        return self.request.match_info[name]

    @property
    def id(self) -> str:
        """The id in the path.

        Raises:
            NoPageError: It is none.
        """
        try:
            return str(UUID(self.part("id")))
        except ValueError as error:
            raise NoPageError from error

    def reading(self, *views: str, record_id: str | None = None) -> Reading:
        """Return what the record says of a page: its address with all that is looked for."""
        if record_id is not None:
            return Reading(record_id=record_id, views=views)
        return Reading(statement=f"console {self.request.path_qs}"[:LONGEST], views=views)

    async def form(self) -> Mapping[str, object]:
        """Return what was sent."""
        return await self.request.post()


Page = Callable[[Visit], Awaitable[web.StreamResponse]]
OpenPage = Callable[[web.Request], Awaitable[web.StreamResponse]]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class NoPageError(Exception):
    """There is no such page, or not for this officer."""


class Gate:
    """Wraps the pages of the console; see the module."""

    def __init__(
        self,
        pages: Pages,
        access: PostgresConsoleAccess,
        officers: Officers,
        *,
        origin: str,
        record_of: Callable[[str], OfficerSession],
        desk_of: Callable[[str], Desk],
    ) -> None:
        """`record_of` opens the record for the officer of a login, `desk_of` the rest."""
        self._record_of = record_of
        self._desk_of = desk_of
        self._pages = pages
        self._access = access
        self._officers = {officer.login: officer for officer in officers.all}
        parts = urlsplit(origin)
        self._host, self.is_secure = parts.netloc.lower(), parts.scheme == "https"
        self.origin = f"{parts.scheme}://{self._host}"
        self.cookie = "__Host-citebound-officer" if self.is_secure else "citebound-officer"

    def page(self, handler: Page) -> Handler:
        """Return a page for officers who are signed in."""

        async def shown(request: web.Request) -> web.StreamResponse:
            visit = await self._visit(request)
            if visit is None:
                raise web.HTTPSeeOther(SIGN_IN)
            if request.method == "POST":
                await self._check_token(visit)
            return await handler(visit)

        return self.open(shown)

    def open(self, handler: OpenPage) -> Handler:
        """Return a page for anybody."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            try:
                self._check_origin(request)
                response = await handler(request)
            except web.HTTPRedirection as elsewhere:
                response = web.Response(status=elsewhere.status, headers=elsewhere.headers)
            except web.HTTPException as refused:
                response = self.problem(refused.status)
            except NoPageError:
                response = self.problem(404)
            except TransientError:
                logger.warning("a page of the console waits for the database", exc_info=True)
                response = self.problem(503)
            except Exception as error:
                # Name and place alone: what an error says may hold a person's text.
                logger.error(  # noqa: TRY400
                    "a page of the console failed: %s at %s", type(error).__name__, raised_at(error)
                )
                response = self.problem(500)
            return self._sealed(response)

        return guarded

    def problem(self, status: int) -> web.Response:
        """Return a page that says what is wrong."""
        return self._pages.response("problem.html", status=status, code=status, visit=None)

    def sign_in(self, response: web.Response, secret: str) -> web.Response:
        """Let the browser keep a session."""
        response.set_cookie(
            self.cookie,
            secret,
            max_age=SESSION_HOURS * 3_600,
            path="/",
            secure=self.is_secure,
            httponly=True,
            samesite="Lax",
        )
        return response

    def sign_out(self, response: web.Response) -> web.Response:
        """Let the browser forget its session."""
        response.del_cookie(
            self.cookie, path="/", secure=self.is_secure, httponly=True, samesite="Lax"
        )
        return response

    def secret(self, request: web.Request) -> str:
        """Return what the browser holds of a session; empty: nothing."""
        return request.cookies.get(self.cookie, "")

    async def _visit(self, request: web.Request) -> Visit | None:
        secret = self.secret(request)
        session = await self._access.find(secret) if secret else None
        if session is None:
            return None
        officer = self._officers.get(session.login)
        if officer is None:
            await self._access.end_all(session.login)
            return None
        return Visit(
            request=request,
            officer=officer,
            session=session,
            csrf=_token(secret),
            record=self._record_of(officer.login),
            desk=self._desk_of(officer.login),
        )

    async def _check_token(self, visit: Visit) -> None:
        sent = (await visit.form()).get(TOKEN)
        if not isinstance(sent, str) or not hmac.compare_digest(sent.encode(), visit.csrf.encode()):
            raise web.HTTPForbidden

    def _check_origin(self, request: web.Request) -> None:
        if request.host.lower() != self._host:
            raise web.HTTPMisdirectedRequest
        if request.method == "POST" and request.headers.get("Origin") != self.origin:
            raise web.HTTPForbidden

    def _sealed(self, response: web.StreamResponse) -> web.StreamResponse:
        for name, value in (HEADERS | (HSTS if self.is_secure else {})).items():
            response.headers.setdefault(name, value)
        return response


def _token(secret: str) -> str:
    return hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest()


class GatedPages:
    """Pages behind the gate, of one kind."""

    def __init__(self, gate: Gate, pages: Pages) -> None:
        self._gate = gate
        self._pages = pages
