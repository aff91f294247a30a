"""Sign-in by OpenID Connect: what a provider's answer has to prove, and to which browser."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.local.embedder import LocalEmbedder
from core.adapters.postgres.engine.roles import DatabaseRole
from core.bootstrap import bootstrap
from core.config.settings import Settings
from tests.databases import as_role
from tests.officer_console import OFFICERS, ORIGIN, Console, Visitor, grant, served
from tests.ports import free_port
from tests.servers.oidc import OidcServer, oidc
from tests.servers.teams.openid import private_key

CALLBACK = "/officer/oidc/callback"


@pytest.fixture
async def provider() -> AsyncIterator[OidcServer]:
    """A provider that knows Grace."""
    async with oidc() as server:
        yield server


@pytest.fixture
async def site(
    database_url: str, local_embedder: LocalEmbedder, provider: OidcServer
) -> AsyncIterator[Console]:
    """A console that takes its word."""
    port = free_port()
    settings = Settings(
        database_url=as_role(database_url, DatabaseRole.APP),
        officers=OFFICERS,
        console_url=f"{ORIGIN}:{port}",
        record_url=as_role(database_url, DatabaseRole.CONSOLE),
        oidc_issuer=provider.issuer,
        oidc_client_id=provider.client_id,
        oidc_client_secret=provider.secret,
    )
    grant(database_url, "grace")
    async with (
        bootstrap(settings, embedder=local_embedder) as service,
        served(service, port) as console,
    ):
        yield console


async def led_back(visitor: Visitor, provider: OidcServer) -> str:
    """Go to the provider, sign in there; return the path to which it leads back."""
    assert (await visitor.get("/officer/oidc"))[0] == 303
    back = await provider.visit(visitor.headers["Location"])
    return back.removeprefix(visitor.base)


async def test_an_officer_signs_in(
    site: Console, provider: OidcServer, engine: AsyncEngine
) -> None:
    """By the provider's word, once; how is recorded."""
    visitor = site.visitor()
    _, page = await visitor.get("/officer/sign-in")
    assert 'href="/officer/oidc"' in page
    back = await led_back(visitor, provider)
    kept = dict(visitor.cookies)
    assert (await visitor.get(back))[0] == 303
    assert (await visitor.get("/officer"))[0] == 200
    assert not visitor.cookies["citebound-oidc"]
    again = site.visitor()
    again.cookies = kept
    assert (await again.get(back))[0] == 403
    async with engine.connect() as connection:
        found = await connection.execute(
            text("SELECT actor, doc->>'by' FROM audit.record WHERE tag = 'officer:signed_in'")
        )
        assert found.all() == [("grace", "oidc")]


async def test_whoever_is_no_officer_is_told_the_account(
    site: Console, provider: OidcServer
) -> None:
    """So that it can be passed on; nobody is signed in."""
    provider.subject = "<b>somebody</b>"
    visitor = site.visitor()
    status, page = await visitor.get(await led_back(visitor, provider))
    assert status == 403
    assert "&lt;b&gt;somebody&lt;/b&gt;" in page
    assert (await visitor.get("/officer"))[0] == 303


async def test_an_answer_counts_in_the_browser_that_asked(
    site: Console, provider: OidcServer
) -> None:
    """A link with somebody else's code signs nobody in."""
    visitor, victim = site.visitor(), site.visitor()
    back = await led_back(visitor, provider)
    assert (await victim.get(back))[0] == 403
    await led_back(victim, provider)
    assert (await victim.get(back))[0] == 403
    other = (await led_back(visitor, provider)).replace("state=", "state=x")
    assert (await visitor.get(other))[0] == 403
    await led_back(visitor, provider)
    assert (await visitor.get(f"{CALLBACK}?error=access_denied"))[0] == 403
    assert (await visitor.get(CALLBACK))[0] == 403


OTHER = "another-client"


@pytest.mark.parametrize(
    "lie",
    [
        {"claims": {"nonce": "other"}},
        {"claims": {"nonce": None}},
        {"claims": {"aud": OTHER}},
        {"claims": {"aud": OTHER, "azp": "citebound-console"}},
        {"claims": {"aud": ["citebound-console", OTHER], "azp": OTHER}},
        {"claims": {"iss": "https://evil.example"}},
        {"claims": {"exp": 1_000}},
        {"claims": {"exp": None}},
        {"claims": {"sub": None}},
        {"claims": {"sub": ""}},
        pytest.param({"key": private_key(21)}, id="another key"),
        {"algorithm": "none", "key": ""},
        {"algorithm": "HS256", "key": "hidden-secret" * 3},
        {"status": 400},
    ],
    ids=str,
)
async def test_a_token_that_proves_nothing_signs_nobody_in(
    site: Console, provider: OidcServer, lie: dict[str, Any]
) -> None:
    """For another client, attempt or time; by another key, a shared secret or none."""
    visitor = site.visitor()
    back = await led_back(visitor, provider)
    for name, value in lie.items():
        setattr(provider, name, value)
    status, page = await visitor.get(back)
    assert status == 403, page
    assert (await visitor.get("/officer"))[0] == 303


async def test_keys_may_be_exchanged(site: Console, provider: OidcServer) -> None:
    """A token of a key that was not there before is checked with the new ones."""
    for number in (20, 21):
        provider.key_number = number
        visitor = site.visitor()
        assert (await visitor.get(await led_back(visitor, provider)))[0] == 303


@pytest.mark.parametrize(
    "described",
    [
        {"issuer": "https://evil.example"},
        {"jwks_uri": None},
        {"jwks_uri": "x"},
        {"jwks_uri": "http://idp.example/keys"},
        {"token_endpoint": "http://idp.example/token"},
        {"authorization_endpoint": "http://idp.example/authorize"},
    ],
)
async def test_a_description_that_can_not_be_believed_leads_nowhere(
    site: Console, provider: OidcServer, described: dict[str, Any]
) -> None:
    """Signing in by a link goes on."""
    provider.described = described
    visitor = site.visitor()
    assert (await visitor.get("/officer/oidc"))[0] == 503
    assert (await visitor.get("/officer/sign-in"))[0] == 200
