"""The whole product before Microsoft's own client: what people see, and what their presses do."""

import json
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
import pytest_asyncio
from aiohttp import ClientSession

from tests.running import Running
from tests.servers.playground import Playground, Said, Shown
from tests.servers.slack.wire import Json
from tests.teams_playground import DESK, OFFICER, TENANT, playing

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUESTION = "What is the limit for gifts that employees accept from business partners?"
VAGUE = "Can I accept gifts?"
BUTTONS = ["Show evidence", "Ask Compliance", "Report a problem"]
"""Then "Remove this answer", in a chat of one's own."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(shared_database: str) -> AsyncIterator[tuple[Running, Playground]]:
    """One of each for all tests here: Microsoft's program takes seconds to start."""
    async with playing(shared_database) as running:
        yield running


@pytest.fixture
def product(stage: tuple[Running, Playground]) -> Running:
    """The product."""
    return stage[0]


@pytest.fixture
def ground(stage: tuple[Running, Playground]) -> Playground:
    """Microsoft's client."""
    return stage[1]


def has_buttons(shown: Shown) -> bool:
    """Say whether it is an answer."""
    return [one["title"] for card in shown.cards for one in card.get("actions", ())][:3] == BUTTONS


async def answered(ground: Playground, said: Said) -> Shown:
    """Return the only answer to what was said: one message, its text in its card."""
    await ground.until(lambda: any(map(has_buttons, ground.shown(said.conversation))))
    (shown,) = ground.shown(said.conversation)
    return shown


def words_in(shown: Shown) -> str:
    """Return the text of a message, which stands in its card."""
    assert not shown.text
    return "\n\n".join(
        str(item["text"]) for held in shown.cards for item in held["body"] if "text" in item
    )


def looks_answered(shown: Shown) -> None:
    """Assert badge, marks, native citations, no label, the thumbs, and the sources."""
    text = words_in(shown)
    assert "**High confidence" in text
    assert "EUR 75" in text
    assert "[1]" in text
    entity: Json = shown.content["aiEntity"]
    assert "AIGeneratedContent" not in str(entity)  # no model wrote it
    assert [one["position"] for one in entity["citation"]] == [1, 2]
    titles = {one["appearance"]["name"] for one in entity["citation"]}
    assert titles == {"Gifts and Hospitality Policy 2.0, §4.2 Monetary limit"}
    assert shown.content["feedbackLoopEnabled"] is True
    assert "Sources (2)" in json.dumps(shown.cards)


async def test_a_mention_is_answered_in_its_thread(ground: Playground) -> None:
    """With all that belongs to an answer; typing before it; nothing outside of the thread."""
    said = await ground.say(ground.channel, QUESTION)
    looks_answered(await answered(ground, said))
    assert said.conversation.startswith(f"{ground.channel};messageid=")
    at = [
        one["action"] for one in ground.frames if one["actionConversationId"] == said.conversation
    ]
    assert at[0] == "typing"
    assert [one for one in at if one != "typing"] == ["createMessage"]
    assert ground.shown(ground.channel) == []


async def test_a_question_back_shows_its_options(ground: Playground) -> None:
    """A button for each, which needs no mention."""
    said = await ground.say(ground.channel, VAGUE)
    await ground.until(lambda: any(one.cards for one in ground.shown(said.conversation)))
    (card,) = ground.shown(said.conversation)
    assert "?" in words_in(card)
    actions = [one for held in card.cards for one in held["actions"]]
    assert {one["verb"] for one in actions} == {"clarify"}
    assert len(actions) > 1


async def test_a_group_chat_never_streams(ground: Playground) -> None:
    """It has one message, and typing before."""
    said = await ground.say(ground.group, QUESTION)
    shown = await answered(ground, said)
    looks_answered(shown)
    assert "streamEntity" not in shown.content
    assert shown.was == []


async def test_a_chat_streams_in_order(ground: Playground, product: Running) -> None:
    """Informative, final: one message."""
    said = await ground.say(ground.personal, QUESTION, mentions=False)
    shown = await answered(ground, said)
    looks_answered(shown)
    kinds = [one.get("streamEntity", {}).get("streamType") for one in [*shown.was, shown.content]]
    informing = kinds.count("informative")
    assert informing >= 1
    assert kinds == ["informative"] * informing + ["final"]
    numbers = [one["streamEntity"]["streamSequence"] for one in shown.was]
    assert numbers == sorted(set(numbers))
    await product.quiet()
    rows = await product.rows(
        "SELECT o.state, o.remote_id FROM citebound.outbox o ORDER BY o.id DESC LIMIT 1"
    )
    assert rows == [{"state": "posted", "remote_id": shown.id}]


async def options(ground: Playground, said: Said) -> tuple[Shown, Json]:
    """Return the card that asks back, and its first button."""
    await ground.until(lambda: any(one.cards for one in ground.shown(said.conversation)))
    card = next(one for one in ground.shown(said.conversation) if one.cards)
    return card, card.cards[0]["actions"][0]


