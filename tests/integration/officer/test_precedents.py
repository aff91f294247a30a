"""Precedents in the console: proposed from a case, and decided by another officer."""

from sqlalchemy.ext.asyncio import AsyncEngine

from core.agent.request import AskRequest
from core.domain.conversation import Place
from tests.casework import fresh
from tests.integration.officer.test_cases import ANSWER, an_office
from tests.officer_console import GRACE, Console, Visitor

QUESTION = "May I keep a <b>hamper</b> from a customer?"
FORM = {
    "question": QUESTION,
    "wordings": "Is a hamper from a customer mine?\n\n",
    "clauses": "gifts/2.1: up to EUR 50 per giver",
    "groups": "",
    "countries": "",
    "until": "",
}


async def answered(console: Console, ada: Visitor, engine: AsyncEngine) -> str:
    """Let an officer answer a case in the console; return its page."""
    desk = await an_office(engine)
    case = await desk.opened(await desk.answered(QUESTION, thread=fresh()))
    path = f"/officer/cases/{case}"
    _, page = await ada.get(path)
    assert f"{path}/precedent" not in page
    assert (await ada.get(f"{path}/precedent"))[0] == 404
    form = await ada.fields(path) | {"answer": ANSWER}
    assert (await ada.post(f"{path}/answer", form))[0] == 303
    return path


async def test_from_a_case_to_an_answer(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Ada proposes and can't approve; Grace approves; whoever asks reads Ada's words."""
    path = await answered(console, ada, engine)
    _, page = await ada.get(path)
    assert f'href="{path}/precedent"' in page
    _, page = await ada.get(f"{path}/precedent")
    assert "May I keep a &lt;b&gt;hamper&lt;/b&gt;" in page
    hidden = await ada.fields(f"{path}/precedent")
    status, page = await ada.post(
        f"{path}/precedent", {**hidden, **FORM, "clauses": "gifts/9: no <i>such</i>"}
    )
    assert status == 409
    assert "gifts/9: no policy in force" in page
    assert "no &lt;i&gt;such&lt;/i&gt;" in page
    assert (await ada.post(f"{path}/precedent", {**hidden, **FORM}))[0] == 303
    one = ada.headers["Location"]
    assert (await ada.post(f"{path}/precedent", {**hidden, **FORM}))[0] == 409

    _, page = await ada.get(one)
    assert "Another officer decides" in page
    assert f"{one}/approve" not in page
    status, page = await ada.post(f"{one}/approve", hidden)
    assert status == 409
    assert "ada answered or proposed precedent" in page

    grace = await console.signed_in(GRACE)
    _, page = await grace.get("/officer/precedents")
    assert f'href="{one}"' in page
    assert (await grace.post(f"{one}/approve", await grace.fields(one)))[0] == 303
    reply = await console.service.answering.ask(
        AskRequest(text=FORM["wordings"].strip(), place=Place(thread="p"))
    )
    assert ANSWER in reply.answer.text
    _, page = await grace.get(f"/officer/records/{reply.receipt.record_id}")
    assert "Answered by Compliance, approved on" in page
    assert "up to EUR 50 per giver" in page

    form = await ada.fields(one)
    assert (await ada.post(f"{one}/withdraw", form))[0] == 409
    assert (await ada.post(f"{one}/withdraw", {**form, "reason": "outdated"}))[0] == 303
    _, page = await ada.get(one)
    assert "Withdrawn" in page


async def test_who_gets_nothing(console: Console, ada: Visitor) -> None:
    """Strangers are led to sign in; a form without its token is refused; numbers are numbers."""
    assert (await console.visitor().get("/officer/precedents"))[0] == 303
    assert (await ada.post("/officer/precedents/1/approve", {}))[0] == 403
    for number in ("0", "9", "x", "1" * 40, "\u0661"):
        assert (await ada.get(f"/officer/precedents/{number}"))[0] == 404
