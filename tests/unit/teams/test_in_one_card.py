"""A reply for the Agents Playground: text and card in one, of each kind of reply there is."""

from typing import Any

import pytest

from bot.replies.context import RenderContext
from bot.replies.samples import sample_replies
from bot.teams.cards.elements import CARD_TYPE
from bot.teams.cards.render import SHAPES, in_one_card, render
from bot.teams.protocol.payload import objects
from core.domain.delivery import StoredReply

REPLIES = dict(sample_replies())
CONTEXT = RenderContext(asker="29:anna", asker_name="Anna", is_public=True)


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_each_reply_is_one_message(reply: StoredReply) -> None:
    """It has a text or a card, and what it has to say and to press is all there."""
    for shape in range(SHAPES):
        before: dict[str, Any] = dict(render(reply, shape, context=CONTEXT).activity)
        after: dict[str, Any] = dict(in_one_card(before))
        cards = objects(after, "attachments")
        assert ("text" in after) is not bool(cards)
        if not cards or "text" not in before:
            assert after == before
            continue
        ((made,), (held,)) = cards, objects(before, "attachments")
        assert made["contentType"] == CARD_TYPE
        whole: Any = made["content"]
        bare: Any = held["content"]
        assert {**whole, "body": bare["body"]} == bare
        texts = [one["text"] for one in whole["body"] if one not in bare["body"]]
        assert "\n\n".join(texts) == before["text"]
        assert [one for one in whole["body"] if one in bare["body"]] == bare["body"]
        assert all(one["type"] != "mention" for one in objects(after, "entities"))


def test_the_reference_line_stands_last() -> None:
    """Below the sources, as it stands below the text elsewhere."""
    activity = render(REPLIES["answer, High"], 0, context=CONTEXT).activity
    (made,) = objects(in_one_card(activity), "attachments")
    whole: Any = made["content"]
    assert "Ref" in whole["body"][-1]["text"]
    assert "High confidence" in whole["body"][0]["text"]
