"""A question goes to Compliance, and the officer's answer to who asked."""

from collections.abc import AsyncIterator

import pytest

from core.cases.case_codes import code_in
from tests.acceptance import disputed
from tests.acceptance.slack.office import (
    OPEN_QUESTION,
    QUESTION,
    REPORT,
    Office,
    office,
    picked,
    pressable,
    shown,
    ticked,
    typed,
)
from tests.servers.slack import FakeSlack, live_mentions
from tests.servers.slack.faults import error

ANSWER = "Up to EUR 35, and only with a note in the register."


@pytest.fixture
async def bureau(slack: FakeSlack, slack_database: str) -> AsyncIterator[Office]:
    """The product, with officers."""
    async with office(slack, slack_database) as running:
        yield running


async def test_from_the_question_to_the_officers_answer(bureau: Office) -> None:
    """Form, confirmation, card, claim, answer; the old answer superseded; all of it told."""
    slack, answer = bureau.slack, await bureau.answered()
    form = await bureau.sent(
        answer, note=typed("Deal with Acme, signing tomorrow"), urg=picked("today")
    )
    assert "Sent to Compliance as case 1. The reply comes in your thread" in shown(form)
    (card,) = bureau.cards()
    link = f"{answer.channel}/p{answer.root.replace('.', '')}"
    for words in (QUESTION, "Deal with Acme", "due", link, "Gifts and Hospitality Policy"):
        assert words in shown(card)
    assert set(live_mentions(card)) == {bureau.anna.id}
    assert pressable(card) == [
        *("case_claim", "case_answer", "case_right", "case_partly", "case_wrong", "case_close")
    ]
    assert "Sent to Compliance (case 1)" in bureau.thread(answer)[-1].text

    await slack.presses.click(bureau.olga, card, "case_claim")
    await bureau.served.quiet()
    assert "claimed by Olga O." in shown(card)
    assert "case_claim" not in pressable(card)
    assert "Olga O. has taken up your question" in bureau.thread(answer)[-1].text

    writing = await bureau.form(bureau.olga, card, "case_answer")
    assert QUESTION in shown(writing)
    await slack.presses.submit(bureau.olga, writing, {"answer": typed(ANSWER)})
    assert "is on its way to the asker's thread" in shown(writing)
    await bureau.served.quiet()
    told = bureau.thread(answer)[-1]
    assert "Answered by Compliance" in told.text
    assert ANSWER in shown(told)
    assert QUESTION in shown(told)
    assert "AI-generated" not in shown(told)
    assert set(live_mentions(told)) == {bureau.anna.id}
    assert pressable(told) == ["case_accept", "case_reopen"]
    assert "Superseded by Compliance" in shown(answer)
    assert pressable(answer) == []
    assert "Case 1 · answered" in shown(card)
    assert pressable(card) == []
    assert await bureau.cases() == [(1, "answered", "olga")]
    assert await bureau.tags("case:*") == ["case:opened", "case:assigned", "case:answered"]
    slack.checks.nothing_twice()
    slack.checks.nothing_refused()
    slack.checks.status_cleared()


async def test_the_asker_accepts_or_asks_again(bureau: Office) -> None:
    """The asker alone; again: the case is its officer's, and may be answered anew."""
    answer = await bureau.answered()
    await bureau.sent(answer)
    (card,) = bureau.cards()
    for text in ("First.", "Second."):
        form = await bureau.form(bureau.olga, card, "case_answer")
        await bureau.slack.presses.submit(bureau.olga, form, {"answer": typed(text)})
        await bureau.served.quiet()
        told = bureau.thread(answer)[-1]
        assert text in shown(told)
        if text == "First.":
            await bureau.slack.presses.click(bureau.ben, told, "case_accept")
            assert "Only the person who asked" in await bureau.whispered(bureau.ben)
            await bureau.slack.presses.click(bureau.anna, told, "case_reopen")
            assert "with Compliance again" in await bureau.whispered(bureau.anna)
            await bureau.served.quiet()
            assert "case_answer" in pressable(card)
    for times in (2, 3):
        await bureau.slack.presses.click(bureau.anna, told, "case_accept")
        assert "Case 1 is closed" in await bureau.whispered(bureau.anna, times=times)
    await bureau.served.quiet()
    assert "Case 1 · closed" in shown(card)
    assert (await bureau.tags("case:resolved")) == ["case:resolved"]


