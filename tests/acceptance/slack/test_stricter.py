"""A Slack that takes fewer kinds of blocks: every message keeps what can be pressed."""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.slack.office import (
    OPEN_QUESTION,
    QUESTION,
    Office,
    office,
    pressable,
    shown,
    typed,
)
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import error

OLDEST = frozenset({"section", "actions", "context", "header", "divider", "input"})


@pytest.fixture
async def bureau(slack: FakeSlack, slack_database: str) -> AsyncIterator[Office]:
    """The product, with officers."""
    async with office(slack, slack_database) as running:
        yield running


async def test_a_case_from_its_card_to_its_answer(bureau: Office) -> None:
    """Claim, Answer, Close and all others are there, and do what they do."""
    slack = bureau.slack
    slack.workspace.knobs.only_blocks = OLDEST
    answer = await bureau.answered()
    assert {"evidence_open", "escalate_open", "report_open", "answer_remove"} <= set(
        pressable(answer)
    )
    assert {"answer_feedback:up", "answer_feedback:down"} <= set(pressable(answer))
    assert "Gifts and Hospitality Policy" in shown(answer)
    await slack.presses.click(bureau.anna, answer, "answer_feedback:up")
    await bureau.served.quiet()
    await bureau.sent(answer, note=typed("Deal with Acme"))
    (card,) = bureau.cards()
    assert pressable(card) == [
        *("case_claim", "case_answer", "case_right", "case_partly", "case_wrong", "case_close")
    ]
    assert "Deal with Acme" in shown(card)
    await slack.presses.click(bureau.olga, card, "case_claim")
    await bureau.served.quiet()
    assert "claimed by Olga O." in shown(card)
    writing = await bureau.form(bureau.olga, card, "case_answer")
    assert QUESTION in shown(writing)
    await slack.presses.submit(bureau.olga, writing, {"answer": typed("Up to EUR 35.")})
    await bureau.served.quiet()
    told = bureau.thread(answer)[-1]
    assert "Up to EUR 35." in shown(told)
    assert pressable(told) == ["case_accept", "case_reopen"]
    assert await bureau.cases() == [(1, "answered", "olga")]
    slack.checks.nothing_twice()


async def test_what_is_asked_back_and_what_opens(bureau: Office) -> None:
    """Options are buttons, the evidence opens, and Home shows what is open."""
    slack = bureau.slack
    slack.workspace.knobs.only_blocks = OLDEST
    asked = await bureau.answered(OPEN_QUESTION)
    assert {"clarify:0", "clarify:1"} <= set(pressable(asked))
    await slack.presses.click(bureau.anna, asked, "clarify:0")
    await bureau.served.quiet()
    answer = await bureau.answered()
    view = await bureau.form(bureau.anna, answer, "evidence_open")
    await slack.until(lambda: "backed by quoted policy text" in shown(view), timeout_s=15)
    await slack.people.open_home(bureau.anna)
    homes = slack.workspace.homes
    await slack.until(lambda: bureau.anna.id in homes, timeout_s=15)
    assert "home_ask" in pressable(homes[bureau.anna.id])


async def test_what_was_streamed_has_its_text(bureau: Office) -> None:
    """Notifications and screen readers have no blocks; it is told once, and stays posted if not."""
    answer = await bureau.answered()
    assert answer.stream is not None
    assert "Gifts and Hospitality Policy" in answer.text
    assert "confidence" in answer.text
    assert answer.metadata is not None
    updates = bureau.slack.journal.of("chat.update")
    assert len([one for one in updates if answer.ts in str(one)]) == 1
    bureau.slack.faults.next("chat.update", error("msg_too_long"))
    second = await bureau.answered("How many days of parental leave do I get?")
    assert second.blocks
    rows = await bureau.served.rows("SELECT DISTINCT state FROM citebound.outbox")
    assert rows == [{"state": "posted"}]
    bureau.slack.checks.nothing_twice()
