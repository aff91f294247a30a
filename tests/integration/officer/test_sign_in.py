"""Signing in by a link, what a session is worth, and how it ends."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.officers.grants import PostgresGrants
from core.domain.officers import Account, NoLink
from tests.databases import LEDGER
from tests.officer_console import ADA, GRACE, Console, Visitor, grant

PAGES = ("/officer", "/officer/records", "/officer/cases", "/officer/policies")


async def test_a_link_signs_in_once(console: Console, engine: AsyncEngine) -> None:
    """Who signed in, and by which platform's link, is recorded."""
    visitor, link = console.visitor(), await console.link()
    assert (await visitor.post(link, {}))[0] == 303
    assert visitor.headers["Location"] == "/officer"
    assert (await visitor.get("/officer"))[0] == 200
    other = console.visitor()
    status, page = await other.post(link, {})
    assert status == 410
    assert "no longer works" in page
    assert not any(other.cookies.values())
    async with engine.connect() as connection:
        found = await connection.execute(
            text("SELECT actor, doc->>'by' FROM audit.record WHERE tag = 'officer:signed_in'")
        )
        assert found.all() == [("ada", "slack")]


async def test_looking_at_a_link_does_not_use_it_up(console: Console) -> None:
    """Previews and scanners open what is sent in chat."""
    visitor, link = console.visitor(), await console.link()
    for _ in range(3):
        status, page = await visitor.get(link)
        assert status == 200
        assert f'action="{link}"' in page
    assert not visitor.cookies
    assert (await visitor.post(link, {}))[0] == 303


async def test_an_old_link_signs_nobody_in(console: Console, engine: AsyncEngine) -> None:
    """Ten minutes later it is over."""
    link = await console.link()
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE citebound.console_links SET valid_until = clock_timestamp()")
        )
    assert (await console.visitor().get(link))[0] == 410
    assert (await console.visitor().post(link, {}))[0] == 410


async def test_only_officers_get_links_and_not_too_many(console: Console) -> None:
    """Five within ten minutes; the sixth is refused."""
    nobody = Account(platform="slack", tenant="T1", person="UX")
    assert await console.links.link_for(nobody) is NoLink.NOT_OFFICER
    for _ in range(5):
        await console.link()
    assert await console.links.link_for(ADA) is NoLink.TOO_MANY
    await console.link(GRACE)


async def test_the_database_holds_no_secret(console: Console, engine: AsyncEngine) -> None:
    """Whoever reads it can't sign in."""
    visitor = await console.signed_in()
    secret = next(value for name, value in visitor.cookies.items() if "officer" in name)
    link = await console.link()
    async with engine.connect() as connection:
        for table in ("console_links", "console_sessions"):
            rows = await connection.execute(
                text(f"SELECT CAST(t AS text) FROM citebound.{table} t")  # noqa: S608
            )
            held = "".join(rows.scalars())
            assert secret not in held
            assert link.rpartition("/")[2] not in held


@pytest.mark.parametrize("path", PAGES)
async def test_pages_are_for_officers_who_are_signed_in(console: Console, path: str) -> None:
    """Others are led to sign in; a made-up cookie is none."""
    visitor = console.visitor()
    assert (await visitor.get(path))[0] == 303
    assert visitor.headers["Location"] == "/officer/sign-in"
    visitor.cookies["citebound-officer"] = "a" * 43
    assert (await visitor.get(path))[0] == 303


@pytest.mark.parametrize("column", ["seen_at", "ends_at"])
async def test_a_session_ends_by_itself(console: Console, engine: AsyncEngine, column: str) -> None:
    """After 30 minutes without a request, and after 8 hours in any case."""
    visitor = await console.signed_in()
    ago = timedelta(minutes=31) if column == "seen_at" else timedelta(hours=8)
    async with engine.begin() as connection:
        await connection.execute(
            text(f"UPDATE citebound.console_sessions SET {column} = {column} - :ago"),  # noqa: S608
            {"ago": ago},
        )
    assert (await visitor.get("/officer"))[0] == 303


async def test_signing_out_ends_the_session_itself(console: Console, ada: Visitor) -> None:
    """The cookie is worth nothing afterwards, whoever kept it."""
    kept, other = dict(ada.cookies), await console.signed_in()
    fields = await ada.fields("/officer")
    assert (await ada.post("/officer/sign-out", fields))[0] == 303
    ada.cookies = kept
    assert (await ada.get("/officer"))[0] == 303
    assert (await other.get("/officer"))[0] == 200


