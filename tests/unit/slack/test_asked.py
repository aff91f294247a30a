"""Commands and presses become messages."""

import pytest

from bot.slack.inbound.interaction import Order, SlackInteraction, asked, order_of
from core.domain.conversation import Place
from core.domain.message import MessageKind
from tests.factories import NOW

PRESS = SlackInteraction(
    kind="press",
    name="clarify:0",
    dedupe_key="slack:T1:action:1.1:clarify:0",
    tenant="T1",
    team="T1",
    person="U1",
    is_outside=True,
    value="ans_1|0",
    channel="C1",
    message_ts="2.2",
    thread_ts="1.1",
)
PLACE = Place(platform="slack", tenant="T1", channel="C1", thread="1.1", mode="thread")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", Order.HELP),
        (" help ", Order.HELP),
        ("MINE", Order.MINE),
        ("admin", Order.ADMIN),
        ("admin scope  C1 gifts", Order.ADMIN),
        ("mine is a gift?", Order.ASK),
        ("help me with gifts", Order.ASK),
        (" May I? ", Order.ASK),
    ],
)
def test_what_a_command_means(words: str, expected: Order) -> None:
    """One word of ours alone is an order, anything else a question."""
    assert order_of(words) is expected


def test_a_choice_is_a_message_with_words_of_ours() -> None:
    """Its identity is that of the press, and who pressed stays an outsider."""
    message = asked(PRESS, place=PLACE, text="Germany", sent_at=NOW, kind=MessageKind.CHOICE)
    assert (message.dedupe_key, message.message_key) == (PRESS.dedupe_key, None)
    assert (message.kind, message.text, message.person) == (MessageKind.CHOICE, "Germany", "U1")
    assert message.raw["is_outside"] is True
