"""Under a closest passage: who says that it answers, who asks Compliance, what is kept of it."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.acceptance.slack.office import QUESTION, Office, office, pressable, shown, typed
from tests.factories import never_sure
from tests.servers.slack import FakeSlack, live_links, live_mentions
from tests.servers.slack.people import User

PRIVATE = "You can't see this here"
LABELS = "SELECT is_asker, answers, counts FROM citebound.passage_labels ORDER BY at"


@pytest.fixture
async def bureau(
    slack: FakeSlack, slack_database: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Office]:
    """The product, with officers, where nothing is ever sure enough to stand as an answer."""
    never_sure(monkeypatch)
    async with office(slack, slack_database) as running:
        yield running


async def labels(bureau: Office) -> list[tuple[object, ...]]:
    """Return of each press whether the asker pressed, what it says, and whether it counts."""
    return [tuple(row.values()) for row in await bureau.served.rows(LABELS)]


def told_alone(bureau: Office, user: User) -> list[str]:
    """Return what somebody alone reads, in a channel or in their direct messages."""
    told = [one.text for one in bureau.slack.checks.seen_by(user.id)]
    return [*told, *(one.text for one in bureau.direct_messages(user))]


async def test_a_closest_passage_is_quoted_and_opens_no_case(bureau: Office) -> None:
    """Named as what it is, with its place and two ways on; nobody else hears of it."""
    answer = await bureau.answered()
    told = shown(answer)
    assert "*Closest passage*  ·  It may not answer your question" in told
    assert "Gifts and Hospitality Policy" in told
    assert "confidence" not in told
    assert pressable(answer) == ["closest_answers", "escalate_open", "evidence_open"]
    assert (bureau.cards(), await bureau.cases()) == ([], [])
    assert (live_links(answer), live_mentions(answer)) == ([], [])
    view = await bureau.form(bureau.ben, answer, "evidence_open")
    await bureau.slack.until(lambda: "It may not answer the question" in shown(view), timeout_s=15)
    bureau.slack.checks.nothing_refused()


async def test_a_press_is_a_label_and_changes_nothing_for_others(bureau: Office) -> None:
    """Of the asker, once more of the asker, of a colleague; not of who can't read it."""
    answer, slack = await bureau.answered(), bureau.slack
    before = dict(answer.shown())
    for times, words in enumerate(("answers your question", "already told me"), start=1):
        await slack.presses.click(bureau.anna, answer, "closest_answers")
        assert words in await bureau.whispered(bureau.anna, times=times)
    await slack.presses.click(bureau.ben, answer, "closest_answers")
    assert "Nothing changes for the person who asked" in await bureau.whispered(bureau.ben)
    await slack.presses.click(bureau.oskar, answer, "closest_answers")
    await slack.until(lambda: bool(told_alone(bureau, bureau.oskar)), timeout_s=15)
    assert PRIVATE in told_alone(bureau, bureau.oskar)[-1]
    assert dict(answer.shown()) == before
    assert await labels(bureau) == [
        (True, True, False),
        (True, True, True),
        (False, True, True),
    ]
    assert (bureau.cards(), await bureau.cases()) == ([], [])
    (kept,) = await bureau.served.rows(
        "SELECT question, calibrated, scores, passage FROM citebound.passage_labels WHERE counts"
        " AND is_asker"
    )
    passage: Any = kept["passage"]
    quote = passage[0]
    assert kept["question"] == QUESTION
    assert quote["quote"] in shown(answer).replace('\\"', '"')
    assert quote["char_end"] - quote["char_start"] == len(quote["quote"])
    assert 0 < float(str(kept["calibrated"])) < 1
    assert kept["scores"]


async def test_several_press_at_once(bureau: Office) -> None:
    """Each press is kept; each hears it alone, if not in the thread then in their own messages."""
    answer, slack = await bureau.answered(), bureau.slack
    people = (bureau.anna, bureau.ben, bureau.olga)
    async with asyncio.TaskGroup() as group:
        for person in (*people, *people):
            group.create_task(slack.presses.click(person, answer, "closest_answers"))
    for person in people:
        await slack.until(lambda one=person: len(told_alone(bureau, one)) == 2, timeout_s=15)
    found = await labels(bureau)
    assert len(found) == 6
    assert sum(bool(counts) for _, _, counts in found) == 3


async def test_a_case_opens_on_a_press_alone(bureau: Office) -> None:
    """Of who asked; the passage is what it did not answer, and is superseded by the officer."""
    answer, slack = await bureau.answered(), bureau.slack
    before = answer.blocks
    await slack.presses.click(bureau.ben, answer, "escalate_open")
    assert "Only the person who asked can send this" in await bureau.whispered(bureau.ben)
    await bureau.sent(answer)
    assert await labels(bureau) == [(True, False, True)]
    (card,) = bureau.cards()
    assert "Closest passage" in shown(card)
    told = len(slack.checks.seen_by(bureau.anna.id))
    await slack.presses.click(bureau.anna, answer, "closest_answers")
    assert "Case 1 is open" in await bureau.whispered(bureau.anna, times=told + 1)
    assert [one[-1] for one in await labels(bureau)] == [False, True]
    form = await bureau.form(bureau.olga, card, "case_answer")
    await slack.presses.submit(bureau.olga, form, {"answer": typed("No more than EUR 35.")})
    await bureau.served.quiet()
    assert "Superseded by Compliance" in shown(answer)
    assert "closest_answers" not in pressable(answer)
    answer.blocks = before
    told = len(slack.checks.seen_by(bureau.anna.id))
    await slack.presses.click(bureau.anna, answer, "closest_answers")
    assert "already been settled" in await bureau.whispered(bureau.anna, times=told + 1)
    assert len(await labels(bureau)) == 2


async def test_the_thread_goes_on_with_it(bureau: Office) -> None:
    """A follow-up asks about what was asked before, as after an answer."""
    said = await bureau.slack.people.mention(bureau.anna, bureau.room, QUESTION)
    await bureau.served.quiet()
    await bureau.slack.people.say(
        bureau.anna, bureau.room, "and for contractors?", thread=said.message
    )
    await bureau.served.quiet()
    rows = await bureau.served.rows("SELECT standalone FROM citebound.questions ORDER BY asked_at")
    assert len(rows) == 2
    assert "gifts" in str(rows[-1]["standalone"])
    assert "contractors" in str(rows[-1]["standalone"])


async def test_only_a_closest_passage_can_be_said_to_answer(
    slack: FakeSlack, slack_database: str
) -> None:
    """Forged under an answer, or of nothing: acknowledged, and nothing is kept."""
    async with office(slack, slack_database) as bureau:
        answer = await bureau.answered()
        assert "closest_answers" not in pressable(answer)
        answer.blocks = json.loads(
            json.dumps(answer.blocks).replace("escalate_open", "closest_answers")
        )
        (ours,) = await bureau.served.rows("SELECT id::text AS id FROM citebound.answers")
        nothing = "0198c0de-0000-7000-8000-000000000000"
        for value in (str(ours["id"]), nothing, "", "|", "x" * 200):
            pressed = await slack.presses.click(bureau.anna, answer, "closest_answers", value=value)
            assert pressed.acknowledged
        await bureau.served.quiet()
        assert await bureau.served.rows("SELECT 1 FROM citebound.feedback") == []