@pytest.mark.parametrize(
    "action", ["case_claim", "case_answer", "case_right", "case_wrong", "case_close"]
)
async def test_only_officers_work_on_a_case(bureau: Office, action: str) -> None:
    """Not who reads their channel, nor who asked: refused in private, and recorded."""
    await bureau.sent(await bureau.answered())
    (card,) = bureau.cards()
    await bureau.slack.presses.click(bureau.ben, card, action)
    assert "Only compliance officers" in await bureau.whispered(bureau.ben)
    await bureau.served.quiet()
    assert bureau.slack.presses.views_of(bureau.ben) == []
    assert await bureau.cases() == [(1, "open", None)]
    assert await bureau.tags("case:*") == ["case:opened", "case:refused"]


async def test_a_forged_form_answers_nothing(bureau: Office) -> None:
    """An officer's form, sent by somebody else, and one about another case."""
    await bureau.sent(await bureau.answered())
    (card,) = bureau.cards()
    form = await bureau.form(bureau.olga, card, "case_answer")
    await bureau.slack.presses.submit(bureau.ben, form, {"answer": typed("Anything goes.")})
    assert "Only compliance officers" in shown(form)
    form = await bureau.form(bureau.olga, card, "case_answer")
    form.content["private_metadata"] = '{"case":"0198c0de-0000-7000-8000-000000000000"}'
    await bureau.slack.presses.submit(bureau.olga, form, {"answer": typed("Yes.")})
    assert "There is no such case" in shown(form)
    await bureau.served.quiet()
    assert await bureau.cases() == [(1, "open", None)]


async def test_a_second_officer_is_told_who_has_it(bureau: Office) -> None:
    """Claiming, answering or closing what another officer has: refused in private."""
    await bureau.sent(await bureau.answered())
    (card,) = bureau.cards()
    form = await bureau.form(bureau.oskar, card, "case_answer")
    for _ in range(2):
        await bureau.slack.presses.click(bureau.olga, card, "case_claim", action_ts="17.000001")
    stale = {"action_id": "case_claim", "value": card.blocks[-2]["block_id"].partition(":")[2]}
    await bureau.served.quiet()
    assert await bureau.tags("case:assigned") == ["case:assigned"]
    for times, action in enumerate(("case_answer", "case_close"), start=1):
        await bureau.slack.presses.click(bureau.oskar, card, action)
        told = await bureau.whispered(bureau.oskar, times=times)
        assert "Olga O. has claimed case 1" in told
    card.blocks[-2]["elements"].insert(0, {"type": "button", **stale})
    await bureau.slack.presses.click(bureau.oskar, card, "case_claim")
    assert "Olga O. has claimed" in await bureau.whispered(bureau.oskar, times=3)
    await bureau.slack.presses.submit(bureau.oskar, form, {"answer": typed("Mine.")})
    assert "Olga O. has claimed case 1" in shown(form)
    await bureau.served.quiet()
    assert await bureau.cases() == [(1, "claimed", "olga")]


