"""Cases in the console: the same deeds, records and refusals as in chat."""

import re

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.domain.answer import Outcome
from core.domain.case import CaseState
from core.domain.case_actions import CaseDone
from tests.casework import ADA as DESK_ADA
from tests.casework import ASKER, Office, fresh, office
from tests.integration.cases.test_codes import come_back
from tests.life import PLATFORM_TABLES
from tests.officer_console import GRACE, Console, Visitor

ANSWER = "Yes, up to EUR 30, if you tell your manager."


async def an_office(engine: AsyncEngine) -> Office:
    """Return officers and askers beside the console, and a platform that is a table."""
    async with engine.begin() as connection:
        for statement in PLATFORM_TABLES:
            await connection.execute(text(statement))
    return office(engine)


async def opened(engine: AsyncEngine, *, note: str = "") -> tuple[Office, str, str]:
    """Ask a question, hand it to Compliance; return the office, the case and its page."""
    desk = await an_office(engine)
    case = await desk.opened(note=note)
    return desk, case, f"/officer/cases/{case}"


async def state(desk: Office, case: str) -> tuple[CaseState, str | None]:
    """Return how far a case is, and whose it is."""
    (row,) = await desk.life.rows(
        "SELECT state, owner FROM citebound.cases WHERE CAST(id AS text) = :case", case=case
    )
    return CaseState(str(row["state"])), None if row["owner"] is None else str(row["owner"])


