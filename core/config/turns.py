"""Settings of how many questions are begun and may wait: part of `Settings`, checked with it."""

from dataclasses import dataclass

from core.config.setting_checks import check, setting

MOST = 10_000
"""The instants of so many turns are kept for each asker, channel and conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSettings:
    """What waits for its turn instead, with a line that says so; see `core.domain.rate_limit`."""

    questions_per_asker: int = setting(
        "CITEBOUND_QUESTIONS_PER_ASKER",
        10,
        "Questions of one person begun within 10 minutes, 1 to 10000; further ones wait",
    )
    """Wherever they are asked."""
    questions_per_channel: int = setting(
        "CITEBOUND_QUESTIONS_PER_CHANNEL",
        60,
        "Questions of one channel begun within 10 minutes, 1 to 10000; further ones wait",
    )
    """Whoever asks."""
    replies_per_conversation: int = setting(
        "CITEBOUND_REPLIES_PER_CONVERSATION",
        5,
        "Questions of one thread begun within a minute, 1 to 10000; further ones wait",
    )
    """Each has one reply."""

    waiting_per_asker: int = setting(
        "CITEBOUND_WAITING_PER_ASKER",
        20,
        "Questions of one person that may wait, 1 to 10000; further ones are not taken",
    )
    """Reports of misconduct and replies to a question back are not counted."""
    waiting_questions: int = setting(
        "CITEBOUND_WAITING_QUESTIONS",
        2_000,
        "Questions of all people that may wait, 1 to 1000000; further ones are not taken",
    )
    """Nor here."""

    def check_turns(self) -> None:
        """Check the ranges.

        Raises:
            ConfigError: One is out of its range; the message names the variable.
        """
        check("CITEBOUND_QUESTIONS_PER_ASKER", self.questions_per_asker, 1, MOST)
        check("CITEBOUND_QUESTIONS_PER_CHANNEL", self.questions_per_channel, 1, MOST)
        check("CITEBOUND_REPLIES_PER_CONVERSATION", self.replies_per_conversation, 1, MOST)
        check("CITEBOUND_WAITING_PER_ASKER", self.waiting_per_asker, 1, MOST)
        check("CITEBOUND_WAITING_QUESTIONS", self.waiting_questions, 1, 1_000_000)
