"""Requests in the console: one officer asks, another decides, nobody both."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.integration.officer.conftest import ask
from tests.officer_console import GRACE, Console, Visitor

REQUESTS = "/officer/requests"
WHY = {"reason": "A <b>threat</b>.", "basis": "ticket 4711"}


async def rows(engine: AsyncEngine) -> list[tuple[str, str]]:
    """Return what was recorded of requests, and by whom."""
    query = "SELECT tag, actor FROM audit.record WHERE tag LIKE 'unmask:%' ORDER BY at, id"
    async with engine.connect() as connection:
        return [(row.tag, row.actor) for row in await connection.execute(text(query))]


async def test_another_officer_decides(console: Console, ada: Visitor, engine: AsyncEngine) -> None:
    """Who has asked sees no button, and is refused; the other one approves, once."""
    reply = await ask(console.service)
    form = f"/officer/records/{reply.receipt.record_id}/unmask"
    sent = await ada.post(form, await ada.fields(form) | WHY)
    assert (sent[0], ada.headers["Location"]) == (303, REQUESTS)
    async with engine.connect() as connection:
        request = await connection.scalar(
            text("SELECT id FROM audit.record WHERE tag = 'unmask:requested'")
        )
    approve = f"{REQUESTS}/{request}/approve"
    _, page = await ada.get(REQUESTS)
    assert "A &lt;b&gt;threat&lt;/b&gt;." in page
    assert approve not in page
    token = await ada.fields(form)
    status, page = await ada.post(approve, token)
    assert status == 409
    assert "another officer decides" in page
    grace = await console.signed_in(GRACE)
    assert "request waits for another officer" in (await grace.get("/officer"))[1]
    assert "request waits" not in (await ada.get("/officer"))[1]
    _, page = await grace.get(REQUESTS)
    assert approve in page
    assert (await grace.post(approve, {}))[0] == 403
    assert (await grace.post(approve, await grace.fields(REQUESTS)))[0] == 303
    status, page = await grace.post(f"{REQUESTS}/{request}/deny", await grace.fields(form))
    assert (status, "decided already" in page) == (409, True)
    assert await rows(engine) == [("unmask:requested", "ada"), ("unmask:approved", "grace")]
    _, page = await ada.get("/officer/access")
    assert "Asked who an asker is" in page


async def test_a_request_without_grounds_is_none(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Nor one about no record; what was typed is kept."""
    reply = await ask(console.service)
    form = f"/officer/records/{reply.receipt.record_id}/unmask"
    status, page = await ada.post(form, await ada.fields(form) | {**WHY, "basis": " "})
    assert (status, "on what basis" in page, "threat" in page) == (409, True, True)
    unknown = "/officer/records/00000000-0000-7000-8000-000000000000/unmask"
    assert (await ada.post(unknown, await ada.fields(form) | WHY))[0] == 409
    assert (await ada.get("/officer/records/x/unmask"))[0] == 404
    assert await rows(engine) == []
