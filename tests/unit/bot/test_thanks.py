"""What holds thanks alone is told from what asks for something."""

from datetime import UTC, datetime

import pytest

from bot.small_talk import is_only_thanks
from core.domain.conversation import Place
from core.domain.message import InboundMessage, MessageKind


def written(text: str, kind: MessageKind = MessageKind.MESSAGE) -> InboundMessage:
    """Return what somebody wrote."""
    return InboundMessage(
        place=Place(thread="1"),
        dedupe_key="k",
        kind=kind,
        person="U1",
        text=text,
        sent_at=datetime(2026, 1, 2, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    "text",
    [
        "thanks",
        " Thank you! ",
        "thx :+1:",
        "Great, thanks a lot!",
        "ok thank you very much \U0001f64f",
        "thanks, that helps",
        "Got it.\nCheers",
        "thanks for the help!",
    ],
)
def test_thanks_alone(text: str) -> None:
    """With what people say beside it."""
    assert is_only_thanks(written(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok",
        "yes",
        "great",
        ":+1:",
        "no thanks",
        "thanks?",
        "thanks, and for contractors?",
        "thanks and what about gifts",
        "Thank you, and Germany",
        "May I accept a thank you gift",
        "A customer said thanks with EUR 50",
        "thanks " * 20,
    ],
)
def test_what_may_ask_for_something(text: str) -> None:
    """An option that is typed, a question, a report: all of it is answered."""
    assert not is_only_thanks(written(text))


def test_an_option_is_never_thanks() -> None:
    """Whatever its words are."""
    assert not is_only_thanks(written("thanks", MessageKind.CHOICE))