@pytest.mark.parametrize(
    ("action", "words"),
    [("case_right", "right"), ("case_partly", "partly right"), ("case_wrong", "wrong")],
)
async def test_an_answer_is_judged_and_the_case_closed(
    bureau: Office, action: str, words: str
) -> None:
    """Both show on the card; the asker hears that it was closed, and not what was found."""
    answer = await bureau.answered()
    await bureau.sent(answer)
    (card,) = bureau.cards()
    await bureau.slack.presses.click(bureau.olga, card, action)
    await bureau.served.quiet()
    assert f"marked as {words}" in shown(card)
    assert action not in pressable(card)
    (kept,) = await bureau.served.rows("SELECT officer, verdict FROM citebound.verdicts")
    assert tuple(kept.values()) == ("olga", action.removeprefix("case_"))
    await bureau.slack.presses.click(bureau.olga, card, "case_close")
    await bureau.served.quiet()
    assert "Case 1 · closed" in shown(card)
    assert pressable(card) == []
    assert "closed case 1" in bureau.thread(answer)[-1].text
    assert await bureau.tags("answer:reviewed") == ["answer:reviewed"]


async def test_without_a_name_nobody_learns_who_asked(bureau: Office) -> None:
    """Neither name nor place on the card; the answer comes directly, the thread stays silent."""
    answer = await bureau.answered()
    form = await bureau.sent(answer, vis=ticked("anon"))
    assert "Only you will get the reply" in shown(form)
    (card,) = bureau.cards()
    assert live_mentions(card) == []
    assert bureau.anna.id not in shown(card)
    assert answer.channel not in shown(card)
    writing = await bureau.form(bureau.olga, card, "case_answer")
    await bureau.slack.presses.submit(bureau.olga, writing, {"answer": typed(ANSWER)})
    await bureau.served.quiet()
    assert ANSWER in shown(bureau.direct_messages(bureau.anna)[-1])
    assert "Where you asked" in shown(bureau.direct_messages(bureau.anna)[-1])
    (left,) = bureau.thread(answer)
    assert "Superseded by Compliance" in shown(left)
    assert ANSWER not in shown(left)


async def test_a_report_reaches_the_officer_on_call_alone(bureau: Office) -> None:
    """Asked in a channel: a pointer to the asker, no name, and no channel ever shows it."""
    slack = bureau.slack
    said = await slack.people.mention(bureau.anna, bureau.room, REPORT)
    await bureau.served.quiet()
    slack.checks.no_answer(said.message)
    (pointer,) = slack.checks.seen_by(bureau.anna.id)
    assert await bureau.cases() == []
    form = await bureau.form(bureau.anna, pointer, "escalate_open")
    assert "Your name isn't shown" in shown(form)
    await slack.presses.submit(bureau.anna, form, {"note": typed("He did it again.")})
    await bureau.served.quiet()
    assert bureau.cards() == []
    (card,) = bureau.cards(slack.workspace.direct(bureau.olga))
    assert "He did it again." in shown(card)
    assert bureau.anna.id not in shown(card)
    assert live_mentions(card) == []
    writing = await bureau.form(bureau.olga, card, "case_answer")
    await slack.presses.submit(bureau.olga, writing, {"answer": typed("We take it up.")})
    await bureau.served.quiet()
    assert "We take it up." in shown(bureau.direct_messages(bureau.anna)[-1])
    for place in (bureau.room, bureau.desk):
        told = [shown(one) for one in slack.checks.by_app() if one.channel == place.id]
        assert not [one for one in told if "bribe" in one or "did it again" in one]