async def test_an_officer_claims_and_answers(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """The asker reads it in the thread, under the officer's name; each step is recorded."""
    desk, case, path = await opened(engine, note="For a <b>customer</b>.")
    _, page = await ada.get("/officer/cases")
    assert f'href="{path}"' in page
    _, page = await ada.get(path)
    assert "For a &lt;b&gt;customer&lt;/b&gt;." in page
    assert (await ada.post(f"{path}/claim", await ada.fields(path)))[0] == 303
    assert await state(desk, case) == (CaseState.CLAIMED, "ada")
    form = await ada.fields(path) | {"answer": ANSWER}
    assert (await ada.post(f"{path}/answer", form))[0] == 303
    assert ada.headers["Location"] == path
    assert (await state(desk, case))[0] is CaseState.ANSWERED
    await desk.deliver()
    assert any(ANSWER in str(body) and channel == "C1" for channel, body in await desk.posts())
    assert await desk.tags() == [
        "case:opened",
        "case:assigned",
        "case:answered",
        "answer:superseded",
    ]
    rows = await desk.life.rows(
        "SELECT DISTINCT actor FROM audit.record WHERE tag = 'case:answered'"
    )
    assert [row["actor"] for row in rows] == ["ada"]
    read = await desk.life.rows(
        "SELECT officer, statement FROM audit.v_access_log WHERE views @> '[\"cases\"]'"
    )
    assert {row["officer"] for row in read} == {"ada"}
    assert {"console /officer/cases", f"console {path}"} <= {row["statement"] for row in read}
    _, page = await ada.get(path)
    assert ANSWER in page
    assert "/answer" not in page


async def test_a_form_sent_twice_is_one_deed(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """A double click, or a page that is reloaded."""
    desk, _, path = await opened(engine)
    form = await ada.fields(path) | {"answer": ANSWER}
    for _ in range(2):
        assert (await ada.post(f"{path}/answer", form))[0] in {303, 409}
    await desk.deliver()
    assert sum(ANSWER in str(body) for _, body in await desk.posts()) == 1
    assert (await desk.tags()).count("case:answered") == 1


async def test_what_another_officer_has_claimed_is_theirs(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """The refusal is that of the chat, and it is recorded."""
    desk, case, path = await opened(engine)
    grace = await console.signed_in(GRACE)
    assert (await grace.post(f"{path}/claim", await grace.fields(path)))[0] == 303
    form = await ada.fields(path) | {"answer": ANSWER}
    status, page = await ada.post(f"{path}/answer", form)
    assert status == 409
    assert "Grace Hopper has claimed case" in page
    assert ANSWER in page
    status, page = await ada.post(f"{path}/close", await ada.fields(path))
    assert status == 409
    assert await state(desk, case) == (CaseState.CLAIMED, "grace")
    assert "case:refused" in await desk.tags()


async def test_an_answer_is_confirmed_in_the_console(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """A choice of its own, without a word to write; the first answer stays as it is."""
    desk, _, path = await opened(engine)
    _, page = await ada.get(path)
    assert "Confirm it and add my text" in page
    form = await ada.fields(path) | {"answer": "", "effect": "confirms"}
    assert (await ada.post(f"{path}/answer", form))[0] == 303
    assert await desk.tags() == ["case:opened", "case:answered", "answer:reviewed"]


async def test_an_answer_that_is_no_answer_is_shown_again(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Empty, or longer than a reply may be: nothing of it is lost."""
    desk, _, path = await opened(engine)
    for answer in ("", " \n ", "a" * 3_001, "\u0000"):
        form = await ada.fields(path) | {"answer": answer}
        status, page = await ada.post(f"{path}/answer", form)
        assert status == 409
        assert 'role="alert"' in page
        assert answer.strip(" \n\u0000") in page
    assert "case:answered" not in await desk.tags()


async def test_a_wrong_answer_is_marked_and_a_case_closed(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """As by the buttons of the card."""
    desk, case, path = await opened(engine)
    await ada.post(f"{path}/wrong", await ada.fields(path))
    await ada.post(f"{path}/close", await ada.fields(path))
    assert (await state(desk, case))[0] is CaseState.CLOSED
    assert await desk.tags() == ["case:opened", "answer:reviewed", "case:closed"]
    _, page = await ada.get("/officer/cases")
    assert "Nothing waits" in page


async def test_a_report_is_told_to_those_on_call_alone(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Another officer sees that there is one, and no word of it."""
    words = "My manager takes bribes from a supplier."
    desk = await an_office(engine)
    answer = await desk.answered(words, mode="direct")
    case = await desk.opened(answer)
    path = f"/officer/cases/{case}"
    grace = await console.signed_in(GRACE)
    for page in ("/officer/cases", path):
        assert words not in (await grace.get(page))[1]
    assert "bribes" in (await ada.get(path))[1]


async def test_a_case_needs_a_session_and_a_form_of_ours(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Nobody else acts, whatever they send."""
    desk, case, path = await opened(engine)
    form = await ada.fields(path)
    assert (await console.visitor().post(f"{path}/claim", form))[0] == 303
    assert (await ada.post(f"{path}/claim", form | {"csrf": "x"}))[0] == 403
    assert (await ada.post(f"{path}/claim", form, Origin="https://evil.example"))[0] == 403
    assert (await ada.post(f"{path}/claim", form | {"key": "x' OR 1=1"}))[0] == 400
    assert (await ada.get(f"{path}/claim"))[0] == 404
    assert (await state(desk, case))[0] is CaseState.OPEN
    assert re.fullmatch(r"[0-9a-f]{64}", form["csrf"])
    assert fresh()


async def test_cases_that_wait_no_more_are_found(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """By words, officer and day, the newest first; what waits is not among them."""
    desk = await an_office(engine)
    cases = [
        await desk.opened(await desk.answered(f"May I accept {what}?", thread=what))
        for what in ("a 100% gift", "a gift_card", "a dinner")
    ]
    for case in cases[:2]:
        await desk.desk.close(case, DESK_ADA, key=fresh())
    _, page = await ada.get("/officer/cases")
    assert 'href="/officer/closed-cases"' in page

    async def found(query: str) -> list[int]:
        status, page = await ada.get(f"/officer/closed-cases{query}")
        assert status == 200
        return [int(number) for number in re.findall(r"No\. (\d+)", page)]

    assert await found("") == [2, 1]
    assert await found("?words=GIFT_") == [2]
    assert await found("?words=100%25") == [1]
    assert await found("?words=dinner") == []
    assert await found("?officer=grace") == []
    assert await found("?before=2") == [1]
    assert await found("?until=2020-01-01") == []
    assert await found("?since=2020-01-01&until=x&before=y") == [2, 1]


async def test_a_report_is_found_by_no_words(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Nor is it named: only that there was one."""
    desk = await an_office(engine)
    case = await desk.opened()
    await desk.desk.close(case, DESK_ADA, key=fresh())
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.cases SET is_sensitive = true"))
    _, page = await ada.get("/officer/closed-cases")
    assert "A report" in page
    assert "accept a gift" not in page
    _, page = await ada.get("/officer/closed-cases?words=gift")
    assert case not in page


async def test_a_report_is_acknowledged_and_its_writer_written_to(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """What is due next stands in the list and on the page; what its writer says is inert."""
    desk = await an_office(engine)
    answer_id = await desk.answered("My manager takes bribes.", Outcome.ESCALATED, mode="direct")
    done = await desk.desk.open(answer_id, ASKER, key=fresh())
    assert isinstance(done, CaseDone)
    path = f"/officer/cases/{done.case.case_id}"
    for page in ((await ada.get("/officer/cases"))[1], (await ada.get(path))[1]):
        assert "acknowledgement due" in page
        assert "feedback due" in page
    assert f"{path}/close" not in (await ada.get(path))[1]
    assert (await ada.post(f"{path}/acknowledge", await ada.fields(path)))[0] == 303
    page = (await ada.get(path))[1]
    assert "acknowledged" in page
    assert f"{path}/acknowledge" not in page
    form = await ada.fields(path) | {"answer": "Since when?", "effect": "tells"}
    assert (await ada.post(f"{path}/answer", form))[0] == 303
    await come_back(desk, f"{done.code} <b>Monday</b>")
    page = (await ada.get(path))[1]
    assert "Since when?" in page
    assert "&lt;b&gt;Monday&lt;/b&gt;" in page
    assert "feedback due" in page
    form = await ada.fields(path) | {"answer": "We look into it.", "effect": "feedback"}
    assert (await ada.post(f"{path}/answer", form))[0] == 303
    page = (await ada.get(path))[1]
    assert "feedback given" in page
    assert "feedback due" not in page


async def test_cases_go_on_page_by_page(
    console: Console, ada: Visitor, engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is listed once."""
    monkeypatch.setattr("bot.officer.cases.PAGE", 2)
    desk = await an_office(engine)
    for number in range(5):
        case = await desk.opened(await desk.answered(thread=str(number)))
        await desk.desk.close(case, DESK_ADA, key=fresh())
    path, seen = "/officer/closed-cases?words=gift", list[str]()
    while path:
        _, page = await ada.get(path)
        seen += re.findall(r"No\. (\d+)", page)
        older = re.search(r'rel="next" href="([^"]+)"', page)
        path = older[1].replace("&amp;", "&") if older else ""
    assert seen == ["5", "4", "3", "2", "1"]