async def test_signing_out_everywhere_ends_all_sessions_of_the_officer(
    console: Console, ada: Visitor
) -> None:
    """And nobody else's."""
    second, grace = await console.signed_in(), await console.signed_in(GRACE)
    fields = await ada.fields("/officer")
    await ada.post("/officer/sign-out", fields | {"everywhere": "1"})
    assert (await second.get("/officer"))[0] == 303
    assert (await grace.get("/officer"))[0] == 200


async def test_a_form_from_elsewhere_changes_nothing(console: Console, ada: Visitor) -> None:
    """Another origin, none, or no token of this session."""
    fields = await ada.fields("/officer")
    other = await (await console.signed_in(GRACE)).fields("/officer")
    path = "/officer/sign-out"
    assert (await ada.post(path, fields, Origin="https://evil.example"))[0] == 403
    assert (await ada.post(path, fields, Origin="null"))[0] == 403
    assert (await ada.post(path, {}))[0] == 403
    assert (await ada.post(path, other))[0] == 403
    assert (await ada.get("/officer"))[0] == 200
    assert (await ada.post(path, fields))[0] == 303


async def test_another_host_is_not_the_console(console: Console, ada: Visitor) -> None:
    """A name that was bound to our address leads nowhere."""
    assert (await ada.get("/officer", Host="evil.example"))[0] == 421


async def test_each_response_is_sealed(console: Console, ada: Visitor) -> None:
    """No script, no frame, nothing from elsewhere, nothing kept."""
    for path in (*PAGES, "/officer/sign-in", "/officer/nothing", "/officer/sign-in/x"):
        _, page = await ada.get(path)
        policy = ada.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none';")
        assert "unsafe" not in policy
        assert "script-src" not in policy
        assert ada.headers["Cache-Control"] == "no-store"
        assert ada.headers["X-Content-Type-Options"] == "nosniff"
        assert ada.headers["Referrer-Policy"] == "same-origin"
        assert "Server" not in ada.headers
        assert not re.search(r"<script|\sstyle=|\son\w+=|https?://", page)


async def test_a_cookie_is_for_the_browser_alone(console: Console) -> None:
    """No script reads it, no other site sends it along with a form."""
    visitor = await console.signed_in()
    cookie = visitor.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Path=/" in cookie


async def test_who_left_the_list_is_signed_out(
    console: Console, database_url: str, engine: AsyncEngine
) -> None:
    """The session is ended at the next request, whatever the database grants."""
    visitor = await console.signed_in()
    grant(database_url, "gone")
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.console_sessions SET login = 'gone'"))
    assert (await visitor.get("/officer"))[0] == 303
    async with engine.connect() as connection:
        ended = await connection.scalar(
            text("SELECT count(*) FROM citebound.console_sessions WHERE ended_at IS NULL")
        )
    assert ended == 0


async def test_who_is_revoked_is_signed_out_everywhere(
    console: Console, engine: AsyncEngine
) -> None:
    """At once, in every browser; no link lets them in again, nor one that they have."""
    browsers = [await console.signed_in() for _ in range(2)]
    link = await console.link()
    await PostgresGrants(engine, ledger=LEDGER).revoke("ada", by="root")
    for visitor in browsers:
        assert (await visitor.get("/officer"))[0] == 303
    assert await console.links.link_for(ADA) is NoLink.NOT_OFFICER
    visitor = console.visitor()
    await visitor.post(link, {})
    assert (await visitor.get("/officer"))[0] == 303
    assert (await (await console.signed_in(GRACE)).get("/officer"))[0] == 200


async def test_who_is_granted_again_signs_in_again(console: Console, engine: AsyncEngine) -> None:
    """No session and no link from before comes back."""
    visitor, link = await console.signed_in(), await console.link()
    grants = PostgresGrants(engine, ledger=LEDGER)
    await grants.revoke("ada", by="root")
    await grants.grant("ada", units=["*"], audiences=["*"], has_login=False, by="root")
    assert (await visitor.get("/officer"))[0] == 303
    other = console.visitor()
    assert (await other.post(link, {}))[0] == 410
    assert (await other.get("/officer"))[0] == 303
    assert (await (await console.signed_in()).get("/officer"))[0] == 200