async def test_the_writer_of_a_report_comes_back_with_its_code(bureau: Office) -> None:
    """From Ben's account, in private and in a channel; nothing of Ben is kept."""
    slack = bureau.slack
    said = await slack.people.say(bureau.anna, slack.workspace.direct(bureau.anna), REPORT)
    form = await bureau.sent(await bureau.served.answer_to(said.message))
    code = code_in(shown(form))
    assert code is not None
    (card,) = bureau.cards(slack.workspace.direct(bureau.olga))
    assert pressable(card) == ["case_claim", "case_acknowledge", "case_answer"]
    await slack.presses.click(bureau.olga, card, "case_acknowledge")
    writing = await bureau.form(bureau.olga, card, "case_answer")
    question = {"answer": typed("Since *when*?"), "effect": picked("tells")}
    await slack.presses.submit(bureau.olga, writing, question)
    await bureau.served.quiet()
    mine = [shown(one) for one in bureau.direct_messages(bureau.anna)]
    assert any("Compliance has received your report" in one for one in mine)
    assert "send me your case code" in mine[-1]

    hostile = f"{code.code} {code.code} <!channel> since https://evil.example"
    await slack.people.say(bureau.ben, slack.workspace.direct(bureau.ben), hostile)
    await slack.people.mention(bureau.ben, bureau.room, code.code)
    await bureau.served.quiet()
    first, second = bureau.direct_messages(bureau.ben)
    assert "Since when?" in first.text
    assert "receipt acknowledged" in first.text
    assert "https://evil.example" not in shown(first)
    assert live_mentions(first) == []
    assert "A case code is a secret" in second.text
    assert not [one for one in slack.checks.by_app() if one.channel == bureau.room.id]
    assert "Writer of the report: &lt;!channel&gt;" not in shown(card)
    assert "evil[.]example" in shown(card)
    rows = await bureau.served.rows(
        "SELECT person FROM citebound.inbox UNION SELECT person FROM citebound.outbox"
        " UNION SELECT actor FROM citebound.case_messages"
    )
    assert bureau.ben.id not in {row["person"] for row in rows}
    slack.checks.nothing_refused()

    again = await bureau.form(
        bureau.anna, await bureau.served.answer_to(said.message), "escalate_open"
    )
    assert code_in(shown(again)) not in {None, code}


async def test_what_only_a_person_can_answer_is_passed_on(
    bureau: Office, slack_database: str
) -> None:
    """By itself, without name and place; the asker may add both, once."""
    await disputed.publish(slack_database)
    slack, answer = bureau.slack, await bureau.answered(disputed.QUESTION)
    assert "Needs a person" in shown(answer)
    assert "sent it to Compliance as case 1, in your words but without your name" in shown(answer)
    (card,) = bureau.cards()
    assert disputed.QUESTION in shown(card)
    assert live_mentions(card) == []
    assert answer.channel not in shown(card)
    form = await bureau.form(bureau.anna, answer, "escalate_open")
    assert "already with Compliance as case 1, without your name" in shown(form)
    await slack.presses.submit(bureau.anna, form, {"note": typed("From Acme, at Easter")})
    assert "Sent to Compliance as case 1. The reply comes in your thread" in shown(form)
    await bureau.served.quiet()
    assert "From Acme" in shown(card)
    assert set(live_mentions(card)) == {bureau.anna.id}
    again = await bureau.form(bureau.anna, answer, "escalate_open")
    assert "Case 1 is open" in shown(again)
    writing = await bureau.form(bureau.olga, card, "case_answer")
    await slack.presses.submit(bureau.olga, writing, {"answer": typed(ANSWER)})
    await bureau.served.quiet()
    assert ANSWER in shown(bureau.thread(answer)[-1])
    assert "Superseded by Compliance" in shown(answer)
    assert await bureau.tags("case:*") == ["case:opened", "case:noted", "case:answered"]
    slack.checks.nothing_twice()
    slack.checks.nothing_refused()


async def test_an_option_is_passed_on_with_its_question(bureau: Office) -> None:
    """An officer who reads the option alone could not tell what was asked."""
    answer = await bureau.answered(OPEN_QUESTION)
    await bureau.slack.presses.click(bureau.anna, answer, "clarify:1")
    await bureau.served.quiet()
    told = bureau.thread(answer)[-1]
    form = await bureau.form(bureau.anna, told, "escalate_open")
    await bureau.slack.presses.submit(bureau.anna, form)
    await bureau.served.quiet()
    (card,) = bureau.cards()
    assert f"{OPEN_QUESTION} employee" in shown(card)


