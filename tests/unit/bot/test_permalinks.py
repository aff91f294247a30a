"""Which addresses lead to where something was asked."""

import pytest

from bot.replies.safe_text import is_permalink


@pytest.mark.parametrize(
    "url",
    [
        "https://acme.slack.com/archives/C0/p1700000000000100",
        "https://acme.enterprise.slack.com/archives/C0/p1?thread_ts=1.2",
        "https://teams.microsoft.com/l/message/19:abc@thread.tacv2/1700000000000?context=%7B%7D",
        "https://teams.cloud.microsoft/l/message/19%3Aabc/1700000000000",
    ],
)
def test_those_that_a_platform_told(url: str) -> None:
    """In both: a question of one is answered on the other."""
    assert is_permalink(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://acme.slack.com/archives/C0",
        "https://slack.com.evil.example/archives",
        "https://evil.example/.slack.com",
        "https://evil.example#.slack.com",
        "https://me@evil.example/x.slack.com",
        "https://acme.slack.com@evil.example/",
        "https://teams.microsoft.com.evil.example/l/message/1",
        "https://teams.microsoft.com/apps/1",
        "https://teams.microsoft.com/l/message/1 2",
        "https://teams.microsoft.com/l/message/1\n",
        "https://teams.microsoft.com/l/message/<1>",
        "javascript:alert(1)",
        "",
    ],
)
def test_and_no_others(url: str) -> None:
    """Nothing that somebody else could have written."""
    assert not is_permalink(url)
