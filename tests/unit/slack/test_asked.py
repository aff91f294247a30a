"""Commands and presses become messages."""

from dataclasses import replace

import pytest

from bot.slack.inbound.interaction import Interaction
from bot.slack.inbound.question_from_action import (
    Admin,
    Ask,
    Command,
    Help,
    Mine,
    asked,
    command_of,
    place_of,
)
from core.domain.errors import ContractError
from core.domain.message import MessageKind
from tests.factories import NOW

PRESS = Interaction(
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


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", Help()),
        (" help ", Help()),
        ("MINE", Mine()),
        ("admin", Admin(words=())),
        ("admin scope  C1 gifts", Admin(words=("scope", "C1", "gifts"))),
        ("mine is a gift?", Ask(question="mine is a gift?")),
        ("help me with gifts", Ask(question="help me with gifts")),
        (" May I? ", Ask(question="May I?")),
    ],
)
def test_what_a_command_means(words: str, expected: Command) -> None:
    """One word of ours alone is an order, anything else a question."""
    assert command_of(words) == expected


def test_a_press_is_in_the_thread_of_its_message() -> None:
    """Or begins one; in a direct conversation it is direct."""
    assert place_of(PRESS).thread == "1.1"
    assert place_of(PRESS).mode == "thread"
    root = replace(PRESS, thread_ts=None, channel="D1")
    assert (place_of(root).thread, place_of(root).mode) == ("2.2", "direct")
    with pytest.raises(ContractError):
        place_of(replace(PRESS, channel=None))


def test_a_choice_is_a_message_with_words_of_ours() -> None:
    """Its identity is that of the press, and who pressed stays an outsider."""
    message = asked(
        PRESS, place=place_of(PRESS), text="Germany", sent_at=NOW, kind=MessageKind.CHOICE
    )
    assert (message.dedupe_key, message.message_key) == (PRESS.dedupe_key, None)
    assert (message.kind, message.text, message.person) == (MessageKind.CHOICE, "Germany", "U1")
    assert message.raw["is_outside"] is True