async def test_a_button_answers_the_question_back(
    ground: Playground, caplog: pytest.LogCaptureFixture
) -> None:
    """By `adaptiveCard/action`: the card then shows what was chosen, and the answer follows."""
    said = await ground.say(ground.channel, VAGUE)
    card, button = await options(ground, said)
    told = await ground.execute(card, button["verb"], button["data"])
    assert "You chose" in json.dumps(told)
    await ground.until(lambda: any(map(has_buttons, ground.shown(said.conversation))))
    asked, _ = ground.shown(said.conversation)
    assert "actions" not in asked.cards[0]
    assert "?" in words_in(asked)
    assert [one for one in caplog.records if one.levelno >= logging.ERROR] == []


async def test_an_older_client_submits_the_same(ground: Playground) -> None:
    """By the fallback of the button, as a message with a value."""
    said = await ground.say(ground.channel, VAGUE)
    card, button = await options(ground, said)
    await ground.press(card, button["fallback"]["data"])
    await ground.until(lambda: any(map(has_buttons, ground.shown(said.conversation))))


async def test_a_thumb_is_recorded(ground: Playground, product: Running) -> None:
    """It is answered by an empty object, though the client does not say which answer is meant."""
    said = await ground.say(ground.channel, QUESTION)
    shown = await answered(ground, said)
    assert await ground.rate(shown, "like", comment="clear") == {}
    told = await product.rows("SELECT tag FROM audit.record WHERE tag LIKE 'feedback:%'")
    assert told == [{"tag": "feedback:given"}]


def id_in(shown: Shown, key: str) -> str:
    """Return the id that the buttons of a card carry."""
    return json.dumps(shown.cards).split(f'"{key}": "')[1].split('"')[0]


def cases(ground: Playground) -> list[Shown]:
    """Return the cards in the officers' channel, in whatever thread."""
    places = {one["actionConversationId"] for one in ground.frames}
    desk = [one for one in places if str(one).partition(";")[0] == DESK]
    return [one for at in desk for one in ground.shown(at) if "case_claim" in str(one.cards)]


async def dialog(
    product: Running, ground: Playground, shown: Shown, data: Json, *, by: str = ""
) -> str:
    """Send a dialog, which Microsoft's client has none of, as if it came from there."""
    person = ground.users[by or ground.me["id"]]
    rows = await product.rows(
        "SELECT facts->>'service_url' AS url FROM citebound.conversation_references LIMIT 1"
    )
    place: Json = {"id": shown.conversation, "conversationType": "channel", "tenantId": TENANT}
    activity: Json = {
        "type": "invoke",
        "name": "task/submit",
        "id": f"f:{len(ground.frames)}",
        "timestamp": datetime.now(UTC).isoformat(),  # noqa: TID251  # the client's clock
        "channelId": "msteams",
        "serviceUrl": rows[0]["url"],
        "conversation": place,
        "channelData": {"tenant": {"id": TENANT}},
        "from": {"id": person["id"], "aadObjectId": person["aadObjectId"]},
        "recipient": ground.bot,
        "replyToId": shown.id,
        "value": {"data": data},
    }
    url = f"{product.base_url}/api/messages"
    async with ClientSession() as session, session.post(url, json=activity) as told:
        assert told.status == 200
        return await told.text()


async def test_an_officers_reply_comes_in_the_same_thread(
    ground: Playground, product: Running
) -> None:
    """Asked, claimed, answered and accepted before Microsoft's client, which has no dialogs."""
    await ground.say(DESK, "help")
    said = await ground.say(ground.channel, QUESTION)
    card = await answered(ground, said)
    given: Json = {"do": "escalate_submit", "a": id_in(card, "a"), "note": "Acme"}
    assert "Sent to Compliance as case" in await dialog(product, ground, card, given)
    await ground.until(lambda: bool(cases(ground)))
    case = cases(ground)[-1]
    data: Json = {"case": id_in(case, "case")}
    refused = await ground.execute(case, "case_claim", data)
    assert "Only compliance officers" in json.dumps(refused)
    claimed = await ground.execute(case, "case_claim", data, by=OFFICER)
    assert "claimed by Megan B." in json.dumps(claimed)
    answer: Json = {"do": "case_answer_submit", **data, "answer": "Yes, up to EUR 75."}
    sent = await dialog(product, ground, case, answer, by=OFFICER)
    assert "is on its way to the asker" in sent

    def replies() -> list[Shown]:
        shown = ground.shown(said.conversation)
        return [one for one in shown if "Answered by" in json.dumps(one.cards)]

    await ground.until(lambda: bool(replies()))
    reply = replies()[-1]
    assert reply.conversation == said.conversation
    assert "Megan B" in words_in(reply)
    assert "up to EUR 75" in words_in(reply)
    assert "aiEntity" not in reply.content
    await product.quiet()
    below = [one for one in ground.shown(said.conversation) if "case_accept" in str(one.cards)]
    done = await ground.execute(below[-1], "case_accept", data)
    assert "is closed" in json.dumps(done)
    state = await product.rows("SELECT state FROM citebound.cases ORDER BY number DESC LIMIT 1")
    assert state == [{"state": "closed"}]
