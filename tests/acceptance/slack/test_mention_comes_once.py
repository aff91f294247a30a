"""Slack delivers a mention as `app_mention` and as `message`; either alone has to do."""

import pytest

from tests.servers.slack import FakeSlack
from tests.servers.slack.places import Kind
from tests.slack_product import Product

QUESTION = "What is the limit for gifts that employees accept from business partners?"
FILES = [{"id": "F0", "name": "invoice.pdf", "mimetype": "application/pdf"}]


@pytest.mark.parametrize("kind", ["channel", "group"])
@pytest.mark.parametrize("types", [("message",), ("app_mention",), ("message", "app_mention")])
async def test_one_event_is_enough(
    slack: FakeSlack, served: Product, kind: Kind, types: tuple[str, ...]
) -> None:
    """Answered once, whichever comes, in whichever order."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("room", anna, kind=kind)
    said = slack.people.write(anna, room, f"<@{slack.workspace.app.bot_user}> {QUESTION}")
    events = {event["type"]: event for event in slack.people.events_of(said)}
    for name in types:
        await slack.people.deliver(events[name])
        await served.quiet()
    await served.answer_to(said)


async def test_a_file_is_named_though_only_the_message_tells_of_it(
    slack: FakeSlack, served: Product
) -> None:
    """`message` with `file_share`, alone and beside an `app_mention` without files."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("room", anna)
    for alone in (True, False):
        said = slack.people.write(anna, room, f"<@{slack.workspace.app.bot_user}> {QUESTION}")
        events = slack.people.events_of(said)
        for event in events:
            if event["type"] == "message":
                event |= {"subtype": "file_share", "files": FILES}
        delivered = [event for event in events if not alone or event["type"] == "message"]
        await slack.people.deliver(*delivered)
        answer = await served.answer_to(said)
        assert "not files" in str(answer.blocks)