async def test_what_was_passed_on_is_answered_to_the_asker_alone(
    bureau: Office, slack_database: str
) -> None:
    """Nothing of it stands in the thread, where officers would see who asked."""
    await disputed.publish(slack_database)
    answer = await bureau.answered(disputed.QUESTION)
    (card,) = bureau.cards()
    form = await bureau.form(bureau.olga, card, "case_answer")
    await bureau.slack.presses.submit(bureau.olga, form, {"answer": typed(ANSWER)})
    await bureau.served.quiet()
    assert ANSWER in shown(bureau.direct_messages(bureau.anna)[-1])
    assert not [one for one in bureau.thread(answer) if ANSWER in shown(one)]


async def test_ask_compliance_is_the_askers(bureau: Office) -> None:
    """Others are refused; an officer may take a question up, and names nobody."""
    answer = await bureau.answered()
    await bureau.slack.presses.click(bureau.ben, answer, "escalate_open")
    assert "Only the person who asked can send this" in await bureau.whispered(bureau.ben)
    form = await bureau.form(bureau.olga, answer, "escalate_open")
    await bureau.slack.presses.submit(bureau.olga, form)
    await bureau.served.quiet()
    (card,) = bureau.cards()
    assert live_mentions(card) == []


async def test_there_is_one_case_for_an_answer(bureau: Office) -> None:
    """Pressed again the button shows how it stands; a form sent twice opens one."""
    answer = await bureau.answered()
    form = await bureau.form(bureau.anna, answer, "escalate_open")
    second = await bureau.form(bureau.anna, answer, "escalate_open")
    for _ in range(2):
        await bureau.slack.presses.submit(bureau.anna, form)
    await bureau.slack.presses.submit(bureau.anna, second)
    assert "already been sent to Compliance" in shown(second)
    third = await bureau.form(bureau.anna, answer, "escalate_open")
    assert "Case 1 is open" in shown(third)
    await bureau.served.quiet()
    assert len(bureau.cards()) == 1
    assert await bureau.cases() == [(1, "open", None)]


async def test_without_a_form_the_case_is_opened_all_the_same(bureau: Office) -> None:
    """Slack opens none: no note, and no name, since nobody said that it would be shown."""
    answer = await bureau.answered()
    bureau.slack.faults.next("views.open", error("expired_trigger_id"))
    await bureau.slack.presses.click(bureau.anna, answer, "escalate_open")
    assert "Sent to Compliance as case 1" in await bureau.whispered(bureau.anna)
    await bureau.served.quiet()
    (card,) = bureau.cards()
    assert bureau.anna.id not in shown(card)


async def test_an_empty_answer_is_asked_for_again(bureau: Office) -> None:
    """The form stays, with an error at its field."""
    await bureau.sent(await bureau.answered())
    (card,) = bureau.cards()
    form = await bureau.form(bureau.olga, card, "case_answer")
    sent = await bureau.slack.presses.submit(bureau.olga, form, {"answer": typed("  ")})
    assert sent.answer["response_action"] == "errors"
    assert form.is_open
    assert await bureau.cases() == [(1, "open", None)]


async def test_officers_without_a_channel_are_written_to(
    slack: FakeSlack, slack_database: str
) -> None:
    """The officer on call gets the card directly, and works on it there."""
    async with office(slack, slack_database, case_channel=None) as bureau:
        answer = await bureau.answered()
        await bureau.sent(answer)
        (card,) = bureau.cards(slack.workspace.direct(bureau.olga))
        await slack.presses.click(bureau.olga, card, "case_claim")
        await bureau.served.quiet()
        assert "claimed by Olga O." in shown(card)


async def test_a_channel_that_is_gone_does_not_swallow_a_case(bureau: Office) -> None:
    """The card goes to the officer on call."""
    bureau.desk.is_archived = True
    await bureau.sent(await bureau.answered())
    assert bureau.cards() == []
    assert len(bureau.cards(bureau.slack.workspace.direct(bureau.olga))) == 1
