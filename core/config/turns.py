"""Settings of a question's time, and of how many questions are begun and may wait."""

from dataclasses import dataclass

from core.config.setting import setting, within

MOST = 10_000
"""The instants of so many turns are kept for each asker, channel and conversation."""


@dataclass(frozen=True, kw_only=True)
class TurnSettings:
    """How long a question may take, and when it waits; see `core.domain.limits`."""

    deadline_s: float = setting(
        "CITEBOUND_DEADLINE_S",
        45.0,
        "Seconds that one question may take, 1 to 600",
        check=within(1, 600),
    )
    max_attempts: int = setting(
        "CITEBOUND_MAX_ATTEMPTS", 2, "Drafts of one question at most, 1 to 4", check=within(1, 4)
    )
    """The first one counts."""
    questions_per_asker: int = setting(
        "CITEBOUND_QUESTIONS_PER_ASKER",
        10,
        "Questions of one person begun within 10 minutes, 1 to 10000; further ones wait",
        check=within(1, MOST),
    )
    questions_per_channel: int = setting(
        "CITEBOUND_QUESTIONS_PER_CHANNEL",
        60,
        "Questions of one channel begun within 10 minutes, 1 to 10000; further ones wait",
        check=within(1, MOST),
    )
    replies_per_conversation: int = setting(
        "CITEBOUND_REPLIES_PER_CONVERSATION",
        5,
        "Questions of one thread begun within a minute, 1 to 10000; further ones wait",
        check=within(1, MOST),
    )
    """Each has one reply."""
    waiting_per_asker: int = setting(
        "CITEBOUND_WAITING_PER_ASKER",
        20,
        "Questions of one person that may wait, 1 to 10000; further ones are not taken",
        check=within(1, MOST),
    )
    """Reports of misconduct and replies to a question back are not counted."""
    waiting_questions: int = setting(
        "CITEBOUND_WAITING_QUESTIONS",
        2_000,
        "Questions of all people that may wait, 1 to 1000000; further ones are not taken",
        check=within(1, 1_000_000),
    )
