"""Affected answers in the console: listed by edition, looked at, approved; the access log."""

import re

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.ingest.prepare import Overrides
from tests.integration.officer.conftest import NEXT, QUESTION, ask
from tests.officer_console import GRACE, Console, Visitor

PAGE = "/officer/affected/2"
ASKED_IN_A_CHANNEL = text(
    "INSERT INTO citebound.inbox (dedupe_key, conversation_id, kind, sent_at, raw, run_salt, state,"
    " outcome, question_id, person, asker, mode, text)"
    " SELECT 'asked', conversation_id, 'message', asked_at, '{}', '', 'done', 'answered', id, 'U1',"
    " 'p-17', 'channel', text FROM citebound.questions ORDER BY id DESC LIMIT 1"
)


async def change(console: Console, policy: str = NEXT) -> None:
    """Publish what changes the policy, and compare."""
    await console.service.ingestor.ingest(
        policy.encode(), source_name="gifts.md", given=Overrides(), with_chunks=True
    )
    await console.service.affected.compare(on_day=console.service.clock.now().date())


async def states(engine: AsyncEngine) -> list[str]:
    """Return what became of the affected answers."""
    async with engine.connect() as connection:
        query = "SELECT state FROM citebound.affected_answers ORDER BY answer_id"
        return list((await connection.scalars(text(query))).all())


async def test_an_edition_shows_its_answers_before_and_after(
    console: Console, ada: Visitor
) -> None:
    """From the overview to the edition and to the record; hostile words stay words."""
    _, page = await ada.get("/officer/affected")
    assert "Nothing is affected" in page
    await ask(console.service)
    await ask(console.service, f"{QUESTION} <b>Bold</b>", asker="p-18")
    await change(console, NEXT.replace("up to EUR 40", 'up to "EUR" 40'))
    _, page = await ada.get("/officer")
    assert f'<a href="{PAGE}">Look and decide</a>' in page
    _, page = await ada.get("/officer/affected")
    assert f'href="{PAGE}"' in page
    assert ">gifts<" in page
    status, page = await ada.get(PAGE)
    assert status == 200
    for words in ("2 past answers", "up to EUR 50 per giver", "Other words"):
        assert words in page
    assert "up to &#34;EUR&#34; 40 per giver" in page
    assert "&lt;b&gt;Bold&lt;/b&gt;" in page
    assert page.count("To be decided") >= 3
    _, page = await ada.get("/officer/policies/gifts")
    assert 'href="/officer/affected?policy=gifts"' in page
    _, page = await ada.get("/officer/affected?policy=nothing")
    assert PAGE not in page


async def test_an_officer_approves_in_the_console(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Once, by a form with its token; what is outdated or forged approves nothing.

    Who asked at the terminal can't be told.
    """
    await ask(console.service, asker="p-18")
    await ask(console.service)
    async with engine.begin() as connection:
        await connection.execute(ASKED_IN_A_CHANNEL)
    await change(console)
    fields = await ada.fields(PAGE)
    approve = f"{PAGE}/approve"
    found = await states(engine)
    assert found == ["found", "found"]
    assert (await ada.post(approve, {**fields, "csrf": "0" * 64}))[0] == 403
    assert (await ada.post(approve, fields, Origin="https://evil.example"))[0] == 403
    for seen in ("", "x", "-1", "99", "1" * 40):
        status, page = await ada.post(approve, {**fields, "seen": seen})
        assert status == 409
        assert 'role="alert"' in page
    assert await states(engine) == found
    assert (await console.visitor().post(approve, fields))[0] == 303, "to sign in"
    assert await states(engine) == found
    assert (await ada.post(approve, fields))[0] == 303
    assert ada.headers["Location"] == PAGE
    assert sorted(await states(engine)) == ["approved", "dropped"]
    _, page = await ada.get(PAGE)
    assert "Tell the askers" not in page
    assert "approved by <bdi>ada</bdi>" in page
    grace = await console.signed_in(GRACE)
    theirs = await grace.fields("/officer") | {"seen": fields["seen"]}
    status, page = await grace.post(approve, theirs)
    assert status == 409
    assert "nothing left to decide" in page


async def test_what_became_of_each(console: Console, ada: Visitor, engine: AsyncEngine) -> None:
    """By state; erased and older ones show, too."""
    await ask(console.service)
    await ask(console.service, asker="p-18")
    await change(console)
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "UPDATE citebound.affected_answers SET state = 'dropped'"
                " WHERE answer_id = (SELECT min(answer_id::text)::uuid"
                "  FROM citebound.affected_answers)"
            )
        )
        await connection.execute(text("ALTER TABLE audit.content DISABLE TRIGGER ALL"))
        await connection.execute(text("DELETE FROM audit.content"))
    _, page = await ada.get(f"{PAGE}?state=dropped")
    assert len(re.findall('class="result"', page)) == 1
    assert "be told</span>" in page
    assert "Erased" in page
    _, page = await ada.get(f"{PAGE}?state=superseded")
    assert "No affected answer of this edition fits." in page
    _, page = await ada.get(f"{PAGE}?state=nonsense&policy=gifts")
    assert len(re.findall('class="result"', page)) == 2


async def test_other_units_are_not_there(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Not the edition, nor how many."""
    await ask(console.service)
    await change(console)
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE audit.officer SET units = '{munich}' WHERE login = 'ada'")
        )
    assert (await ada.get(PAGE))[0] == 404
    assert (await ada.get(f"{PAGE}?state=found"))[0] == 404
    _, page = await ada.get("/officer/affected")
    assert PAGE not in page


@pytest.mark.parametrize("edition", ["9", "0", "x", "2x", "-2", "9" * 30, "%D9%A2"])
async def test_no_such_edition(console: Console, ada: Visitor, edition: str) -> None:
    """The page says so."""
    assert (await ada.get(f"/officer/affected/{edition}"))[0] == 404


async def test_the_access_log_shows_who_read_what(console: Console, ada: Visitor) -> None:
    """The reading of the log itself, too; by officer, action and day."""
    reply = await ask(console.service)
    record = reply.receipt.record_id
    await ada.get(f"/officer/records/{record}")
    await ada.get("/officer/records?words=%3Cb%3Egift")
    grace = await console.signed_in(GRACE)
    await grace.get("/officer/policies")
    _, page = await ada.get("/officer/access")
    assert f'href="/officer/records/{record}"' in page
    assert "console /officer/records?words=%3Cb%3Egift" in page
    assert "console /officer/access" in page
    assert page.count("Signed in</a>") == 2
    _, page = await ada.get("/officer/access?officer=grace")
    assert "/officer/policies" in page
    assert record not in page
    _, page = await ada.get("/officer/access?action=record:viewed&officer=ada")
    assert len(re.findall("<tr><td>", page)) == 1
    for path in ("until=2020-01-01", "since=never&until=2020-01-01", "before=x&until=2020-01-01"):
        _, page = await ada.get(f"/officer/access?{path}")
        assert "Nothing found" in page


async def test_the_access_log_goes_on(
    console: Console, ada: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page by page, each line once."""
    monkeypatch.setattr("core.adapters.postgres.console.access_log.PAGE", 3)
    for number in range(7):
        await ada.get(f"/officer/records?words=w{number}")
    seen: list[str] = []
    path = "/officer/access?action=query:executed"
    while True:
        _, page = await ada.get(path)
        seen += re.findall(r"words=w(\d)", page)
        older = re.search(r'rel="next" href="([^"]+)"', page)
        if older is None:
            break
        path = older[1].replace("&amp;", "&")
    assert seen == list("6543210")
