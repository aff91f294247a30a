"""How to reply to a question back, in words that hold where it stands."""

import pytest

from bot.replies.answer import Heard, how_to_reply
from bot.replies.context import RenderContext
from bot.teams.cards.markdown import in_markdown, without_markup
from core.agent.reply.compose import NO_CONFIDENCE, greeting
from core.agent.wording import ALL_OPTION
from core.domain.answer import Answer, Outcome

OPEN = greeting()
CHOICE = Answer(
    outcome=Outcome.CLARIFICATION,
    text=f"In which country? {ALL_OPTION.en}",
    confidence=NO_CONFIDENCE,
    slot="jurisdiction",
    options=("Germany", "France"),
)
SAID: dict[Heard, tuple[str, str, str]] = {
    "thread": (
        "Or just reply in this thread.",
        "Just reply in this thread.",
        "Reply with a number or in your own words, or “all” for every case.",
    ),
    "named": (
        "Or reply and mention me.",
        "Reply and mention me.",
        "Reply with a number or in your own words, or “all” for every case, and mention me.",
    ),
    "chat": (
        "Or just reply.",
        "Just reply.",
        "Reply with a number or in your own words, or “all” for every case.",
    ),
}


@pytest.mark.parametrize("heard", SAID)
def test_a_reply_that_is_written_as_told_reaches_us(heard: Heard) -> None:
    """Beside buttons, without options, and by number."""
    with_buttons, in_words, by_number = SAID[heard]
    assert how_to_reply(CHOICE, has_buttons=True, heard=heard) == with_buttons
    assert how_to_reply(OPEN, has_buttons=False, heard=heard) == in_words
    assert how_to_reply(CHOICE, has_buttons=False, heard=heard) == by_number


@pytest.mark.parametrize("is_public", [False, True])
def test_in_teams_a_reply_needs_a_mention_where_others_are(is_public: bool) -> None:
    """Without consent nothing else reaches us, and nobody tells us of consent."""
    setting = RenderContext(is_public=is_public)
    for writer in (in_markdown(setting), without_markup(setting)):
        told = writer.clarification(CHOICE, reference="Ref 1", with_options=False)
        assert ("mention me" in told) is is_public
